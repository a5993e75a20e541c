package vsphere

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// indexPlan is what the index asks for: names and parents of all, and what else is needed of objects that are few.
type indexPlan struct {
	clusters   plan[*inventory.Cluster]
	pools      plan[*inventory.Pool]
	switches   plan[*inventory.Switch]
	datastores plan[*inventory.Datastore]

	sees   []string // types that the view holds
	paths  []types.PropertySpec
	beside []types.ObjectSpec
}

func (r *inventoryReader) planIndex(needs inventory.Needs, targets bool) indexPlan {
	x := indexPlan{
		clusters: clusterTable.plan(needs), pools: poolTable.plan(needs), switches: switchTable.plan(needs),
		datastores: storeTable.plan(needs), sees: slices.Clone(viewTypes),
	}
	x.paths = []types.PropertySpec{x.pools.spec, hostSpec(needs, targets)}
	x.paths = append(x.paths, containers()...)
	if !x.datastores.empty() {
		x.see(x.datastores.spec)
	}
	if r.Client().IsVC() {
		r.planVCenter(&x, needs)
	}
	return x
}

// planVCenter adds what a host by itself does not have.
func (r *inventoryReader) planVCenter(x *indexPlan, needs inventory.Needs) {
	content := r.Client().ServiceContent
	if len(x.clusters.paths) > len(clusterTable.always) {
		x.paths = append(x.paths, x.clusters.spec)
	}
	if !x.switches.empty() {
		x.see(x.switches.spec)
	}
	if needs.Any(portgroupFacts...) {
		x.see(groupSpec)
	}
	if needs.Any("Cluster.evcBest") {
		x.ask(&serviceInstance, pathEVC)
	}
	if needs.Any("VCenter.statsIntervals") {
		x.ask(content.PerfManager, pathIntervals)
	}
	if needs.Any(attributesOf("VCenter", "Cluster", "Pool", "Host", "VM", "Switch", "Datastore")...) {
		x.ask(content.CustomFieldsManager, pathFields)
	}
	if needs.Any("VCenter.attributes") { // its own are those of the root folder, which lies outside the view
		x.ask(&content.RootFolder, pathName, pathAttributes)
	}
}

var serviceInstance = ref{Type: "ServiceInstance", Value: "ServiceInstance"}

func attributesOf(kinds ...string) []string {
	for i, k := range kinds {
		kinds[i] = k + ".attributes"
	}
	return kinds
}

// see adds a type to the view.
func (x *indexPlan) see(spec types.PropertySpec) {
	x.sees = append(x.sees, spec.Type)
	x.paths = append(x.paths, spec)
}

// ask adds one object outside the view, where the server has it.
func (x *indexPlan) ask(object *ref, paths ...string) {
	if object == nil {
		return
	}
	x.beside = append(x.beside, types.ObjectSpec{Obj: *object})
	for i, s := range x.paths {
		if s.Type == object.Type {
			x.paths[i].PathSet = slices.Compact(slices.Sorted(slices.Values(append(s.PathSet, paths...))))
			return
		}
	}
	x.paths = append(x.paths, types.PropertySpec{Type: object.Type, PathSet: paths})
}

// hostSpec is what the index wants of hosts.
func hostSpec(needs inventory.Needs, targets bool) types.PropertySpec {
	paths := hostNaming(targets)
	if needs.Any("VNIC.switch") { // a host that has no port groups has a version
		paths = append(paths, pathPortgroups, pathVersion)
	}
	if needs.Any("Cluster.evcBest") {
		paths = append(paths, pathBestEVC)
	}
	if needs.Any("Host.attributes") {
		paths = append(paths, pathAttributes)
	}
	slices.Sort(paths)
	return types.PropertySpec{Type: "HostSystem", PathSet: slices.Compact(paths)}
}
