package vsphere

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

const (
	pathVCPUs      = "config.hardware.numCPU"
	pathVMMemory   = "config.hardware.memoryMB"
	pathBuild      = "config.product.build"
	pathCPUCores   = "summary.hardware.numCpuCores"
	pathCPUThreads = "summary.hardware.numCpuThreads"
	pathHostModel  = "summary.hardware.model"
	pathHostMemory = "summary.hardware.memorySize"
)

// vmPaths are what a roster asks of VMs, and where it goes: single values, since there can be thousands of VMs and the
// server looks at each of those values when it is asked what changed. A nil is no value.
var vmPaths = map[string]func(*seenVM, any){
	pathName:     func(v *seenVM, x any) { v.name = orZero(asText, x) },
	pathParent:   func(v *seenVM, x any) { v.parent = orZero(asIs[ref], x) },
	pathVApp:     func(v *seenVM, x any) { v.vApp = orZero(asIs[ref], x) },
	pathVMHost:   func(v *seenVM, x any) { v.Host = orZero(asIs[ref], x).Value },
	pathPower:    func(v *seenVM, x any) { v.Power = orZero(asText, x) },
	pathVCPUs:    func(v *seenVM, x any) { v.VCPUs = int(orZero(asInt, x)) },
	pathVMMemory: func(v *seenVM, x any) { v.MemoryBytes = orZero(asInt, x) << 20 },
	pathInstance: func(v *seenVM, x any) { v.UUID = orZero(asText, x) },
	pathGuest:    func(v *seenVM, x any) { v.Guest = orZero(asText, x) },
	pathTemplate: func(v *seenVM, x any) { v.Template = orZero(asBool, x) },
}

func orZero[T any](as func(any) (T, bool), x any) (zero T) {
	if t, ok := as(x); ok {
		return t
	}
	return zero
}

// seenVM is a VM as it is read.
type seenVM struct {
	RosterVM
	name         string // as the server writes it, with escapes
	parent, vApp ref
}

func newSeenVM(of ref) *seenVM { return &seenVM{RosterVM: RosterVM{MoID: of.Value, Name: of.Value}} }

func (v *seenVM) set(path string, x any) {
	if put := vmPaths[path]; put != nil {
		put(v, x)
	}
	if path == pathName {
		v.Name = unescape(v.called())
	}
}

func (v *seenVM) called() string {
	if v.name == "" {
		return v.MoID
	}
	return v.name
}

// pathIn is its inventory path. A VM in a vApp is in no folder.
func (v *seenVM) pathIn(x *tree) string {
	parent := v.parent
	if parent.Value == "" {
		parent = v.vApp
	}
	return x.under(parent) + "/" + v.called()
}

// rosterQuery is what a roster asks of everything that is there.
func rosterQuery() *query {
	vms := types.PropertySpec{Type: typeVM}
	for path := range vmPaths {
		vms.PathSet = append(vms.PathSet, path)
	}
	slices.Sort(vms.PathSet)
	hosts := types.PropertySpec{Type: typeHost, PathSet: slices.DeleteFunc(hostNaming(true), func(path string) bool { return path == pathVMK })}
	hosts.PathSet = append(hosts.PathSet, pathPower, pathMaintenance, pathBuild, pathCPUCores, pathCPUThreads, pathHostModel, pathHostMemory)
	paths := []types.PropertySpec{{Type: "ResourcePool", PathSet: []string{pathName, pathParent}}, hosts}
	return &query{what: "who is there", paths: append(append(paths, containers()...), vms), page: pageOfIndex}
}

// alsoOfHosts asks for more of hosts.
func alsoOfHosts(q *query, paths ...string) {
	for i, s := range q.paths {
		if s.Type == typeHost {
			q.paths[i].PathSet = slices.Concat(s.PathSet, paths)
		}
	}
}

// rosterReading is what was read for a roster. It bears to see an object twice.
type rosterReading struct {
	root    ref
	objects map[ref]*props // all but VMs
	order   []ref          // as the server listed them
	vms     map[ref]*seenVM

	// What the roster has not taken yet.
	others  bool            // an object that is not a VM changed
	above   bool            // one that stands in the path of VMs did
	touched map[string]bool // hosts of which a VM changed
}

func newRosterReading(root ref) *rosterReading {
	return &rosterReading{
		root: root, objects: map[ref]*props{}, vms: map[ref]*seenVM{},
		others: true, above: true, touched: map[string]bool{},
	}
}

func (n *rosterReading) take(p *props) {
	if p.ref.Type != typeVM {
		if n.objects[p.ref] == nil {
			n.order = append(n.order, p.ref)
		}
		n.objects[p.ref] = p
		n.changed(p.ref)
		return
	}
	vm := newSeenVM(p.ref)
	for path, x := range p.values {
		vm.set(path, x)
	}
	if old := n.vms[p.ref]; old != nil {
		n.touched[old.Host] = true
	}
	n.vms[p.ref] = vm
	n.touched[vm.Host] = true
}

// changed notes an object that is not a VM.
func (n *rosterReading) changed(of ref) {
	n.others = true
	n.above = n.above || of.Type != typeHost
}

// leave takes an object out.
func (n *rosterReading) leave(of ref) {
	if vm := n.vms[of]; vm != nil {
		n.touched[vm.Host] = true
		delete(n.vms, of)
	}
	if n.objects[of] != nil {
		delete(n.objects, of)
		n.order = slices.DeleteFunc(n.order, func(r ref) bool { return r == of })
		n.changed(of)
	}
}

// tree is all but VMs.
func (n *rosterReading) tree() (*tree, map[ref]RosterHost) {
	x, hosts := newTree(n.root), map[ref]RosterHost{}
	for _, of := range n.order {
		x.add(n.objects[of])
	}
	for _, of := range n.order {
		if of.Type == typeHost {
			hosts[of] = rosterHost(x, n.objects[of])
		}
	}
	return x, hosts
}

func rosterHost(x *tree, p *props) RosterHost {
	h := RosterHost{
		MoID: p.ref.Value, Name: nameOf(p), Down: hostDown(p), Path: x.path(p.ref), Datacenter: x.datacenter(p.ref),
		Version: then(read(p, pathVersion, asText, must), parseVersion),
	}
	h.Power, _ = read(p, pathPower, asText, must).Value()
	h.Model, _ = read(p, pathHostModel, asText, must).Value()
	h.Build, _ = read(p, pathBuild, asText, must).Value()
	h.InMaintenance, _ = read(p, pathMaintenance, asBool, must).Value()
	h.MemoryBytes, _ = read(p, pathHostMemory, asInt, must).Value()
	cores, _ := read(p, pathCPUCores, asInt, must).Value()
	h.Cores = int(cores)
	if threads, ok := read(p, pathCPUThreads, asInt, must).Value(); ok && cores > 0 {
		h.Threads = int(threads / cores)
	}
	if c := x.compute(p.ref); isCluster(c) {
		h.Cluster = unescape(x.nodes[c].name)
	}
	return h
}

// move brings the VMs of the hosts up to date of which one changed. Whoever has a list goes on with it as it was.
func (n *rosterReading) move(r *Roster) {
	if len(n.touched) == 0 {
		return
	}
	lists := map[string][]RosterVM{}
	for _, vm := range n.vms {
		if n.touched[vm.Host] {
			vm.Path = vm.pathIn(r.tree)
			lists[vm.Host] = append(lists[vm.Host], vm.RosterVM)
		}
	}
	for host := range n.touched {
		delete(r.vms, host)
	}
	for host, list := range lists {
		slices.SortFunc(list, byName)
		r.vms[host] = list
	}
}
