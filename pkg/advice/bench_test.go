package advice_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// BenchmarkLoad reads the whole library, like every command that uses rules.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
		require.NoError(b, err)
	}
}

// BenchmarkSelect compiles a selection: one rule, and the whole library as in an audit without --rule.
func BenchmarkSelect(b *testing.B) {
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(b, err)
	for name, s := range map[string]advice.Selection{"one": {Rules: []string{"numa-io"}}, "all": {}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err = l.Select(s)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkDiagnose measures the cost of diagnoses and advice on a big fleet, 8,000 VMs of which 2,000 wait, with and
// without them.
func BenchmarkDiagnose(b *testing.B) {
	s := crowd(64, 125)
	texts := []string{ready, limited, crowded, old}
	for i := range 8 {
		texts = append(texts, because(fmt.Sprintf("by-%d", i), fmt.Sprintf(`vm.vcpus > %d && findings["limited"] || findings["crowded"] && findings["old"]`, i),
			fmt.Sprintf("order: %d", i), "at: host", "fixes: [limited, crowded]", `evidence: {ready: 'vm.live("cpu.ready").p95'}`))
	}
	for i := range s.VCenters[0].VMs {
		s.VCenters[0].VMs[i].Live.Set("cpu.ready", inventory.Series{Median: 3, P95: 4, Worst: 5, Samples: 9})
		if i%4 == 0 {
			s.VCenters[0].VMs[i].Live.Set("cpu.ready", inventory.Series{Median: 7, P95: 9, Worst: 12, Mean: 8, Samples: 9})
		}
	}
	for name, selection := range map[string]advice.Selection{"rules alone": {}, "with causes": {Diagnoses: true}} {
		set := rulesOf(b, selection, texts...)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var r *advice.Result
			for b.Loop() {
				var err error
				r, err = advice.Evaluate(b.Context(), s, set, advice.Options{})
				require.NoError(b, err)
				advice.Advise(s, r)
			}
			b.ReportMetric(float64(len(diagnosed(r))), "diagnoses")
		})
	}
}
