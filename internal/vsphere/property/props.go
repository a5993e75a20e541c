package property

import (
	"maps"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
)

// Props holds the server's answer for one object: values by property path, and why others are missing.
type Props struct {
	Ref     types.ManagedObjectReference
	Values  map[string]any
	Missing map[string]types.BaseMethodFault
	Needs   inventory.Needs
	Unknown func(path string) bool // paths that the server's API does not have
	Server  inventory.Version      // of the server, for the index

	nameless *wire.DamageError // a property whose name is damaged: each that was not returned may be this one
}

// NewProps creates Props from the answer to query q about one object. unknown knows which properties the server's API does not
// have.
func NewProps(o types.ObjectContent, q *Query, unknown *session.UnknownPaths) *Props {
	p := &Props{Values: make(map[string]any, len(o.PropSet)), Needs: q.Needs, Server: q.Server}
	p.Unknown = func(path string) bool { return unknown.Has(QueryType(p.Ref.Type), path) }
	p.set(o)
	return p
}

// set replaces the answer by that about another object.
func (p *Props) set(o types.ObjectContent) {
	p.Ref, p.Missing, p.nameless = o.Obj, nil, nil
	clear(p.Values)
	damaged := false
	for _, v := range o.PropSet {
		p.Values[v.Name] = v.Val
		if d, is := v.Val.(*wire.DamageError); is {
			damaged = true
			if text, ok := d.Readable(v.Name); ok {
				p.Values[v.Name] = text // reasons may need the name
			}
		}
	}
	if len(o.MissingSet) > 0 {
		p.Missing = make(map[string]types.BaseMethodFault, len(o.MissingSet))
	}
	for _, m := range o.MissingSet {
		p.Missing[m.Path] = m.Fault.Fault
		if d, is := m.Fault.Fault.(*wire.DamageError); is {
			p.Damaged(m.Path, d)
		}
	}
	if damaged {
		for path, v := range maps.Clone(p.Values) {
			if d, is := v.(*wire.DamageError); is {
				p.Damaged(path, d)
			}
		}
	}
}

// Damaged records that a property could not be decoded: it has no value, except for a text for people with damaged characters.
func (p *Props) Damaged(path string, d *wire.DamageError) {
	if text, ok := d.Readable(path); ok {
		p.Values[path] = text
		return
	}
	delete(p.Values, path)
	d.Of = path + d.Member + " of " + p.called()
	if d.Name {
		d.Of, p.nameless = p.called(), d
	}
	p.AddMissing(map[string]types.BaseMethodFault{path: d})
}

// called returns the kind and the name of the object, for reasons.
func (p *Props) called() string {
	kind := p.Ref.Type
	switch kind {
	case TypeHost:
		kind = "host"
	case TypeVM:
		kind = "VM"
	}
	name, ok := p.Values["name"].(string)
	if !ok {
		name = p.Ref.Value
	}
	return kind + " " + session.Plain(name)
}

// Undecoded returns why a part of a property, such as the value of an option, has no value; "" means that it was decoded.
func (p *Props) Undecoded(part string, value any) string {
	d, is := value.(*wire.DamageError)
	if !is {
		return ""
	}
	named := *d
	named.Of = part + d.Member + " of " + p.called()
	return session.FaultWords(&named, "")
}

// sessionOver reports an answer to a session that is not logged in: servers then report every property as missing.
func (p *Props) sessionOver() bool {
	for _, f := range p.Missing {
		if session.NotAuthenticated(f) {
			return true
		}
	}
	return false
}

// fault returns why path is missing; the server may name a parent of path instead.
func (p *Props) fault(path string) (types.BaseMethodFault, bool) {
	for path != "" && len(p.Missing) > 0 {
		if f, ok := p.Missing[path]; ok {
			return f, true
		}
		i := strings.LastIndexByte(path, '.')
		path = path[:max(i, 0)]
	}
	return nil, false
}

// guarded reports properties that every object has unless the server withholds them. Queries always include a property below each
// of them: if none of it was returned, an unset leaf has no meaning.
func guarded(section string) bool {
	return section == "config" || section == "hardware" || section == "capability" || section == "summary"
}

// Has reports whether anything was returned below a property such as config.
func (p *Props) Has(section string) bool {
	for path := range p.Values {
		if rest, ok := strings.CutPrefix(path, section); ok && strings.HasPrefix(rest, ".") {
			return true
		}
	}
	return false
}

// Gap describes a path without a value.
type Gap struct {
	State  inventory.State // unread, absent, or known: the value is unset and its nil meaning holds
	reason string
}

