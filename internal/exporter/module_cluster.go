package exporter

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/esxtop"
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

func clusterModule() surveyed {
	return surveyed{
		module: Cluster,
		needs: needsOf("Cluster.hostIds", "Cluster.drsEnabled", "Cluster.drsAutomation", "Cluster.drsMigrationRate", "Cluster.drsOverrides",
			"Cluster.drsDisabledVMs", "Cluster.rules", "Cluster.mandatoryRules", "Cluster.dpmEnabled", "Cluster.evcMode",
			"Pool.clusterId", "Pool.vmCount"),
		write: writeClusters,
		coverage: func(v *inventory.VCenter) (int, int, string) {
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

const mhz = 1e6

// poolColumns are figures of resource pools and vApps. A limit of -1 is none.
var poolColumns = []column[*inventory.Pool]{
	{
		"esxi_resource_pool_cpu_usage_hertz", "CPU that the VMs in the pool, and in pools below it, use (summary.quickStats.overallCpuUsage).",
		func(p *inventory.Pool) (float64, bool) { return number(p.CPUUsageMHz, mhz) },
	},
	{
		"esxi_resource_pool_cpu_limit_hertz", "CPU limit of the pool; absent if there is no limit (config.cpuAllocation.limit).",
		func(p *inventory.Pool) (float64, bool) { return limited(p.CPULimitMHz, mhz) },
	},
	{
		"esxi_resource_pool_cpu_reservation_hertz", "CPU reservation of the pool (config.cpuAllocation.reservation).",
		func(p *inventory.Pool) (float64, bool) { return number(p.CPUReservationMHz, mhz) },
	},
	{
		"esxi_resource_pool_cpu_shares", "CPU shares of the pool, in relation to those of its siblings (config.cpuAllocation.shares.shares).",
		func(p *inventory.Pool) (float64, bool) { return number(p.CPUShares, 1) },
	},
	{
		"esxi_resource_pool_memory_usage_bytes", "Host memory of the VMs in the pool, and in pools below it, with their overhead (summary.quickStats.hostMemoryUsage).",
		func(p *inventory.Pool) (float64, bool) { return number(p.MemoryUsageMB, mib) },
	},
	{
		"esxi_resource_pool_memory_limit_bytes", "Memory limit of the pool; absent if there is no limit (config.memoryAllocation.limit).",
		func(p *inventory.Pool) (float64, bool) { return limited(p.MemoryLimitMB, mib) },
	},
	{
		"esxi_resource_pool_memory_reservation_bytes", "Memory reservation of the pool (config.memoryAllocation.reservation).",
		func(p *inventory.Pool) (float64, bool) { return number(p.MemoryReservationMB, mib) },
	},
	{
		"esxi_resource_pool_memory_shares", "Memory shares of the pool, in relation to those of its siblings (config.memoryAllocation.shares.shares).",
		func(p *inventory.Pool) (float64, bool) { return number(p.MemoryShares, 1) },
	},
	{
		"esxi_resource_pool_running_vms", "VMs that are powered on, in the pool and in pools below it (VM resourcePool, runtime.powerState).",
		func(p *inventory.Pool) (float64, bool) { return number(p.RunningVMs, 1) },
	},
}

func limited(f inventory.Fact[int64], times float64) (float64, bool) {
	v, known := number(f, times)
	return v, known && v >= 0
}

func poolModule() surveyed {
	return surveyed{
		module: Pool,
		needs: needsOf("Pool.clusterId", "Pool.parentId", "Pool.cpuLimitMHz", "Pool.memoryLimitMB", "Pool.cpuReservationMHz", "Pool.memoryReservationMB",
			"Pool.cpuShares", "Pool.memoryShares", "Pool.cpuUsageMHz", "Pool.memoryUsageMB", "Pool.runningVMs", "VM.poolId", "VM.powerState", "Cluster.hostIds"),
		write: func(w *exposition.Writer, v *inventory.VCenter) { writePools(w, usersPools(v)) },
		coverage: func(v *inventory.VCenter) (int, int, string) {
			return covered(v.Unread, usersPools(v), func(p *inventory.Pool) []inventory.Reader {
				return []inventory.Reader{
					&p.CPULimitMHz, &p.MemoryLimitMB, &p.CPUReservationMHz, &p.MemoryReservationMB, &p.CPUShares, &p.MemoryShares,
					&p.CPUUsageMHz, &p.MemoryUsageMB, &p.RunningVMs,
				}
			})
		},
	}
}

// usersPools are the pools except root pools, which repeat the capacity of their cluster or host.
func usersPools(v *inventory.VCenter) (pools []*inventory.Pool) {
	for _, p := range v.Pools {
		if !p.Root {
			pools = append(pools, p)
		}
	}
	return pools
}

func writePools(w *exposition.Writer, pools []*inventory.Pool) {
	names := map[string]string{}
	for _, p := range pools {
		names[p.ID] = p.Name
	}
	writeInfo(w, "esxi_resource_pool_info", "Resource pool or vApp: its cluster, and the pool above it, unless that is the root pool (owner, parent).", pools,
		func(p *inventory.Pool) exposition.Labels {
			cluster, parent := "", text(p.ParentID)
			if c := p.Cluster(); c != nil {
				cluster = c.Name
			}
			if _, shown := names[parent]; !shown {
				parent = ""
			}
			return exposition.NewLabels("resource_pool", p.Name, "moid", p.ID, "vsphere_cluster", cluster, "parent", names[parent], "parent_moid", parent)
		})
	writeColumns(w, pools, poolLabels, poolColumns)
}

func poolLabels(p *inventory.Pool) exposition.Labels {
	return exposition.NewLabels("resource_pool", p.Name, "moid", p.ID)
}

// poolReady sums the ready time of VMs by resource pool. It adds what a VM's own sum has grown by, so that a sample counts
// once, and a VM that leaves a pool takes nothing with it.
type poolReady struct {
	mu     sync.Mutex
	pools  []*inventory.Pool    // that are shown; nil: there was no survey
	above  map[string][]string  // the pools that a VM is in, by the ids of the VM and of the pools
	counts map[string]float64   // the part of a VM's sum that is in those of its pools
	sums   map[string]poolTotal // by the pool's id
}

// poolTotal is a pool's sum; at is the time of its newest sample.
type poolTotal struct {
	seconds float64
	at      time.Time
}

const poolReadyName = "esxi_resource_pool_cpu_ready_seconds_total"

var readyName = esxtop.Lookup("cpu.ready").PrometheusName(esxtop.Group)

// survey takes the pools of VMs from a survey. The ready time of VMs whose pool is not known yet is added when it is.
func (p *poolReady) survey(v *inventory.VCenter) {
	pools, above := usersPools(v), map[string][]string{}
	parents := map[string]string{}
	for _, pool := range pools {
		parents[pool.ID] = text(pool.ParentID)
	}
	for _, vm := range v.VMs {
		id, known := vm.PoolID.Value()
		if !known {
			continue
		}
		above[vm.ID] = []string{}
		for range pools { // a bound, for a server that reports a cycle
			parent, shown := parents[id]
			if !shown {
				break
			}
			above[vm.ID] = append(above[vm.ID], id)
			id = parent
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pools, p.above = pools, above
	maps.DeleteFunc(p.sums, func(id string, _ poolTotal) bool { _, there := parents[id]; return !there })
}

// add takes the growth of the sums of VMs. walk calls its argument with each of their series; exists reports whether a VM
// is still exported.
func (p *poolReady) add(walk func(each func(exposition.Family, exposition.Labels, float64, time.Time)), exists func(vm string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts == nil {
		p.counts, p.sums = map[string]float64{}, map[string]poolTotal{}
	}
	walk(func(f exposition.Family, labels exposition.Labels, v float64, at time.Time) {
		if f.Name == readyName {
			p.count(moidOf(labels), v, at)
		}
	})
	maps.DeleteFunc(p.counts, func(vm string, _ float64) bool { return !exists(vm) })
}

// count adds the growth of a VM's sum. A smaller sum than before is that of a VM that was removed and is back.
func (p *poolReady) count(vm string, sum float64, at time.Time) {
	pools, known := p.above[vm]
	if !known {
		return
	}
	grown := sum - p.counts[vm]
	if grown < 0 {
		grown = sum
	}
	p.counts[vm] = sum
	for _, id := range pools {
		t := p.sums[id]
		t.seconds += grown
		if at.After(t.at) {
			t.at = at
		}
		p.sums[id] = t
	}
}

// write writes the sums of pools that have samples that are not stale.
func (p *poolReady) write(w *exposition.Writer, now time.Time, stale time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Family(exposition.Family{
		Name: poolReadyName, Kind: exposition.Counter,
		Help: "Ready time of the exported VMs in the pool, and in pools below it, while they were in it (sum of " + readyName + ").",
	})
	for _, pool := range p.pools {
		if t, there := p.sums[pool.ID]; there && now.Before(t.at.Add(stale)) {
			w.Sample(poolLabels(pool), t.seconds)
		}
	}
}

// moidOf returns the value of the label moid; ids have no characters that are escaped.
func moidOf(labels exposition.Labels) string {
	_, rest, _ := strings.Cut(string(labels), `moid="`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// addPoolReady adds the newest samples of VMs to the sums of their pools.
func (t *Target) addPoolReady(here present) {
	if !t.modules[Pool] || !t.objects.Has(esxtop.Group) {
		return
	}
	vms := map[string]bool{}
	for list := range maps.Values(here.vms) {
		for i := range list {
			vms[list[i].MoID] = true
		}
	}
	t.ready.add(func(each func(exposition.Family, exposition.Labels, float64, time.Time)) {
		t.ledger.Walk(esxtop.ObjectsOf(esxtop.Group), t.serverNow(), each)
	}, func(vm string) bool { return vms[vm] })
}

// writePoolReady writes the sums of pools.
func (t *Target) writePoolReady(w *exposition.Writer, modules []Module, now time.Time) {
	if slices.Contains(modules, Pool) {
		t.ready.write(w, now, t.config.Stale)
	}
}
