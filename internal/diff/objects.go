package diff

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
)

// ErrOtherServer means that the two sides have no server in common.
var ErrOtherServer = errors.New("the two sides are of different servers")

// Facts compares the facts of two snapshots. They must be linked. It returns ErrOtherServer if no endpoint is in both.
func Facts(from, to *inventory.Snapshot) (*Diff, error) {
	d := &Diff{Old: sideOf(from), New: sideOf(to)}
	pairs := endpoints(from, to)
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%w: the old side is %s, the new one %s", ErrOtherServer, serversOf(from), serversOf(to))
	}
	for _, p := range pairs {
		c := newComparison(d, p.old, p.new)
		c.endpoint()
	}
	d.Uncompared = append(d.Uncompared, alone(from, to, pairs)...)
	d.sort()
	return d, nil
}

func sideOf(s *inventory.Snapshot) Side {
	side := Side{Source: s.Source, TakenAt: s.TakenAt()}
	for _, v := range s.VCenters {
		if !v.LiveFrom.IsZero() && (side.LiveFrom.IsZero() || v.LiveFrom.Before(side.LiveFrom)) {
			side.LiveFrom = v.LiveFrom
		}
		if v.LiveTo.After(side.LiveTo) {
			side.LiveTo = v.LiveTo
		}
	}
	return side
}

