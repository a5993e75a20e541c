package vsphere

import (
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

const (
	pathAttributes = "customValue"
	pathFields     = "field"
)

// ours begins the names of the custom attributes that speak to vperf. What others wrote into theirs is none of its
// business.
const ours = "vperf."

// marks are what people put on objects of a kind: custom attributes, and tags, which come later (tags.go).
func marks[O any](kind string, at func(O) *inventory.Entity) []entry[O] {
	return []entry[O]{
		{facts: []string{kind + ".tags"}, fill: func(*props, O) {}},
		{facts: []string{kind + ".attributes"}, paths: []string{pathAttributes}, fill: func(p *props, o O) {
			at(o).Attributes = numbered(p)
		}},
	}
}

// numbered are an object's custom attributes by number, as it has them: what they are called stands elsewhere.
func numbered(p *props) inventory.Fact[map[string]string] {
	return read(p, pathAttributes, asAttributes, means(map[string]string{}))
}

func asAttributes(v any) (map[string]string, bool) {
	list, ok := asIs[types.ArrayOfCustomFieldValue](v)
	byNumber := map[string]string{}
	for _, a := range list.CustomFieldValue {
		if text, isText := a.(*types.CustomFieldStringValue); isText {
			byNumber[strconv.Itoa(int(text.Key))] = text.Value
		}
	}
	return byNumber, ok
}

// fields are the names of custom attributes by number, ours only.
type fields = inventory.Fact[map[string]string]

func asFields(v any) (map[string]string, bool) {
	list, ok := asIs[types.ArrayOfCustomFieldDef](v)
	names := map[string]string{}
	for _, d := range list.CustomFieldDef {
		if strings.HasPrefix(d.Name, ours) {
			names[strconv.Itoa(int(d.Key))] = d.Name
		}
	}
	return names, ok
}

// named gives attributes their names and drops those that are not ours.
func named(byNumber inventory.Fact[map[string]string], names fields) inventory.Fact[map[string]string] {
	return then(byNumber, func(values map[string]string) inventory.Fact[map[string]string] {
		return then(names, func(names map[string]string) inventory.Fact[map[string]string] {
			all := map[string]string{}
			for number, value := range values {
				if name, isOurs := names[number]; isOurs {
					all[name] = value
				}
			}
			return inventory.Known(all)
		})
	})
}

// bearer is an object that tags and custom attributes hang on.
type bearer struct {
	kind string // as facts name it
	ref  ref    // as the server knows it
	*inventory.Entity
}

// bearers are all objects of an endpoint that people can mark. A vCenter's marks are those of its root folder.
func (x *index) bearers(vc *inventory.VCenter) []bearer {
	all := []bearer{{"VCenter", x.root, &vc.Entity}}
	of := func(kind, typ string, e *inventory.Entity) {
		all = append(all, bearer{kind, ref{Type: typ, Value: e.ID}, e})
	}
	for _, c := range vc.Clusters {
		of("Cluster", "ClusterComputeResource", &c.Entity)
	}
	for _, p := range vc.Pools {
		of("Pool", x.typeOf("ResourcePool", p.ID), &p.Entity)
	}
	for _, h := range vc.Hosts {
		of("Host", "HostSystem", &h.Entity)
	}
	for _, v := range vc.VMs {
		of("VM", "VirtualMachine", &v.Entity)
	}
	for _, s := range vc.Switches {
		of("Switch", x.typeOf(typeSwitch, s.ID), &s.Entity)
	}
	for _, d := range vc.Datastores {
		of("Datastore", typeDatastore, &d.Entity)
	}
	return all
}

// typeOf is the very type of an object of a general one: tags go by it.
func (x *index) typeOf(general, id string) string {
	for _, t := range []string{"VirtualApp", "VmwareDistributedVirtualSwitch"} {
		if queried(t) == general && x.nodes[ref{Type: t, Value: id}] != nil {
			return t
		}
	}
	return general
}

// nameAttributes ends the reading of custom attributes. A host that was asked directly has none.
func (x *index) nameAttributes(vc *inventory.VCenter, needs inventory.Needs) {
	for _, b := range x.bearers(vc) {
		switch {
		case !needs.Any(b.kind + ".attributes"):
		case vc.Kind == inventory.EndpointESXi:
			b.Attributes = inventory.Absent[map[string]string]()
		case b.Attributes.IsZero(): // of an object of which nothing was read
		default:
			b.Attributes = named(b.Attributes, x.fields)
		}
	}
}
