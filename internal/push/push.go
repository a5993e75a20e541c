package push

import (
	"context"
	"log/slog"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/vperf/vperf/internal/exposition"
)

// Source is the origin of series: a target, or the exporter itself.
type Source struct {
	// Job and Instance are the labels that a scrape would add.
	Job, Instance string
	// Began is when all counters of the source were 0, by the clock of its samples; zero: unknown.
	Began time.Time
}

type sourceKey struct{ job, instance string }

// Pusher pushes series to receivers. It is safe for concurrent use.
type Pusher struct {
	destinations []*destination

	mu    sync.Mutex
	books map[sourceKey]*book
}

// New returns a Pusher for the receivers of the options. It fails if one of them is wrong.
func New(o Options) (*Pusher, error) {
	p := &Pusher{books: map[sourceKey]*book{}}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	for _, r := range o.receivers() {
		d, err := o.destination(r)
		if err != nil {
			return nil, err
		}
		p.destinations = append(p.destinations, d)
	}
	return p, nil
}

// Run sends until ctx ends, and then for a few seconds what is still in the queues.
func (p *Pusher) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, d := range p.destinations {
		all.Go(func() { d.run(ctx) })
	}
	all.Wait()
}

// Push queues the samples of a page that were not pushed yet. Now is the time of series that have no time stamp.
// It does not wait for receivers.
func (p *Pusher) Push(s Source, now time.Time, write func(*exposition.Writer)) {
	p.push(s, now, write, nil)
}

// PushFamilies queues a page of Prometheus's library, with histograms and summaries.
func (p *Pusher) PushFamilies(s Source, now time.Time, families []*dto.MetricFamily) {
	p.push(s, now, func(w *exposition.Writer) {
		for _, f := range families {
			writeFamily(w, f)
		}
	}, func(add func(sample)) {
		for _, f := range families {
			addDistributions(f, s, now, add)
		}
	})
}

// Forget queues the ends of all series of a source.
func (p *Pusher) Forget(s Source, now time.Time) {
	p.Push(s, now, func(*exposition.Writer) {})
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.books, sourceKey{s.Job, s.Instance})
}

func (p *Pusher) push(s Source, now time.Time, write func(*exposition.Writer), more func(add func(sample))) {
	b := p.book(s)
	b.mu.Lock() // pages of a source are queued in their order
	defer b.mu.Unlock()
	out := batches{to: func(list []sample) {
		for _, d := range p.destinations {
			d.queueSamples(s, list)
		}
	}}
	late := b.page(s.Began, now, write, out.add)
	if more != nil {
		more(out.add)
	}
	out.flush()
	for _, d := range p.destinations {
		d.drop(reasonOutOfOrder, late, errOutOfOrder)
	}
}

func (p *Pusher) book(s Source) *book {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := sourceKey{s.Job, s.Instance}
	if p.books[k] == nil {
		p.books[k] = newBook()
	}
	return p.books[k]
}

// Stats returns the statistics of all receivers.
func (p *Pusher) Stats() []Stats {
	list := make([]Stats, len(p.destinations))
	for i, d := range p.destinations {
		list[i] = d.statistics()
	}
	return list
}

// writeFamily writes gauges and counters of the library.
func writeFamily(w *exposition.Writer, f *dto.MetricFamily) {
	kind := exposition.Gauge
	if f.GetType() == dto.MetricType_COUNTER {
		kind = exposition.Counter
	}
	w.Family(exposition.Family{Name: f.GetName(), Help: f.GetHelp(), Kind: kind})
	for _, m := range f.GetMetric() {
		var v float64
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			v = m.GetCounter().GetValue()
		case dto.MetricType_GAUGE:
			v = m.GetGauge().GetValue()
		case dto.MetricType_UNTYPED:
			v = m.GetUntyped().GetValue()
		default:
			continue
		}
		w.Sample(exposition.NewLabels(namesAndValues(m)...), v)
	}
}

// addDistributions adds histograms and summaries of the library. The exporter has them as long as it runs, so that their
// ends do not matter.
func addDistributions(f *dto.MetricFamily, s Source, now time.Time, add func(sample)) {
	if t := f.GetType(); t != dto.MetricType_HISTOGRAM && t != dto.MetricType_SUMMARY {
		return
	}
	family := &exposition.Family{Name: f.GetName(), Help: f.GetHelp()}
	for _, m := range f.GetMetric() {
		one := sample{family: family, labels: exposition.NewLabels(namesAndValues(m)...), at: now.UnixMilli(), metric: m}
		if !s.Began.IsZero() {
			one.start = s.Began.UnixMilli()
		}
		add(one)
	}
}
