package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// estate makes random snapshots as their JSON, so that every field that a snapshot can have takes part, also new ones.
type estate struct{ *rand.Rand }

type object = map[string]any

// snapshot returns a snapshot of one whole server. Of a previous one it keeps most of the content.
func (e estate) snapshot(before object) object {
	if before == nil {
		before = object{"schema": inventory.SnapshotSchema, "source": "vc", "vcenters": []any{object{"kind": "vcenter", "takenAt": "2026-11-01T10:00:00Z"}}}
	}
	v := e.fill(reflect.TypeFor[inventory.VCenter](), before["vcenters"].([]any)[0].(object))
	v["id"], v["name"], v["path"], v["kind"], v["whole"] = "uuid-1", "vc", "/", "vcenter", true
	v["takenAt"] = "2026-11-08T10:00:00Z"
	for _, gone := range []string{"chosenVMs", "unread", "liveFrom", "liveTo"} {
		delete(v, gone)
	}
	return object{"schema": inventory.SnapshotSchema, "source": "vc", "vcenters": []any{v}}
}

// fill returns the fields of a struct, most of them as they were.
func (e estate) fill(t reflect.Type, before object) object {
	out := object{}
	for _, f := range inventory.FieldsOf(t) {
		was, had := before[f.JSON()]
		value, there := e.field(t, f, was, had)
		if there {
			out[f.JSON()] = value
		}
	}
	if t == reflect.TypeFor[inventory.Host]() {
		e.offDefault(out)
	}
	return out
}

func (e estate) field(t reflect.Type, f *inventory.Field, was any, had bool) (any, bool) {
	typ, fact := typeOf(t, f)
	keep := had && e.IntN(10) < 8
	switch {
	case f.Role == inventory.RoleKey && had:
		return was, true
	case f.Role == inventory.RoleMembers, isKeyed(typ) && keep && fact && !isState(was):
		old, _ := was.([]any)
		return e.list(typ.Elem().Elem(), old), true
	case keep:
		return was, true
	case f.Role == inventory.RoleMeasured && !fact:
		return nil, false
	case fact && e.IntN(8) == 0:
		return nil, false // unread without a reason
	case fact && e.IntN(8) == 0: //nolint:gocritic // each case draws anew
		return object{"$unread": e.pick("no answer", "denied")}, true
	case fact && e.IntN(6) == 0:
		return object{"$absent": true}, true
	}
	return e.value(typ), true
}

func isState(v any) bool {
	o, ok := v.(object)
	return ok && (o["$absent"] != nil || o["$unread"] != nil)
}

// typeOf returns the type of a field's value, and whether the field is a fact.
func typeOf(t reflect.Type, f *inventory.Field) (reflect.Type, bool) {
	v := reflect.New(t).Elem()
	value, _, _ := f.Read(v)
	typ := reflect.TypeOf(value)
	field := fieldOf(v, f.JSON())
	_, fact := reflect.TypeAssert[inventory.Reader](field.Addr())
	return typ, fact
}

func fieldOf(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if found := fieldOf(v.Field(i), name); found.IsValid() {
				return found
			}
		}
		if tag := f.Tag.Get("json"); tag == name || len(tag) > len(name) && tag[:len(name)+1] == name+"," {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func isKeyed(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Pointer && inventory.KeyOf(t.Elem().Elem()) != nil
}

// list keeps most elements, and adds some, in a random order.
func (e estate) list(t reflect.Type, before []any) []any {
	out := []any{}
	used := map[string]bool{}
	key := inventory.KeyOf(t)
	for _, was := range before {
		used[fmt.Sprint(was.(object)[key.JSON()])] = true
		if e.IntN(8) > 0 {
			out = append(out, e.fill(t, was.(object)))
		}
	}
	for range e.IntN(3) {
		x := e.fill(t, nil)
		if id := fmt.Sprint(x[key.JSON()]); !used[id] {
			used[id] = true
			out = append(out, x)
		}
	}
	e.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (e estate) value(t reflect.Type) any {
	switch {
	case t == reflect.TypeFor[inventory.Version]():
		return e.pick("7.0.3", "8.0.2", "9.0.1")
	case t == reflect.TypeFor[time.Time]():
		return e.pick("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")
	case t == reflect.TypeFor[inventory.Live]():
		return object{}
	case t == reflect.TypeFor[map[string]inventory.Option]():
		all := object{}
		for _, key := range []string{"Mem.A/b", "Net.C", "Disk.D", "Mem.AllocGuestLargePage"} {
			if e.IntN(3) > 0 {
				all[key] = object{"value": object{"type": "long", "text": e.pick("1", "2")}, "default": object{"type": "long", "text": "1"}}
			}
		}
		return all
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.String:
		all := object{}
		for range e.IntN(4) {
			all[e.pick("k/1", "k 2", "k.3")] = e.pick("", "x", "y")
		}
		return all
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Pointer && inventory.KeyOf(t.Elem().Elem()) == nil:
		var all []any
		for range e.IntN(3) {
			all = append(all, e.fill(t.Elem().Elem(), nil))
		}
		return append([]any{}, all...)
	case isKeyed(t):
		return e.list(t.Elem().Elem(), nil)
	case t.Kind() == reflect.Slice:
		all := []any{}
		for range e.IntN(4) {
			all = append(all, e.value(t.Elem()))
		}
		return all
	}
	switch t.Kind() {
	case reflect.String:
		return e.pick("a", "b", "c/d", "é", "")
	case reflect.Bool:
		return e.IntN(2) == 0
	case reflect.Float64:
		return float64(e.IntN(4))
	case reflect.Map, reflect.Struct:
		return object{}
	}
	return float64(e.IntN(5))
}

func (e estate) pick(words ...string) string { return words[e.IntN(len(words))] }

// offDefault lists the options that differ from their default, or does not know them.
func (e estate) offDefault(host object) {
	host["offDefault"] = object{"$unread": "no defaults"}
	options, _ := host["options"].(object)
	if isState(options) || host["options"] == nil || e.IntN(4) == 0 {
		return
	}
	off := []any{}
	for key, o := range options {
		if o.(object)["value"].(object)["text"] != "1" && key != "Disk.D" { // a key of another namespace is not listed
			off = append(off, key)
		}
	}
	slices.SortFunc(off, func(a, b any) int { return bytes.Compare([]byte(a.(string)), []byte(b.(string))) })
	host["offDefault"] = off
}

// load reads a snapshot as vperf reads a file.
func load(t testing.TB, doc object) *inventory.Snapshot {
	t.Helper()
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	s, err := inventory.Load(bytes.NewReader(text))
	require.NoError(t, err)
	return s
}
