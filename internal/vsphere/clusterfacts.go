package vsphere

import (
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathCluster = "configurationEx"
	pathSummary = "summary"
)

// clusterTable says how every fact of a cluster is read; it is part of the index. Configuration and summary are asked
// for whole: they are declared as those of any compute resource, and a server knows no path into what a cluster's have
// beside.
var clusterTable = table[*inventory.Cluster]{
	of:     "ClusterComputeResource",
	always: []string{pathName, pathParent},
	entries: append(marks("Cluster", func(c *inventory.Cluster) *inventory.Entity { return &c.Entity }), []entry[*inventory.Cluster]{
		{facts: []string{"Cluster.hostIds"}, fill: func(*props, *inventory.Cluster) {}}, // the index knows them
		{facts: []string{"Cluster.evcBest"}, fill: func(*props, *inventory.Cluster) {}}, // the index works it out of the hosts
		{facts: []string{
			"Cluster.drsEnabled", "Cluster.drsAutomation", "Cluster.drsMigrationRate", "Cluster.scaleShares",
			"Cluster.drsOverrides", "Cluster.drsDisabledVMs", "Cluster.drsOverrideVMs", "Cluster.rules", "Cluster.mandatoryRules",
			"Cluster.dpmEnabled", "Cluster.swapPlacement", "Cluster.drsOptions", "Cluster.haEnabled", "Cluster.haAdmissionControl",
		}, paths: []string{pathCluster}, fill: fillCluster},
		// A cluster without EVC has no mode.
		{facts: []string{"Cluster.evcMode"}, paths: []string{pathSummary}, fill: func(p *props, c *inventory.Cluster) {
			summary := read(p, pathSummary, asIs[types.ClusterComputeResourceSummary], must)
			c.EVCMode = then(summary, func(s types.ClusterComputeResourceSummary) inventory.Fact[string] {
				return inventory.Known(s.CurrentEVCModeKey)
			})
		}},
		// 0 is how a server without the score, or one whose DRS is off, writes it.
		{facts: []string{"Cluster.drsScore"}, paths: []string{pathSummary}, fill: func(p *props, c *inventory.Cluster) {
			summary := read(p, pathSummary, asIs[types.ClusterComputeResourceSummary], must)
			c.DRSScore = then(summary, func(s types.ClusterComputeResourceSummary) inventory.Fact[int64] {
				if s.DrsScore == 0 {
					return inventory.Absent[int64]()
				}
				return inventory.Known(int64(s.DrsScore))
			})
		}},
	}...),
}

type clusterConfig = types.ClusterConfigInfoEx

func fillCluster(p *props, c *inventory.Cluster) {
	config := read(p, pathCluster, asIs[clusterConfig], must)
	fillDRS(p, c, config)
	fillHA(c, config)
	fillOverrides(c, config)
	fillRules(c, config)
	c.DPMEnabled = then(config, func(x clusterConfig) inventory.Fact[bool] {
		if x.DpmConfigInfo == nil {
			return inventory.Unread[bool]("the server returned no configurationEx.dpmConfigInfo")
		}
		return stated(x.DpmConfigInfo.Enabled, "whether power management is on")
	})
	c.SwapPlacement = then(config, func(x clusterConfig) inventory.Fact[string] {
		return statedWord(x.VmSwapPlacement, "where virtual machines swap")
	})
}

func fillDRS(p *props, c *inventory.Cluster, config inventory.Fact[clusterConfig]) {
	c.DRSEnabled = then(config, func(x clusterConfig) inventory.Fact[bool] {
		return stated(x.DrsConfig.Enabled, "whether DRS is on")
	})
	c.DRSAutomation = then(config, func(x clusterConfig) inventory.Fact[string] {
		return statedWord(x.DrsConfig.DefaultVmBehavior, "how far DRS is automated")
	})
	c.DRSMigrationRate = then(config, func(x clusterConfig) inventory.Fact[int64] {
		if x.DrsConfig.VmotionRate == 0 { // it runs from 1 to 5
			return inventory.Unread[int64]("the server does not say how readily DRS moves virtual machines")
		}
		return inventory.Known(int64(x.DrsConfig.VmotionRate))
	})
	c.DRSOptions = then(config, func(x clusterConfig) inventory.Fact[[]string] {
		options := []string{}
		for _, o := range x.DrsConfig.Option {
			if v := o.GetOptionValue(); v != nil {
				options = append(options, fmt.Sprintf("%s=%v", v.Key, v.Value))
			}
		}
		slices.Sort(options)
		return inventory.Known(options)
	})
	c.ScaleShares = then(config, func(x clusterConfig) inventory.Fact[bool] {
		if x.DrsConfig.ScaleDescendantsShares == "" && !p.server.AtLeast(scalesFrom) {
			return inventory.Absent[bool]()
		}
		return inventory.Known(scales(x.DrsConfig.ScaleDescendantsShares))
	})
}

func fillHA(c *inventory.Cluster, config inventory.Fact[clusterConfig]) {
	c.HAEnabled = then(config, func(x clusterConfig) inventory.Fact[bool] {
		return stated(x.DasConfig.Enabled, "whether vSphere HA is on")
	})
	c.HAAdmissionControl = then(config, func(x clusterConfig) inventory.Fact[bool] {
		return stated(x.DasConfig.AdmissionControlEnabled, "whether vSphere HA admission control is on")
	})
}

// scalesFrom is the first release whose shares can grow with their VMs.
var scalesFrom = inventory.Version{Major: 7}

// scales: unset is as it was before there was a choice.
func scales(word string) bool {
	return word != "" && word != string(types.ResourceConfigSpecScaleSharesBehaviorDisabled)
}

// fillOverrides: a cluster without overrides has no list of them. One that says nothing takes its VM out of nothing.
func fillOverrides(c *inventory.Cluster, config inventory.Fact[clusterConfig]) {
	c.DRSOverrideVMs = then(config, func(x clusterConfig) inventory.Fact[[]string] {
		ids := []string{}
		for _, o := range x.DrsVmConfig {
			ids = append(ids, o.Key.Value)
		}
		return inventory.Known(ids)
	})
	c.DRSOverrides = then(config, func(x clusterConfig) inventory.Fact[int64] {
		return inventory.Known(int64(len(x.DrsVmConfig)))
	})
	c.DRSDisabledVMs = then(config, func(x clusterConfig) inventory.Fact[int64] {
		n := int64(0)
		for _, o := range x.DrsVmConfig {
			if o.Enabled != nil && !*o.Enabled {
				n++
			}
		}
		return inventory.Known(n)
	})
}

// fillRules counts the rules in force. Rules that vSphere made for itself say that nobody made them.
func fillRules(c *inventory.Cluster, config inventory.Fact[clusterConfig]) {
	count := func(counts func(*types.ClusterRuleInfo) bool) inventory.Fact[int64] {
		return then(config, func(x clusterConfig) inventory.Fact[int64] {
			n := int64(0)
			for _, r := range x.Rule {
				if r != nil && inForce(r.GetClusterRuleInfo()) && counts(r.GetClusterRuleInfo()) {
					n++
				}
			}
			return inventory.Known(n)
		})
	}
	c.Rules = count(func(*types.ClusterRuleInfo) bool { return true })
	c.MandatoryRules = count(func(r *types.ClusterRuleInfo) bool { return r.Mandatory != nil && *r.Mandatory })
}

func inForce(r *types.ClusterRuleInfo) bool {
	return r.Enabled != nil && *r.Enabled && (r.UserCreated == nil || *r.UserCreated)
}
