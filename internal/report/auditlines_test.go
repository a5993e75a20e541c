package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
)

func lines(t *testing.T, a report.Audit) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Lines(a).Terminal(&b, 0, iostreams.Style{}))
	require.NotContains(t, b.String(), "\x1b")
	return b.String()
}

// TestLines: a pipe gets a line for each finding, folded as a screen folds them, and its objects with --all.
func TestLines(t *testing.T) {
	golden.Equal(t, "testdata/audit-lines.txt", []byte(lines(t, audit(t, true))))
	text := lines(t, auditOfAll(longRule(20), false))
	require.Contains(t, text, "\nLOW  old-hardware  Old  20 VMs: web-00, web-01, web-02 and 17 more  version 9 to 28, ")
	require.Equal(t, 3, strings.Count(text, "\n"))
	require.Equal(t, 22, strings.Count(lines(t, auditOfAll(longRule(20), true)), "\n"))
}
