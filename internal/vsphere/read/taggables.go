package read

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vapi/rest"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tagging"
	"github.com/vperf/vperf/pkg/inventory"
)

// taggable is an object that can have tags and custom attributes.
type taggable struct {
	kind string // the name of its kind in facts
	ref  ref    // its reference on the server
	*inventory.Entity
}

// taggables returns all objects of an endpoint that users can mark. The marks of a vCenter are those of its root folder.
func (x *index) taggables(vc *inventory.VCenter) []taggable {
	all := []taggable{{"VCenter", x.Root, &vc.Entity}}
	of := func(kind, typ string, e *inventory.Entity) {
		all = append(all, taggable{kind, ref{Type: typ, Value: e.ID}, e})
	}
	for _, c := range vc.Clusters {
		of("Cluster", "ClusterComputeResource", &c.Entity)
	}
	for _, p := range vc.Pools {
		of("Pool", x.TypeOf("ResourcePool", p.ID), &p.Entity)
	}
	for _, h := range vc.Hosts {
		of("Host", "HostSystem", &h.Entity)
	}
	for _, v := range vc.VMs {
		of("VM", "VirtualMachine", &v.Entity)
	}
	for _, s := range vc.Switches {
		of("Switch", x.TypeOf(property.TypeSwitch, s.ID), &s.Entity)
	}
	for _, d := range vc.Datastores {
		of("Datastore", property.TypeDatastore, &d.Entity)
	}
	return all
}

// nameAttributes completes the custom attributes with their names. A host that was read directly has none.
func (x *index) nameAttributes(vc *inventory.VCenter, needs inventory.Needs) {
	for _, b := range x.taggables(vc) {
		switch {
		case !needs.Any(b.kind + ".attributes"):
		case vc.Kind == inventory.EndpointESXi:
			b.Attributes = inventory.Absent[map[string]string]()
		case b.Attributes.IsZero(): // of an object without any properties read
		default:
			b.Attributes = tagging.Named(b.Attributes, x.fields, needs)
		}
	}
}

// tagged returns the objects whose tags are needed.
func tagged(all []taggable, needs inventory.Needs) []taggable {
	return slices.DeleteFunc(all, func(b taggable) bool { return !needs.Any(b.kind + ".tags") })
}

func setTags(all []taggable, of func(taggable) inventory.Fact[[]string]) {
	for _, b := range all {
		b.Tags = of(b)
	}
}

// readTags sets the objects' tags, or why they cannot be read.
func (r *inventoryReader) readTags(ctx context.Context, c *rest.Client, failed error, all []taggable) {
	refs := make([]ref, len(all))
	for i, b := range all {
		refs[i] = b.ref
	}
	on := tagging.Tags(ctx, r.Session, c, failed, refs, func(done int) { r.Report(&property.Query{What: "tags"}, done) })
	setTags(all, func(b taggable) inventory.Fact[[]string] { return tagging.Of(on, b.ref) })
}
