package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// BenchmarkLoad reads the whole library, as every command does that speaks of rules.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
		require.NoError(b, err)
	}
}

// BenchmarkSelect compiles what is selected: one rule, and the whole library as an audit without --rule does.
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
