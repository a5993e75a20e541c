package inventory

import (
	"cmp"
	"slices"
	"strings"
)

// Scope is a kind of object that rules look at and remedies address, in vSphere's words.
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

// Ref names one object of a fleet for people and machines. Names are not unique in vSphere: VCenter and ID together are.
type Ref struct {
	Kind    Scope  `json:"kind"`
	Name    string `json:"name"`    // as the inventory shows it; text chosen by others
	ID      string `json:"id"`      // managed object id; for a device, its owner's id and the device
	VCenter string `json:"vcenter"` // the endpoint it was read through
	Path    string `json:"path"`    // inventory path
}

// Compare orders objects by endpoint, path and id.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(strings.Compare(r.VCenter, o.VCenter), strings.Compare(r.Path, o.Path), strings.Compare(r.ID, o.ID))
}

// Gap is one fact that an outcome would have needed and nobody could read.
type Gap struct {
	Object Ref
	Fact   string // as Host.pnics, or an option's key
	Reason string
}

// GapOf is a fact of an object that is unread. Where there is no reason of its own, that of the object holds; the object may be nil.
func GapOf(o Object, fact, reason string) Gap {
	g := Gap{Fact: fact, Reason: reason}
	if o != nil {
		g.Object, g.Reason = o.Ref(), cmp.Or(reason, o.Gap())
	}
	g.Reason = cmp.Or(g.Reason, notRead)
	return g
}

// DistinctGaps sorts the gaps and drops the repeated ones.
func DistinctGaps(gaps []Gap) []Gap {
	slices.SortFunc(gaps, func(a, b Gap) int {
		return cmp.Or(a.Object.Compare(b.Object), strings.Compare(a.Fact, b.Fact), strings.Compare(a.Reason, b.Reason))
	})
	return slices.Compact(gaps)
}

// Object is anything a rule can be evaluated on.
type Object interface {
	Ref() Ref
	// Gap is why every unread fact of the object that has no reason of its own is unread, or "".
	Gap() string
}

// vperfPrefix begins the names of tags and custom attributes that speak to vperf.
const vperfPrefix = "vperf."

// Entity is what every managed object of a snapshot has.
type Entity struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"`
	// Unread says why nothing could be read of the whole object, as for a host that does not respond.
	Unread string `json:"unread,omitempty"`
	// Tags are the vSphere tags attached to the object, as CATEGORY/NAME or NAME where the category was not read.
	Tags Fact[[]string] `json:"tags,omitzero"`
	// Attributes are the object's custom attributes that begin with vperf., by name; all others are dropped where they
	// are read. Source: customValue, names from the custom fields manager.
	Attributes Fact[map[string]string] `json:"attributes,omitzero"`

	vcenter *VCenter
}

// Gap is the reason that covers the whole object.
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

// Marks are what people attached to the object: its tags, and the custom attributes that are meant for vperf.
func (e *Entity) Marks() (tags Fact[[]string], attributes Fact[map[string]string]) {
	return e.Tags, e.Attributes
}

// VCenter is the endpoint the object was read through.
func (e *Entity) VCenter() *VCenter { return e.vcenter }
