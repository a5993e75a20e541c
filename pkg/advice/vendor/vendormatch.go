package vendor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// publication is a published setting and whose it is.
type publication struct {
	by    *Vendor
	value *Value
}

// Published is what vendors publish about one setting of one object. A vendor that the object's own disks name is certain to be
// meant. The others count where no named vendor publishes the setting.
type Published struct {
	named, broad             []publication
	unsureNamed, unsureBroad []publication   // those whose match rests on unread facts
	Gaps                     []inventory.Gap // those facts
}

// About finds what vendors publish about a setting of an object.
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

// named reports a value of a vendor whose disks say so.
func (x publication) named() bool {
	return slices.ContainsFunc(x.value.match, func(m Match) bool { return m.Vendor != "" })
}

// Accepts reports whether a value is one that the vendors publish; where that rests on unread facts, which. Named vendors
// have to agree; without them any other will do.
func (a Published) Accepts(value string) (bool, []inventory.Gap) {
	has := func(x publication) bool { return x.value.has(value) }
	refuses := func(x publication) bool { return !x.value.has(value) }
	var can, cannot bool // with some answer to what is not read
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

// Disagree reports whether two named vendors publish values of which none is the same.
func (a Published) Disagree() bool {
	_, agreed := a.Agreed()
	return len(a.named) > 1 && !agreed && !slices.ContainsFunc(a.named, func(x publication) bool { return x.value.Least != nil })
}

// Agreed is the value that all named vendors publish, the first of the first's.
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

// Undecided reports that unread facts decide whether a named vendor is meant.
func (a Published) Undecided() bool { return len(a.unsureNamed) > 0 }

// Texts says who publishes what, and in which document.
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

// has reports a value that is published.
func (x *Value) has(value string) bool {
	if x.Least != nil {
		var n int64
		_, err := fmt.Sscan(value, &n)
		return err == nil && n >= *x.Least
	}
	return slices.ContainsFunc(x.Values, func(v any) bool { return strings.EqualFold(fmt.Sprint(v), value) })
}

// hostOf is the host that an object is, or is in.
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

// disksOf are the disks that tell which vendors are meant: of a host all that it sees, of a disk itself.
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

// IsFor reports whether a value is meant for an object. One without a match and without releases is meant everywhere.
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
	if len(gaps) == 0 { // it is none of the disks, whatever the release
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

// is reports whether a disk is one that a vendor speaks of. A disk in the host is none.
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