// Lookup returns the value of a path, or why it is missing.
func (p *Props) Lookup(path string) (any, Gap) {
	if v, ok := p.Values[path]; ok && v != nil {
		return v, Gap{}
	}
	if p.Unknown(path) {
		return nil, Gap{State: inventory.StateAbsent}
	}
	if f, ok := p.fault(path); ok {
		if session.IsFault[*types.InvalidProperty](f) {
			return nil, Gap{State: inventory.StateAbsent}
		}
		return nil, Gap{reason: session.FaultWords(f, "")}
	}
	if p.nameless != nil {
		return nil, Gap{reason: session.FaultWords(p.nameless, "")}
	}
	if section, _, nested := strings.Cut(path, "."); nested && guarded(section) && !p.Has(section) {
		return nil, Gap{reason: p.SectionGap(section)}
	}
	if mandatory(p.Ref, path) {
		return nil, Gap{reason: "the server returned no " + path}
	}
	return nil, Gap{State: inventory.StateKnown}
}

// SectionGap returns why no property of a section was returned.
func (p *Props) SectionGap(section string) string {
	for path, f := range p.Missing {
		if path == section || strings.HasPrefix(path, section+".") {
			return session.FaultWords(f, "")
		}
	}
	return "the server returned no " + section
}

// IfUnset returns the fact for a property that exists but is unset; each fact declares it.
type IfUnset[T any] func(path string) inventory.Fact[T]

// Required is for properties that are always set: an unset one is an error.
func Required[T any](path string) inventory.Fact[T] {
	return inventory.Unread[T]("the server returned no " + path)
}

// AbsentIfUnset is for properties of components that some hosts do not have.
func AbsentIfUnset[T any](string) inventory.Fact[T] { return inventory.Absent[T]() }

// DefaultTo is for properties whose nil stands for a value.
func DefaultTo[T any](v T) IfUnset[T] {
	return func(string) inventory.Fact[T] { return inventory.Known(v) }
}

// UnreadIfUnset is for properties whose nil has a known cause.
func UnreadIfUnset[T any](reason string) IfUnset[T] {
	return func(string) inventory.Fact[T] { return inventory.Unread[T](reason) }
}

// ReadOrDefault is Read for properties that have the value v on servers that do not know them.
func ReadOrDefault[T any](p *Props, path string, as func(any) (T, bool), v T) inventory.Fact[T] {
	f := Read(p, path, as, DefaultTo(v))
	if _, state, _ := f.Get(); state == inventory.StateAbsent {
		return inventory.Known(v)
	}
	return f
}

// Read makes a fact from a property.
func Read[T any](p *Props, path string, as func(any) (T, bool), unset IfUnset[T]) inventory.Fact[T] {
	v, g := p.Lookup(path)
	if v != nil {
		if t, ok := as(v); ok {
			return inventory.Known(t)
		}
		return inventory.Unread[T]("the server returned " + path + " in a form that vperf does not understand")
	}
	switch g.State {
	case inventory.StateAbsent:
		return inventory.Absent[T]()
	case inventory.StateKnown:
		return unset(path)
	default:
		return inventory.Unread[T](g.reason)
	}
}

// Shown is Read for a text that is only shown: damaged characters stay in it.
func Shown(p *Props, path string) inventory.Fact[string] {
	if d, is := p.Missing[path].(*wire.DamageError); is {
		if text, ok := d.Shown(); ok {
			return inventory.Known(text)
		}
	}
	return Read(p, path, Text, Required)
}

// Then applies next to a known fact; other states are passed on.
func Then[A, B any](f inventory.Fact[A], next func(A) inventory.Fact[B]) inventory.Fact[B] {
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

// AddMissing records why properties are missing.
func (p *Props) AddMissing(why map[string]types.BaseMethodFault) {
	if p.Missing == nil {
		p.Missing = map[string]types.BaseMethodFault{}
	}
	maps.Copy(p.Missing, why)
}

// CopyFrom copies a property that is not watched.
func (p *Props) CopyFrom(old *Props, path string) {
	if v, asked := old.Values[path]; asked {
		p.Values[path] = v
	}
}

// Remove removes a property and the properties within it.
func (p *Props) Remove(name string) {
	maps.DeleteFunc(p.Values, func(path string, _ any) bool { return Within(path, name) })
	maps.DeleteFunc(p.Missing, func(path string, _ types.BaseMethodFault) bool { return Within(path, name) })
}

// Within reports whether path is the property name or lies within it.
func Within(path, name string) bool {
	rest, ok := strings.CutPrefix(path, name)
	return ok && (rest == "" || rest[0] == '.')
}
