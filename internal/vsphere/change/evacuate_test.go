package change

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/tuning"
)

func TestEvacuableInTheFleet(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "vcenter"))
	all := targets(t, s.Session)
	for name, want := range map[string][]string{
		"host12.demo.local": nil,
		"host09.demo.local": nil, // of a healthy vSAN cluster
		"host01.demo.local": {
			"their latency sensitivity is high, and DRS does not move such VMs: trade-book-01, trade-gw-01, trade-lat-01, trade-md-01 would stay",
			"bound by CPU affinity: feed-pin-01 would stay",
		},
		"host03.demo.local": {
			"their latency sensitivity is high, and DRS does not move such VMs: nfv-core-01, rt-robot-02, trade-gw-02, trade-smt-01 would stay",
			"bound to a device of the host: nfv-vf-02 would stay",
		},
		"host06.demo.local": {
			"DRS is off for these VMs: db-oltp-01, web-01 would stay",
			"DRS of their own is not fully automated (partiallyAutomated): web-02 would stay",
			"DRS is not fully automated (manual): app-build-01, app-disc-01, app-disc-02, app-grow-01, app-mail-01, app-nobal-01, app-print-02, appl-fw-01, batch-etl-01, case-4711 and 8 more would stay",
		},
	} {
		against, err := s.tuning().Power.Evacuable(t.Context(), all[name])
		require.NoError(t, err)
		require.Equal(t, want, against, name)
	}
	require.NoError(t, s.tuning().Power.EnterMaintenance(t.Context(), all["host12.demo.local"]))
	against, err := s.tuning().Power.Evacuable(t.Context(), all["host13.demo.local"])
	require.NoError(t, err)
	require.Contains(t, against, "host12.demo.local of the same cluster is in maintenance mode")
	_, err = s.tuning().Power.Evacuable(t.Context(), tuning.Target{ID: "host-9999", Name: "gone"})
	require.ErrorContains(t, err, "checking whether gone can be evacuated: ")
}

func TestEvacuableAlone(t *testing.T) {
	t.Parallel()
	s := estateOn(vspheretest.Fleet(t, "esxi-c"))
	all, power := targets(t, s.Session), s.tuning().Power
	against, err := power.Evacuable(t.Context(), all["esxi-c.demo.local"])
	require.NoError(t, err)
	require.Equal(t, []string{"the host is in no cluster: rt-ctrl-01 would stay"}, against)
	require.NoError(t, power.ShutDown(t.Context(), all["rt-ctrl-01"]))
	against, err = power.Evacuable(t.Context(), all["esxi-c.demo.local"])
	require.NoError(t, err)
	require.Empty(t, against)
}
