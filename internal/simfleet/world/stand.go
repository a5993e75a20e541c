package world

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Stand is the base of an object that answers methods in the place of the simulator's objects. It changes nothing of its own while
// it answers, or guards that itself. The mo type does nothing: the simulator goes through its whole registry at times and ends
// the process over an object that has none.
type Stand struct{ mo.SimpleCommand }

// NewStand gives it a name, which no client may use.
func NewStand(name string) Stand {
	return Stand{mo.SimpleCommand{Self: types.ManagedObjectReference{Type: OwnType, Value: name}}}
}

// Lock does nothing, so that the registry does not make one caller wait for another.
func (*Stand) Lock() {}

// Unlock does nothing, like Lock.
func (*Stand) Unlock() {}

// Listener is the base of what listens to changes of the registry's objects, and to nothing else.
type Listener struct{ Name string }

// Reference is what the registry knows its listeners by.
func (l *Listener) Reference() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: OwnType, Value: l.Name}
}

// PutObject ignores new objects.
func (*Listener) PutObject(*simulator.Context, mo.Reference) {}

// RemoveObject ignores objects that the registry drops.
func (*Listener) RemoveObject(*simulator.Context, types.ManagedObjectReference) {}
