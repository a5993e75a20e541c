package vsphere

import (
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// entry reads one fact, or several that come from the same properties.
type entry[O any] struct {
	facts []string // as inventory.Needs names them
	paths []string // properties it takes
	fill  func(*props, O)
	// when says whether it is needed; nil means when one of its facts is.
	when func(inventory.Needs) bool
}

// table says how all facts of one kind of object are read.
type table[O any] struct {
	of      string   // managed object type
	always  []string // properties asked for whatever is needed
	entries []entry[O]
}

// leaf is the common entry: one fact from one property.
func leaf[O, T any](fact, path string, as func(any) (T, bool), unset ifUnset[T], at func(O) *inventory.Fact[T]) entry[O] {
	return entry[O]{facts: []string{fact}, paths: []string{path}, fill: func(p *props, o O) {
		*at(o) = read(p, path, as, unset)
	}}
}

func (e entry[O]) needed(n inventory.Needs) bool {
	if e.when != nil {
		return e.when(n)
	}
	return n.Any(e.facts...)
}

// plan is the part of a table that a reading needs.
func (t table[O]) plan(n inventory.Needs) plan[O] {
	p := plan[O]{paths: slices.Clone(t.always)}
	for _, e := range t.entries {
		if !e.needed(n) {
			continue
		}
		p.fills = append(p.fills, e.fill)
		p.paths = append(p.paths, e.paths...)
	}
	slices.Sort(p.paths)
	p.paths = slices.Compact(p.paths)
	p.spec = types.PropertySpec{Type: t.of, PathSet: p.paths}
	return p
}

// plan is what one reading asks for and how it is filled in.
type plan[O any] struct {
	paths []string
	spec  types.PropertySpec
	fills []func(*props, O)
}

// empty reports that no fact is needed.
func (p plan[O]) empty() bool { return len(p.fills) == 0 }

func (p plan[O]) fill(from *props, o O) {
	for _, f := range p.fills {
		f(from, o)
	}
}
