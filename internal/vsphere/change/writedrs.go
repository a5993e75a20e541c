package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// drsWriter writes a cluster's DRS settings, both in one call. DRS belongs to vCenter itself, so vCenter's value is the current
// one.
var drsWriter = &singleReadWriter[inventory.Fact[types.ClusterDrsConfigInfo]]{
	readAll: func(ctx context.Context, s *estate, t tuning.Target) (inventory.Fact[types.ClusterDrsConfigInfo], error) {
		config, _, err := s.clusterDRS(ctx, t)
		return config, err
	},
	value:       drsValue,
	absentMeans: "the cluster has no DRS",
	refuse:      refuseDRS,
	group:       "DRS",
	send:        sendDRS,
}

// middleRate is the default migration threshold, in the middle of the range.
const middleRate = 3

// sendDRS sends only the given fields. Without modify, the rest of the cluster's configuration, including HA and rules, would be
// reset.
func sendDRS(ctx context.Context, s *estate, t tuning.Target, all []tuning.Assignment) error {
	fields, err := drsFields(all)
	if err != nil {
		return err
	}
	_, cluster, err := s.clusterDRS(ctx, t)
	if err != nil {
		return err
	}
	res, err := methods.ReconfigureComputeResource_Task(ctx, s, &types.ReconfigureComputeResource_Task{
		This: cluster, Spec: &types.ClusterConfigSpecEx{DrsConfig: fields}, Modify: true,
	})
	if err != nil {
		return session.Unsure(ctx, err)
	}
	return s.await(ctx, "ReconfigureComputeResource_Task", res.Returnval, s.limits.change)
}

// clusterDRS reads a cluster's DRS configuration. It requests the whole configuration object: servers do not know property paths
// into the parts that only clusters have.
func (s *estate) clusterDRS(ctx context.Context, t tuning.Target) (inventory.Fact[types.ClusterDrsConfigInfo], ref, error) {
	p, err := s.target(ctx, t, estatefacts.PathCluster)
	if err != nil {
		return inventory.Fact[types.ClusterDrsConfigInfo]{}, ref{}, err
	}
	config := property.Then(property.Read(p, estatefacts.PathCluster, property.As[estatefacts.ClusterConfig], property.Required), func(c estatefacts.ClusterConfig) inventory.Fact[types.ClusterDrsConfigInfo] {
		return inventory.Known(c.DrsConfig)
	})
	return config, p.Ref, nil
}

func drsValue(config inventory.Fact[types.ClusterDrsConfigInfo], a tuning.Address) valueFact {
	return property.Then(config, func(c types.ClusterDrsConfigInfo) valueFact {
		switch {
		case kindName(a) == kindDRSRate && c.VmotionRate != 0:
			return inventory.Known(inventory.LongValue(int64(c.VmotionRate)))
		case kindName(a) == kindDRSAutomation && c.DefaultVmBehavior != "":
			return inventory.Known(inventory.StringValue(string(c.DefaultVmBehavior)))
		}
		return inventory.Unread[inventory.Value]("the server does not report the cluster's DRS settings")
	})
}

var drsLevels = []string{
	string(types.DrsBehaviorManual), string(types.DrsBehaviorPartiallyAutomated), string(types.DrsBehaviorFullyAutomated),
}

// refuseDRS allows only the default migration threshold; another value is a decision about the cluster that no rule can make.
func refuseDRS(config inventory.Fact[types.ClusterDrsConfigInfo], a tuning.Address, v inventory.Value) string {
	c, _ := config.Value()
	n, _ := v.Int()
	switch {
	case c.Enabled == nil || !*c.Enabled:
		return "DRS of the cluster is off; vperf does not turn it on"
	case kindName(a) == kindDRSRate && n != middleRate:
		return fmt.Sprintf("vperf sets the migration threshold to %d only, not to %d", middleRate, n)
	case kindName(a) == kindDRSAutomation && !slices.Contains(drsLevels, v.Text):
		return fmt.Sprintf("DRS accepts %s, not %q", strings.Join(drsLevels, ", "), session.Plain(v.Text))
	}
	return ""
}

// drsFields accepts any value that DRS may have had before.
func drsFields(all []tuning.Assignment) (*types.ClusterDrsConfigInfo, error) {
	fields := new(types.ClusterDrsConfigInfo)
	for _, a := range all {
		v, err := present(a)
		if err != nil {
			return nil, err
		}
		if kindName(a.Address) == kindDRSAutomation {
			fields.DefaultVmBehavior = types.DrsBehavior(v.Text)
			continue
		}
		n, ok := v.Int()
		if !ok || n < 1 || n > 5 {
			return nil, fmt.Errorf("the migration threshold is 1 to 5, not %q", session.Plain(v.Text))
		}
		fields.VmotionRate = int32(n)
	}
	return fields, nil
}
