package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestManagedCloud: a finding about an object that the provider administers is info, has a note, and has no remedy.
func TestManagedCloud(t *testing.T) {
	host := func(cloud string) *inventory.Host {
		return &inventory.Host{
			Entity: inventory.Entity{ID: "host-1", Name: "host-1"}, Kind: inventory.Known(inventory.HostPhysical),
			Cloud: inventory.Known(cloud), CloudEvidence: inventory.Known("model Amazon EC2 i3.metal"),
			VSAN: inventory.Known(true), OffDefault: inventory.Known([]string{"VSAN.ClomRebalanceThreshold"}),
			Options: inventory.Known(map[string]inventory.Option{
				"VSAN.ClomRebalanceThreshold": {Value: inventory.LongValue(95), Default: new(inventory.LongValue(80))},
			}),
		}
	}
	find := func(cloud string) advice.Finding {
		s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{host(cloud)}}}}
		s.Link()
		set := ruleset(t, "vsan-advanced")
		require.True(t, set.Needs(advice.Options{}).Any("Host.cloud"), "otherwise it is not read")
		got, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
		require.NoError(t, err)
		require.Len(t, got.Findings, 1)
		return *got.Findings[0]
	}
	own := find("")
	require.Equal(t, advice.Medium, own.Severity)
	require.NotEmpty(t, own.Remedies)
	theirs := find(inventory.CloudVMC)
	require.Equal(t, advice.Fail, theirs.Outcome)
	require.Equal(t, advice.Info, theirs.Severity)
	require.Empty(t, theirs.Remedies)
	require.Contains(t, theirs.Notes, "The provider of VMware Cloud on AWS administers this; a customer cannot change it (model Amazon EC2 i3.metal).")
}

// TestPoolsOfAManagedCloud: pools directly in the cluster are the provider's, those below are the customer's.
func TestPoolsOfAManagedCloud(t *testing.T) {
	pool := func(id, parent string, running int64) *inventory.Pool {
		return &inventory.Pool{
			Entity: inventory.Entity{ID: id, Name: id}, ClusterID: inventory.Known("c-1"), Root: parent == "",
			ParentID: inventory.Known(parent), CPUShares: inventory.Known(int64(4000)), ScaleShares: inventory.Known(false),
			RunningVMs: inventory.Known(running), DirectRunningVMs: inventory.Known(int64(0)),
		}
	}
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{
		Version:  inventory.Known(inventory.Version{Major: 8}),
		Clusters: []*inventory.Cluster{{Entity: inventory.Entity{ID: "c-1"}, HostIDs: inventory.Known([]string{"h-1"}), ScaleShares: inventory.Known(false)}},
		Hosts:    []*inventory.Host{{Entity: inventory.Entity{ID: "h-1"}, ClusterID: inventory.Known("c-1"), Cloud: inventory.Known(inventory.CloudVMC)}},
		Pools: []*inventory.Pool{
			pool("root", "", 21), pool("Mgmt", "root", 10), pool("Compute", "root", 1), pool("busy", "Compute", 10), pool("calm", "Compute", 1),
		},
	}}}
	s.Link()
	got, err := advice.Evaluate(t.Context(), s, ruleset(t, "resource-pool-shares"), advice.Options{})
	require.NoError(t, err)
	severity := map[string]advice.Severity{}
	for _, f := range got.Findings {
		severity[f.Object.Name] = f.Severity
	}
	require.Equal(t, map[string]advice.Severity{"Mgmt": advice.Info, "busy": advice.Medium}, severity)
}

// TestManualChecksOfAManagedCloud: manual checks that only the provider can make are not applicable.
func TestManualChecksOfAManagedCloud(t *testing.T) {
	host := func(id, cloud string) *inventory.Host {
		return &inventory.Host{
			Entity: inventory.Entity{ID: id, Name: id}, Kind: inventory.Known(inventory.HostPhysical), PowerHardware: inventory.Known(""),
			Cloud: inventory.Known(cloud), CloudEvidence: inventory.Known("DNS domain below gve.goog"),
		}
	}
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{{Hosts: []*inventory.Host{host("own", ""), host("theirs", inventory.CloudGCVE)}}}}
	s.Link()
	got, err := advice.Evaluate(t.Context(), s, ruleset(t, "power-bios-control"), advice.Options{All: true})
	require.NoError(t, err)
	outcomes := map[string]advice.Outcome{}
	for _, f := range got.Findings {
		outcomes[f.Object.Name] = f.Outcome
	}
	require.Equal(t, map[string]advice.Outcome{"own": advice.Manual, "theirs": advice.NotApplicable}, outcomes)
}
