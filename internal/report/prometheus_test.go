package report_test

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition/expositiontest"
	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report"
)

func TestPrometheus(t *testing.T) {
	for name, a := range map[string]report.Audit{"audit.prom": audit(t, false), "accepted.prom": accepted(t, false), "empty.prom": empty()} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, report.Prometheus(&b, a))
			golden.Equal(t, "testdata/"+name, b.Bytes())
			expositiontest.Lint(t, b.Bytes())
		})
	}
}

func TestPrometheusIsCleanToPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: Debian has it in the package prometheus")
	}
	var b bytes.Buffer
	require.NoError(t, report.Prometheus(&b, accepted(t, true)))
	c := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	c.Stdin = &b
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out))
}

// TestPrometheusNamesNoObject checks that no label has an object's name: other people choose names, and a series per object
// would come and go with it.
func TestPrometheusNamesNoObject(t *testing.T) {
	var b bytes.Buffer
	a := audit(t, true)
	require.NoError(t, report.Prometheus(&b, a))
	for _, f := range a.Result.Findings {
		if f.Object.Name != f.Object.VCenter {
			require.NotContains(t, b.String(), f.Object.Name)
		}
	}
}
