package read

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func readSim(t *testing.T, s *vspheretest.Sim, needs inventory.Needs, hosts ...string) *inventory.VCenter {
	t.Helper()
	vc, err := Inventory(t.Context(), s.Dial(t), tree.Scope{Hosts: hosts}, needs, nil)
	require.NoError(t, err)
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{vc}}).Link()
	return vc
}
