package exporter

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/esxtop"
)

var errNoEsxtopHost = errors.New("no connected host matches the hosts selected for the Esxtop service")

// askEsxtop reads the Esxtop service of selected hosts, and restarts after failures, which do not affect anything else.
func (l *link) askEsxtop(ctx context.Context) {
	for ctx.Err() == nil {
		began := l.clock()
		err := l.followEsxtop(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			l.esxtopFailed(began, err)
			l.trace.warn("Esxtop service: %v", err)
			l.wait(ctx, watchEvery+l.jitter(watchEvery/4))
		}
	}
}

// esxtopFailed expects the hosts nevertheless, also where none has answered yet.
func (l *link) esxtopFailed(began time.Time, err error) {
	l.failed(collectorEsxtop, began, err)
	hosts := len(l.esxtopHosts())
	l.change(func(s *state) {
		c := s.collectors[collectorEsxtop]
		c.Expected = hosts
		s.collectors[collectorEsxtop] = c
	})
}

// followEsxtop ends without an error when other hosts are to be asked.
func (l *link) followEsxtop(ctx context.Context) error {
	hosts := l.esxtopHosts()
	if len(hosts) == 0 {
		return errNoEsxtopHost
	}
	opening, cancel := within(ctx, connectPatience)
	counters, err := l.roster.EsxtopService(opening, hosts, l.objects)
	cancel()
	if err != nil {
		return err
	}
	defer func() {
		if err := source.CloseSource(ctx, counters); err != nil {
			l.trace.debug("closing the Esxtop service: %v", err)
		}
	}()
	var began time.Time
	for {
		began = later(l.clock(), began.Add(interval)) // until then it only waits
		r, err := counters.Next(ctx)
		if err != nil {
			return err
		}
		l.metrics.strip(r)
		l.ledger.Take(&esxtop.Round{Time: r.Time, Frames: r.Frames, Past: r.Past}) // its troubles do not explain missing samples of the PerformanceManager
		c := CollectorStatus{
			Name: collectorEsxtop, Ran: l.clock(), Took: max(0, l.clock().Sub(began)), Err: missing(r, l.snapshot().here),
			Expected: len(hosts), Collected: len(r.Frames),
		}
		c.Success = c.Err == ""
		l.collected(c)
		l.trace.debug("Esxtop service, round of %s: %d of %d hosts; %s", r.Time.UTC().Format(time.TimeOnly), len(r.Frames), len(hosts), orOK(c.Err))
		if !slices.EqualFunc(hosts, l.esxtopHosts(), func(a, b source.Host) bool { return a.MoID == b.MoID }) {
			return nil
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// esxtopHosts returns the connected exported hosts whose names match.
func (l *link) esxtopHosts() (list []source.Host) {
	for _, h := range l.snapshot().here.hosts {
		matches := func(pattern string) bool {
			return glob(strings.ToLower(pattern), strings.ToLower(h.Name)) || pattern == h.MoID
		}
		if h.Up() && slices.ContainsFunc(l.config.EsxtopHosts, matches) {
			list = append(list, h)
		}
	}
	return list
}
