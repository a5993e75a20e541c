package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/inventory"
)

// A snapshot does not differ from itself, whatever is in it, and however a server orders its lists.
func TestProveNothingDiffersFromItself(t *testing.T) {
	t.Parallel()
	for seed := range uint64(proof.Count(t, 60, 1500)) {
		e := estate{rand.New(rand.NewPCG(seed, 1))}
		doc := e.snapshot(e.snapshot(nil))
		a := load(t, doc)
		e.shuffle(reflect.TypeFor[inventory.VCenter](), doc["vcenters"].([]any)[0].(object))
		d, err := Facts(a, load(t, doc))
		require.NoError(t, err)
		require.True(t, d.Empty(), "seed %d: %+v %+v %+v %+v", seed, d.Changes, d.Came, d.Went, d.Renamed)
	}
}

// shuffle reorders the lists whose order has no meaning.
func (e estate) shuffle(t reflect.Type, doc object) {
	for _, f := range inventory.FieldsOf(t) {
		list, ok := doc[f.JSON()].([]any)
		if !ok || f.Ordered {
			continue
		}
		typ, _ := typeOf(t, f)
		if keyed := isKeyed(typ); keyed || typ.Elem().Kind() != reflect.Pointer {
			e.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			for _, x := range list {
				if keyed {
					e.shuffle(typ.Elem().Elem(), x.(object))
				}
			}
		}
	}
}

// The difference of two snapshots, applied to the first, gives the second, for all that could be compared. The test reads
// the snapshots' JSON by itself, so it shares only the roles with the code.
func TestProveADifferenceLeadsFromOldToNew(t *testing.T) {
	t.Parallel()
	changes := 0
	for seed := range uint64(proof.Count(t, 60, 1500)) {
		e := estate{rand.New(rand.NewPCG(seed, 2))}
		old := e.snapshot(e.snapshot(nil))
		next := e.snapshot(old)
		d, err := Facts(load(t, old), load(t, next))
		require.NoError(t, err)
		changes += len(d.Changes)

		from, to := flat(t, old), flat(t, next)
		for _, c := range d.Changes {
			require.NotEqual(t, from[c.Address], to[c.Address], "seed %d: %s is no change", seed, c.Address)
		}
		got := apply(t, from, to, d)
		for address := range to {
			if !unreadAt(from, to, address) && !gapAt(d, address) {
				require.Equal(t, to[address], got[address], "seed %d: %s", seed, address)
			}
		}
		for address := range got {
			if _, ok := to[address]; !ok && !unreadAt(from, to, address) && !gapAt(d, address) {
				require.Fail(t, "too much", "seed %d: %s = %s should not be there", seed, address, got[address])
			}
		}
		requireNames(t, d, old, next)
	}
	require.Greater(t, changes, 1000, "the estates differ")
}

// The values of addresses that have no text of their own.
const (
	unreadMark = "unread"
	absentMark = "absent"
	thereMark  = "there" // an object or an element of a list
	listMark   = "list"  // a list that was read
)

// flat returns all compared values of a snapshot by their address.
func flat(t *testing.T, doc object) map[string]string {
	t.Helper()
	all := map[string]string{}
	v := doc["vcenters"].([]any)[0].(object)
	flatStruct(t, all, "uuid-1", reflect.TypeFor[inventory.VCenter](), v)
	for list, kind := range members {
		objects, _ := v[list].([]any)
		for _, x := range objects {
			o := x.(object)
			address := "uuid-1/" + string(kind.scope) + "/" + url.PathEscape(o["id"].(string))
			all[address] = thereMark
			flatStruct(t, all, address, kind.t, o)
		}
	}
	return all
}

var members = map[string]struct {
	scope inventory.Scope
	t     reflect.Type
}{
	"clusters": {inventory.ScopeCluster, reflect.TypeFor[inventory.Cluster]()}, "pools": {inventory.ScopePool, reflect.TypeFor[inventory.Pool]()},
	"hosts": {inventory.ScopeHost, reflect.TypeFor[inventory.Host]()}, "vms": {inventory.ScopeVM, reflect.TypeFor[inventory.VM]()},
	"switches": {inventory.ScopeSwitch, reflect.TypeFor[inventory.Switch]()}, "datastores": {inventory.ScopeDatastore, reflect.TypeFor[inventory.Datastore]()},
}