func serversOf(s *inventory.Snapshot) string {
	var names []string
	for _, v := range s.VCenters {
		name := v.Name
		if v.ID != "" {
			name += " (" + v.ID + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "of no server"
	}
	return strings.Join(names, ", ")
}

// pair is one endpoint on both sides.
type pair struct{ old, new *inventory.VCenter }

// endpoints matches endpoints by instance UUID. Endpoints without one, as an ESXi host or a server that was not reached, are
// matched by name.
func endpoints(from, to *inventory.Snapshot) (pairs []pair) {
	used := map[*inventory.VCenter]bool{}
	find := func(v *inventory.VCenter, is func(a, b *inventory.VCenter) bool) *inventory.VCenter {
		for _, o := range from.VCenters {
			if !used[o] && is(o, v) {
				used[o] = true
				return o
			}
		}
		return nil
	}
	for _, v := range to.VCenters {
		if o := find(v, func(a, b *inventory.VCenter) bool { return a.ID != "" && a.ID == b.ID }); o != nil {
			pairs = append(pairs, pair{o, v})
		}
	}
	for _, v := range to.VCenters {
		o := find(v, func(a, b *inventory.VCenter) bool {
			return (a.ID == "" || b.ID == "") && a.Name == b.Name && !taken(pairs, b)
		})
		if o != nil {
			pairs = append(pairs, pair{o, v})
		}
	}
	return pairs
}

func taken(pairs []pair, v *inventory.VCenter) bool {
	for _, p := range pairs {
		if p.new == v {
			return true
		}
	}
	return false
}

// alone returns the endpoints that only one side has.
func alone(from, to *inventory.Snapshot, pairs []pair) (all []Uncompared) {
	for _, v := range from.VCenters {
		if !containsOld(pairs, v) {
			all = append(all, Uncompared{Object: v.Ref(), Side: NewSide, Reason: "only the old side has this server"})
		}
	}
	for _, v := range to.VCenters {
		if !taken(pairs, v) {
			all = append(all, Uncompared{Object: v.Ref(), Side: OldSide, Reason: "only the new side has this server"})
		}
	}
	return all
}

func containsOld(pairs []pair, v *inventory.VCenter) bool {
	for _, p := range pairs {
		if p.old == v {
			return true
		}
	}
	return false
}

// comparison compares one endpoint.
type comparison struct {
	diff     *Diff
	old, new *inventory.VCenter
	root     string // the beginning of addresses
	// names are the names of objects by id, of the old and the new side.
	oldNames, newNames map[string]string
	gaps               map[gapKey]*Uncompared
	order              []gapKey
}

type gapKey struct{ object, side, reason string }

func newComparison(d *Diff, from, to *inventory.VCenter) *comparison {
	return &comparison{
		diff: d, old: from, new: to, root: url.PathEscape(cmp.Or(to.ID, from.ID, to.Name)),
		oldNames: namesIn(from), newNames: namesIn(to), gaps: map[gapKey]*Uncompared{},
	}
}

func namesIn(v *inventory.VCenter) map[string]string {
	names := make(map[string]string, len(v.Hosts)+len(v.VMs)+len(v.Pools)+len(v.Datastores))
	add := func(e *inventory.Entity) { names[e.ID] = e.Name }
	each(v.Clusters, func(c *inventory.Cluster) { add(&c.Entity) })
	each(v.Pools, func(p *inventory.Pool) { add(&p.Entity) })
	each(v.Hosts, func(h *inventory.Host) { add(&h.Entity) })
	each(v.VMs, func(vm *inventory.VM) { add(&vm.Entity) })
	each(v.Datastores, func(d *inventory.Datastore) { add(&d.Entity) })
	return names
}

func each[T any](all []T, do func(T)) {
	for _, x := range all {
		do(x)
	}
}

// endpoint compares an endpoint and all its objects.
func (c *comparison) endpoint() {
	if c.old.Unread != "" || c.new.Unread != "" {
		c.unreadEndpoint()
		if len(c.old.Hosts) == 0 || len(c.new.Hosts) == 0 {
			return // the server was not read at all
		}
	}
	if c.old.Name != c.new.Name {
		c.diff.Renamed = append(c.diff.Renamed, Renamed{c.new.Ref(), c.old.Name, c.new.Name})
	}
	o := &owner{ref: c.new.Ref(), address: c.root, old: &c.old.Entity, new: &c.new.Entity, now: c.new}
	c.structs(o, place{address: c.root, now: c.new}, reflect.ValueOf(c.old).Elem(), reflect.ValueOf(c.new).Elem())
	objects(c, inventory.ScopeCluster, c.old.Clusters, c.new.Clusters)
	objects(c, inventory.ScopePool, c.old.Pools, c.new.Pools)
	objects(c, inventory.ScopeSwitch, c.old.Switches, c.new.Switches)
	objects(c, inventory.ScopeDatastore, c.old.Datastores, c.new.Datastores)
	objects(c, inventory.ScopeHost, c.old.Hosts, c.new.Hosts)
	objects(c, inventory.ScopeVM, c.old.VMs, c.new.VMs)
	for _, key := range c.order {
		c.diff.Uncompared = append(c.diff.Uncompared, *c.gaps[key])
	}
	c.pairNames()
}

func (c *comparison) unreadEndpoint() {
	side, reason := OldSide, c.old.Unread
	switch {
	case c.old.Unread != "" && c.new.Unread != "":
		side = BothSide
	case c.old.Unread == "":
		side, reason = NewSide, c.new.Unread
	}
	c.diff.Uncompared = append(c.diff.Uncompared, Uncompared{Object: c.new.Ref(), Side: side, Reason: reason})
}

// managed is an object with an id.
type managed interface {
	inventory.Object
	comparable
}

// objects compares the objects of one kind. The number after an id distinguishes objects that share it, which a server never
// reports.
func objects[T managed](c *comparison, kind inventory.Scope, from, to []T) {
	left := map[string]T{}
	keys := newKeys()
	for _, o := range from {
		left[keys.next(o.Ref().ID)] = o
	}
	keys = newKeys()
	var outside int
	for _, n := range to {
		id := keys.next(n.Ref().ID)
		if o, both := left[id]; both {
			delete(left, id)
			c.object(kind, id, o, n)
			continue
		}
		if c.complete(c.old, kind) {
			c.diff.Came = append(c.diff.Came, Object{Ref: n.Ref(), Host: hostName(n)})
		} else {
			outside++
		}
	}
	c.outOfScope(OldSide, kind, outside)
	outside = 0
	keys = newKeys()
	for _, o := range from {
		if _, gone := left[keys.next(o.Ref().ID)]; !gone {
			continue
		}
		switch {
		case !c.complete(c.new, kind):
			outside++
		case c.stillListed(kind, o.Ref().ID):
			c.gap(&owner{ref: c.named(o.Ref())}, NewSide, "its cluster lists it, but it was not read", "")
		default:
			c.diff.Went = append(c.diff.Went, Object{Ref: c.named(o.Ref()), Host: hostName(o)})
		}
	}
	c.outOfScope(NewSide, kind, outside)
}

// named returns the reference of an old object with the new name of the endpoint.
func (c *comparison) named(r inventory.Ref) inventory.Ref {
	r.VCenter = c.new.Name
	return r
}

// complete reports whether a side has all objects of a kind: only then a missing one does not exist.
func (c *comparison) complete(v *inventory.VCenter, kind inventory.Scope) bool {
	return v.Whole && v.Unread == "" && (kind != inventory.ScopeVM || !v.ChosenVMs)
}

// stillListed reports whether a cluster of the new side has a host that was not read.
func (c *comparison) stillListed(kind inventory.Scope, id string) bool {
	if kind != inventory.ScopeHost {
		return false
	}
	for _, x := range c.new.Clusters {
		ids, _ := x.HostIDs.Value()
		if slices.Contains(ids, id) {
			return true
		}
	}
	return false
}

func (c *comparison) outOfScope(side string, kind inventory.Scope, n int) {
	if n == 0 {
		return
	}
	v, other := c.old, "new"
	if side == NewSide {
		v, other = c.new, "old"
	}
	reason := fmt.Sprintf("%s of the %s side: the %s side is a part of the inventory", plural.Count(n, plainKind(kind)), other, side)
	if v.Unread != "" {
		reason = fmt.Sprintf("%s of the %s side: the %s side was not read completely", plural.Count(n, plainKind(kind)), other, side)
	}
	c.gap(&owner{ref: c.new.Ref()}, side, reason, "")
}

func plainKind(k inventory.Scope) string {
	if k == inventory.ScopeVM {
		return "VM"
	}
	return string(k)
}

func hostName(o any) string {
	if vm, ok := o.(*inventory.VM); ok && vm.Host() != nil {
		return vm.Host().Name
	}
	return ""
}

// object compares one object.
func (c *comparison) object(kind inventory.Scope, id string, from, to inventory.Object) {
	before, after := reflect.ValueOf(from).Elem(), reflect.ValueOf(to).Elem()
	o := &owner{
		ref: to.Ref(), address: c.root + "/" + string(kind) + "/" + url.PathEscape(id), now: to,
		old: entityOf(before), new: entityOf(after),
	}
	if o.old.Name != o.new.Name {
		c.diff.Renamed = append(c.diff.Renamed, Renamed{o.ref, o.old.Name, o.new.Name})
	}
	c.structs(o, place{address: o.address, now: to}, before, after)
	c.counters(to.Ref(), kind, before, after)
}

func entityOf(v reflect.Value) *inventory.Entity {
	e, _ := reflect.TypeAssert[*inventory.Entity](v.FieldByName("Entity").Addr())
	return e
}

// keys numbers equal keys.
type keys map[string]int

func newKeys() keys { return keys{} }

// next returns the key, with a number if it was used before.
func (k keys) next(key string) string {
	k[key]++
	if n := k[key]; n > 1 {
		return fmt.Sprintf("%s#%d", key, n)
	}
	return key
}

// pairNames notes objects that came under the name of one that went: a VM that was registered again has a new id.
func (c *comparison) pairNames() {
	type name struct {
		kind inventory.Scope
		name string
	}
	gone := map[name][]int{}
	for i, o := range c.diff.Went {
		gone[name{o.Kind, o.Name}] = append(gone[name{o.Kind, o.Name}], i)
	}
	for i := range c.diff.Came {
		o := &c.diff.Came[i]
		if same := gone[name{o.Kind, o.Name}]; len(same) == 1 {
			went := &c.diff.Went[same[0]]
			o.Note = "another " + plainKind(o.Kind) + " with this name is gone: " + went.ID
			went.Note = "another " + plainKind(o.Kind) + " has this name now: " + o.ID
		}
	}
}
