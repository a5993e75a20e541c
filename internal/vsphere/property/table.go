package property

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// Entry reads one fact, or several that come from the same properties.
type Entry[O any] struct {
	Facts []string // as inventory.Needs names them
	Paths []string // properties it takes
	Fill  func(*Props, O)
	// when says whether it is needed; nil means when one of its facts is.
	When func(inventory.Needs) bool
}

// Table says how all facts of one kind of object are read.
type Table[O any] struct {
	Of      string   // managed object type
	Always  []string // properties asked for whatever is needed
	Entries []Entry[O]
}

// Leaf is the common entry: one fact from one property.
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

// Plan is the part of a table that a reading needs.
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

// Plan is what one reading asks for and how it is filled in.
type Plan[O any] struct {
	Paths []string
	Spec  types.PropertySpec
	fills []func(*Props, O)
}

// Empty reports that no fact is needed.
func (p Plan[O]) Empty() bool { return len(p.fills) == 0 }

// Fill sets the planned facts of o from the properties that the server returned.
func (p Plan[O]) Fill(from *Props, o O) {
	for _, f := range p.fills {
		f(from, o)
	}
}
