package cli

import (
	"os"
	"path/filepath"
	"slices"
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
	notes := filepath.Join(t.TempDir(), "notes")
	require.NoError(t, os.WriteFile(notes, []byte("root:x:0:0\n"), 0o600))
	for _, zone := range []string{"Europe/Nowhere", notes, notes + ".missing", filepath.Dir(notes)} {
		for _, prefix := range []string{"", ":"} {
			t.Setenv("TZ", prefix+zone)
			_, _, stderr := vperf(t, "explain", "numa-io")
			require.Contains(t, stderr, "TZ is "+zone+", which is no time zone")
		}
	}
}

func TestAFileOfATimeZoneIsNotReported(t *testing.T) {
	ownHome(t)
	zone := filepath.Join(t.TempDir(), "zone")
	require.NoError(t, os.WriteFile(zone, slices.Concat([]byte("TZif"), make([]byte, 32), []byte("\x00\x00\x00\x01\x00\x00\x00\x04"), make([]byte, 6), []byte("CET\x00")), 0o600))
	for _, name := range []string{zone, ":" + zone, "", "UTC"} {
		t.Setenv("TZ", name)
		_, _, stderr := vperf(t, "explain", "numa-io")
		require.Empty(t, stderr, name)
	}
}
