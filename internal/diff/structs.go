package diff

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// owner is a managed object that both sides have.
type owner struct {
	ref      inventory.Ref
	address  string
	old, new *inventory.Entity
	now      inventory.Object
}

// place is where in an object the comparison is: the object itself, or a part of it.
type place struct {
	address string
	part    string           // as users call it; "" is the object itself, or a device with a reference of its own
	now     inventory.Object // the nearest object with a reference
	devices []string
}

// structs compares the fields of two structs of one type.
func (c *comparison) structs(o *owner, at place, from, to reflect.Value) {
	for _, f := range inventory.FieldsOf(from.Type()) {
		if !f.Role.Compared() {
			continue
		}
		was, wasState, wasWhy := f.Read(from)
		is, isState, isWhy := f.Read(to)
		if wasState == inventory.StateUnread || isState == inventory.StateUnread {
			c.unread(o, f, wasState, isState, wasWhy, isWhy)
			continue
		}
		c.field(o, at.in(f), f, side{was, wasState}, side{is, isState}, from, to)
	}
}

// side is the value of a fact that was read.
type side struct {
	value any
	state inventory.State
}

func (s side) fact() inventory.Fact[any] {
	if s.state == inventory.StateAbsent {
		return inventory.Absent[any]()
	}
	return inventory.Known(s.value)
}

// in returns the place of a field.
func (p place) in(f *inventory.Field) place {
	p.address += "/" + f.JSON()
	return p
}

func (c *comparison) field(o *owner, at place, f *inventory.Field, from, to side, before, after reflect.Value) {
	change := Change{Address: at.address, Kind: Changed, Role: f.Role, Fact: f.Name, From: from.fact(), To: to.fact()}
	switch {
	case from.state == inventory.StateAbsent && to.state == inventory.StateAbsent:
		return
	case to.state == inventory.StateAbsent:
		change.Kind = BecameAbsent
	case from.state == inventory.StateAbsent:
		change.Kind = BecamePresent
	case c.elements(o, at, f, from.value, to.value, before, after):
		return
	case equal(from.value, to.value, f.Ordered):
		return
	}
	if f.Role == inventory.RolePlacement && change.Kind == Changed {
		change.Kind = Moved
	}
	if f.IDs {
		change.FromNames, change.ToNames = namesOf(from.value, c.oldNames), namesOf(to.value, c.newNames)
	}
	c.add(o, at, change)
}

// add adds a change of an object or a part of it.
func (c *comparison) add(o *owner, at place, change Change) {
	change.owner, change.now, change.Part, change.devices = o.ref, at.now, at.part, at.devices
	change.Object = o.ref
	if at.now != nil {
		change.Object = at.now.Ref()
	}
	c.diff.Changes = append(c.diff.Changes, change)
}

// elements compares lists of devices and sets of keyed settings; it returns false for other values.
func (c *comparison) elements(o *owner, at place, f *inventory.Field, from, to any, before, after reflect.Value) bool {
	switch was := from.(type) {
	case map[string]inventory.Option:
		c.options(o, at, f, was, to.(map[string]inventory.Option), before, after)
		return true
	case map[string]string:
		c.texts(o, at, f, was, to.(map[string]string))
		return true
	}
	list := reflect.TypeOf(from)
	if list == nil || list.Kind() != reflect.Slice || list.Elem().Kind() != reflect.Pointer || inventory.KeyOf(list.Elem().Elem()) == nil {
		return false
	}
	c.list(o, at, f, reflect.ValueOf(from), reflect.ValueOf(to))
	return true
}

// list compares the elements of two lists, which are matched by their keys.
func (c *comparison) list(o *owner, at place, f *inventory.Field, from, to reflect.Value) {
	left := map[string]reflect.Value{}
	used := newKeys()
	for i := range from.Len() {
		left[used.next(keyIn(from.Index(i)))] = from.Index(i)
	}
	used = newKeys()
	for i := range to.Len() {
		key := used.next(keyIn(to.Index(i)))
		inside := at.element(key, to.Index(i))
		if was, both := left[key]; both {
			delete(left, key)
			c.element(o, inside, was, to.Index(i))
			continue
		}
		c.add(o, inside, Change{
			Address: inside.address, Kind: Added, Role: f.Role, Fact: f.Name, Key: key,
			From: inventory.Absent[any](), To: inventory.Known[any](nameIn(to.Index(i))),
		})
	}
	used = newKeys()
	for i := range from.Len() {
		key := used.next(keyIn(from.Index(i)))
		if _, gone := left[key]; gone {
			c.add(o, at, Change{
				Address: at.address + "/" + url.PathEscape(key), Kind: Removed, Role: f.Role, Fact: f.Name, Key: key,
				From: inventory.Known[any](nameIn(from.Index(i))), To: inventory.Absent[any](),
			})
		}
	}
}

