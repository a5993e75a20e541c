package simfleet

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/esxi"
)

// remediate applies a cluster's configuration profile: it resets all options of the hosts to their values at the start of the fleet.
func remediate(t *testing.T, f *Fleet, cluster string) {
	t.Helper()
	require.True(t, slices.Contains(f.scene.profileClusters(), cluster))
	built := f.vcenter().built
	for _, e := range built.hostOrder {
		if e.Row.Cluster == cluster {
			e.Remediate(&simulator.Context{Context: context.Background(), Map: built.ctx.Map})
		}
	}
}

// raiseAlarm turns an alarm red on a host of the vCenter.
func raiseAlarm(t *testing.T, f *Fleet, host, name string) {
	t.Helper()
	b, e := vcenterHost(t, f, host)
	b.raise(e, name, b.cfg.Now())
}

func vcenterHost(t *testing.T, f *Fleet, name string) (*builder, *esxi.Host) {
	t.Helper()
	b := f.vcenter().built
	e := b.hostNamed(name)
	require.NotNil(t, e, name)
	return b, e
}

func TestIncidentsNeedAHost(t *testing.T) {
	var unknown *UnknownHostError
	require.ErrorAs(t, common(t).Happen(HostLost, "host99"), &unknown)
	require.ErrorAs(t, common(t).CrashHost("host99"), &unknown)
}
