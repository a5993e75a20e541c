package read

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// The boot times of hosts and running VMs are read from the servers; a powered-off VM has none.
func TestBootTimesOfTheDemoFleet(t *testing.T) {
	t.Parallel()
	var n inventory.Needs
	n.AddFact("Host.bootTime", "VM.bootTime", "VM.powerState")
	s, err := Inventory(t.Context(), vspheretest.Demo(t), tree.Scope{}, n, nil)
	require.NoError(t, err)
	seen := map[string]int{}
	for _, h := range s.Hosts {
		if _, known := h.BootTime.Value(); known {
			seen["host"]++
		}
	}
	for _, v := range s.VMs {
		if power, known := v.PowerState.Value(); known {
			seen[power+" "+vspheretest.ReasonOf(&v.BootTime)]++
		}
	}
	require.Positive(t, seen["host"])
	require.Positive(t, seen["poweredOn known"])
	require.Positive(t, seen["poweredOff absent"])
	require.Zero(t, seen["poweredOff known"]+seen["poweredOn absent"])
}
