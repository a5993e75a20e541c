package memo

import "github.com/vperf/vperf/pkg/inventory"

// Variables are the objects that expressions can read, by their names. There are at most five, in a chain such as vcenter,
// cluster, host, vm, vdisk.
type Variables struct {
	list [5]variable
	n    int
}

type variable struct {
	name  inventory.Scope
	value any  // the object, or the unknown or error in its place
	known bool // it is the object
	row   *row // of the object, unless it has been reused; nil until it is needed
}

// Set adds a variable: its object, or the unknown or error in its place.
func (v *Variables) Set(name inventory.Scope, value any) {
	_, known := value.(inventory.Object)
	v.list[v.n] = variable{name: name, value: value, known: known}
	v.n++
}

// find returns a variable; nil if there is none with the name.
func (v *Variables) find(name inventory.Scope) *variable {
	for i := range v.list[:v.n] {
		if v.list[i].name == name {
			return &v.list[i]
		}
	}
	return nil
}

// Get returns the value of a variable; nil if there is none with the name.
func (v *Variables) Get(name inventory.Scope) any {
	if x := v.find(name); x != nil {
		return x.value
	}
	return nil
}
