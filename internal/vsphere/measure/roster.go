package measure

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
)

// Roster lists the hosts and VMs of a server by id and name. Counters identify VMs by name; the roster finds the managed object.
// It is safe for concurrent use.
type Roster struct {
	session  *session.Session
	watching *watching // nil: every refresh reads it again

	mu    sync.RWMutex
	tree  *tree.Tree
	hosts map[ref]RosterHost
	vms   map[string][]RosterVM // by host, sorted by name
}

// ReadRoster reads the roster. Apart from the pages of an answer, the number of calls does not depend on the number of hosts and
// VMs.
func ReadRoster(ctx context.Context, s *session.Session) (*Roster, error) {
	r := &Roster{session: s}
	return r, r.Refresh(ctx)
}

// WatchRoster reads the roster and subscribes to its changes: Refresh of such a roster is one call with a small answer. The
// caller closes it.
func WatchRoster(ctx context.Context, s *session.Session) (*Roster, error) {
	r := &Roster{session: s, watching: newWatching()}
	return r, r.Refresh(ctx)
}

// cheap reports whether Refresh costs next to nothing.
func (r *Roster) cheap() bool { return r.watching != nil }

// Refresh updates the roster: VMs move and are added and removed. After an error the roster is unchanged.
func (r *Roster) Refresh(ctx context.Context) error {
	if r.watching != nil {
		return r.watching.refresh(ctx, r.session, r.take)
	}
	reader := property.NewReader(r.session)
	defer reader.CloseView(ctx)
	q := rosterQuery()
	alsoOfHosts(q, tree.PathVMK)
	reading := newRosterReading(r.session.Client().ServiceContent.RootFolder)
	if err := reader.Collect(ctx, q, reading.take); err != nil {
		return err
	}
	r.take(reading)
	return nil
}

// Close lets the server free the data it keeps for a watched roster. Like the session's own Close it works after ctx has ended,
// too.
func (r *Roster) Close(ctx context.Context) error {
	if r.watching == nil {
		return nil
	}
	return r.watching.close(ctx, r.session)
}

// take replaces the roster's content.
func (r *Roster) take(n *rosterReading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.others { // there are few, so all of them are rebuilt
		r.tree, r.hosts = n.tree()
	}
	if n.above {
		r.vms = map[string][]RosterVM{}
		for _, vm := range n.vms {
			vm.Path = vm.pathIn(r.tree)
			r.vms[vm.Host] = append(r.vms[vm.Host], vm.RosterVM)
		}
		for _, list := range r.vms {
			slices.SortStableFunc(list, byName)
		}
	} else {
		r.move(n)
	}
	n.others, n.above = false, false
	clear(n.touched)
}

// move updates the VMs of the hosts of which a VM changed. Lists that callers hold stay unchanged.
func (r *Roster) move(n *rosterReading) {
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
		slices.SortStableFunc(list, byName)
		r.vms[host] = list
	}
}

// Hosts lists all hosts, sorted by name.
func (r *Roster) Hosts() []RosterHost {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Values(r.hosts), hostsByName)
}

// Choose returns the hosts in scope, sorted by name. Targets match as in Session.Read, and fail with the same errors.
func (r *Roster) Choose(scope tree.Scope) ([]RosterHost, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	found, err := r.tree.Choose(scope)
	if err != nil {
		return nil, err
	}
	list := make([]RosterHost, 0, len(found))
	for _, n := range found {
		list = append(list, r.hosts[n.Ref])
	}
	slices.SortStableFunc(list, hostsByName)
	return list, nil
}

// host finds a host by its id.
func (r *Roster) host(moid string) (RosterHost, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	h, ok := r.hosts[ref{Type: property.TypeHost, Value: moid}]
	return h, ok
}

// VMs returns the VMs that are registered on a host, sorted by name. The caller must not change the list.
func (r *Roster) VMs(host string) []RosterVM {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.vms[host]
}

// vm finds a VM of a host by its name. If several VMs share the name, none is found.
func (r *Roster) vm(host, name string) (RosterVM, bool) {
	vm, of := r.called(host, name)
	return vm, of == 1
}

// called finds a VM of a host by its name, unless several share it, and returns how many have it.
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
