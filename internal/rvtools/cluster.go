package rvtools

import (
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

type cluster = inventory.Cluster

var clusterColumns = []column[*cluster]{
	yesNo("Cluster.haEnabled", "HA enabled", func(c *cluster) *inventory.Fact[bool] { return &c.HAEnabled }),
	yesNo("Cluster.haAdmissionControl", "AdmissionControlEnabled", func(c *cluster) *inventory.Fact[bool] { return &c.HAAdmissionControl }),
	yesNo("Cluster.drsEnabled", "DRS enabled", func(c *cluster) *inventory.Fact[bool] { return &c.DRSEnabled }),
	word("Cluster.drsAutomation", "DRS default VM behavior", same("fullyAutomated", "partiallyAutomated", "manual"),
		func(c *cluster) *inventory.Fact[string] { return &c.DRSAutomation }),
	{"DRS vmotion rate", []string{"Cluster.drsMigrationRate"}, func(c *cluster, text string) {
		if c.DRSMigrationRate = wholeOf("DRS vmotion rate", text); c.DRSMigrationRate == inventory.Known(int64(0)) { // the range is 1 to 5
			c.DRSMigrationRate = inventory.Unread[int64]("the server does not report how readily DRS moves virtual machines")
		}
	}},
	yesNo("Cluster.dpmEnabled", "DPM enabled", func(c *cluster) *inventory.Fact[bool] { return &c.DPMEnabled }),
}

type pool = inventory.Pool

var poolColumns = []column[*pool]{
	whole("Pool.cpuLimitMHz", "CPU limit", func(p *pool) *inventory.Fact[int64] { return &p.CPULimitMHz }),
	whole("Pool.memoryLimitMB", "Mem limit", func(p *pool) *inventory.Fact[int64] { return &p.MemoryLimitMB }),
	whole("Pool.cpuShares", "CPU shares", func(p *pool) *inventory.Fact[int64] { return &p.CPUShares }),
	whole("Pool.memoryShares", "Mem shares", func(p *pool) *inventory.Fact[int64] { return &p.MemoryShares }),
}

// rootPool is the name of the pool that has all resources of a cluster or host.
const rootPool = "Resources"

// pools places the pools in their tree and in their clusters. If the place of one is unknown, so are those of all: rules compare a
// pool with its neighbours, and must not miss one.
func (e *endpoint) placePools() {
	byPath := map[string]*pool{}
	for _, p := range e.v.Pools {
		byPath[p.Path] = p
	}
	whole := len(byPath) == len(e.v.Pools)
	for _, p := range e.v.Pools {
		above, _ := strings.CutSuffix(p.Path, "/"+p.Name)
		switch parent := byPath[above]; {
		case parent != nil && parent != p:
			p.ParentID = inventory.Known(parent.ID)
		case p.Name == rootPool:
			p.Root, p.ParentID = true, inventory.Absent[string]()
		}
		p.ClusterID = e.clusterOfPath(p.Path)
		_, parent, _ := p.ParentID.Get()
		_, of, _ := p.ClusterID.Get()
		whole = whole && parent != inventory.StateUnread && of != inventory.StateUnread
	}
	if whole {
		return
	}
	for _, p := range e.v.Pools {
		p.ParentID = inventory.Unread[string]("the paths of the pools in the export do not show their tree")
		p.ClusterID = p.ParentID
	}
}

// clusterOfPath finds the name before the root pool: /DATACENTER/host/CLUSTER/Resources/POOL.
func (e *endpoint) clusterOfPath(path string) inventory.Fact[string] {
	above, _, found := strings.Cut(path+"/", "/"+rootPool+"/")
	if !found {
		return inventory.Unread[string](NotHere)
	}
	var of []*cluster
	for name, named := range e.clusters {
		if strings.HasSuffix(above, "/"+name) {
			of = append(of, named...)
		}
	}
	for name, h := range e.hosts {
		if _, state, _ := h.ClusterID.Get(); len(of) == 0 && state == inventory.StateAbsent && strings.HasSuffix(above, "/"+name) {
			return inventory.Absent[string]()
		}
	}
	if len(of) != 1 {
		return inventory.Unread[string](NotHere)
	}
	return inventory.Known(of[0].ID)
}
