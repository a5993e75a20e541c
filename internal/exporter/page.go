package exporter

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// ModuleError is a module that a scrape asks for and the target does not collect.
type ModuleError struct {
	Target    string
	Module    module.Name
	Collected []module.Name
}

// Error says what to put into the config.
func (e *ModuleError) Error() string {
	return "target " + e.Target + " does not collect module " + string(e.Module) + "; add it to the target's modules in the config, which are now " +
		module.Listed(e.Collected)
}

// Page returns the page of some modules; none means all collected ones except those on request only. Pages of one state
// of the target are rendered once for all scrapers. Modules that the target does not collect are a ModuleError. Page
// never waits for the server.
func (t *Target) Page(_ context.Context, modules []module.Name, f exposition.Format, zip bool) (*Page, error) {
	chosen, err := t.choose(modules)
	if err != nil {
		return nil, err
	}
	body, err := t.pages.get(form{module.Listed(chosen), f, zip}, t.version, func() (body, error) { return t.render(chosen, f, zip) })
	if err != nil {
		return nil, err
	}
	return &Page{ContentType: exposition.ContentType(f), Gzip: zip, Length: body.length(), Body: body.reader()}, nil
}

// choose is the modules that a page is of, in the order of pages.
func (t *Target) choose(asked []module.Name) (chosen []module.Name, err error) {
	for _, m := range asked {
		if shown := t.modules[m] || m == module.Findings && t.modules[module.Audit]; !shown {
			return nil, &ModuleError{Target: t.config.Name, Module: m, Collected: slices.Clone(t.config.Modules)}
		}
	}
	for _, m := range module.All {
		if slices.Contains(asked, m) || len(asked) == 0 && t.modules[m] && m != module.Findings {
			chosen = append(chosen, m)
		}
	}
	return chosen, nil
}

func (t *Target) version() version {
	s := t.snapshot()
	now := t.clock()
	count, until := t.ledger.Changes(now.Add(s.ahead))
	v := version{ledger: count, target: s.changes, until: until}
	for _, end := range []time.Time{s.survey.until(t.config.SurveyEvery), s.hereUntil(t.config.Stale)} {
		if end.After(now) && (v.until.IsZero() || end.Before(v.until)) {
			v.until = end
		}
	}
	return v
}

// zipLevel costs a third less time than the fastest level of Go's own library, for pages of the same size.
const zipLevel = 2

// render writes a page, and holds no more of it than is asked for.
func (t *Target) render(modules []module.Name, f exposition.Format, zip bool) (body, error) {
	var blocks blocks
	var to io.Writer = &blocks
	var packed *gzip.Writer
	if zip {
		packed, _ = gzip.NewWriterLevel(to, zipLevel) // the level is a good one
		to = packed
	}
	w := exposition.NewWriter(to, f)
	if !t.metrics.all() {
		w.Only(t.metrics.keeps)
	}
	t.write(w, modules)
	if err := w.Close(); err != nil {
		return nil, err
	}
	if packed != nil {
		if err := packed.Close(); err != nil {
			return nil, err
		}
	}
	return blocks.full, nil
}

// write writes the families of a page.
func (t *Target) write(w *exposition.Writer, modules []module.Name) {
	t.writeWith(w, modules, t.ledger.Write)
}

// writeWith writes the families of a page, the measured ones by a function of the ledger.
func (t *Target) writeWith(w *exposition.Writer, modules []module.Name, measurements func(*exposition.Writer, esxtop.Objects)) {
	s := t.snapshot()
	now := t.clock().Add(s.ahead)
	shown := s.survey
	if end := shown.until(t.config.SurveyEvery); !end.After(t.clock()) {
		shown = nil
	}
	t.writeTarget(w, &s, now)
	var objects esxtop.Objects
	for _, m := range modules {
		if objects |= module.Measured[m]; m == module.Esxtop {
			objects |= module.EsxtopOnly()
		}
	}
	if s.hereUntil(t.config.Stale).After(t.clock()) && (slices.Contains(modules, module.Basic) || slices.Contains(modules, module.Tags)) {
		var tags map[string]map[string]string
		if shown != nil && slices.Contains(modules, module.Tags) {
			tags = shown.labels
		}
		t.inventory.Write(w, s.here.hosts, s.here.asked, (&s.here).vmsOf, tags)
	}
	if objects != 0 {
		measurements(w, objects)
	}
	if shown != nil {
		shown.write(w, modules, s.here.away())
		t.writePoolReady(w, modules, now)
	}
}

// write writes the families of surveyed modules. Those of clusters and datastores are for all of them, whatever the
// filter. Readings of hosts that have gone away since the survey are not current any more.
func (s *survey) write(w *exposition.Writer, modules []module.Name, away map[string]bool) {
	for _, m := range modules {
		var skip func(exposition.Labels) bool
		if len(away) > 0 && slices.Contains(module.OfHosts, m) {
			skip = func(l exposition.Labels) bool { return away[l.Get("moid")] }
		}
		if tape := s.modules[m]; tape != nil {
			tape.Play(w, skip)
		}
	}
}
