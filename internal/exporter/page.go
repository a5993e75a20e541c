package exporter

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
)

// ModuleError is a module that a scrape asks for and the target does not collect.
type ModuleError struct {
	Target    string
	Module    Module
	Collected []Module
}

// Error says what to put into the config.
func (e *ModuleError) Error() string {
	return "target " + e.Target + " does not collect module " + string(e.Module) + "; add it to its modules in the config, which has " +
		listed(e.Collected)
}

// Page makes the page of some modules; none means all that are collected and not for request only. Pages of one state of the
// target are rendered once, whoever asks. Modules that the target does not collect are a ModuleError. Nobody waits for the server here.
func (t *Target) Page(ctx context.Context, modules []Module, f exposition.Format, zip bool) (*Page, error) {
	chosen, err := t.choose(modules)
	if err != nil {
		return nil, err
	}
	body, err := t.pages.get(ctx, form{listed(chosen), f, zip}, t.version, func() (body, error) { return t.render(chosen, f, zip) })
	if err != nil {
		return nil, err
	}
	return &Page{ContentType: exposition.ContentType(f), Gzip: zip, Length: body.length(), Body: body.reader()}, nil
}

// choose is the modules that a page is of, in the order of pages.
func (t *Target) choose(asked []Module) (chosen []Module, err error) {
	for _, m := range asked {
		if shown := t.modules[m] || m == Findings && t.modules[Audit]; !shown {
			return nil, &ModuleError{Target: t.config.Name, Module: m, Collected: slices.Clone(t.config.Modules)}
		}
	}
	for _, m := range Modules {
		if slices.Contains(asked, m) || len(asked) == 0 && t.modules[m] && m != Findings {
			chosen = append(chosen, m)
		}
	}
	return chosen, nil
}

// version is which state of the target a page shows, and until when, by our clock, it does if nothing changes; zero: for ever.
type version struct {
	ledger, target uint64
	until          time.Time
}

func (v version) fresh(now version, at time.Time) bool {
	return v.ledger == now.ledger && v.target == now.target && (v.until.IsZero() || at.Before(v.until))
}

func (t *Target) version() version {
	s := t.look()
	now := t.clock()
	count, until := t.books.Changes(now.Add(s.ahead))
	v := version{ledger: count, target: s.changes}
	if !until.IsZero() {
		v.until = until.Add(-s.ahead)
	}
	ends := []time.Time{s.survey.until(t.config.SurveyEvery), s.hereUntil(t.config.Stale)}
	if !s.newest.IsZero() {
		ends = append(ends, s.newest.Add(t.config.Stale-s.ahead)) // then it is not up any more
	}
	for _, end := range ends {
		if end.After(now) && (v.until.IsZero() || end.Before(v.until)) {
			v.until = end
		}
	}
	return v
}

// until is when the survey is too old to be shown; zero: there is none.
func (s *survey) until(every time.Duration) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.at.Add(surveysShown * every)
}

// hereUntil is when what is known of who is there is too old to be shown: nobody knows any more whether a host is connected or a VM is on.
func (s *state) hereUntil(stale time.Duration) time.Time { return s.read.Add(max(stale, 2*watchEvery)) }

