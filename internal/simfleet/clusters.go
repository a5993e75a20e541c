package simfleet

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

func (b *builder) addClusters() error {
	for _, c := range fleetdata.Demo().Clusters {
		if !c.First {
			continue
		}
		if err := b.addCluster(c.Name); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addCluster(name string) error {
	folder := get[*simulator.Folder](b, b.datacenter.HostFolder)
	body := folder.CreateClusterEx(b.ctx, &types.CreateClusterEx{This: folder.Self, Name: name})
	if err := refused(body, "creating cluster "+name); err != nil {
		return err
	}
	b.clusters[name] = get[*simulator.ClusterComputeResource](b, body.(*methods.CreateClusterExBody).Res.Returnval)
	return nil
}

// capacity is the sum of a cluster's hosts.
type capacity struct {
	mhz, memory    int64
	cores, threads int
	hosts          int
}

func (b *builder) capacity(cluster string) capacity {
	var c capacity
	for _, e := range b.hostOrder {
		if e.Row.Cluster != cluster {
			continue
		}
		hw := e.System.Summary.Hardware
		c.mhz += int64(hw.CpuMhz) * int64(hw.NumCpuCores)
		c.memory += hw.MemorySize
		c.cores += int(hw.NumCpuCores)
		c.threads += int(hw.NumCpuThreads)
		c.hosts++
	}
	return c
}

// addPools runs after the hosts: a root pool and the summary have the total capacity.
func (b *builder) addPools() error {
	owners := []string{""}
	if !b.site.standalone() {
		owners = fleetdata.Demo().ClusterNames()
	}
	for _, name := range owners {
		compute, c := b.compute(name), b.capacity(name)
		c.summarize(compute.Summary.GetComputeResourceSummary())
		root := get[*simulator.ResourcePool](b, *compute.ResourcePool)
		b.configurePool(root, rootConfig(root, c))
		root.Name = "Resources"
		b.pools[name+"/"] = root
	}
	for _, row := range b.site.pools {
		b.addPool(row)
	}
	return nil
}

// summarize sets the sums over the hosts.
//
// govmomi v0.56.0 simulator: its sums count one core of each host.
func (c capacity) summarize(s *types.ComputeResourceSummary) {
	s.TotalCpu = int32(c.mhz)
	s.EffectiveCpu = int32(c.mhz * 95 / 100)
	s.TotalMemory = c.memory
	s.EffectiveMemory = c.memory >> 20 * 95 / 100 // in MB, unlike the total
	s.NumCpuCores, s.NumCpuThreads = int16(c.cores), int16(c.threads)
	s.NumHosts, s.NumEffectiveHosts = int32(c.hosts), int32(c.hosts)
	s.OverallStatus = types.ManagedEntityStatusGreen
}

func rootConfig(pool *simulator.ResourcePool, c capacity) types.ResourceConfigSpec {
	self := pool.Self
	return types.ResourceConfigSpec{
		Entity:           &self,
		CpuAllocation:    *allocation(c.mhz*95/100, c.mhz*95/100, types.SharesLevelCustom, 9000),
		MemoryAllocation: *allocation(c.memory>>20*95/100, c.memory>>20*95/100, types.SharesLevelCustom, 9000),
	}
}

// govmomi v0.56.0 simulator: all pools of the process share the template's configuration.
func (b *builder) configurePool(pool *simulator.ResourcePool, config types.ResourceConfigSpec) {
	pool.Config = config
	pool.Runtime = types.ResourcePoolRuntimeInfo{OverallStatus: types.ManagedEntityStatusGreen}
	pool.Summary = &types.ResourcePoolSummary{Name: pool.Name, Config: config, Runtime: pool.Runtime}
}

func (b *builder) addPool(row fleetdata.Pool) {
	above := b.pools[row.Cluster+"/"+row.Parent]
	pool := simulator.NewResourcePool(b.ctx)
	b.ctx.Map.NewEntity(pool)
	pool.Name, pool.Owner = row.Name, above.Owner
	self := pool.Self
	b.configurePool(pool, types.ResourceConfigSpec{
		Entity:           &self,
		CpuAllocation:    *poolCPU(row),
		MemoryAllocation: *allocation(0, limit(row.MemoryLimitMB), types.SharesLevelNormal, 163_840),
	})
	b.ctx.Map.PutEntity(above, pool)
	above.ResourcePool.ResourcePool = append(above.ResourcePool.ResourcePool, pool.Self)
	b.pools[row.Cluster+"/"+row.Name] = pool
}

func poolCPU(r fleetdata.Pool) *types.ResourceAllocationInfo {
	if r.CPUShares == 0 {
		return allocation(0, limit(r.CPULimitMHz), types.SharesLevelNormal, 4000)
	}
	return allocation(0, limit(r.CPULimitMHz), types.SharesLevelCustom, r.CPUShares)
}
