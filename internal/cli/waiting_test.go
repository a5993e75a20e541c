package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// A waiting change stays a finding, on a host without a vCenter too, until it is reverted.
func TestWhatWaitsOnAHostByItself(t *testing.T) {
	t.Parallel()
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	for _, e := range fleet.Endpoints() {
		if e.Name != "esxi-c" {
			continue
		}
		v := newProgram(t, e)
		v.must(t, exitPending, "apply", "--rule", "vmx-swap", "--yes")
		require.Contains(t, v.must(t, exitFindings, "audit", "--rule", "vmx-swap", "--fail-on", "low"), "pending: power cycle, written ")
		require.Contains(t, v.must(t, exitPending, "history", "verify"), "pending")
		v.must(t, exitClean, "rollback", "--last", "--yes")
		require.NotContains(t, v.must(t, exitFindings, "audit", "--rule", "vmx-swap", "--fail-on", "low"), "pending")
		return
	}
	require.Fail(t, "the fleet has no esxi-c")
}
