package read

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// An alias of a server does not change the findings: a vCenter is named by its own name.
func TestNameOfAVCenter(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, simulator.VPX(), func(m *simulator.Model) {
		o := m.Map().OptionManager()
		o.Setting = append(slices.Clip(o.Setting), &types.OptionValue{Key: session.FqdnOption, Value: "vc.example.com"})
	})
	e := s.Endpoint()
	e.Name = ""
	read := func(e session.Endpoint) string {
		vc, err := Inventory(t.Context(), vspheretest.Dial(t, e), tree.Scope{}, inventory.Needs{}, nil)
		require.NoError(t, err)
		return vc.Name
	}
	require.Equal(t, "vc.example.com", read(e))
	e.Name = "prod"
	require.Equal(t, "prod", read(e), "a name that was given counts")
}

func TestNameOfAServerThatDoesNotSay(t *testing.T) {
	t.Parallel()
	for _, m := range []*simulator.Model{simulator.VPX(), simulator.ESX()} {
		s := vspheretest.Start(t, m, nil)
		e := s.Endpoint()
		e.Name = ""
		vc, err := Inventory(t.Context(), vspheretest.Dial(t, e), tree.Scope{}, inventory.Needs{}, nil)
		require.NoError(t, err)
		require.Equal(t, e.URL.Host, vc.Name)
	}
}
