package inventory

import (
	"cmp"
	"slices"
	"strings"
)

// Scope is a kind of object that rules evaluate and remedies change, as in vSphere.
type Scope string

// The scopes vperf reads today.
const (
	ScopeVCenter Scope = "vcenter"
	ScopeCluster Scope = "cluster"
	ScopePool    Scope = "pool"
	ScopeHost    Scope = "host"
	ScopePNIC    Scope = "pnic"
	ScopeVMKNIC  Scope = "vmknic"
	ScopeHBA     Scope = "hba"
	ScopeSwitch  Scope = "switch"
	ScopeLUN     Scope = "lun"
	ScopeVM      Scope = "vm"
	ScopeVNIC    Scope = "vnic"
	ScopeVDisk   Scope = "vdisk"

	ScopeDatastore Scope = "datastore"
)

// Ref identifies one object of a fleet. Names are not unique in vSphere: VCenter and ID together are.
type Ref struct {
	Kind    Scope  `json:"kind"`
	Name    string `json:"name"`    // as in the inventory; untrusted text
	ID      string `json:"id"`      // managed object id; for a device, its owner's id and the device
	VCenter string `json:"vcenter"` // the endpoint it was read through
	Path    string `json:"path"`    // inventory path
}

// Compare orders objects by endpoint, path and id.
func (r Ref) Compare(o Ref) int {
	if r.VCenter != o.VCenter {
		return strings.Compare(r.VCenter, o.VCenter)
	}
	if r.Path != o.Path {
		return strings.Compare(r.Path, o.Path)
	}
	return strings.Compare(r.ID, o.ID)
}

// Gap is one unread fact that an outcome needs.
type Gap struct {
	Object Ref    `json:"object"`
	Fact   string `json:"fact"` // such as Host.pnics, or an option's key
	Reason string `json:"reason"`
}

// GapOf returns the gap of an unread fact. If reason is empty, it uses that of the object; o may be nil.
func GapOf(o Object, fact, reason string) Gap {
	g := Gap{Fact: fact, Reason: reason}
	if o != nil {
		g.Object, g.Reason = o.Ref(), cmp.Or(reason, o.Gap())
	}
	g.Reason = cmp.Or(g.Reason, notRead)
	return g
}

// DistinctGaps returns the gaps in order and without repeated ones. It leaves its argument as it is.
func DistinctGaps(gaps []Gap) []Gap {
	if len(gaps) < 2 {
		return gaps
	}
	gaps = slices.Clone(gaps)
	slices.SortStableFunc(gaps, func(a, b Gap) int {
		return cmp.Or(a.Object.Compare(b.Object), strings.Compare(a.Fact, b.Fact), strings.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(gaps)
}

// Object is anything a rule can be evaluated on.
type Object interface {
	Ref() Ref
	// Gap returns the reason for unread facts of the object that have no reason of their own, or "".
	Gap() string
}

// vperfPrefix is the prefix of tags and custom attributes for vperf.
const vperfPrefix = "vperf."

// Entity has the common fields of all managed objects.
type Entity struct {
	ID   string `json:"id" role:"key"`
	Name string `json:"name" role:"name"`
	Path string `json:"path" role:"derived"`
	// Unread is the reason why the whole object could not be read, as for a host that does not respond.
	Unread string `json:"unread,omitempty" role:"derived"`
	// Tags are the vSphere tags attached to the object, as CATEGORY/NAME or NAME where the category was not read.
	Tags Fact[[]string] `json:"tags,omitzero" role:"setting"`
	// Attributes are the object's custom attributes that begin with vperf., and those that Needs name, by name; all others
	// are dropped where they are read. Source: customValue, names from the custom fields manager.
	Attributes Fact[map[string]string] `json:"attributes,omitzero" role:"setting"`

	vcenter *VCenter
}

// Gap returns the reason for the whole object.
func (e *Entity) Gap() string {
	if e.Unread != "" {
		return e.Unread
	}
	return notRead
}

func (e *Entity) ref(kind Scope) Ref {
	r := Ref{Kind: kind, Name: e.Name, ID: e.ID, Path: e.Path}
	if e.vcenter != nil {
		r.VCenter = e.vcenter.Name
	}
	return r
}

// TagsAndAttributes returns the object's tags, and its custom attributes for vperf.
func (e *Entity) TagsAndAttributes() (tags Fact[[]string], attributes Fact[map[string]string]) {
	return e.Tags, e.Attributes
}

// VCenter returns the endpoint the object was read through.
func (e *Entity) VCenter() *VCenter { return e.vcenter }