func flatStruct(t *testing.T, all map[string]string, at string, typ reflect.Type, o object) {
	t.Helper()
	for _, f := range inventory.FieldsOf(typ) {
		if !f.Role.Compared() {
			continue
		}
		address := at + "/" + f.JSON()
		value, there := o[f.JSON()]
		fieldType, fact := typeOf(typ, f)
		state, _ := value.(object)
		switch {
		case !there && fact, state["$unread"] != nil:
			all[address] = unreadMark
		case !there:
			all[address] = text(t, reflect.Zero(fieldType).Interface(), false)
		case state["$absent"] != nil:
			all[address] = absentMark
		case isKeyed(fieldType):
			all[address] = listMark
			for _, x := range value.([]any) {
				element := fieldType.Elem().Elem()
				inside := address + "/" + url.PathEscape(fmt.Sprint(x.(object)[inventory.KeyOf(element).JSON()]))
				all[inside] = thereMark
				flatStruct(t, all, inside, element, x.(object))
			}
		case fieldType.Kind() == reflect.Map:
			all[address] = listMark
			for key, x := range state {
				if option, ok := x.(object); ok {
					x = option["value"].(object)["text"]
				}
				all[address+"/"+url.PathEscape(key)] = text(t, x, true)
			}
		default:
			all[address] = text(t, value, f.Ordered)
		}
	}
}

// text returns a value as text, with lists in one order.
func text(t *testing.T, value any, ordered bool) string {
	t.Helper()
	b, err := json.Marshal(value)
	require.NoError(t, err)
	var plain any
	require.NoError(t, json.Unmarshal(b, &plain))
	list, ok := plain.([]any)
	if !ok {
		if plain == nil {
			return "[]"
		}
		b, err = json.Marshal(plain)
		require.NoError(t, err)
		return string(b)
	}
	parts := []string{}
	for _, x := range list {
		parts = append(parts, text(t, x, true))
	}
	if len(list) > 0 && !ordered {
		if _, plainValue := list[0].(object); !plainValue {
			slices.Sort(parts)
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// apply makes the changes of a difference. The content of what is new comes from the new side.
func apply(t *testing.T, from, to map[string]string, d *Diff) map[string]string {
	t.Helper()
	all := map[string]string{}
	maps.Copy(all, from)
	remove := func(prefix string) {
		for address := range all {
			if address == prefix || strings.HasPrefix(address, prefix+"/") {
				delete(all, address)
			}
		}
	}
	take := func(prefix string) {
		remove(prefix)
		for address, value := range to {
			if address == prefix || strings.HasPrefix(address, prefix+"/") {
				all[address] = value
			}
		}
	}
	for _, o := range d.Went {
		remove("uuid-1/" + string(o.Kind) + "/" + url.PathEscape(o.ID))
	}
	for _, o := range d.Came {
		take("uuid-1/" + string(o.Kind) + "/" + url.PathEscape(o.ID))
	}
	for _, c := range d.Changes {
		value, state, _ := c.To.Get()
		switch {
		case c.Kind == Removed:
			remove(c.Address)
		case c.Kind == BecameAbsent:
			remove(c.Address)
			all[c.Address] = absentMark
		case state == inventory.StateAbsent:
			require.Fail(t, "no value", "%+v", c)
		case c.Kind == Added || c.Kind == BecamePresent && to[c.Address] == listMark:
			take(c.Address)
		case c.Fact == "Host.options":
			all[c.Address] = text(t, fmt.Sprint(value), true)
		default:
			all[c.Address] = text(t, value, isOrdered(c.Fact))
		}
	}
	return all
}

func isOrdered(fact string) bool { return fact == "Portgroup.active" || fact == "Portgroup.standby" }

// unreadAt reports whether an address, or what contains it, is unread on one side.
func unreadAt(from, to map[string]string, address string) bool {
	for {
		if from[address] == unreadMark || to[address] == unreadMark {
			return true
		}
		i := strings.LastIndexByte(address, '/')
		if i < 0 {
			return false
		}
		address = address[:i]
	}
}

// gapAt reports whether an address is an option, or of a host, that could not be compared.
func gapAt(d *Diff, address string) bool {
	before, key, isOption := strings.Cut(address, "/options/")
	key, _ = url.PathUnescape(key)
	return slices.ContainsFunc(d.Uncompared, func(u Uncompared) bool {
		host := "uuid-1/host/" + url.PathEscape(u.Object.ID)
		return u.Object.Kind == inventory.ScopeHost && len(u.Facts) == 0 && strings.HasPrefix(address+"/", host+"/") ||
			isOption && before == host && slices.Contains(u.Facts, "Host.options "+key)
	})
}

// requireNames checks that each object with another name is reported, and no other.
func requireNames(t *testing.T, d *Diff, old, next object) {
	t.Helper()
	names := func(doc object) map[string]string {
		all := map[string]string{}
		for list, kind := range members {
			objects, _ := doc["vcenters"].([]any)[0].(object)[list].([]any)
			for _, x := range objects {
				all[string(kind.scope)+x.(object)["id"].(string)] = x.(object)["name"].(string)
			}
		}
		return all
	}
	was, is := names(old), names(next)
	want := map[string]string{}
	for id, name := range is {
		if before, both := was[id]; both && before != name {
			want[id] = before + " → " + name
		}
	}
	got := map[string]string{}
	for _, r := range d.Renamed {
		got[string(r.Object.Kind)+r.Object.ID] = r.From + " → " + r.To
	}
	require.Equal(t, want, got)
}
