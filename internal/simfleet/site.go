package simfleet

// site is what one endpoint of the fleet serves: a vCenter with its hosts, or one host by itself.
type site struct {
	name   string
	user   string
	hosts  []hostRow
	pools  []poolRow
	vms    []vmRow
	number int // how many hosts the sites before have, so that MAC addresses differ
}

// Names of the endpoints.
const (
	vcenterSite = "vcenter"
	vcenterUser = "demo@vsphere.local"
	esxiUser    = "root"
)

// standalone sites are hosts that answer for themselves.
func (s site) standalone() bool { return s.name != vcenterSite }

// sites are the fleet's endpoints, the vCenter first.
func sites(cfg Config) []site {
	list := []site{{name: vcenterSite, user: vcenterUser, hosts: hostRows(cfg.Hosts), pools: poolTable, vms: vmTable}}
	if cfg.vcenterOnly {
		return list
	}
	n := len(list[0].hosts)
	for i, row := range standaloneTable {
		row.identity = row.name + cfg.Instance
		list = append(list, site{
			name: shortName(row.name), user: esxiUser, hosts: []hostRow{row}, vms: standaloneVMs[shortName(row.name)], number: n + i,
		})
	}
	return list
}
