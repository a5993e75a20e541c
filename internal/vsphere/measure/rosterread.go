package measure

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
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

// vmPaths maps the properties that a roster reads of VMs to the functions that store them. They are single values: there can be
// thousands of VMs, and the server checks each value when it is asked for changes. A nil is no value.
var vmPaths = map[string]func(*seenVM, any){
	tree.PathName:     func(v *seenVM, x any) { v.name = orZero(property.Text, x) },
	tree.PathParent:   func(v *seenVM, x any) { v.parent = orZero(property.As[ref], x) },
	tree.PathVApp:     func(v *seenVM, x any) { v.vApp = orZero(property.As[ref], x) },
	tree.PathVMHost:   func(v *seenVM, x any) { v.Host = orZero(property.As[ref], x).Value },
	tree.PathPower:    func(v *seenVM, x any) { v.Power = orZero(property.Text, x) },
	pathVCPUs:         func(v *seenVM, x any) { v.VCPUs = int(orZero(property.Int, x)) },
	pathVMMemory:      func(v *seenVM, x any) { v.MemoryBytes = orZero(property.Int, x) << 20 },
	tree.PathInstance: func(v *seenVM, x any) { v.UUID = orZero(property.Text, x) },
	tree.PathBIOS:     func(v *seenVM, x any) { v.BIOSUUID = orZero(property.Text, x) },
	tree.PathGuest:    func(v *seenVM, x any) { v.Guest = orZero(property.Text, x) },
	tree.PathTemplate: func(v *seenVM, x any) { v.Template = orZero(property.Bool, x) },
}

func orZero[T any](as func(any) (T, bool), x any) (zero T) {
	if t, ok := as(x); ok {
		return t
	}
	return zero
}

// seenVM holds the properties of a VM.
type seenVM struct {
	RosterVM
	name         string // in the server's form, with escapes
	parent, vApp ref
}

func newSeenVM(of ref) *seenVM { return &seenVM{RosterVM: RosterVM{MoID: of.Value, Name: of.Value}} }

func (v *seenVM) set(path string, x any) {
	if d, is := x.(*soapwire.DamageError); is {
		text, _ := d.Readable(path) // any other value is none
		x = text
	}
	if put := vmPaths[path]; put != nil {
		put(v, x)
	}
	if path == tree.PathName {
		v.Name = tree.Unescape(v.called())
	}
}

func (v *seenVM) called() string {
	if v.name == "" {
		return v.MoID
	}
	return v.name
}

// pathIn returns the VM's inventory path. A VM in a vApp is in no folder.
func (v *seenVM) pathIn(x *tree.Tree) string {
	parent := v.parent
	if parent.Value == "" {
		parent = v.vApp
	}
	return x.Under(parent) + "/" + v.called()
}

// rosterQuery returns the query for the whole roster.
func rosterQuery() *property.Query {
	vms := types.PropertySpec{Type: property.TypeVM}
	for path := range vmPaths {
		vms.PathSet = append(vms.PathSet, path)
	}
	slices.Sort(vms.PathSet)
	hosts := types.PropertySpec{Type: property.TypeHost, PathSet: slices.DeleteFunc(tree.HostNamePaths(true), func(path string) bool { return path == tree.PathVMK })}
	hosts.PathSet = append(hosts.PathSet, pathBuild, pathCPUCores, pathCPUThreads, pathHostModel, pathHostMemory)
	paths := []types.PropertySpec{{Type: "ResourcePool", PathSet: []string{tree.PathName, tree.PathParent}}, hosts}
	return &property.Query{What: "the roster of hosts and VMs", Paths: append(append(paths, tree.Containers()...), vms), Page: property.PageOfIndex}
}

// alsoOfHosts adds properties of hosts to the query.
func alsoOfHosts(q *property.Query, paths ...string) {
	for i, s := range q.Paths {
		if s.Type == property.TypeHost {
			q.Paths[i].PathSet = slices.Concat(s.PathSet, paths)
		}
	}
}

// rosterReading holds the data read for a roster. Objects may be added twice.
type rosterReading struct {
	root    ref
	objects map[ref]*property.Props // all except VMs
	order   []ref                   // in the server's order
	vms     map[ref]*seenVM

	// Changes that the roster has not taken yet.
	others  bool            // an object that is not a VM changed
	above   bool            // a folder or another object in the path of VMs changed
	touched map[string]bool // hosts on which a VM changed
}

func newRosterReading(root ref) *rosterReading {
	return &rosterReading{
		root: root, objects: map[ref]*property.Props{}, vms: map[ref]*seenVM{},
		others: true, above: true, touched: map[string]bool{},
	}
}

func (n *rosterReading) take(p *property.Props) {
	if p.Ref.Type != property.TypeVM {
		if n.objects[p.Ref] == nil {
			n.order = append(n.order, p.Ref)
		}
		n.objects[p.Ref] = p
		n.changed(p.Ref)
		return
	}
	vm := newSeenVM(p.Ref)
	for path, x := range p.Values {
		vm.set(path, x)
	}
	if old := n.vms[p.Ref]; old != nil {
		n.touched[old.Host] = true
	}
	n.vms[p.Ref] = vm
	n.touched[vm.Host] = true
}

// changed records a changed object other than a VM.
func (n *rosterReading) changed(of ref) {
	n.others = true
	n.above = n.above || of.Type != property.TypeHost
}

// leave removes an object.
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

// tree returns the tree of all objects except VMs.
func (n *rosterReading) tree() (*tree.Tree, map[ref]RosterHost) {
	x, hosts := tree.NewTree(n.root), map[ref]RosterHost{}
	for _, of := range n.order {
		x.Add(n.objects[of])
	}
	for _, of := range n.order {
		if of.Type == property.TypeHost {
			hosts[of] = rosterHost(x, n.objects[of])
		}
	}
	return x, hosts
}

func rosterHost(x *tree.Tree, p *property.Props) RosterHost {
	h := RosterHost{
		MoID: p.Ref.Value, Name: tree.NameOf(p), Down: tree.HostUnreadReason(p), Path: x.Path(p.Ref), Datacenter: x.Datacenter(p.Ref),
		Standby: tree.Standby(p), Maintenance: tree.Maintenance(p),
		Version: property.Then(property.Read(p, tree.PathVersion, property.Text, property.Required), tree.ParseVersion),
	}
	h.Power, _ = property.Read(p, tree.PathPower, property.Text, property.Required).Value()
	h.Model, _ = property.Shown(p, pathHostModel).Value()
	h.Build, _ = property.Read(p, pathBuild, property.Text, property.Required).Value()
	h.MemoryBytes, _ = property.Read(p, pathHostMemory, property.Int, property.Required).Value()
	cores, _ := property.Read(p, pathCPUCores, property.Int, property.Required).Value()
	h.Cores = int(cores)
	if threads, ok := property.Read(p, pathCPUThreads, property.Int, property.Required).Value(); ok && cores > 0 {
		h.Threads = int(threads / cores)
	}
	if c := x.Compute(p.Ref); property.IsCluster(c) {
		h.Cluster = tree.Unescape(x.Nodes[c].Name)
	}
	return h
}
