package module

import (
	"strings"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

var clusterColumns = []column[*inventory.Cluster]{
	{
		"esxi_cluster_hosts", "Hosts in the cluster, in any state (host).",
		func(c *inventory.Cluster) (float64, bool) { return length(c.HostIDs) },
	},
	{
		"esxi_cluster_drs_enabled", "Whether DRS is enabled (configurationEx.drsConfig.enabled).",
		func(c *inventory.Cluster) (float64, bool) { return yes(c.DRSEnabled) },
	},
	{
		"esxi_cluster_drs_migration_threshold",
		"DRS migration threshold as shown in the vSphere Client: 1 is conservative, 5 is aggressive (6 - configurationEx.drsConfig.vmotionRate).",
		func(c *inventory.Cluster) (float64, bool) {
			rate, known := c.DRSMigrationRate.Value()
			return float64(6 - rate), known
		},
	},
	{
		"esxi_cluster_drs_overrides", "VMs with a DRS automation override (configurationEx.drsVmConfig).",
		func(c *inventory.Cluster) (float64, bool) { return number(c.DRSOverrides, 1) },
	},
	{
		"esxi_cluster_drs_disabled_vms", "VMs with DRS disabled by an override (configurationEx.drsVmConfig.enabled).",
		func(c *inventory.Cluster) (float64, bool) { return number(c.DRSDisabledVMs, 1) },
	},
	{
		"esxi_cluster_rules", "Enabled affinity and anti-affinity rules created by users (configurationEx.rule).",
		func(c *inventory.Cluster) (float64, bool) { return number(c.Rules, 1) },
	},
	{
		"esxi_cluster_mandatory_rules", "Enabled mandatory affinity and anti-affinity rules (configurationEx.rule.mandatory).",
		func(c *inventory.Cluster) (float64, bool) { return number(c.MandatoryRules, 1) },
	},
	{
		"esxi_cluster_dpm_enabled", "Whether hosts are powered off to save power (configurationEx.dpmConfigInfo.enabled).",
		func(c *inventory.Cluster) (float64, bool) { return yes(c.DPMEnabled) },
	},
}

func clusterModule() Surveyed {
	return Surveyed{
		Name: Cluster,
		Needs: needsOf("Cluster.hostIds", "Cluster.drsEnabled", "Cluster.drsAutomation", "Cluster.drsMigrationRate", "Cluster.drsOverrides",
			"Cluster.drsDisabledVMs", "Cluster.rules", "Cluster.mandatoryRules", "Cluster.dpmEnabled", "Cluster.evcMode",
			"Pool.clusterId", "Pool.vmCount"),
		Write: writeClusters,
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			return covered("", v.Clusters, func(c *inventory.Cluster) []inventory.Reader {
				vms := clusterVMs(v, c)
				return []inventory.Reader{&c.HostIDs, &c.DRSEnabled, &c.DRSAutomation, &c.DRSMigrationRate, &c.DRSOverrides, &c.DRSDisabledVMs,
					&c.Rules, &c.MandatoryRules, &c.DPMEnabled, &c.EVCMode, &vms}
			})
		},
	}
}

func writeClusters(w *exposition.Writer, v *inventory.VCenter) {
	writeInfo(w, "esxi_cluster_info",
		"Cluster: DRS automation level (configurationEx.drsConfig.defaultVmBehavior) and its EVC mode (summary.currentEVCModeKey).",
		v.Clusters, func(c *inventory.Cluster) exposition.Labels {
			return exposition.NewLabels("vsphere_cluster", c.Name, "moid", c.ID, "vsphere_datacenter", datacenterOf(c.Path),
				"drs_automation", text(c.DRSAutomation), "evc_mode", text(c.EVCMode))
		})
	vms := column[*inventory.Cluster]{
		"esxi_cluster_vms", "VMs in the cluster, without templates (resourcePool.vm of all resource pools).",
		func(c *inventory.Cluster) (float64, bool) { return number(clusterVMs(v, c), 1) },
	}
	writeColumns(w, v.Clusters, func(c *inventory.Cluster) exposition.Labels {
		return exposition.NewLabels("vsphere_cluster", c.Name, "moid", c.ID)
	}, append([]column[*inventory.Cluster]{vms}, clusterColumns...))
}

// clusterVMs counts the VMs of all of a cluster's pools: each VM is in one, and no template is.
func clusterVMs(v *inventory.VCenter, c *inventory.Cluster) inventory.Fact[int64] {
	sum, root := int64(0), false
	for _, p := range v.Pools {
		if id, known := p.ClusterID.Value(); !known || id != c.ID {
			continue
		}
		n, state, reason := p.VMCount.Get()
		if state != inventory.StateKnown {
			return inventory.Unread[int64](reason)
		}
		sum, root = sum+n, root || p.Root
	}
	if !root { // every cluster has one
		return inventory.Unread[int64]("the server shows no root pool of the cluster")
	}
	return inventory.Known(sum)
}

// datacenterOf returns the datacenter in a path such as /folder/dc1/host/general: the name above its host folder; "" if
// there is none.
func datacenterOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := 1; i < len(parts); i++ {
		if parts[i] == "host" {
			return pathWord.Replace(parts[i-1])
		}
	}
	return ""
}

// pathWord reverses vSphere's escapes in names.
var pathWord = strings.NewReplacer("%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`, "%25", "%")
