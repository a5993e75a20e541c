package vsphere

import (
	"maps"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// props is what the server said about one object: values by property path, and why others are missing.
type props struct {
	ref     types.ManagedObjectReference
	values  map[string]any
	missing map[string]types.BaseMethodFault
	needs   inventory.Needs
	unknown func(path string) bool // paths that the server's API does not have
	server  inventory.Version      // of the server, for the index
}

func newProps(o types.ObjectContent, q *query, unknown *unknownPaths) *props {
	p := &props{ref: o.Obj, values: make(map[string]any, len(o.PropSet)), needs: q.needs, server: q.server}
	of := queried(o.Obj.Type)
	p.unknown = func(path string) bool { return unknown.has(of, path) }
	for _, v := range o.PropSet {
		p.values[v.Name] = v.Val
	}
	if len(o.MissingSet) > 0 {
		p.missing = make(map[string]types.BaseMethodFault, len(o.MissingSet))
	}
	for _, m := range o.MissingSet {
		p.missing[m.Path] = m.Fault.Fault
	}
	return p
}

// sessionOver reports an answer to somebody who is not logged in: servers then name every property as missing.
func (p *props) sessionOver() bool {
	for _, f := range p.missing {
		if notAuthenticated(f) {
			return true
		}
	}
	return false
}

// fault is why path is missing; the server may name what path lies in instead of path itself.
func (p *props) fault(path string) (types.BaseMethodFault, bool) {
	for path != "" && len(p.missing) > 0 {
		if f, ok := p.missing[path]; ok {
			return f, true
		}
		i := strings.LastIndexByte(path, '.')
		path = path[:max(i, 0)]
	}
	return nil, false
}

// guarded are the properties that every object has unless the server holds it back. Something below each of them is
// always asked for: when nothing of it was returned, a leaf without a value says nothing about the object.
func guarded(section string) bool {
	return section == "config" || section == "hardware" || section == "capability" || section == "summary"
}

// has reports whether anything was returned below a property such as config.
func (p *props) has(section string) bool {
	for path := range p.values {
		if rest, ok := strings.CutPrefix(path, section); ok && strings.HasPrefix(rest, ".") {
			return true
		}
	}
	return false
}

// gap is the state of a path without a value.
type gap struct {
	state  inventory.State // unread, absent, or known: the value is unset and its nil meaning holds
	reason string
}

// look returns the value of a path, or why there is none.
func (p *props) look(path string) (any, gap) {
	if v, ok := p.values[path]; ok && v != nil {
		return v, gap{}
	}
	if p.unknown(path) {
		return nil, gap{state: inventory.StateAbsent}
	}
	if f, ok := p.fault(path); ok {
		if isFault[*types.InvalidProperty](f) {
			return nil, gap{state: inventory.StateAbsent}
		}
		return nil, gap{reason: faultWords(f, "")}
	}
	if section, _, nested := strings.Cut(path, "."); nested && guarded(section) && !p.has(section) {
		return nil, gap{reason: p.whole(section)}
	}
	return nil, gap{state: inventory.StateKnown}
}

// whole is why nothing of a section was returned.
func (p *props) whole(section string) string {
	for path, f := range p.missing {
		if path == section || strings.HasPrefix(path, section+".") {
			return faultWords(f, "")
		}
	}
	return "the server returned no " + section
}

// ifUnset is what a fact is when its property exists and is unset: each fact declares it.
type ifUnset[T any] func(path string) inventory.Fact[T]

// must is for properties that are always set: then something is wrong.
func must[T any](path string) inventory.Fact[T] {
	return inventory.Unread[T]("the server returned no " + path)
}

// none is for properties of things that some hosts do not have.
func none[T any](string) inventory.Fact[T] { return inventory.Absent[T]() }

// means is for properties whose nil has a value.
func means[T any](v T) ifUnset[T] {
	return func(string) inventory.Fact[T] { return inventory.Known(v) }
}

// because is for properties whose nil has a known cause.
func because[T any](reason string) ifUnset[T] {
	return func(string) inventory.Fact[T] { return inventory.Unread[T](reason) }
}

// readEver is read where v is true of servers that do not know the property, too.
func readEver[T any](p *props, path string, as func(any) (T, bool), v T) inventory.Fact[T] {
	f := read(p, path, as, means(v))
	if _, state, _ := f.Get(); state == inventory.StateAbsent {
		return inventory.Known(v)
	}
	return f
}

// read makes a fact of a property.
func read[T any](p *props, path string, as func(any) (T, bool), unset ifUnset[T]) inventory.Fact[T] {
	v, g := p.look(path)
	if v != nil {
		if t, ok := as(v); ok {
			return inventory.Known(t)
		}
		return inventory.Unread[T]("the server returned " + path + " in a form that vperf does not understand")
	}
	switch g.state {
	case inventory.StateAbsent:
		return inventory.Absent[T]()
	case inventory.StateKnown:
		return unset(path)
	default:
		return inventory.Unread[T](g.reason)
	}
}

// then goes on from a fact that is known; the other states pass through.
func then[A, B any](f inventory.Fact[A], next func(A) inventory.Fact[B]) inventory.Fact[B] {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return next(v)
	case inventory.StateAbsent:
		return inventory.Absent[B]()
	default:
		return inventory.Unread[B](reason)
	}
}

// lack notes why properties are missing.
func (p *props) lack(why map[string]types.BaseMethodFault) {
	if p.missing == nil {
		p.missing = map[string]types.BaseMethodFault{}
	}
	maps.Copy(p.missing, why)
}

// keep takes over a property that is not watched.
func (p *props) keep(old *props, path string) {
	if v, asked := old.values[path]; asked {
		p.values[path] = v
	}
}

// lose forgets a property and what lies in it.
func (p *props) lose(name string) {
	maps.DeleteFunc(p.values, func(path string, _ any) bool { return within(path, name) })
	maps.DeleteFunc(p.missing, func(path string, _ types.BaseMethodFault) bool { return within(path, name) })
}

// within reports a path that is the property name, or lies in it.
func within(path, name string) bool {
	rest, ok := strings.CutPrefix(path, name)
	return ok && (rest == "" || rest[0] == '.')
}
