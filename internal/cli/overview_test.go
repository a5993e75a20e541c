package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
)

// onTerminal runs a command whose output a person reads on a terminal of 80 columns.
func onTerminal(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	io, out, errs := iostreams.Test()
	io.SetTTY(false, true, false)
	io.SetWidth(80)
	code = run(t.Context(), NewFactory(io), args)
	return code, out.String(), errs.String()
}

// TestAuditOpensWithOneScreen audits the demo fleet: a terminal gets at most 40 lines unless the user asks for more.
func TestAuditOpensWithOneScreen(t *testing.T) {
	proof.NotRaced(t)
	serveDemo(t)
	code, screen, stderr := onTerminal(t, "audit")
	require.Zero(t, code, stderr)
	require.LessOrEqual(t, strings.Count(screen, "\n"), 40, screen)
	require.Contains(t, screen, "The 10 worst of ")
	require.Contains(t, screen, "vperf audit --details")

	for _, more := range [][]string{{"audit", "--details"}, {"audit", "--all"}, {"audit", "--severity", "low"}} {
		_, whole, _ := onTerminal(t, more...)
		require.Greater(t, strings.Count(whole, "\n"), 400, more)
		require.NotContains(t, whole, "The 10 worst of ", more)
	}
	_, one, _ := onTerminal(t, "audit", "--rule", "numa-io")
	require.Contains(t, one, "fix: ", "a rule that is named is shown with its evidence")

	io, piped, _ := iostreams.Test()
	require.Zero(t, run(t.Context(), NewFactory(io), []string{"audit"}))
	require.NotContains(t, piped.String(), "The 10 worst of ", "a pipe gets the whole table")
}

// TestAuditOverviewWithABaseline shows only new findings and one line of counts.
func TestAuditOverviewWithABaseline(t *testing.T) {
	proof.NotRaced(t)
	serveDemo(t)
	file := t.TempDir() + "/known.json"
	code, _, stderr := onTerminal(t, "audit", "--write-baseline", file)
	require.Zero(t, code, stderr)
	code, screen, stderr := onTerminal(t, "audit", "--baseline", file)
	require.Zero(t, code, stderr)
	require.Contains(t, screen, " known findings are in the baseline")
	require.NotContains(t, screen, "worst of")
	require.LessOrEqual(t, strings.Count(screen, "\n"), 10, screen)
}

func TestFirstStepsFitTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 70, 80, 97, 98} {
		var b strings.Builder
		require.NoError(t, writeFirstSteps(&b, width))
		for line := range strings.Lines(b.String()) {
			require.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), width)
		}
	}
	var narrow, whole strings.Builder
	require.NoError(t, writeFirstSteps(&narrow, 60))
	require.Contains(t, narrow.String(), "\nWatch     vperf top --demo\n    live counters, as in esxtop\n")
	require.NoError(t, writeFirstSteps(&whole, 0))
	require.Contains(t, whole.String(), "\nWatch     vperf top --demo           live counters, as in esxtop\n")
}
