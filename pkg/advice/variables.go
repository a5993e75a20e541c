package advice

import "github.com/vperf/vperf/pkg/inventory"

// variables are the objects that expressions can read, by their names. There are at most five, in a chain such as vcenter,
// cluster, host, vm, vdisk.
type variables struct {
	list [5]variable
	n    int
}

type variable struct {
	name  inventory.Scope
	value any  // the object, or the unknown or error in its place
	known bool // it is the object
	row   *row // of the object; nil until it is needed
}

func (v *variables) set(name inventory.Scope, value any) {
	_, known := value.(inventory.Object)
	v.list[v.n] = variable{name: name, value: value, known: known}
	v.n++
}

// find returns a variable; nil if there is none with the name.
func (v *variables) find(name inventory.Scope) *variable {
	for i := range v.list[:v.n] {
		if v.list[i].name == name {
			return &v.list[i]
		}
	}
	return nil
}

// get returns the value of a variable; nil if there is none with the name.
func (v *variables) get(name inventory.Scope) any {
	if x := v.find(name); x != nil {
		return x.value
	}
	return nil
}
