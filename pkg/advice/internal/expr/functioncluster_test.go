package expr

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// TestMixedMTUs: the exception comes first, a host with several adapters once, and management traffic is ignored.
func TestMixedMTUs(t *testing.T) {
	nic := func(mtu int64, services ...string) *inventory.VMKNIC {
		return &inventory.VMKNIC{Services: inventory.Known(services), MTU: inventory.Known(mtu)}
	}
	var hosts []*inventory.Host
	for i, nics := range [][]*inventory.VMKNIC{
		{nic(9000, "vmotion"), nic(9000, "vmotion"), nic(1500, "management")},
		{nic(9000, "vmotion", "vsan"), nic(9000, "management")},
		{nic(1500, "vmotion"), nic(9000, "vsan")},
		{nic(9000, "vmotion")},
		{nic(9000, "vmotion")},
	} {
		h := &inventory.Host{VMKNICs: inventory.Known(nics)}
		h.Name = fmt.Sprintf("host%02d", i+1)
		hosts = append(hosts, h)
	}
	require.Equal(t, []any{"vmotion: 1500 on host03; 9000 on all others"}, goValue(mixedMTUs(hosts)))
}
