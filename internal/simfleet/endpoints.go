package simfleet

import (
	"fmt"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// site describes one endpoint of the fleet: a vCenter with its hosts, or a standalone host.
type site struct {
	name   string
	user   string
	hosts  []fleetdata.Host
	pools  []fleetdata.Pool
	vms    []fleetdata.VM
	number int // number of hosts of the previous sites, so that MAC addresses differ
}

// Names of the endpoints.
const (
	vcenterSite = "vcenter"
	vcenterUser = "demo@vsphere.local"
	esxiUser    = "root"
)

// standalone reports whether the site is a standalone host.
func (s site) standalone() bool { return s.name != vcenterSite }

// sites returns the fleet's endpoints, the vCenter first.
func sites(cfg Config) []site {
	fleet := fleetdata.Demo()
	list := []site{{
		name: vcenterSite, user: vcenterUser, hosts: hostRows(cfg.Hosts), pools: fleet.Pools, vms: fleet.VMsOf(fleet.Managed()),
	}}
	if cfg.VCenterOnly {
		return list
	}
	n := len(list[0].hosts)
	for i, row := range fleet.Standalone() {
		row.Identity = row.Name + cfg.Instance
		hosts := []fleetdata.Host{row}
		list = append(list, site{
			name: row.Short(), user: esxiUser, hosts: hosts, vms: fleet.VMsOf(hosts), number: n + i,
		})
	}
	return list
}

// hostRows returns the vCenter's hosts, followed by clones of the reference host up to n.
func hostRows(n int) []fleetdata.Host {
	fleet := fleetdata.Demo()
	rows := fleet.Managed()
	joined := fleet.CloneClusters()
	for i := 1; len(rows) < n; i++ {
		c, cluster := *fleet.Host(fleet.CloneHost), joined[i%len(joined)]
		c.Name = fmt.Sprintf("host%d"+fleetdata.Domain, 100+i)
		c.Cluster, c.DVS = cluster.Name, cluster.DVS
		c.Address = fmt.Sprintf("198.18.%d.%d", i>>8&0xff, i&0xff)
		rows = append(rows, c)
	}
	return rows
}
