package vsphere

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathVCPUs      = "config.hardware.numCPU"
	pathCPUCores   = "summary.hardware.numCpuCores"
	pathCPUThreads = "summary.hardware.numCpuThreads"
)

// Roster is who is there: the hosts and VMs of a server by id and name. Counters name VMs as people do; the roster finds
// the object that is meant. It may be used by several goroutines.
type Roster struct {
	session *Session

	mu    sync.RWMutex
	index *index
	hosts map[ref]RosterHost
	vms   map[string][]RosterVM // by host, sorted by name
}

// RosterHost is a host.
type RosterHost struct {
	MoID, Name    string
	Cluster       string // its name; empty: the host stands alone
	Power         string // runtime.powerState
	Down          string // why it cannot be asked, such as that it is disconnected; empty: it is connected
	Version       inventory.Fact[inventory.Version]
	Threads       int // of a core; 0: the server does not tell
	Datacenter    string
	Path          string // in the inventory: /dc1/host/general/esx01
	Model         string // of the machine
	Build         string // of ESXi
	InMaintenance bool
	Cores         int   // 0: the server does not tell
	MemoryBytes   int64 // 0: the server does not tell
}

// RosterVM is a virtual machine or a template.
type RosterVM struct {
	MoID, Name  string
	Host        string // the id of the host that it is registered on
	Power       string // runtime.powerState
	VCPUs       int    // 0: the server does not tell
	Path        string // in the inventory: /dc1/vm/web/web-1
	UUID        string // config.instanceUuid
	Guest       string // config.guestId
	Template    bool
	MemoryBytes int64 // that it is configured with; 0: the server does not tell
}

// rosterVM is what is asked of VMs: single values, since there can be thousands of them.
var rosterVM = types.PropertySpec{Type: typeVM, PathSet: []string{pathName, pathVMHost, pathPower, pathVCPUs}}

// Roster reads who is there. The number of calls is the same for any number of hosts and VMs, but for the pages of an answer.
func (s *Session) Roster(ctx context.Context) (*Roster, error) {
	r := &Roster{session: s}
	return r, r.Refresh(ctx)
}

// WatchRoster reads who is there and lets the server tell what changes from then on: Refresh of such a roster is one call with a small answer.
func (s *Session) WatchRoster(ctx context.Context) (*Roster, error) { return s.Roster(ctx) }

// Hosts lists all hosts, sorted by name.
func (r *Roster) Hosts() []RosterHost { return nil }

// Refresh reads it again: VMs move, and come and go. When it fails the roster is as it was.
func (r *Roster) Refresh(ctx context.Context) error {
	reader := r.session.reader()
	defer reader.closeView(ctx)
	plan := reader.planIndex(inventory.Needs{}, true)
	for i := range plan.paths {
		if plan.paths[i].Type == typeHost {
			plan.paths[i].PathSet = append(plan.paths[i].PathSet, pathPower, pathCPUCores, pathCPUThreads)
		}
	}
	plan.paths = append(plan.paths, rosterVM)
	reader.sees = plan.sees

	next := newRosterReading(r.session.client.ServiceContent.RootFolder)
	q := &query{what: "who is there", paths: plan.paths, page: r.session.pages.index}
	if err := reader.collect(ctx, q, func(p *props) { next.take(p, plan) }); err != nil {
		return err
	}
	hosts, vms := next.hosts(), next.vmsByHost()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.index, r.hosts, r.vms = next.index, hosts, vms
	return nil
}

// rosterReading is a roster that is being read. It bears to see an object twice.
type rosterReading struct {
	index *index
	seen  map[ref]RosterHost
	vms   map[ref]RosterVM
}

func newRosterReading(root ref) *rosterReading {
	return &rosterReading{index: newIndex(root), seen: map[ref]RosterHost{}, vms: map[ref]RosterVM{}}
}

func (n *rosterReading) take(p *props, plan indexPlan) {
	if p.ref.Type == typeVM {
		vm := RosterVM{MoID: p.ref.Value, Name: nameOf(p)}
		vm.Host, _ = read(p, pathVMHost, asID, must).Value()
		vm.Power, _ = read(p, pathPower, asText, must).Value()
		count, _ := read(p, pathVCPUs, asInt, must).Value()
		vm.VCPUs = int(count)
		n.vms[p.ref] = vm
		return
	}
	n.index.take(p, plan)
	if p.ref.Type == typeHost {
		h := RosterHost{MoID: p.ref.Value, Name: nameOf(p), Down: hostDown(p)}
		h.Power, _ = read(p, pathPower, asText, must).Value()
		h.Version = then(read(p, pathVersion, asText, must), parseVersion)
		cores, _ := read(p, pathCPUCores, asInt, must).Value()
		if threads, ok := read(p, pathCPUThreads, asInt, must).Value(); ok && cores > 0 {
			h.Threads = int(threads / cores)
		}
		n.seen[p.ref] = h
	}
}

// hosts gives hosts their clusters, which the server may list after them.
func (n *rosterReading) hosts() map[ref]RosterHost {
	for of, h := range n.seen {
		if c := n.index.compute(of); isCluster(c) {
			h.Cluster = unescape(n.index.nodes[c].name)
			n.seen[of] = h
		}
	}
	return n.seen
}

func (n *rosterReading) vmsByHost() map[string][]RosterVM {
	all := map[string][]RosterVM{}
	for _, vm := range n.vms {
		all[vm.Host] = append(all[vm.Host], vm)
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b RosterVM) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.MoID, b.MoID))
		})
	}
	return all
}

// Choose finds the hosts in scope, sorted by name. Targets match as they do for Session.Read, and fail with the same errors.
func (r *Roster) Choose(scope Scope) ([]RosterHost, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	part, err := r.index.choose(scope)
	if err != nil {
		return nil, err
	}
	list := make([]RosterHost, 0, len(part.hosts))
	for _, n := range part.hosts {
		list = append(list, r.hosts[n.ref])
	}
	slices.SortFunc(list, func(a, b RosterHost) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.MoID, b.MoID))
	})
	return list, nil
}

// Host finds a host by its id.
func (r *Roster) Host(moid string) (RosterHost, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	h, ok := r.hosts[ref{Type: typeHost, Value: moid}]
	return h, ok
}

// VMs lists the VMs that are registered on a host, sorted by name. The list is the roster's own.
func (r *Roster) VMs(host string) []RosterVM {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.vms[host]
}

// VM finds a VM of a host by its name. One of two that share it is not found: nothing tells which is meant.
func (r *Roster) VM(host, name string) (RosterVM, bool) {
	vm, of := r.called(host, name)
	return vm, of == 1
}

// called finds a VM of a host by its name, unless several share it, and counts them.
func (r *Roster) called(host, name string) (vm RosterVM, of int) {
	list := r.VMs(host)
	first, _ := slices.BinarySearchFunc(list, name, func(vm RosterVM, name string) int { return strings.Compare(vm.Name, name) })
	for _, next := range list[first:] {
		if next.Name != name {
			break
		}
		of++
	}
	if of == 1 {
		vm = list[first]
	}
	return vm, of
}
