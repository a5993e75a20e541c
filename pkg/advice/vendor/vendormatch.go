package vendor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// publication is a published setting with its vendor.
type publication struct {
	by    *Vendor
	value *Value
}

// Published is the published values of one setting for one object. Vendors that are identified by the object's own
// disks are certain. The others count only if no such vendor publishes the setting.
type Published struct {
	named, broad             []publication
	unsureNamed, unsureBroad []publication   // match depends on unread facts
	Gaps                     []inventory.Gap // the unread facts
}

// About returns the published values of a setting for an object.
func (v *List) About(o inventory.Object, address string) Published {
	var a Published
	if v == nil {
		return a
	}
	for _, by := range v.list {
		for i := range by.Values {
			if x := (publication{by, &by.Values[i]}); x.value.Set.Text == address {
				a.add(x, o)
			}
		}
	}
	return a
}

func (a *Published) add(x publication, o inventory.Object) {
	yes, missing := x.value.IsFor(o)
	switch {
	case yes && x.named():
		a.named = append(a.named, x)
	case yes:
		a.broad = append(a.broad, x)
	case len(missing) == 0:
	case x.named():
		a.unsureNamed = append(a.unsureNamed, x)
	default:
		a.unsureBroad = append(a.unsureBroad, x)
	}
	if !yes {
		a.Gaps = append(a.Gaps, missing...)
	}
}

// named reports whether the value is matched by the vendor that a disk reports.
func (x publication) named() bool {
	return slices.ContainsFunc(x.value.match, func(m Match) bool { return m.Vendor != "" })
}

// Accepts reports whether vendors publish a value; if that depends on unread facts, it returns their gaps. All named
// vendors have to publish it; if there are none, any other vendor is enough.
func (a Published) Accepts(value string) (bool, []inventory.Gap) {
	has := func(x publication) bool { return x.value.has(value) }
	refuses := func(x publication) bool { return !x.value.has(value) }
	var can, cannot bool // possible, depending on the unread facts
	if len(a.named) > 0 {
		can = !slices.ContainsFunc(a.named, refuses)
		cannot = !can || slices.ContainsFunc(a.unsureNamed, refuses)
	} else {
		broad := slices.ContainsFunc(a.broad, has)
		can = broad || slices.ContainsFunc(a.unsureBroad, has) || slices.ContainsFunc(a.unsureNamed, has)
		cannot = !broad || slices.ContainsFunc(a.unsureNamed, refuses)
	}
	if can && cannot {
		return false, a.Gaps
	}
	return can, nil
}

// Disagree reports whether named vendors have no published value in common.
func (a Published) Disagree() bool {
	_, agreed := a.Agreed()
	return len(a.named) > 1 && !agreed && !slices.ContainsFunc(a.named, func(x publication) bool { return x.value.Least != nil })
}

// Agreed returns the first value of the first named vendor that all named vendors publish.
func (a Published) Agreed() (any, bool) {
	if len(a.named) == 0 {
		return nil, false
	}
	for _, value := range a.named[0].value.Values {
		if !slices.ContainsFunc(a.named, func(x publication) bool { return !x.value.has(fmt.Sprint(value)) }) {
			return value, true
		}
	}
	return nil, false
}

// Undecided reports whether unread facts decide if a named vendor applies.
func (a Published) Undecided() bool { return len(a.unsureNamed) > 0 }

// Texts lists the published values with their vendors and documents.
func (a Published) Texts() []string {
	list := a.named
	if len(list) == 0 {
		list = a.broad
	}
	texts := []string{}
	for _, x := range list {
		texts = append(texts, x.text())
	}
	return texts
}

func (x publication) text() string {
	var values []string
	for _, v := range x.value.Values {
		values = append(values, fmt.Sprint(v))
	}
	what := strings.Join(values, " or ")
	if x.value.Least != nil {
		what = fmt.Sprintf("%d or more", *x.value.Least)
	}
	where := x.by.Document.Title + ", " + x.by.Document.Date
	if n := x.value.Sources; n > 1 {
		where = fmt.Sprintf("%d public sources", n)
	}
	return fmt.Sprintf("%s: %s (%s)", x.by.Name, what, where)
}

