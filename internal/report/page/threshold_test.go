package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

func TestThresholds(t *testing.T) {
	params := map[string]advice.Param{"ok": {Value: 5.0}, "latency": {Value: 2}, "word": {Value: "no number"}}
	for _, c := range []struct {
		name, want, metric string
		profile            advice.Profile
		limit              float64
		ok                 bool
	}{
		{"at most", `vm.live("cpu.ready").p95 <= params.ok`, "cpu.ready", "", 5, true},
		{"at least", `vm.live("numa.local").median >= params.ok`, "numa.local", "", 5, true},
		{"one of two", `vm.live("mem.swapIn").p95 <= params.ok && vm.live("mem.decompress").p95 <= params.latency`, "mem.decompress", "", 2, true},
		{"by profile", `vm.live("cpu.ready").p95 <= (profile == "latency" ? params.latency : params.ok)`, "cpu.ready", "latency", 2, true},
		{"by another profile", `vm.live("cpu.ready").p95 <= (profile == "latency" ? params.latency : params.ok)`, "cpu.ready", "general", 5, true},
		{"another counter", `vm.live("cpu.ready").p95 <= params.ok`, "cpu.costop", "", 0, false},
		{"computed", `pnic.live("net.rx").median < params.ok * params.latency && true`, "net.rx", "", 0, false},
		{"no such parameter", `vm.live("cpu.ready").p95 <= params.none`, "cpu.ready", "", 0, false},
		{"no number", `vm.live("cpu.ready").p95 <= params.word`, "cpu.ready", "", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := threshold(&advice.Finding{Evaluated: &advice.Evaluated{Profile: c.profile}, Rule: &advice.Rule{Want: expr(c.want), Params: params}}, c.metric)
			require.Equal(t, c.ok, ok)
			require.InDelta(t, c.limit, v, 0)
		})
	}
	_, ok := threshold(nil, "cpu.ready")
	require.False(t, ok)
}

// TestRulesHaveThresholds: most rules over counters compare one with a parameter, in a form that the page can draw.
func TestRulesHaveThresholds(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	all, drawn := 0, 0
	for _, r := range set.Rules() {
		live := r.Live()
		if r.Category != "monitoring" || len(live) == 0 {
			continue
		}
		all++
		for _, m := range live {
			if _, ok := threshold(&advice.Finding{Evaluated: new(advice.Evaluated), Rule: r}, m); ok {
				drawn++
				break
			}
		}
	}
	require.Greater(t, all, 30)
	require.GreaterOrEqual(t, drawn*10, all*9, "%d of %d", drawn, all)
}

func TestSmallLinesUseTheirHeight(t *testing.T) {
	for _, c := range []struct {
		name      string
		limit     float64
		judged    bool
		values    []float32
		low, high float64
	}{
		{"from the lowest to the highest, with a margin", 0, false, []float32{40, gap, 52}, 39, 53},
		{"the limit is inside", 4, true, []float32{40, 52}, 0, 56},
		{"a flat line lies in the middle", 0, false, []float32{50, 50}, 45, 55},
		{"a flat zero too", 0, false, []float32{0, 0}, -1, 1},
		{"a flat line at its limit", 50, true, []float32{50}, 45, 55},
		{"no sample", 0, false, []float32{gap}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			low, high := thinned(track(c.values...), len(c.values), false).span(c.limit, c.judged)
			require.InDelta(t, c.low, low, 1e-9)
			require.InDelta(t, c.high, high, 1e-9)
		})
	}
}

func TestSparkCarriesItsThreshold(t *testing.T) {
	a := sampleReport(2, 5)
	s := newShow(view.New(a))
	vm := a.Snapshot.VCenters[0].VMs[3]
	series := vm.Live.Of("cpu.ready")
	metric, ok := inventory.LookupLive(inventory.ScopeVM, "cpu.ready")
	require.True(t, ok)
	f := sampleFinding(readyRule, vm, advice.High)
	x := s.symptom(&view.Symptom{Finding: f, Counters: []view.Counter{{Series: series, Metric: &metric}}})
	require.NotEmpty(t, x.Figures[0].Limit)
	require.Contains(t, x.Figures[0].SparkLabel, ", limit 5\u00a0%")
	f = sampleFinding(bootRule, vm, advice.High)
	x = s.symptom(&view.Symptom{Finding: f, Counters: []view.Counter{{Series: series, Metric: &metric}}})
	require.Empty(t, x.Figures[0].Limit, "a rule without a threshold has no line")
}
