package fleetdata

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// checker collects the errors in the data.
type checker struct{ errs []error }

func (c *checker) want(ok bool, format string, args ...any) bool {
	if !ok {
		c.errs = append(c.errs, fmt.Errorf(format, args...))
	}
	return ok
}

// oneOf requires a word of a list; an empty word is the default.
func (c *checker) oneOf(what, word string, list ...string) {
	c.want(word == "" || slices.Contains(list, word), "%s: no %q; there are %s", what, word, strings.Join(list, ", "))
}

// between requires a number within plausible bounds.
func (c *checker) between(what string, n, least, most int64) {
	c.want(n >= least && n <= most, "%s: %d is not from %d to %d", what, n, least, most)
}

// unique requires that no name occurs twice.
func (c *checker) unique(what string, names []string) {
	names = slices.Sorted(slices.Values(names))
	for i := 1; i < len(names); i++ {
		c.want(names[i] != names[i-1], "%s: %s is there twice", what, names[i])
	}
}

func (c *checker) err() error { return errors.Join(c.errs...) }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func namesOf[T any](rows []T, name func(T) string) (list []string) {
	for _, row := range rows {
		list = append(list, name(row))
	}
	return list
}

// names are the names that rows may refer to.
type names struct{ clusters, switches, groups, luns, stores, vms, hosts, classes []string }

// check reports references to missing objects, and implausible numbers.
func (f *Fleet) check() error {
	c := new(checker)
	n := names{
		clusters: namesOf(f.Clusters, func(r Cluster) string { return r.Name }),
		switches: namesOf(f.Switches, func(r Switch) string { return r.Name }),
		groups:   namesOf(f.PortGroups, func(r PortGroup) string { return r.Name }),
		luns:     namesOf(f.LUNs, func(r LUN) string { return r.Name }),
		stores:   namesOf(f.Datastores, func(r Datastore) string { return r.Name }),
		vms:      namesOf(f.VMs, func(r VM) string { return r.Name }),
		hosts:    namesOf(f.Hosts, func(r Host) string { return r.Short() }),
		classes:  namesOf(f.Traffic, func(r Traffic) string { return r.Class }),
	}
	for what, list := range map[string][]string{
		"cluster": n.clusters, "switch": n.switches, "port group": n.groups, "LUN": n.luns, "datastore": n.stores, "VM": n.vms, "host": n.hosts,
		"address": namesOf(f.Hosts, func(h Host) string { return h.Address }),
	} {
		c.unique(what, list)
	}
	f.checkServers(c)
	for i := range f.Hosts {
		f.checkHost(c, &f.Hosts[i], n)
	}
	for i := range f.VMs {
		f.checkVM(c, &f.VMs[i], n)
	}
	f.checkClusters(c, n)
	f.checkNetwork(c, n)
	f.checkStorage(c, n)
	f.checkLoad(c)
	return c.err()
}

func (f *Fleet) checkServers(c *checker) {
	for _, name := range sorted(f.Releases) {
		c.want(slices.Contains(inventory.Releases(), name), "release %s is not one of inventory's", name)
	}
	for _, name := range sorted(f.NICs) {
		c.between("NIC "+name+": mbps", int64(f.NICs[name].Mbps), 100, 400_000)
	}
	for _, name := range sorted(f.Servers) {
		s, what := f.Servers[name], "server "+name
		c.between(what+": hz", s.Hz, 1_000_000_000, 6_000_000_000)
		c.between(what+": sockets", int64(s.Sockets), 1, 8)
		c.between(what+": cores", int64(s.Cores), 1, 256)
		c.between(what+": memoryGB", s.MemoryGB, 4, 24_576)
		c.oneOf(what+": evc", s.EVC, f.EVCModes...)
		for _, at := range s.Slots {
			c.between(what+": socket of a slot", int64(at.Socket), 0, int64(s.Sockets)-1)
		}
	}
}

