package inventory

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Role is the meaning of a field for a comparison of two snapshots. Each field of the structs in a snapshot has one, in its
// tag role. Options may follow it: "ids" for a value that is the id of an object or a list of ids, "ordered" for a list
// whose order has a meaning.
type Role string

// The roles. A comparison compares the first four.
const (
	RoleSetting   Role = "setting"   // configured by a user
	RolePlatform  Role = "platform"  // hardware, firmware, drivers and releases
	RolePlacement Role = "placement" // where the object is: its host, cluster, pool or datastores
	RoleState     Role = "state"     // changes while the system works: power, links, paths, Tools, snapshots
	RoleMeasured  Role = "measured"  // a figure or time that changes by itself
	RoleDerived   Role = "derived"   // follows from other fields, or describes how the snapshot was read
	RoleKey       Role = "key"       // identifies the object or the element of a list
	RoleName      Role = "name"      // what the object is called
	RoleMembers   Role = "members"   // objects that are compared one by one
)

// Roles lists all roles.
func Roles() []Role {
	return []Role{RoleSetting, RolePlatform, RolePlacement, RoleState, RoleMeasured, RoleDerived, RoleKey, RoleName, RoleMembers}
}

// Compared reports whether a comparison of two snapshots compares fields of the role.
func (r Role) Compared() bool {
	return r == RoleSetting || r == RolePlatform || r == RolePlacement || r == RoleState
}

// Field is a field of one of the structs in a snapshot.
type Field struct {
	Name    string // by Go type and JSON field, as in Needs: Host.powerPolicy
	Role    Role
	IDs     bool // the value is an id or a list of ids
	Ordered bool // the order of the list has a meaning

	index []int
	fact  bool
}

// JSON returns the name of the field in a saved snapshot.
func (f *Field) JSON() string {
	_, name, _ := strings.Cut(f.Name, ".")
	return name
}

// Read returns the field of an addressable struct: the value, the state, and the reason if it is unread. A field that is
// no fact is known.
func (f *Field) Read(of reflect.Value) (value any, state State, reason string) {
	v := of.FieldByIndex(f.index)
	if f.fact {
		r, _ := reflect.TypeAssert[Reader](v.Addr())
		return r.Raw()
	}
	return v.Interface(), StateKnown, ""
}

var fieldsOfType sync.Map // reflect.Type → []*Field

// FieldsOf returns the fields of a struct that a snapshot has, in their order: those with a name in JSON.
func FieldsOf(t reflect.Type) []*Field {
	if known, ok := fieldsOfType.Load(t); ok {
		return known.([]*Field)
	}
	all := fieldsIn(t, t.Name(), nil)
	fieldsOfType.Store(t, all)
	return all
}

// KeyOf returns the field that identifies an element of a list of T, or nil if elements have no identity of their own.
func KeyOf(t reflect.Type) *Field {
	all := FieldsOf(t)
	if i := slices.IndexFunc(all, func(f *Field) bool { return f.Role == RoleKey }); i >= 0 {
		return all[i]
	}
	return nil
}

func fieldsIn(t reflect.Type, owner string, at []int) (all []*Field) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		if f.Anonymous {
			all = append(all, fieldsIn(f.Type, owner, index)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || name == "-" {
			continue
		}
		options := strings.Split(f.Tag.Get("role"), ",")
		_, fact := reflect.TypeAssert[Reader](reflect.New(f.Type))
		all = append(all, &Field{
			Name: owner + "." + name, Role: Role(options[0]), index: index, fact: fact,
			IDs: slices.Contains(options, "ids"), Ordered: slices.Contains(options, "ordered"),
		})
	}
	return all
}
