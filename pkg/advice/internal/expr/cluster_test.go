package expr

import (
	"maps"
	"slices"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func clusterHost(name string, changed map[string]int64, luns ...*inventory.LUN) *inventory.Host {
	options := map[string]inventory.Option{}
	for key, n := range changed {
		options[key] = inventory.Option{Value: inventory.LongValue(n)}
	}
	return &inventory.Host{
		Entity: inventory.Entity{ID: name, Name: name}, Options: inventory.Known(options),
		OffDefault: inventory.Known(slices.Sorted(maps.Keys(changed))), LUNs: inventory.Known(luns),
	}
}

func TestOptionDrift(t *testing.T) {
	hosts := []*inventory.Host{
		clusterHost("esx-1", map[string]int64{"Mem.ShareForceSalting": 0, "Numa.PreferHT": 1}),
		clusterHost("esx-2", map[string]int64{"Numa.PreferHT": 1, "Net.UseHwTSO": 0}),
		clusterHost("esx-3", map[string]int64{"Numa.PreferHT": 1}),
		clusterHost("esx-4", map[string]int64{"Numa.PreferHT": 1}),
		clusterHost("esx-5", map[string]int64{"Numa.PreferHT": 1}),
	}
	require.Equal(t, []any{
		"Mem.ShareForceSalting: 0 on esx-1; the default on all others",
		"Net.UseHwTSO: 0 on esx-2; the default on all others",
	}, goValue(optionDrift(hosts)))
	require.Empty(t, goValue(optionDrift(hosts[2:])))

	hosts[4].OffDefault = inventory.Unread[[]string]("no permission")
	u, ok := optionDrift(hosts).(*types.Unknown)
	require.True(t, ok, "it is unknown whether an unread host differs")
	require.Equal(t, "no permission", GapsOf(u)[0].Reason)
}

func TestMixedPathPolicies(t *testing.T) {
	lun := func(policy string) *inventory.LUN {
		return &inventory.LUN{Device: "naa.1", PathPolicy: inventory.Known(policy)}
	}
	local := &inventory.LUN{Device: "mpx.1", PathPolicy: inventory.Absent[string]()}
	hosts := []*inventory.Host{
		clusterHost("esx-1", nil, lun("VMW_PSP_RR"), local), clusterHost("esx-2", nil, lun("VMW_PSP_FIXED"), local),
	}
	require.Equal(t, []any{"naa.1: VMW_PSP_FIXED on esx-2; VMW_PSP_RR on esx-1"}, goValue(mixedPathPolicies(hosts)))
	require.Empty(t, goValue(mixedPathPolicies(hosts[:1])))
	hosts[1].LUNs = inventory.Unread[[]*inventory.LUN]("no permission")
	require.IsType(t, new(types.Unknown), mixedPathPolicies(hosts))
}