// render writes a page, and holds no more of it than is asked for.
func (t *Target) render(modules []Module, f exposition.Format, zip bool) (body, error) {
	var blocks blocks
	var to io.Writer = &blocks
	var packed *gzip.Writer
	if zip {
		packed, _ = gzip.NewWriterLevel(to, gzip.BestSpeed) // the level is a good one
		to = packed
	}
	w := exposition.NewWriter(to, f)
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
func (t *Target) write(w *exposition.Writer, modules []Module) {
	s := t.look()
	now := t.clock().Add(s.ahead)
	shown := s.survey
	if end := shown.until(t.config.SurveyEvery); !end.After(t.clock()) {
		shown = nil
	}
	t.writeTarget(w, &s, now)
	var objects esxtop.Objects
	for _, m := range modules {
		if objects |= measured[m]; m == Esxtop {
			objects |= esxtopAlone()
		}
	}
	if s.hereUntil(t.config.Stale).After(t.clock()) && (slices.Contains(modules, Basic) || slices.Contains(modules, Tags)) {
		var tags map[string]map[string]string
		if shown != nil && slices.Contains(modules, Tags) {
			tags = shown.labels
		}
		writeInventory(w, s.here.hosts, s.here.asked, (&s.here).told, tags)
	}
	if objects != 0 {
		t.books.Write(w, objects, now)
	}
	if shown != nil {
		shown.write(w, modules)
	}
}

// write writes the families of modules that are read in surveys. Those of clusters and datastores are of all that is there, whatever is told of.
func (s *survey) write(w *exposition.Writer, modules []Module) {
	for _, m := range modules {
		if tape := s.modules[m]; tape != nil {
			tape.Play(w)
		}
	}
}

// form is one of the pages that a target has.
type form struct {
	modules string
	format  exposition.Format
	gzip    bool
}

// pages keeps what was rendered, in the forms that were asked for lately.
type pages struct {
	now  func() time.Time
	mu   sync.Mutex
	kept map[form]*rendering
}

// rendering is a page, or one that is being made.
type rendering struct {
	done    chan struct{} // closed when it is made
	version version
	used    time.Time
	body    body
	err     error
}

// pageKept is how long a page is kept that nobody asks for.
const pageKept = 5 * time.Minute

// get is the page of the state that the target is in. Whoever asks while it is made waits for it.
func (p *pages) get(ctx context.Context, f form, version func() version, render func() (body, error)) (body, error) {
	now, at := version(), p.now()
	p.mu.Lock()
	for f, r := range p.kept {
		if at.Sub(r.used) > pageKept {
			delete(p.kept, f)
		}
	}
	r := p.kept[f]
	if r != nil && (!r.isDone() || r.version.fresh(now, at)) {
		r.used = at
		p.mu.Unlock()
		select {
		case <-r.done:
			return r.body, r.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	r = &rendering{done: newSignal(), version: now, used: at, err: errUnmade}
	p.kept[f] = r
	p.mu.Unlock()
	defer p.made(f, r)
	r.body, r.err = render()
	return r.body, r.err
}

// errUnmade is what those are told who wait for a page whose rendering panics: who renders it passes the panic on.
var errUnmade = errors.New("writing the page went wrong; please report it, with what the log says")

// made ends the waiting for a page. One that went wrong is not kept.
func (p *pages) made(f form, r *rendering) {
	if r.err != nil {
		p.mu.Lock()
		delete(p.kept, f)
		p.mu.Unlock()
	}
	close(r.done)
}

func newSignal() chan struct{} { return make(chan struct{}) }

func (r *rendering) isDone() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// body is a page in blocks: one that grows in one piece is copied, and takes twice its size on the way.
type body [][]byte

func (b body) length() (n int64) {
	for _, block := range b {
		n += int64(len(block))
	}
	return n
}

func (b body) reader() io.Reader {
	readers := make([]io.Reader, len(b))
	for i, block := range b {
		readers[i] = bytes.NewReader(block)
	}
	return io.MultiReader(readers...)
}

// blocks takes a page in.
type blocks struct{ full body }

const blockSize = 256 << 10

// Write implements io.Writer.
func (b *blocks) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		last := len(b.full) - 1
		if last < 0 || len(b.full[last]) == cap(b.full[last]) {
			size := blockSize
			if last < 0 {
				size = blockSize / 16 // small pages stay small
			}
			b.full = append(b.full, make([]byte, 0, size))
			last++
		}
		block := b.full[last]
		free := min(cap(block)-len(block), len(p))
		b.full[last] = append(block, p[:free]...)
		p = p[free:]
	}
	return n, nil
}