// has reports whether a value is published.
func (x *Value) has(value string) bool {
	if x.Least != nil {
		var n int64
		_, err := fmt.Sscan(value, &n)
		return err == nil && n >= *x.Least
	}
	return slices.ContainsFunc(x.Values, func(v any) bool { return strings.EqualFold(fmt.Sprint(v), value) })
}

// hostOf returns the host that an object is, or is in.
func hostOf(o inventory.Object) *inventory.Host {
	switch x := o.(type) {
	case *inventory.Host:
		return x
	case *inventory.LUN:
		return x.Host()
	case *inventory.VM:
		return x.Host()
	}
	return nil
}

// disksOf returns the disks that identify vendors: all disks of a host, or the disk itself.
func disksOf(o inventory.Object) ([]*inventory.LUN, []inventory.Gap) {
	switch x := o.(type) {
	case *inventory.LUN:
		return []*inventory.LUN{x}, nil
	case *inventory.Host:
		all, state, reason := x.LUNs.Get()
		if state == inventory.StateUnread {
			return nil, []inventory.Gap{inventory.GapOf(x, "Host.luns", reason)}
		}
		return all, nil
	}
	return nil, nil
}

// IsFor reports whether a value applies to an object. A value without a match and without releases applies everywhere.
func (x *Value) IsFor(o inventory.Object) (bool, []inventory.Gap) {
	inRelease, missing := x.inRelease(o)
	if !inRelease && len(missing) == 0 || len(x.match) == 0 {
		return inRelease, missing
	}
	disks, gaps := disksOf(o)
	for _, m := range x.match {
		for _, l := range disks {
			yes, unsure := m.is(l)
			if yes {
				return inRelease, missing
			}
			gaps = append(gaps, unsure...)
		}
	}
	if len(gaps) == 0 { // no disk matches, so the release does not matter
		return false, nil
	}
	return false, slices.Concat(missing, gaps)
}

// inRelease reports whether a value is published for the release of the object's host.
func (x *Value) inRelease(o inventory.Object) (bool, []inventory.Gap) {
	if x.from == nil && x.before == nil {
		return true, nil
	}
	h := hostOf(o)
	if h == nil {
		return false, []inventory.Gap{inventory.GapOf(o, "Host.version", "its host was not read")}
	}
	version, state, reason := h.Version.Get()
	if state != inventory.StateKnown {
		return false, []inventory.Gap{inventory.GapOf(h, "Host.version", reason)}
	}
	return (x.from == nil || version.AtLeast(*x.from)) && (x.before == nil || !version.AtLeast(*x.before)), nil
}

// is reports whether a disk matches. Local disks do not.
func (m Match) is(l *inventory.LUN) (bool, []inventory.Gap) {
	var missing []inventory.Gap
	local, state, reason := l.Local.Get()
	switch {
	case state == inventory.StateUnread:
		missing = append(missing, inventory.GapOf(l, "LUN.local", reason))
	case local:
		return false, nil
	}
	for _, c := range []struct {
		want string
		have inventory.Fact[string]
		name string
	}{{m.Vendor, l.Vendor, "LUN.vendor"}, {m.Model, l.Model, "LUN.model"}, {m.ArrayType, l.ArrayType, "LUN.arrayType"}} {
		if c.want == "" {
			continue
		}
		have, state, reason := c.have.Get()
		switch {
		case state == inventory.StateUnread:
			missing = append(missing, inventory.GapOf(l, c.name, reason))
		case !strings.EqualFold(strings.TrimSpace(have), c.want):
			return false, nil
		}
	}
	if m.Flash {
		flash, state, reason := l.SSD.Get()
		switch {
		case state == inventory.StateUnread:
			missing = append(missing, inventory.GapOf(l, "LUN.ssd", reason))
		case !flash:
			return false, nil
		}
	}
	return len(missing) == 0, missing
}
