package account

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Object is an object of the inventory that can have permissions.
type Object struct {
	ID     string // Type:id
	Parent string // the id of the object above
	// Scope is what vperf changes on the object. A folder that may contain VMs has the scope of VMs; other containers have none.
	Scope   inventory.Scope
	Name    string
	Path    string                            // as govc takes it
	Version inventory.Fact[inventory.Version] // of a host
	Down    string                            // why a host cannot be asked
}

const pathChildType = "childType"

// Objects lists what the account sees: the root first, then all containers, pools, hosts, distributed switches and datastores. VMs
// have the privileges of their folders and are not listed.
func Objects(ctx context.Context, s *session.Session) ([]Object, error) {
	r := property.NewReader(s)
	r.ViewTypes = []string{"Folder", "Datacenter", "ComputeResource", "ResourcePool", property.TypeHost, property.TypeDatastore}
	if s.Client().IsVC() {
		r.ViewTypes = append(r.ViewTypes, property.TypeSwitch)
	}
	defer r.CloseView(ctx)
	top := s.Client().ServiceContent.RootFolder
	list, err := collect(ctx, r, top)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list, func(o Object) bool { return o.ID == top.String() }) {
		list = append(list, Object{ID: top.String()})
	}
	for i := range list {
		if list[i].ID == top.String() {
			list[i] = Object{ID: top.String(), Name: "the root folder", Path: "/"}
			list[0], list[i] = list[i], list[0]
		}
	}
	return list, nil
}

// collect reads the objects of the view.
func collect(ctx context.Context, r *property.Reader, top types.ManagedObjectReference) ([]Object, error) {
	named := []string{tree.PathName, tree.PathParent}
	paths := []types.PropertySpec{
		{Type: "Folder", PathSet: []string{tree.PathName, tree.PathParent, pathChildType}},
		{Type: property.TypeHost, PathSet: append(tree.StatePaths(), tree.PathName, tree.PathParent, tree.PathVersion)},
	}
	for _, of := range r.ViewTypes {
		if of != "Folder" && of != property.TypeHost {
			paths = append(paths, types.PropertySpec{Type: of, PathSet: named})
		}
	}
	index, list := tree.NewTree(top), map[types.ManagedObjectReference]Object{}
	err := r.Collect(ctx, &property.Query{What: "the inventory", Paths: paths, Page: property.PageOfIndex}, func(p *property.Props) {
		index.Add(p)
		list[p.Ref] = objectOf(p)
	})
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, ref := range index.Order {
		o := list[ref]
		o.Path = ref.String() // which govc takes too
		if path := index.Path(ref); path != "" && path[0] == '/' && o.Name != ref.Value {
			o.Path = path
		}
		all = append(all, o)
	}
	return all, nil
}

func objectOf(p *property.Props) Object {
	o := Object{ID: p.Ref.String(), Name: tree.NameOf(p)}
	if parent, ok := property.Read(p, tree.PathParent, property.As[types.ManagedObjectReference], property.Required).Value(); ok {
		o.Parent = parent.String()
	}
	switch {
	case p.Ref.Type == property.TypeHost:
		o.Scope, o.Down = inventory.ScopeHost, tree.HostUnreadReason(p)
		o.Version = property.Then(property.Read(p, tree.PathVersion, property.Text, property.Required), tree.ParseVersion)
	case p.Ref.Type == "Folder":
		children, _ := property.Read(p, pathChildType, property.As[types.ArrayOfString], property.Required).Value()
		if slices.Contains(children.String, property.TypeVM) {
			o.Scope = inventory.ScopeVM
		}
	case property.IsPool(p.Ref):
		o.Scope = inventory.ScopePool
	case property.IsCluster(p.Ref):
		o.Scope = inventory.ScopeCluster
	case property.IsSwitch(p.Ref):
		o.Scope = inventory.ScopeSwitch
	case p.Ref.Type == property.TypeDatastore:
		o.Scope = inventory.ScopeDatastore
	}
	return o
}
