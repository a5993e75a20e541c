package inventory

import "fmt"

func (v *VCenter) link() {
	v.vcenter = v
	for _, c := range v.Clusters {
		c.vcenter, c.Pools = v, nil
	}
	clusters := byID(v.Clusters)
	for _, p := range v.Pools {
		p.vcenter = v
		id, _ := p.ClusterID.Value()
		if p.cluster = clusters[id]; p.cluster != nil {
			p.cluster.Pools = append(p.cluster.Pools, p)
		}
	}
	for _, s := range v.Switches {
		s.vcenter = v
	}
	for _, h := range v.Hosts {
		h.vcenter = v
		h.link(clusters)
	}
	hosts := byID(v.Hosts)
	for _, vm := range v.VMs {
		vm.vcenter = v
		vm.link(hosts)
	}
	v.linkVMs()
	for _, c := range v.Clusters {
		c.Hosts = v.members("cluster", c.HostIDs, hosts)
	}
	for _, s := range v.Switches {
		s.Hosts = v.members("switch", s.HostIDs, hosts)
	}
	v.countVMs()
	v.linkDatastores(hosts)
}

// managed is an object with an id of its own.
type managed interface{ id() string }

func (e *Entity) id() string { return e.ID }

func byID[T managed](objects []T) map[string]T {
	m := make(map[string]T, len(objects))
	for _, o := range objects {
		m[o.id()] = o
	}
	return m
}

func (h *Host) link(clusters map[string]*Cluster) {
	id, _ := h.ClusterID.Value()
	h.cluster = clusters[id]
	direct(ScopeHost, h.Live)
	own(h.PNICs, func(n *PNIC) { n.host = h })
	own(h.VMKNICs, func(k *VMKNIC) { k.host = h })
	own(h.LUNs, func(l *LUN) { l.host = h })
	own(h.HBAs, func(b *HBA) { b.host = h })
	own(h.VSwitches, func(s *Switch) { s.host, s.vcenter, s.Hosts = h, h.vcenter, Known([]*Host{h}) })
}

func (v *VM) link(hosts map[string]*Host) {
	id, _ := v.HostID.Value()
	v.host = hosts[id]
	direct(ScopeVM, v.Live)
	own(v.Disks, func(d *VDisk) { d.vm = v })
	own(v.VNICs, func(n *VNIC) { n.vm = v })
}

func own[T any](list Fact[[]*T], do func(*T)) {
	all, _ := list.Value()
	for _, x := range all {
		do(x)
	}
}

// linkVMs sets the VMs of each host. If the list of VMs is incomplete, the VMs of all hosts are unread.
func (v *VCenter) linkVMs() {
	on, lost := make(map[*Host][]*VM, len(v.Hosts)), ""
	for _, vm := range v.VMs {
		switch _, state, _ := vm.HostID.Get(); {
		case vm.host != nil:
			on[vm.host] = append(on[vm.host], vm)
		case state == StateUnread && vm.Unread == "": // a VM that is orphaned runs nowhere
			lost = "the host of virtual machine " + vm.Name + " was not read"
		}
	}
	for _, h := range v.Hosts {
		switch {
		case v.Unread != "":
			h.VMs = Unread[[]*VM](v.Unread)
		case v.ChosenVMs:
			h.VMs = Unread[[]*VM](notInScope + "only some of the host's virtual machines were asked for")
		case lost != "":
			h.VMs = Unread[[]*VM](lost)
		default:
			h.VMs = Known(on[h])
		}
	}
}

// members returns the hosts of a group, if the snapshot has all of them. If the user selected all hosts of the
// endpoint, missing hosts could not be read.
func (v *VCenter) members(of string, list Fact[[]string], hosts map[string]*Host) Fact[[]*Host] {
	ids, state, reason := list.Get()
	if state != StateKnown {
		return Unread[[]*Host](reason)
	}
	var all []*Host
	for _, id := range ids {
		if h := hosts[id]; h != nil {
			all = append(all, h)
		}
	}
	if len(all) < len(ids) {
		missing := fmt.Sprintf("%d of the %s's %d hosts were not ", len(ids)-len(all), of, len(ids))
		if v.Whole {
			return Unread[[]*Host](missing + "read")
		}
		return Unread[[]*Host](notInScope + missing + "asked for")
	}
	return Known(all)
}

