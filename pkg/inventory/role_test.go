package inventory

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every field of a snapshot has a role. A new fact without one fails here: state in its tag whether a user configures it
// (setting), what the host is made of (platform), where the object is (placement), how it works at the moment (state), or
// a figure that changes by itself (measured).
func TestEveryFieldHasARole(t *testing.T) {
	seen := map[reflect.Type]bool{}
	checkRoles(t, reflect.TypeFor[VCenter](), seen)
	require.Greater(t, len(seen), 20, "the walk reaches the devices of hosts and VMs")
}

func checkRoles(t *testing.T, of reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if r, ok := reflect.TypeAssert[Reader](reflect.New(of)); ok {
		checkRoles(t, r.ValueType(), seen)
		return
	}
	if of.Kind() != reflect.Struct || seen[of] || slices.Contains(plainStructs, of) {
		return
	}
	seen[of] = true
	keys := 0
	for _, f := range FieldsOf(of) {
		require.Contains(t, Roles(), f.Role, "%s needs the tag role", f.Name)
		if f.Role == RoleKey {
			keys++
		}
		in := of.FieldByIndex(f.index)
		if f.Role.Compared() && (strings.HasSuffix(in.Name, "ID") || strings.HasSuffix(in.Name, "IDs")) {
			require.True(t, f.IDs || notObjects[f.Name], "%s needs the option ids, if it identifies objects", f.Name)
		}
		checkRoles(t, in.Type, seen)
	}
	require.LessOrEqual(t, keys, 1, "%s has one key", of)
}

// plainStructs are values and not objects.
var plainStructs = []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[Version](), reflect.TypeFor[Value](), reflect.TypeFor[LiveCounter]()}

// notObjects are compared fields whose names end as those of ids, and are not ids of objects.
var notObjects = map[string]bool{"VM.guestId": true, "VM.runningGuestId": true, "VDisk.lunUuid": true, "LUN.uuid": true}

func TestFieldsAreRead(t *testing.T) {
	h := &Host{Entity: Entity{ID: "host-1", Name: "esx01"}, PowerPolicy: Known("static"), Cores: Absent[int64](), MemoryMB: Unread[int64]("no answer")}
	read := func(name string) (any, State, string) {
		for _, f := range FieldsOf(reflect.TypeFor[Host]()) {
			if f.Name == name {
				return f.Read(reflect.ValueOf(h).Elem())
			}
		}
		t.Fatalf("no field %s", name)
		return nil, 0, ""
	}
	for name, want := range map[string][3]any{
		"Host.id": {"host-1", StateKnown, ""}, "Host.powerPolicy": {"static", StateKnown, ""}, "Host.cores": {int64(0), StateAbsent, ""},
		"Host.memoryMB": {int64(0), StateUnread, "no answer"}, "Host.vendor": {"", StateUnread, ""},
	} {
		value, state, reason := read(name)
		require.Equal(t, want, [3]any{value, state, reason}, name)
	}
	require.Equal(t, "powerPolicy", (&Field{Name: "Host.powerPolicy"}).JSON())
	require.Equal(t, "PNIC.device", KeyOf(reflect.TypeFor[PNIC]()).Name)
	require.Nil(t, KeyOf(reflect.TypeFor[DiskGroup]()))
}
