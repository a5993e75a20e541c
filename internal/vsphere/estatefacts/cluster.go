package estatefacts

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// Properties of a cluster.
const (
	PathCluster = "configurationEx"
	pathSummary = "summary"
)

// ClusterTable defines how every fact of a cluster is read; it is part of the index. Configuration and summary are requested
// whole: they are declared with the type of any compute resource, and a server knows no property paths into the parts that only
// clusters have.
var ClusterTable = property.Table[*inventory.Cluster]{
	Of:     "ClusterComputeResource",
	Always: []string{tree.PathName, tree.PathParent},
	Entries: append(tagging.Entries("Cluster", func(c *inventory.Cluster) *inventory.Entity { return &c.Entity }), []property.Entry[*inventory.Cluster]{
		{Facts: []string{"Cluster.hostIds"}, Fill: func(*property.Props, *inventory.Cluster) {}}, // the index sets them
		{Facts: []string{"Cluster.evcBest"}, Fill: func(*property.Props, *inventory.Cluster) {}}, // the index computes it from the hosts
		{Facts: []string{
			"Cluster.drsEnabled", "Cluster.drsAutomation", "Cluster.drsMigrationRate", "Cluster.scaleShares",
			"Cluster.drsOverrides", "Cluster.drsDisabledVMs", "Cluster.drsOverrideVMs", "Cluster.rules", "Cluster.mandatoryRules",
			"Cluster.dpmEnabled", "Cluster.swapPlacement", "Cluster.drsOptions", "Cluster.haEnabled", "Cluster.haAdmissionControl",
		}, Paths: []string{PathCluster}, Fill: fillCluster},
		// A cluster without EVC has no mode.
		{Facts: []string{"Cluster.evcMode"}, Paths: []string{pathSummary}, Fill: func(p *property.Props, c *inventory.Cluster) {
			summary := property.Read(p, pathSummary, property.As[types.ClusterComputeResourceSummary], property.Required)
			c.EVCMode = property.Then(summary, func(s types.ClusterComputeResourceSummary) inventory.Fact[string] {
				return inventory.Known(s.CurrentEVCModeKey)
			})
		}},
		// A server without the score, or with DRS off, sends 0.
		{Facts: []string{"Cluster.drsScore"}, Paths: []string{pathSummary}, Fill: func(p *property.Props, c *inventory.Cluster) {
			summary := property.Read(p, pathSummary, property.As[types.ClusterComputeResourceSummary], property.Required)
			c.DRSScore = property.Then(summary, func(s types.ClusterComputeResourceSummary) inventory.Fact[int64] {
				if s.DrsScore == 0 {
					return inventory.Absent[int64]()
				}
				return inventory.Known(int64(s.DrsScore))
			})
		}},
	}...),
}

// ClusterConfig is the type of the value of PathCluster: settings of DRS, HA and power management, rules and overrides.
type ClusterConfig = types.ClusterConfigInfoEx

func fillCluster(p *property.Props, c *inventory.Cluster) {
	config := property.Read(p, PathCluster, property.As[ClusterConfig], property.Required)
	fillDRS(p, c, config)
	fillHA(c, config)
	fillOverrides(c, config)
	fillRules(c, config)
	c.DPMEnabled = property.Then(config, func(x ClusterConfig) inventory.Fact[bool] {
		if x.DpmConfigInfo == nil {
			return inventory.Unread[bool]("the server returned no configurationEx.dpmConfigInfo")
		}
		return property.Reported(x.DpmConfigInfo.Enabled, "whether power management is on")
	})
	c.SwapPlacement = property.Then(config, func(x ClusterConfig) inventory.Fact[string] {
		return property.ReportedText(x.VmSwapPlacement, "where virtual machines swap")
	})
}

