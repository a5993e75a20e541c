package world

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Replacement is the base of an object that implements methods in place of the simulator's objects. It must be immutable or have a lock
// of its own.
//
// govmomi v0.56.0 simulator: it sometimes walks its whole registry, and panics on an object without an embedded mo type.
type Replacement struct{ mo.SimpleCommand }

// NewReplacement returns a Replacement with a name, which clients may not use.
func NewReplacement(name string) Replacement {
	return Replacement{mo.SimpleCommand{Self: types.ManagedObjectReference{Type: OwnType, Value: name}}}
}

// Lock does nothing, so that concurrent calls do not wait for each other.
func (*Replacement) Lock() {}

// Unlock does nothing, like Lock.
func (*Replacement) Unlock() {}

// Listener is the base of listeners to changes of the registry's objects.
type Listener struct{ Name string }

// Reference returns the key of the listener in the registry.
func (l *Listener) Reference() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: OwnType, Value: l.Name}
}

// PutObject ignores new objects.
func (*Listener) PutObject(*simulator.Context, mo.Reference) {}

// RemoveObject ignores objects that the registry drops.
func (*Listener) RemoveObject(*simulator.Context, types.ManagedObjectReference) {}
