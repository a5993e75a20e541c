package exporter

import (
	"context"
	"io"
	"maps"
	"testing"
	"time"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// BenchmarkSampling samples the demo fleet: round after round, from connecting on with an hour that hosts have kept, and as a history.
// The simulator's own work is in the figures; round trips are those of vperf.
func BenchmarkSampling(b *testing.B) {
	config := TargetConfig{Modules: []module.Name{module.Basic, module.Esxtop}}
	b.Run("round", func(b *testing.B) {
		s := onOwnStage(b)
		st := s.drive(b, s.target(b, config))
		for range 3 {
			st.step()
		}
		before := calls(st.session)
		b.ReportAllocs()
		for b.Loop() {
			st.step()
		}
		b.ReportMetric(float64(calls(st.session)-before)/float64(b.N), "calls/op")
	})
	b.Run("backfill", func(b *testing.B) {
		s := onOwnStage(b)
		kept := config
		kept.History = time.Hour
		trips := 0
		b.ReportAllocs()
		for b.Loop() {
			st := s.drive(b, s.target(b, kept))
			for st.newest().Before(st.serverNow().Add(-2 * interval)) {
				st.step()
			}
			trips += calls(st.session)
			st.end()
		}
		b.ReportMetric(float64(trips)/float64(b.N), "calls/op")
	})
	b.Run("history", func(b *testing.B) {
		s := onOwnStage(b)
		var open *session.Session
		kept := config
		kept.Name, kept.Clock = "demo", source.Clock{Now: s.clock.Now, After: s.clock.after}
		kept.Dial = func(ctx context.Context) (_ *session.Session, err error) {
			open, err = s.dial(ctx)
			return open, err
		}
		trips := 0
		b.ReportAllocs()
		for b.Loop() {
			if err := TargetHistory(b.Context(), kept, time.Hour, nil, io.Discard); err != nil {
				b.Fatal(err)
			}
			trips += calls(open)
		}
		b.ReportMetric(float64(trips)/float64(b.N), "calls/op")
	})
}

// calls is how many calls a session has made.
func calls(s *session.Session) (all int) {
	for n := range maps.Values(s.Calls()) {
		all += n
	}
	return all
}
