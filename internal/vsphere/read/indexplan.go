package read

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

// indexPlan holds what the index requests: names and parents of all objects, and the needed properties of object types with few
// objects.
type indexPlan struct {
	clusters   property.Plan[*inventory.Cluster]
	pools      property.Plan[*inventory.Pool]
	switches   property.Plan[*inventory.Switch]
	datastores property.Plan[*inventory.Datastore]

	sees   []string // the types in the view
	paths  []types.PropertySpec
	beside []types.ObjectSpec
}

func (r *inventoryReader) planIndex(needs inventory.Needs, targets bool) indexPlan {
	x := indexPlan{
		clusters: estatefacts.ClusterTable.Plan(needs), pools: estatefacts.PoolTable.Plan(needs), switches: estatefacts.SwitchTable.Plan(needs),
		datastores: estatefacts.StoreTable.Plan(needs), sees: slices.Clone(property.ViewTypes),
	}
	x.paths = []types.PropertySpec{x.pools.Spec, hostSpec(needs, targets)}
	x.paths = append(x.paths, tree.Containers()...)
	if !x.datastores.Empty() {
		x.see(x.datastores.Spec)
	}
	if r.Client().IsVC() {
		r.planVCenter(&x, needs)
	}
	return x
}

// planVCenter adds objects that a standalone host does not have.
func (r *inventoryReader) planVCenter(x *indexPlan, needs inventory.Needs) {
	content := r.Client().ServiceContent
	if len(x.clusters.Paths) > len(estatefacts.ClusterTable.Always) {
		x.paths = append(x.paths, x.clusters.Spec)
	}
	if !x.switches.Empty() {
		x.see(x.switches.Spec)
	}
	if needs.Any(estatefacts.PortgroupFacts...) {
		x.see(estatefacts.GroupSpec)
	}
	if needs.Any("Cluster.evcBest") {
		x.ask(&serviceInstance, estatefacts.PathEVC)
	}
	if needs.Any("VCenter.statsIntervals") {
		x.ask(content.PerfManager, estatefacts.PathIntervals)
	}
	if needs.Any(attributesOf("VCenter", "Cluster", "Pool", "Host", "VM", "Switch", "Datastore")...) {
		x.ask(content.CustomFieldsManager, tagging.PathFields)
	}
	if needs.Any("VCenter.attributes") { // its own attributes are those of the root folder, which is outside the view
		x.ask(&content.RootFolder, tree.PathName, tagging.PathAttributes)
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

// ask adds one object outside the view, if the server has it.
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

// hostSpec returns the properties of hosts in the index.
func hostSpec(needs inventory.Needs, targets bool) types.PropertySpec {
	paths := tree.HostNamePaths(targets)
	if needs.Any("VNIC.switch") { // without port groups a host still has a version
		paths = append(paths, vmfacts.PathPortgroups, tree.PathVersion)
	}
	if needs.Any("Cluster.evcBest") {
		paths = append(paths, estatefacts.PathBestEVC)
	}
	if needs.Any("Host.attributes") {
		paths = append(paths, tagging.PathAttributes)
	}
	slices.Sort(paths)
	return types.PropertySpec{Type: "HostSystem", PathSet: slices.Compact(paths)}
}
