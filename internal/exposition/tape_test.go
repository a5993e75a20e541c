package exposition_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
)

// TestTape: a tape plays the recorded families in any format, several times.
func TestTape(t *testing.T) {
	write := func(w *exposition.Writer) {
		w.Family(exposition.Family{Name: "a_total", Help: "First.", Kind: exposition.Counter})
		w.Sample(exposition.NewLabels("x", "1"), 1)
		w.Sample(exposition.NewLabels("x", "2"), 0)
		w.Family(exposition.Family{Name: "none", Help: "Nobody has it."})
		w.Family(exposition.Family{Name: "b", Help: "Second."})
		w.Sample("", 0.5)
	}
	tape := exposition.Record(write)
	for _, f := range []exposition.Format{exposition.Text, exposition.OpenMetrics, exposition.Text} {
		var direct, played bytes.Buffer
		w := exposition.NewWriter(&direct, f)
		write(w)
		require.NoError(t, w.Close())
		w = exposition.NewWriter(&played, f)
		tape.Play(w, nil)
		require.NoError(t, w.Close())
		require.Equal(t, direct.String(), played.String())
		require.Contains(t, played.String(), `a_total{x="2"} 0`)
	}
}
