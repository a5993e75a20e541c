package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPasswordInAnOwnURLIsRefused(t *testing.T) {
	ownHome(t)
	t.Setenv("VPERF_URL", "https://root:geheim@vc.example.com")
	code, _, stderr := vperf(t, "audit")
	require.Equal(t, exitUsage, code, stderr)
	require.Contains(t, stderr, "VPERF_URL has a password")
	require.NotContains(t, stderr, "geheim")
}

func TestAnUnknownTimeZoneIsReported(t *testing.T) {
	ownHome(t)
	t.Setenv("TZ", "Europe/Nowhere")
	_, _, stderr := vperf(t, "explain", "numa-io")
	require.Contains(t, stderr, "TZ is Europe/Nowhere, which is no time zone")
}
