package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/inventory"
)

// A gate on critical fails where a data path is lost, and only there.
func TestAGateOnCriticalCanFail(t *testing.T) {
	proof.NotRaced(t)
	serveDemo(t)
	s, _ := snapshotOf(t)
	require.Zero(t, gateOnCritical(t, s), "the demo fleet loses no data path")
	for _, h := range s.VCenters[0].Hosts {
		all, _ := h.VMKNICs.Value()
		for _, k := range all {
			if k.MTU == inventory.Known(int64(9000)) && k.SwitchMTU == inventory.Known(int64(1500)) {
				k.Services = inventory.Known([]string{"vsan"})
			}
		}
	}
	require.Equal(t, exitFindings, gateOnCritical(t, s), "vSAN over jumbo frames that the switch drops")
}

func gateOnCritical(t *testing.T, s *inventory.Snapshot) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fleet.json")
	out, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, inventory.Save(out, s))
	require.NoError(t, out.Close())
	code, _, stderr := vperf(t, "audit", "--from", file, "--fail-on", "critical")
	require.Contains(t, []int{exitClean, exitFindings}, code, stderr)
	return code
}
