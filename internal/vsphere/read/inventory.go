package read

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

// Inventory reads the needed facts of the hosts in scope, their VMs, and their clusters and pools; if facts of them are needed,
// also of the distributed switches that they are members of and the datastores that they mount. Facts that take a call to each
// host stay unread with the reason inventory.PerHost: Fill reads them.
//
// A property that cannot be read leaves its facts unread with the reason. An object without any readable property, or a host that
// does not respond, has the reason on itself; if the list of VMs could not be read completely, the vCenter has it. An error means
// that there is no usable result. The result is sorted but not linked: inventory.Snapshot's Link does that. progress may be nil.
func Inventory(ctx context.Context, s *session.Session, scope tree.Scope, needs inventory.Needs, progress func(string)) (*inventory.VCenter, error) {
	if progress == nil {
		progress = func(string) {}
	}
	r := &inventoryReader{&property.Reader{Session: s, Progress: progress}}
	vc := vcenter(s)
	vc.Name = s.Name(ctx)
	now, clockErr := s.Now(ctx)
	if clockErr != nil && !session.Undecodable(clockErr) {
		return nil, clockErr
	}
	if vc.TakenAt = now; clockErr != nil {
		vc.NoTime = clockErr.Error()
	}
	defer r.CloseView(ctx)
	x, err := r.readIndex(ctx, needs, len(scope.Hosts) > 0)
	if err != nil {
		return nil, err
	}
	part, err := selectionOf(x, scope)
	if err != nil {
		return nil, err
	}
	if err := r.readFacts(ctx, part, needs, vc); err != nil {
		return nil, err
	}
	vc.Whole = part.whole
	part.addGroups(vc, needs)
	part.addSwitches(vc, needs)
	part.addStores(vc)
	part.addHistory(vc, needs)
	part.nameAttributes(vc, needs)
	if err := r.readOverREST(ctx, part, needs, vc); err != nil {
		return nil, err
	}
	if len(vc.Hosts) == 0 {
		vc.Unread = "the user " + session.Plain(s.User()) + " sees no host: there is none, or the user lacks permission to see it"
	}
	sortAll(vc)
	return vc, nil
}

// vcenter returns the endpoint's information about itself from when it was dialled.
func vcenter(s *session.Session) *inventory.VCenter {
	about := s.Client().ServiceContent.About
	vc := &inventory.VCenter{
		Entity:   inventory.Entity{ID: about.InstanceUuid, Path: "/"},
		Kind:     inventory.EndpointVCenter,
		Version:  tree.ParseVersion(about.Version),
		Clusters: []*inventory.Cluster{}, Pools: []*inventory.Pool{}, Hosts: []*host{}, VMs: []*vm{},
		Switches: []*inventory.Switch{},
	}
	if !s.Client().IsVC() {
		vc.Kind = inventory.EndpointESXi
	}
	return vc
}

// readFacts reads hosts and VMs. It fails if neither could be read.
func (r *inventoryReader) readFacts(ctx context.Context, part *selection, needs inventory.Needs, vc *inventory.VCenter) error {
	hosts, hostsErr := r.readHosts(ctx, part, needs)
	if ctx.Err() != nil {
		return hostsErr
	}
	vms, vmsErr := r.readVMs(ctx, part, needs)
	if ctx.Err() != nil {
		return vmsErr
	}
	vc.Hosts, vc.VMs = hosts, vms
	if err := errors.Join(hostsErr, vmsErr); err != nil && !anythingRead(vc) {
		return cmp.Or(hostsErr, vmsErr)
	}
	if vmsErr != nil {
		vc.Unread = "its list of virtual machines is incomplete: " + vmsErr.Error()
	}
	return nil
}

func anythingRead(vc *inventory.VCenter) bool {
	return len(vc.VMs) > 0 || slices.ContainsFunc(vc.Hosts, func(h *host) bool { return h.Unread == "" })
}

// readHosts returns every host in scope; those that could not be read have the reason.
func (r *inventoryReader) readHosts(ctx context.Context, part *selection, needs inventory.Needs) ([]*host, error) {
	plan := hostfacts.Table.Plan(needs)
	seen := map[ref]*host{}
	var err error
	if from, some := part.responding(); some && !plan.Empty() {
		q := &property.Query{What: "hosts", Paths: []types.PropertySpec{plan.Spec}, From: from, Page: property.PageOfHosts, Needs: needs, Reuse: true}
		err = r.Collect(ctx, q, func(p *property.Props) {
			h := new(host)
			plan.Fill(p, h)
			seen[p.Ref] = h
		})
	}
	hosts := make([]*host, 0, len(part.hosts))
	for _, n := range part.hosts {
		hosts = append(hosts, part.host(n, seen[n.Ref], !plan.Empty(), err))
	}
	return hosts, err
}

// readVMs returns the VMs of the hosts in scope. If their facts cannot be read completely, the remaining VMs are listed by name
// at least.
func (r *inventoryReader) readVMs(ctx context.Context, part *selection, needs inventory.Needs) ([]*vm, error) {
	plan := vmfacts.Table.Plan(needs)
	if plan.Empty() {
		return []*vm{}, nil
	}
	vms := map[ref]*vm{}
	q := &property.Query{What: "virtual machines", Paths: []types.PropertySpec{plan.Spec}, From: part.vmsOf(), Page: property.PageOfVMs, Needs: needs, Reuse: true}
	err := r.Collect(ctx, q, func(p *property.Props) { vms[p.Ref] = part.vm(p, plan) })
	if err != nil && ctx.Err() == nil {
		err = r.listVMs(ctx, part, vms, err)
	}
	if sizes := r.readSnapshotSizes(ctx, needs, vms); sizes != nil && err == nil {
		err = sizes
	}
	all := make([]*vm, 0, len(vms))
	for _, v := range vms {
		all = append(all, v)
	}
	return all, err
}

// listVMs adds the VMs that a failed retrieval did not reach.
func (r *inventoryReader) listVMs(ctx context.Context, part *selection, vms map[ref]*vm, failed error) error {
	spec := types.PropertySpec{Type: vmfacts.Table.Of, PathSet: vmfacts.Table.Always}
	q := &property.Query{What: "virtual machines", Paths: []types.PropertySpec{spec}, From: part.vmsOf(), Page: property.PageOfVMs}
	err := r.Collect(ctx, q, func(p *property.Props) {
		if vms[p.Ref] == nil {
			v := part.vm(p, property.Plan[*vm]{})
			v.Unread = cmp.Or(v.Unread, failed.Error())
			vms[p.Ref] = v
		}
	})
	if err != nil {
		return failed
	}
	return nil
}

func sortAll(vc *inventory.VCenter) {
	byPath(vc.Clusters, func(c *inventory.Cluster) *inventory.Entity { return &c.Entity })
	byPath(vc.Pools, func(p *inventory.Pool) *inventory.Entity { return &p.Entity })
	byPath(vc.Hosts, func(h *host) *inventory.Entity { return &h.Entity })
	byPath(vc.Switches, func(s *inventory.Switch) *inventory.Entity { return &s.Entity })
	byPath(vc.Datastores, func(d *inventory.Datastore) *inventory.Entity { return &d.Entity })
	byPath(vc.VMs, func(v *vm) *inventory.Entity { return &v.Entity })
}

func byPath[T any](list []T, of func(T) *inventory.Entity) {
	slices.SortFunc(list, func(a, b T) int {
		x, y := of(a), of(b)
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.ID, y.ID))
	})
}