func (f *Fleet) checkHost(c *checker, h *Host, n names) {
	what := "host " + h.Name
	c.want(h.Name == h.Short()+Domain, "%s: hosts are in %s", what, Domain)
	_, err := netip.ParseAddr(h.Address)
	c.want(err == nil, "%s: address %q", what, h.Address)
	c.want(!h.Booted.IsZero(), "%s: booted is missing", what)
	c.between(what+": hz", h.Hz, 1_000_000_000, 6_000_000_000)
	c.oneOf(what+": cluster", h.Cluster, n.clusters...)
	c.oneOf(what+": dvs", h.DVS, n.switches...)
	c.want((h.DVS == "") == (h.Cluster == ""), "%s: a host has a dvs where it has a cluster", what)
	c.oneOf(what+": power", h.Power, "dynamic", "static", "low", "custom")
	c.oneOf(what+": threads", h.Threads, ThreadsOff, ThreadsHidden, ThreadsNone)
	c.oneOf(what+": tiering", h.Tiering, SoftwareTiering, HardwareTiering)
	c.between(what+": nodes", int64(h.Nodes), 0, 16)
	for _, key := range sorted(h.Options) {
		doc, _ := inventory.LookupOption(key)
		era, ok := doc.At(h.Release)
		c.want(ok && !era.Absent, "%s: release %s has no option %s", what, h.Release, key)
	}
	for _, key := range sorted(h.Defaults) {
		_, ok := inventory.LookupOption(key)
		c.want(ok && h.Version != "", "%s: defaults are for options of the table, on a host with a version of its own: %s", what, key)
	}
	f.checkNICs(c, h)
	for _, disk := range sorted(h.SAN) {
		c.oneOf(what+": san", disk, append(n.luns, "local")...)
	}
	for _, g := range h.DiskGroups {
		c.between(what+": disks of a group", int64(g.Disks), 1, 7)
	}
	for _, sensor := range sorted(h.SensorFaults) {
		c.oneOf(what+": sensorFaults", sensor, namesOf(f.Sensors, func(s Sensor) string { return s.Name })...)
	}
	f.checkTags(c, what, h.Attributes, h.Tags)
}

// checkNICs requires that each NIC named in the host's row exists.
func (f *Fleet) checkNICs(c *checker, h *Host) {
	var nics []string
	for i := range len(h.Server.Slots) + h.Board {
		nics = append(nics, fmt.Sprintf("vmnic%d", i))
	}
	named := slices.Concat(sorted(h.Links), sorted(h.ESXCLI.Rings), sorted(h.ESXCLI.Interrupts))
	for _, s := range h.Switches {
		named = append(named, s.NICs...)
	}
	for _, t := range h.Teams {
		named = slices.Concat(named, t.Active, t.Standby)
	}
	for _, nic := range named {
		c.oneOf("host "+h.Name+": NIC", nic, nics...)
	}
	for driver := range h.Modules {
		c.oneOf("host "+h.Name+": modules", driver, h.Server.NIC.Driver, f.Onboard.Driver)
	}
}

func (f *Fleet) checkVM(c *checker, v *VM, n names) {
	what := "VM " + v.Name
	host := f.Host(v.Host)
	if !c.want(host != nil, "%s: no host %q", what, v.Host) {
		return
	}
	c.want(host.Cluster == "" || v.Folder != "", "%s: folder is missing", what)
	c.oneOf(what+": folder", v.Folder, f.Folders...)
	c.want(v.Pool == "" || slices.ContainsFunc(f.Pools, func(p Pool) bool { return p.Name == v.Pool && p.Cluster == host.Cluster }),
		"%s: cluster %q has no pool %q", what, host.Cluster, v.Pool)
	c.between(what+": vcpus", int64(v.VCPUs), 1, 768)
	c.between(what+": memoryMB", int64(v.MemoryMB), 4, 24<<20)
	c.want(v.MemoryMB%4 == 0, "%s: memoryMB is a multiple of 4", what)
	c.between(what+": hardware", int64(v.Hardware), 4, 22)
	c.oneOf(what+": latency", v.Latency, LatencyHigh, LatencyMedium, LatencyNormal)
	c.oneOf(what+": reserve", v.Reserve, ReserveCPU, ReserveAll)
	controllers := []string{DiskPVSCSI, DiskLSI, DiskLSIParallel}
	c.oneOf(what+": disk", v.Disk, controllers...)
	for _, nic := range v.NICs {
		c.oneOf(what+": kind of NIC", nic.Kind, NICVmxnet3, NICE1000, NICE1000e, NICSRIOV)
	}
	for _, d := range v.Data {
		c.oneOf(what+": kind of disk", d.Kind, controllers...)
		c.oneOf(what+": form of a disk", d.Form, FormLazy, FormEager, FormSESparse, FormRedo)
		c.oneOf(what+": store of a disk", d.Store, n.stores...)
	}
	for _, quirk := range v.With {
		c.want(f.Quirks[quirk] != nil, "%s: no quirk %q", what, quirk)
	}
	for _, s := range v.Snapshots {
		c.want(s.Taken.IsZero() != (s.Age == 0), "%s: snapshot %s has either taken or age", what, s.Name)
	}
	f.checkTags(c, what, v.Attributes, v.Tags)
}

