package exporter

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestPoolReadyOnAPage: the sum of a pool is that of its VMs on the same page.
func TestPoolReadyOnAPage(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Pool}})
	st := s.drive(t, target)
	st.survey()
	for range 2 {
		require.NoError(t, st.round(t.Context(), st.source))
	}
	poolOf, parents := poolsOfVMs(t, s)
	all := series(t, textOf(t, target, module.Basic, module.Pool))
	pools := map[string]float64{}
	for name, v := range all {
		if strings.HasPrefix(name, "esxi_resource_pool_cpu_ready_seconds_total{") {
			pools[moidIn(t, name)] = v
		}
	}
	want := map[string]float64{}
	for name, v := range all {
		if strings.HasPrefix(name, module.ReadyName+"{") {
			for id := poolOf[moidIn(t, name)]; parents[id] != ""; id = parents[id] {
				want[id] += v
			}
		}
	}
	require.Len(t, pools, 5, "batch, batch-night, web, replay, research: no VM runs in drained")
	require.InDeltaMapValues(t, want, pools, 1e-6)
}

// poolsOfVMs reads the pools of VMs, and the pools above pools, by id. Root pools have none above them.
func poolsOfVMs(t *testing.T, s *stage) (poolOf, parents map[string]string) {
	t.Helper()
	session, err := s.dial(t.Context())
	require.NoError(t, err)
	var needs inventory.Needs
	needs.AddFact("VM.poolId", "Pool.parentId")
	v, err := read.Inventory(t.Context(), session, tree.Scope{}, needs, nil)
	require.NoError(t, err)
	poolOf, parents = map[string]string{}, map[string]string{}
	for _, vm := range v.VMs {
		poolOf[vm.ID], _ = vm.PoolID.Value()
	}
	for _, p := range v.Pools {
		if !p.Root {
			parents[p.ID], _ = p.ParentID.Value()
		}
	}
	return poolOf, parents
}

// moidIn returns the value of the label moid of a series.
func moidIn(t *testing.T, series string) string {
	t.Helper()
	found := regexp.MustCompile(`[{,]moid="([^"]*)"`).FindStringSubmatch(series)
	require.NotNil(t, found, series)
	return found[1]
}
