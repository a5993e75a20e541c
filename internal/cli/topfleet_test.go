package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// TestTopOfAHundredHosts: all of them are in the first round, from the PerformanceManager.
func TestTopOfAHundredHosts(t *testing.T) {
	serveFleet(t, simfleet.Config{Hosts: 100})
	code, stdout, stderr := vperf(t, "top", "--plain", "-n", "1")
	require.Equal(t, 0, code, stderr)
	lines := strings.Split(stdout, "\n")
	require.Equal(t, "PerformanceManager, every 20s; 100 hosts are too many for the Esxtop service", lines[0])
	require.Contains(t, lines[1], " 100 hosts, ")
	require.NotContains(t, stdout, "LATE")
	require.Greater(t, strings.Count(stdout, "\n host"), 100, "rows of VMs")
}

// TestTopWhileAHostHangs: vperf names the host, and the others continue.
func TestTopWhileAHostHangs(t *testing.T) {
	serveFleet(t, simfleet.Config{Scenarios: []string{"hung-esxtop"}})
	code, stdout, stderr := vperf(t, "top", "host07", "host08", "--source", "esxtop", "--plain", "-d", "2", "-n", "2")
	require.Equal(t, 0, code, stderr)
	rounds := strings.Split(stdout, " 2 hosts (1 answer), ")[1:]
	require.Len(t, rounds, 2)
	for _, round := range rounds {
		require.Contains(t, round, "LATE        : host08.demo.local no answer yet\n")
		require.Contains(t, round, " spark-01 ")
		require.NotContains(t, round, "\n host08")
	}
}