// linkDatastores ties datastores to the hosts that mount them and to the disks they lie on.
func (v *VCenter) linkDatastores(hosts map[string]*Host) {
	disks := make(map[*Host]map[string]*LUN, len(v.Hosts))
	mounted, extents := v.readRelations()
	for _, h := range v.Hosts {
		h.Datastores = mounted
		disks[h] = map[string]*LUN{}
		own(h.LUNs, func(l *LUN) { disks[h][l.Device], l.Datastores = l, extents })
	}
	for _, d := range v.Datastores {
		d.vcenter, d.Hosts = v, v.members("datastore", d.HostIDs, hosts)
		var mounts []*Host
		ids, _ := d.HostIDs.Value()
		for _, id := range ids {
			if h := hosts[id]; h != nil {
				mounts = append(mounts, h)
				add(&h.Datastores, d)
			}
		}
		d.linkExtents(mounts, disks)
		if d.Pseudo.IsZero() {
			d.Pseudo = d.onlyPseudo(mounts)
		}
	}
	stores := byID(v.Datastores)
	for _, vm := range v.VMs {
		own(vm.Disks, func(disk *VDisk) {
			id, state, reason := disk.DatastoreID.Get()
			switch d := stores[id]; {
			case state != StateKnown:
				disk.Datastore = missing[*Datastore](state, reason)
			case d == nil:
				disk.Datastore = Unread[*Datastore]("its datastore was not read")
			default:
				disk.Datastore = Known(d)
			}
		})
	}
}

// readRelations returns the empty lists of datastores of a host and of a disk; unread if a datastore may have to be in all of them, or the
// lists of the endpoint are incomplete and that of datastores is empty: it may be the one that was not read.
func (v *VCenter) readRelations() (mounted, extents Fact[[]*Datastore]) {
	if v.Unread != "" && len(v.Datastores) == 0 {
		return Unread[[]*Datastore](v.Unread), Unread[[]*Datastore](v.Unread)
	}
	mounted, extents = Known([]*Datastore(nil)), Known([]*Datastore(nil))
	for _, d := range v.Datastores {
		if _, state, _ := d.Extents.Get(); state == StateUnread {
			extents = Unread[[]*Datastore]("the disks of datastore " + d.Name + " were not read")
		}
		if _, state, _ := d.HostIDs.Get(); state == StateUnread {
			mounted = Unread[[]*Datastore]("the hosts of datastore " + d.Name + " were not read")
			return mounted, mounted
		}
	}
	return mounted, extents
}

// add adds an element to a known list.
func add[T any](list *Fact[[]T], x T) {
	if all, known := list.Value(); known {
		*list = Known(append(all, x))
	}
}

// onlyPseudo reports whether only pseudo hosts mount a datastore. One other host is enough for false, even if the kind
// of the rest is unknown.
func (d *Datastore) onlyPseudo(mounts []*Host) Fact[bool] {
	pseudo := 0
	for _, h := range mounts {
		switch kind, known := h.Kind.Value(); {
		case known && kind != HostPseudo:
			return Known(false)
		case known:
			pseudo++
		}
	}
	if ids, _ := d.HostIDs.Value(); pseudo == 0 || pseudo < len(ids) {
		return Unread[bool]("the kind of the hosts that mount it was not read")
	}
	return Known(true)
}

// linkExtents finds the disks of a VMFS datastore on its hosts, and their support for hardware acceleration.
func (d *Datastore) linkExtents(mounts []*Host, disks map[*Host]map[string]*LUN) {
	names, state, reason := d.Extents.Get()
	if state != StateKnown {
		d.HardwareAcceleration = missing[string](state, reason)
		return
	}
	reported, notReported := map[string]bool{}, false
	for _, name := range names {
		heard := false
		for _, h := range mounts {
			l := disks[h][name]
			if l == nil {
				continue
			}
			add(&l.Datastores, d)
			if support, known := l.HardwareAcceleration.Value(); known {
				reported[support], heard = true, true
			}
		}
		notReported = notReported || !heard
	}
	d.HardwareAcceleration = acceleration(reported, notReported)
}

// acceleration returns the worst support of a datastore's disks; a disk with unknown support may be worse.
func acceleration(reported map[string]bool, notReported bool) Fact[string] {
	for _, s := range []string{"vStorageUnsupported", "vStorageUnknown", "vStorageSupported"} {
		if reported[s] && (!notReported || s != "vStorageSupported") {
			return Known(s)
		}
	}
	return Unread[string]("the disks it lies on were not read")
}
