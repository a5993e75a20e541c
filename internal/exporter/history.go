package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/esxtop"
)

// HistoryOptions configure a history.
type HistoryOptions struct {
	Hosts   []ledger.Host // and VMs that there are
	VMs     []ledger.VM
	Objects esxtop.Objects
	Until   time.Time // by the server's clock: History does not wait for later samples
	// Labels are names and values in turn that each series gets, so that it meets what Prometheus scrapes: job, instance.
	Labels []string
}

// History writes a source's stored samples as OpenMetrics with time stamps, for promtool tsdb create-blocks-from
// openmetrics. Counters begin at 0.
//
// The format requires all samples of a metric together, but a source returns all metrics of one time and then of the
// next, so the whole history is in memory until it is written, 16 bytes per sample. An hour of 1,000 VMs, with some 45
// figures each every 20 seconds, is 8 million samples and takes 130 MB. A larger fleet is written part by part.
func History(ctx context.Context, from esxtop.Source, o HistoryOptions, w io.Writer) error {
	h := past{
		ledger:  ledger.New(ledger.Options{Objects: o.Objects, Reason: func(error) string { return "" }}),
		objects: o.Objects, extra: string(exposition.NewLabels(o.Labels...)), byName: map[string]*pastFamily{},
	}
	h.ledger.Expect(o.Hosts, o.VMs)
	for {
		r, err := from.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the history: %w", err)
		}
		h.take(r, o.Until)
		if !r.Past && !r.Time.IsZero() || r.Time.Add(interval).After(o.Until) { // so near to the end it is the last one
			break
		}
	}
	return h.write(w)
}

// past is the samples so far, by metric.
type past struct {
	ledger  *ledger.Ledger
	objects esxtop.Objects
	extra   string // labels of all series

	families []*pastFamily // as they came
	byName   map[string]*pastFamily
}

type pastFamily struct {
	exposition.Family

	series  []*pastSeries
	byLabel map[exposition.Labels]*pastSeries
}

// pastSeries keeps samples in pieces: one list would be half empty after it grew.
type pastSeries struct {
	labels exposition.Labels
	last   int64 // time of the newest sample
	pieces [][]moment
}

type moment struct {
	at    int64 // ms
	value float64
}

const pieceLength = 30 // of ten minutes

// take enters a round. A host may have several frames in one, of samples that came late: the ledger has only the last value, so
// it gets one frame of a host at a time.
func (h *past) take(r *esxtop.Round, until time.Time) {
	var turns []*esxtop.Round
	had := map[string]int{} // frames of a host so far
	for _, f := range r.Frames {
		if f.Time.After(until) {
			continue
		}
		f.Age = 0 // each sample is wanted
		n := had[f.MoID]
		had[f.MoID]++
		if n == len(turns) {
			turns = append(turns, &esxtop.Round{Past: true})
		}
		t := turns[n]
		t.Frames = append(t.Frames, f)
		if f.Time.After(t.Time) {
			t.Time = f.Time
		}
	}
	for _, t := range turns {
		h.ledger.Take(t)
		h.ledger.Walk(h.objects, h.keep)
	}
}

func (h *past) keep(f exposition.Family, labels exposition.Labels, v float64, at time.Time) {
	family := h.byName[f.Name]
	if family == nil {
		family = &pastFamily{Family: f, byLabel: map[exposition.Labels]*pastSeries{}}
		h.byName[f.Name] = family
		h.families = append(h.families, family)
	}
	s := family.byLabel[labels]
	if s == nil {
		s = &pastSeries{labels: labels}
		family.byLabel[labels] = s
		family.series = append(family.series, s)
	}
	if ms := at.UnixMilli(); ms > s.last {
		s.last = ms
		s.add(moment{ms, v})
	}
}

func (s *pastSeries) add(m moment) {
	n := len(s.pieces) - 1
	if n < 0 || len(s.pieces[n]) == pieceLength {
		s.pieces = append(s.pieces, make([]moment, 0, pieceLength))
		n++
	}
	s.pieces[n] = append(s.pieces[n], m)
}

func (h *past) write(w io.Writer) error {
	page := exposition.NewWriter(w, exposition.OpenMetrics)
	for _, f := range h.families {
		page.Family(f.Family)
		for _, s := range f.series {
			labels := h.join(s.labels)
			for _, piece := range s.pieces {
				for _, m := range piece {
					page.SampleAt(labels, m.value, time.UnixMilli(m.at))
				}
			}
		}
	}
	if err := page.Close(); err != nil {
		return fmt.Errorf("writing the history: %w", err)
	}
	return nil
}

// join puts the labels of all series before those of one.
func (h *past) join(own exposition.Labels) exposition.Labels {
	switch {
	case h.extra == "":
		return own
	case own == "":
		return exposition.Labels(h.extra)
	}
	return exposition.Labels(strings.TrimSuffix(h.extra, "}") + "," + string(own[1:]))
}

// ErrHistoryByTag reports a filter by tag, which a history cannot use: tags are read in surveys.
var ErrHistoryByTag = errors.New("a history cannot be filtered by tag: filter by name or path")

// TargetHistory writes the samples that a target's server has stored, an hour at most, like History: for the exported
// hosts and VMs, and the metrics of its modules.
func TargetHistory(ctx context.Context, c TargetConfig, long time.Duration, labels []string, w io.Writer) error {
	t, err := newTarget(c, slog.New(slog.DiscardHandler))
	switch {
	case err != nil:
		return err
	case t.filter.asksTags():
		return fmt.Errorf("target %s: %w", c.Name, ErrHistoryByTag)
	case !t.measures():
		return fmt.Errorf("target %s: none of its modules has counters, and configuration has no history", c.Name)
	}
	session, err := t.config.Dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close(ctx) }() // an abandoned session times out
	now, err := session.NowOr(ctx, t.clock())
	if err != nil {
		return err
	}
	roster, err := source.ReadRoster(ctx, session)
	if err != nil {
		return err
	}
	here := newPresent(roster, t.filter, nil)
	samples, err := roster.Past(ctx, here.connected(), esxtop.Request{Objects: t.objects, Figures: t.metrics.figures}, long, t.config.Clock)
	if err != nil {
		return err
	}
	defer func() { _ = source.CloseSource(ctx, samples) }() // the server keeps nothing for it
	hosts, vms := t.members(&here)
	return History(ctx, strippedSource{samples, &t.metrics}, HistoryOptions{Hosts: hosts, VMs: vms, Objects: t.objects, Until: now, Labels: labels}, w)
}
