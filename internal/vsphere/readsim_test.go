package vsphere

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func readSim(t *testing.T, s *sim, needs inventory.Needs, hosts ...string) *inventory.VCenter {
	t.Helper()
	vc, err := Inventory(t.Context(), s.dial(t), Scope{Hosts: hosts}, needs, nil)
	require.NoError(t, err)
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{vc}}).Link()
	return vc
}