func (f *Fleet) checkTags(c *checker, what string, attributes map[string]string, tags []string) {
	for _, name := range sorted(attributes) {
		c.oneOf(what+": attributes", name, f.Attributes...)
	}
	for _, tag := range tags {
		c.want(strings.Count(tag, "/") == 1, "%s: tag %q is not CATEGORY/NAME", what, tag)
	}
}

func (f *Fleet) checkClusters(c *checker, n names) {
	clone := f.Host(f.CloneHost)
	c.want(clone != nil && clone.Cluster != "", "cloneHost: no managed host %q", f.CloneHost)
	for _, r := range f.Clusters {
		what := "cluster " + r.Name
		c.oneOf(what+": dvs", r.DVS, n.switches...)
		c.oneOf(what+": evc", r.EVC, f.EVCModes...)
		c.between(what+": rate", int64(r.Rate), 1, 5)
		for _, vm := range slices.Concat(sorted(r.Overrides), slices.Concat(r.Pairs...), r.OlderEVC) {
			c.want(slices.Contains(n.vms, vm), "%s: no VM %q", what, vm)
		}
		f.checkTags(c, what, r.Attributes, r.Tags)
	}
	for i, p := range f.Pools {
		c.oneOf("pool "+p.Name+": cluster", p.Cluster, n.clusters...)
		c.want(p.Parent == "" || slices.ContainsFunc(f.Pools[:i], func(o Pool) bool { return o.Name == p.Parent && o.Cluster == p.Cluster }),
			"pool %s: no pool %q before it", p.Name, p.Parent)
	}
}

func (f *Fleet) checkNetwork(c *checker, n names) {
	for _, s := range f.Switches {
		for _, class := range sorted(s.Traffic) {
			c.oneOf("switch "+s.Name+": traffic", class, n.classes...)
		}
		c.between("switch "+s.Name+": mtu", int64(s.MTU), 1280, 9190)
	}
	for _, g := range f.PortGroups {
		c.want(slices.Contains(n.switches, g.DVS), "port group %s: no switch %q", g.Name, g.DVS)
	}
	for _, name := range sorted(f.Quirks) {
		c.oneOf("quirk "+name+": portGroup", f.Quirks[name].PortGroup, n.groups...)
	}
}

func (f *Fleet) checkStorage(c *checker, n names) {
	for _, d := range f.Datastores {
		what := "datastore " + d.Name
		c.oneOf(what+": kind", d.Kind, "VMFS", "NFS", "NFS41", "vsan")
		c.between(what+": capacityGB", d.CapacityGB, 1, 64<<10)
		c.between(what+": freeGB", d.FreeGB, 0, d.CapacityGB)
		c.want((d.Kind == "VMFS") == slices.Contains(n.luns, d.LUN), "%s: VMFS is on a LUN, not on %q", what, d.LUN)
		for _, host := range d.Hosts {
			c.oneOf(what+": hosts", host, n.hosts...)
		}
	}
	for _, l := range f.Libraries {
		c.oneOf("library "+l.Name+": datastore", l.Datastore, n.stores...)
	}
}

func (f *Fleet) checkLoad(c *checker) {
	for _, name := range sorted(f.Profiles) {
		p, what := f.Profiles[name], "profile "+name
		for _, r := range []Range{p.CPU, p.Active, p.IOPS, p.RX, p.TX, {0, p.Touched}, {0, p.Reads}, {0, p.Net}} {
			c.want(r[0] >= 0 && r[0] <= r[1], "%s: a range is from the least to the most", what)
		}
		for _, part := range []float64{p.CPU[1], p.Active[1], p.Touched, p.Reads, p.Net, p.Swapped, p.Balloon} {
			c.want(part <= 1, "%s: %g of a whole", what, part)
		}
		c.want(p.Shape != "", "%s: shape is missing", what)
	}
	c.want(f.Profiles[f.Otherwise] != nil, "otherwise: no profile %q", f.Otherwise)
	for _, r := range f.Roles {
		c.want(f.Profiles[r.Does] != nil, "role %s: no profile %q", r.Prefix, r.Does)
	}
}