func fillDRS(p *property.Props, c *inventory.Cluster, config inventory.Fact[ClusterConfig]) {
	c.DRSEnabled = property.Then(config, func(x ClusterConfig) inventory.Fact[bool] {
		return property.Reported(x.DrsConfig.Enabled, "whether DRS is on")
	})
	c.DRSAutomation = property.Then(config, func(x ClusterConfig) inventory.Fact[string] {
		return property.ReportedText(x.DrsConfig.DefaultVmBehavior, "how far DRS is automated")
	})
	c.DRSMigrationRate = property.Then(config, func(x ClusterConfig) inventory.Fact[int64] {
		if x.DrsConfig.VmotionRate == 0 { // the range is 1 to 5
			return inventory.Unread[int64]("the server does not report how readily DRS moves virtual machines")
		}
		return inventory.Known(int64(x.DrsConfig.VmotionRate))
	})
	c.DRSOptions = property.Then(config, func(x ClusterConfig) inventory.Fact[[]string] {
		options := []string{}
		for _, o := range x.DrsConfig.Option {
			if v := o.GetOptionValue(); v != nil {
				if why := p.Undecoded(v.Key, v.Value); why != "" {
					return inventory.Unread[[]string](why)
				}
				options = append(options, fmt.Sprintf("%s=%v", v.Key, v.Value))
			}
		}
		slices.Sort(options)
		return inventory.Known(options)
	})
	c.ScaleShares = property.Then(config, func(x ClusterConfig) inventory.Fact[bool] {
		if x.DrsConfig.ScaleDescendantsShares == "" && !p.Server.AtLeast(scalesFrom) {
			return inventory.Absent[bool]()
		}
		return inventory.Known(scales(x.DrsConfig.ScaleDescendantsShares))
	})
}

func fillHA(c *inventory.Cluster, config inventory.Fact[ClusterConfig]) {
	c.HAEnabled = property.Then(config, func(x ClusterConfig) inventory.Fact[bool] {
		return property.Reported(x.DasConfig.Enabled, "whether vSphere HA is on")
	})
	c.HAAdmissionControl = property.Then(config, func(x ClusterConfig) inventory.Fact[bool] {
		return property.Reported(x.DasConfig.AdmissionControlEnabled, "whether vSphere HA admission control is on")
	})
}

// scalesFrom is the first release with scalable shares.
var scalesFrom = inventory.Version{Major: 7}

// scales reports whether a pool's shares scale. Unset means no, as before the setting existed.
func scales(word string) bool {
	return word != "" && word != string(types.ResourceConfigSpecScaleSharesBehaviorDisabled)
}

// fillOverrides sets the DRS overrides. A cluster without overrides has no list of them. An override without fields overrides
// nothing.
func fillOverrides(c *inventory.Cluster, config inventory.Fact[ClusterConfig]) {
	c.DRSOverrideVMs = property.Then(config, func(x ClusterConfig) inventory.Fact[[]string] {
		ids := []string{}
		for _, o := range x.DrsVmConfig {
			ids = append(ids, o.Key.Value)
		}
		return inventory.Known(ids)
	})
	c.DRSOverrides = property.Then(config, func(x ClusterConfig) inventory.Fact[int64] {
		return inventory.Known(int64(len(x.DrsVmConfig)))
	})
	c.DRSDisabledVMs = property.Then(config, func(x ClusterConfig) inventory.Fact[int64] {
		n := int64(0)
		for _, o := range x.DrsVmConfig {
			if o.Enabled != nil && !*o.Enabled {
				n++
			}
		}
		return inventory.Known(n)
	})
}

// fillRules counts the rules in force. Rules that vSphere created for itself are marked as not created by a user.
func fillRules(c *inventory.Cluster, config inventory.Fact[ClusterConfig]) {
	count := func(counts func(*types.ClusterRuleInfo) bool) inventory.Fact[int64] {
		return property.Then(config, func(x ClusterConfig) inventory.Fact[int64] {
			n := int64(0)
			for _, r := range x.Rule {
				if r != nil && isEnabled(r.GetClusterRuleInfo()) && counts(r.GetClusterRuleInfo()) {
					n++
				}
			}
			return inventory.Known(n)
		})
	}
	c.Rules = count(func(*types.ClusterRuleInfo) bool { return true })
	c.MandatoryRules = count(func(r *types.ClusterRuleInfo) bool { return r.Mandatory != nil && *r.Mandatory })
}

func isEnabled(r *types.ClusterRuleInfo) bool {
	return r.Enabled != nil && *r.Enabled && (r.UserCreated == nil || *r.UserCreated)
}
