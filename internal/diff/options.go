package diff

import (
	"net/url"
	"reflect"
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// notSaved is the reason of options that only one side has.
const notSaved = "only one side has the option: on the other, the host does not have it, or it was at its default and not saved"

// options compares the advanced options of a host. A snapshot holds the options of vperf's table and those that differ from the
// host's default, so a missing option has its default, or does not exist. It is a change only if the option differs from its
// default on one side, and the other side knows which options do.
func (c *comparison) options(o *owner, at place, f *inventory.Field, from, to map[string]inventory.Option, before, after reflect.Value) {
	was, wasHost := reflect.TypeAssert[*inventory.Host](before.Addr())
	is, isHost := reflect.TypeAssert[*inventory.Host](after.Addr())
	if !wasHost || !isHost {
		return
	}
	for _, key := range union(from, to) {
		a, inOld := from[key]
		b, inNew := to[key]
		change := Change{Address: at.address + "/" + url.PathEscape(key), Kind: Changed, Role: f.Role, Fact: f.Name, Key: key}
		switch {
		case a.Unread != "":
			c.gap(o, OldSide, a.Unread, f.Name+" "+key)
			continue
		case b.Unread != "":
			c.gap(o, NewSide, b.Unread, f.Name+" "+key)
			continue
		case inOld && inNew && a.Value.Text == b.Value.Text:
			continue
		case inOld && inNew:
			change.From, change.To = inventory.Known[any](a.Value.Native()), inventory.Known[any](b.Value.Native())
		case inNew && certainlyOff(is, was, key):
			change.Kind, change.From, change.To = Added, inventory.Absent[any](), inventory.Known[any](b.Value.Native())
			change.Note = defaultBefore
		case inOld && certainlyOff(was, is, key):
			change.Kind, change.From, change.To = Removed, inventory.Known[any](a.Value.Native()), inventory.Absent[any]()
			change.Note = defaultNow
		case inNew:
			c.gap(o, OldSide, notSaved, f.Name+" "+key)
			continue
		default:
			c.gap(o, NewSide, notSaved, f.Name+" "+key)
			continue
		}
		c.add(o, at, change)
	}
}

// The notes of options that only one side has.
const (
	defaultBefore = "before, the option was at its default or did not exist"
	defaultNow    = "the option is at its default now, or does not exist any more"
)

// certainlyOff reports whether a host lists an option as off its default, and the other host lists such options without it.
func certainlyOff(off, other *inventory.Host, key string) bool {
	listed, known := off.OffDefault.Value()
	others, otherKnown := other.OffDefault.Value()
	return known && otherKnown && slices.Contains(listed, key) && !slices.Contains(others, key)
}