// element compares an element that both lists have.
func (c *comparison) element(o *owner, at place, from, to reflect.Value) {
	c.structs(o, at, from.Elem(), to.Elem())
	if device, ok := reflect.TypeAssert[inventory.Object](to); ok {
		c.counters(device.Ref(), device.Ref().Kind, from.Elem(), to.Elem())
	}
}

// element returns the place of an element of a list.
func (p place) element(key string, of reflect.Value) place {
	p.address += "/" + url.PathEscape(key)
	p.devices = []string{key}
	if device, ok := reflect.TypeAssert[inventory.Object](of); ok {
		p.now, p.part = device, ""
		if n, ok := device.(*inventory.PNIC); ok { // journals name the options of a driver by its module
			driver, _ := n.Driver.Value()
			p.devices = append(p.devices, driver)
		}
		return p
	}
	p.part = strings.TrimSpace(p.part + " " + partWord(of.Type().Elem()) + " " + nameIn(of))
	return p
}

// partWord returns the word for an element that is no object.
func partWord(t reflect.Type) string {
	if w, ok := partWords[t.Name()]; ok {
		return w
	}
	return strings.ToLower(t.Name())
}

var partWords = map[string]string{
	"StatsInterval": "statistics interval", "ContentLibrary": "content library", "MemoryTier": "memory tier", "GraphicsDevice": "graphics device", "NUMANode": "NUMA node",
	"Portgroup": "port group", "TrafficClass": "traffic class", "PCIDevice": "PCI device", "SnapshotPoint": "snapshot",
}

func keyIn(element reflect.Value) string {
	key, _, _ := inventory.KeyOf(element.Type().Elem()).Read(element.Elem())
	return fmt.Sprint(key)
}

// nameIn returns the name of an element, or its key if it has no other name.
func nameIn(element reflect.Value) string {
	for _, f := range inventory.FieldsOf(element.Type().Elem()) {
		if f.Role == inventory.RoleName {
			name, _, _ := f.Read(element.Elem())
			return cmp.Or(fmt.Sprint(name), keyIn(element))
		}
	}
	return keyIn(element)
}

// texts compares sets of keyed texts: a missing key is not set.
func (c *comparison) texts(o *owner, at place, f *inventory.Field, from, to map[string]string) {
	for _, key := range union(from, to) {
		was, before := from[key]
		is, after := to[key]
		if before && after && was == is {
			continue
		}
		change := Change{Address: at.address + "/" + url.PathEscape(key), Kind: Changed, Role: f.Role, Fact: f.Name, Key: key}
		change.From, change.To = keyed(was, before), keyed(is, after)
		if !before {
			change.Kind = Added
		} else if !after {
			change.Kind = Removed
		}
		c.add(o, at, change)
	}
}

func keyed(text string, there bool) inventory.Fact[any] {
	if !there {
		return inventory.Absent[any]()
	}
	return inventory.Known[any](text)
}

func union[T any](a, b map[string]T) []string {
	all := make([]string, 0, len(a)+len(b))
	for key := range a {
		all = append(all, key)
	}
	for key := range b {
		if _, both := a[key]; !both {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

// gap notes that a fact, or the object if fact is "", could not be compared.
func (c *comparison) gap(o *owner, side, reason, fact string) {
	key := gapKey{string(o.ref.Kind) + o.ref.ID, side, reason}
	u := c.gaps[key]
	if u == nil {
		u = &Uncompared{Object: o.ref, Side: side, Reason: reason}
		c.gaps[key], c.order = u, append(c.order, key)
	}
	if fact != "" && !slices.Contains(u.Facts, fact) {
		u.Facts = append(u.Facts, fact)
	}
}

// unread notes a fact that one side or both did not read.
func (c *comparison) unread(o *owner, f *inventory.Field, was, is inventory.State, wasWhy, isWhy string) {
	side, reason := BothSide, cmp.Or(isWhy, wasWhy, o.new.Unread, o.old.Unread, "not read")
	switch {
	case was != inventory.StateUnread:
		side, reason = NewSide, cmp.Or(isWhy, o.new.Unread, "not read")
	case is != inventory.StateUnread:
		side, reason = OldSide, cmp.Or(wasWhy, o.old.Unread, "not read")
	}
	c.gap(o, side, reason, f.Name)
}

// namesOf returns the names of the objects with the ids; an id without a known name stays.
func namesOf(value any, names map[string]string) (all []string) {
	ids, list := value.([]string)
	if one, ok := value.(string); ok {
		ids, list = []string{one}, true
	}
	if !list {
		return nil
	}
	for _, id := range ids {
		all = append(all, cmp.Or(names[id], id))
	}
	slices.Sort(all)
	return all
}
