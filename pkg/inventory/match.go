package inventory

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Targets are the objects that a command is about, as the user typed them. No targets means everything. Each can be a
// shell pattern of names or paths, such as db-*.
type Targets struct {
	Hosts    []string // inventory name, path, id, DNS name, address or short name
	Clusters []string // name, path or id: all of the cluster's hosts
	VMs      []string // name, path or id: only these VMs, of the hosts in scope
}

// Everything reports whether there are no targets.
func (t Targets) Everything() bool { return len(t.Hosts)+len(t.Clusters)+len(t.VMs) == 0 }

// NoMatchError reports a target that matches nothing.
type NoMatchError struct {
	Kind   Scope // the wanted kind
	Target string
	Near   []string // similar names
}

// Error lists similar names.
func (e *NoMatchError) Error() string {
	s := fmt.Sprintf("no %s is called %q", plainKind(e.Kind), e.Target)
	switch {
	case IsPattern(e.Target):
		return fmt.Sprintf("no %s matches %q", plainKind(e.Kind), e.Target)
	case len(e.Near) > 0:
		return s + "; did you mean " + strings.Join(e.Near, ", ") + "?"
	case e.Kind == ScopeHost:
		return s + "; give a host's inventory name, DNS name, short name, IP address or id"
	}
	return s + "; give its name, inventory path or id"
}

// AmbiguousError reports a target that matches several objects.
type AmbiguousError struct {
	Kind    Scope
	Target  string
	Objects []string // path and id of each
}

// Error lists the objects.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q names %d %ss: %s; give the inventory path or the id", e.Target, len(e.Objects), plainKind(e.Kind), strings.Join(e.Objects, ", "))
}

// plainKind returns a scope's display name.
func plainKind(s Scope) string {
	if s == ScopeVM {
		return "VM"
	}
	return string(s)
}

// matcher finds objects of one kind by the user's text.
type matcher[T any] struct {
	kind   Scope
	entity func(T) *Entity
	// ways are the ways to name an object, most exact first; the first way that finds an object decides.
	ways  []func(T, string) bool
	names func(T) []string // names to search for similar ones
}

var hostMatcher = matcher[*Host]{
	kind:   ScopeHost,
	entity: func(h *Host) *Entity { return &h.Entity },
	ways: []func(*Host, string) bool{
		func(h *Host, t string) bool { return h.is(t) },
		func(h *Host, t string) bool { return strings.EqualFold(h.Name, t) },
		func(h *Host, t string) bool { return strings.EqualFold(h.dnsName(), t) },
		(*Host).hasAddress,
		func(h *Host, t string) bool {
			return strings.EqualFold(firstLabel(h.Name), t) || strings.EqualFold(firstLabel(h.dnsName()), t)
		},
	},
	names: func(h *Host) []string { return []string{h.Name, firstLabel(h.Name), h.dnsName()} },
}

// byName returns a matcher for objects that have only a name, path and id.
func byName[T any](kind Scope, entity func(T) *Entity) matcher[T] {
	return matcher[T]{
		kind: kind, entity: entity,
		ways: []func(T, string) bool{
			func(o T, t string) bool { return entity(o).is(t) },
			func(o T, t string) bool { return strings.EqualFold(entity(o).Name, t) },
		},
		names: func(o T) []string { return []string{entity(o).Name} },
	}
}

var (
	clusterMatcher = byName(ScopeCluster, func(c *Cluster) *Entity { return &c.Entity })
	vmMatcher      = byName(ScopeVM, func(v *VM) *Entity { return &v.Entity })
)

func (e *Entity) is(target string) bool {
	return e.Name == target || e.ID == target || e.Path == target
}

// MatchHosts finds the hosts that targets name by inventory name, path, id, DNS name, address or short name, or by a
// shell pattern of these. The hosts keep their order; targets may overlap. A target that matches nothing is a
// NoMatchError, a name that matches several hosts equally well an AmbiguousError.
func MatchHosts(all []*Host, targets []string) ([]*Host, error) {
	return hostMatcher.match(all, targets)
}

// MatchClusters finds the clusters that targets name, as MatchHosts does.
func MatchClusters(all []*Cluster, targets []string) ([]*Cluster, error) {
	return clusterMatcher.match(all, targets)
}

func (m matcher[T]) match(all []T, targets []string) ([]T, error) {
	chosen := map[*Entity]bool{}
	for _, t := range targets {
		found, err := m.target(all, strings.TrimSuffix(strings.TrimSpace(t), "."))
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			chosen[m.entity(o)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(o T) bool { return !chosen[m.entity(o)] }), nil
}

// target finds the object of a name, or those of a pattern. An object whose name looks like a pattern is found by its name.
func (m matcher[T]) target(all []T, target string) ([]T, error) {
	o, err := m.one(all, target)
	if err == nil {
		return []T{o}, nil
	}
	if _, none := errors.AsType[*NoMatchError](err); !none || !IsPattern(target) {
		return nil, err
	}
	var found []T
	for _, o := range all {
		for _, name := range append(m.names(o), m.entity(o).Path) {
			matches, bad := MatchPattern(target, name)
			if bad != nil {
				return nil, fmt.Errorf("%q as a pattern of names: %w", target, bad)
			}
			if matches {
				found = append(found, o)
				break
			}
		}
	}
	if len(found) == 0 {
		return nil, err
	}
	return found, nil
}

func (m matcher[T]) one(all []T, target string) (T, error) {
	var none T
	for _, way := range m.ways {
		var found []T
		for _, o := range all {
			if target != "" && way(o, target) {
				found = append(found, o)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return none, m.ambiguous(target, found)
		}
	}
	return none, &NoMatchError{Kind: m.kind, Target: target, Near: m.near(all, target)}
}

// ambiguous lists paths with ids, because even paths can be equal.
func (m matcher[T]) ambiguous(target string, found []T) error {
	e := &AmbiguousError{Kind: m.kind, Target: target}
	for _, o := range found {
		e.Objects = append(e.Objects, m.entity(o).Path+" ("+m.entity(o).ID+")")
	}
	slices.Sort(e.Objects)
	return e
}

func (m matcher[T]) near(all []T, target string) []string {
	full := map[string]string{} // any of an object's names → its inventory name
	var names []string
	for _, o := range all {
		for _, n := range m.names(o) {
			names = append(names, n)
			full[n] = m.entity(o).Name
		}
	}
	var near []string
	for _, n := range Near(target, names) {
		if !slices.Contains(near, full[n]) {
			near = append(near, full[n])
		}
	}
	return near
}

func (h *Host) dnsName() string {
	name, _ := h.DNSName.Value()
	return name
}

func (h *Host) hasAddress(target string) bool {
	want, err := netip.ParseAddr(target)
	if err != nil {
		return false
	}
	all, _ := h.Addresses.Value()
	return slices.ContainsFunc(all, func(s string) bool {
		have, err := netip.ParseAddr(s)
		return err == nil && have == want
	})
}

// firstLabel returns the short form of a DNS name; an IP address has none.
func firstLabel(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	label, _, _ := strings.Cut(name, ".")
	return label
}
