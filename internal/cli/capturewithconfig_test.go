package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// captureOf is a capture of a host that is short of memory.
func captureOf(t *testing.T, host string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `"(PDH-CSV 4.0) (UTC)(0)","\\%s\Memory\Kernel State"`+"\n", host)
	for i := range 5 {
		fmt.Fprintf(&b, `"03/01/2024 12:00:%02d","2"`+"\n", 5*i)
	}
	path := filepath.Join(t.TempDir(), host+".csv")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// TestCapturesBesideSeveralContexts has a host that no context has: they are asked again, without it.
func TestCapturesBesideSeveralContexts(t *testing.T) {
	configured(t, beside(t, "a", "pa55-a", small(t, "A")), beside(t, "b", "pa55-b", small(t, "B")))
	code, stdout, stderr := vperf(t, "advise", "--context", "a,b", "-o", "json",
		"--capture", captureOf(t, "AAA"), "--capture", captureOf(t, "ADC0_H0"), "--capture", captureOf(t, "BDC0_H1"))
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `"3 captures beside a, b"`)
	require.Contains(t, stderr, "AAA is not in the snapshot: only its counters are evaluated")
	require.NotContains(t, stderr, "ADC0_H0")
	require.NotContains(t, stderr, "BDC0_H1")
}
