package report_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
)

// pending is the audit with one pending failure and hostile text.
func pending(t *testing.T) report.Audit {
	t.Helper()
	a := audit(t, true)
	for _, f := range a.Result.Findings {
		if f.Rule.ID == "numa-io" && f.Outcome == advice.Fail {
			f.Pending, f.Remedies = "host reboot, written 2026-11-20 22:14 by run =x\x1b[31m<b>", nil
			return a
		}
	}
	t.Fatal("no fail to wait")
	return a
}

func TestEveryFormatSaysWhatWaits(t *testing.T) {
	table := func(w io.Writer, a report.Audit) error { return report.Terminal{Width: 120}.Show(w, report.Details(a)) }
	for name, c := range map[string]struct {
		write func(io.Writer, report.Audit) error
		want  string
	}{
		"table":    {table, "\n    pending: host reboot, written 2026-11-20 22:14 by run =x"},
		"json":     {report.JSON, `"pending": "host reboot, written 2026-11-20 22:14 by run =x`},
		"csv":      {report.CSV, `,"host reboot, written 2026-11-20 22:14 by run =x`},
		"markdown": {func(w io.Writer, a report.Audit) error { return report.Details(a).Markdown(w) }, "- pending: host reboot, written 2026-11-20 22:14 by run =x"},
		"sarif":    {report.SARIF, `; pending: host reboot, written 2026-11-20 22:14 by run =x`},
		"junit":    {report.JUnit, "pending: host reboot, written 2026-11-20 22:14 by run =x"},
	} {
		t.Run(name, func(t *testing.T) {
			var without, with bytes.Buffer
			require.NoError(t, c.write(&without, audit(t, true)))
			require.NoError(t, c.write(&with, pending(t)))
			require.Contains(t, with.String(), c.want)
			require.NotContains(t, without.String(), "22:14")
			require.NotContains(t, with.String(), "\x1b[31m", "nobody drives the terminal")
		})
	}
}

func TestPendingJSONFollowsTheSchema(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.JSON(&b, pending(t)))
	validate(t, b.Bytes())
}
