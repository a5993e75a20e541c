package property

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// Entry defines how to read one fact, or several from the same properties.
type Entry[O any] struct {
	Facts []string // names as in inventory.Needs
	Paths []string // the required properties
	Fill  func(*Props, O)
	// When reports whether the entry is needed; nil: if one of its facts is.
	When func(inventory.Needs) bool
}

// Table defines how all facts of one kind of object are read.
type Table[O any] struct {
	Of      string   // managed object type
	Always  []string // properties that are always requested
	Entries []Entry[O]
}

// Leaf returns the common entry: one fact from one property.
func Leaf[O, T any](fact, path string, as func(any) (T, bool), unset IfUnset[T], at func(O) *inventory.Fact[T]) Entry[O] {
	return Entry[O]{Facts: []string{fact}, Paths: []string{path}, Fill: func(p *Props, o O) {
		*at(o) = Read(p, path, as, unset)
	}}
}

func (e Entry[O]) needed(n inventory.Needs) bool {
	if e.When != nil {
		return e.When(n)
	}
	return n.Any(e.Facts...)
}

// Plan returns the part of a table for the needed facts.
func (t Table[O]) Plan(n inventory.Needs) Plan[O] {
	p := Plan[O]{Paths: slices.Clone(t.Always)}
	for _, e := range t.Entries {
		if !e.needed(n) {
			continue
		}
		p.fills = append(p.fills, e.Fill)
		p.Paths = append(p.Paths, e.Paths...)
	}
	slices.Sort(p.Paths)
	p.Paths = slices.Compact(p.Paths)
	p.Spec = types.PropertySpec{Type: t.Of, PathSet: p.Paths}
	return p
}

// Plan holds the properties to request and the functions that set the facts.
type Plan[O any] struct {
	Paths []string
	Spec  types.PropertySpec
	fills []func(*Props, O)
}

// Empty reports whether no fact is needed.
func (p Plan[O]) Empty() bool { return len(p.fills) == 0 }

// Fill sets the planned facts of o from the properties that the server returned.
func (p Plan[O]) Fill(from *Props, o O) {
	for _, f := range p.fills {
		f(from, o)
	}
}
