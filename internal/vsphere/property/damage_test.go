package property

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/wire"
	"github.com/vperf/vperf/pkg/inventory"
)

func object(id string, props ...types.DynamicProperty) types.ObjectContent {
	return types.ObjectContent{Obj: ref{Type: TypeVM, Value: id}, PropSet: props}
}

// TestDamagedIDsMakeAnswersIncomplete: the other objects are read, and the error says why one is missing.
func TestDamagedIDsMakeAnswersIncomplete(t *testing.T) {
	r := &Reader{Session: new(session.Session)}
	var seen []string
	err := r.deliver(t.Context(), 0, &Query{}, map[ref]int{}, []types.ObjectContent{object("vm-1"), object("vm\uFFFD-2"), object("vm-3")}, func(p *Props) {
		seen = append(seen, p.Ref.Value)
	})
	require.ErrorContains(t, err, "the answer is incomplete: the id of an object")
	require.Equal(t, []string{"vm-1", "vm-3"}, seen)
}

// TestObjectsWithoutIDsOfTheirOwn: ids that are damaged into nothing, or into another object's id, on the same page or on a later one.
func TestObjectsWithoutIDsOfTheirOwn(t *testing.T) {
	for name, c := range map[string]struct {
		pages [][]types.ObjectContent
		why   string
		seen  []string
	}{
		"fine":           {[][]types.ObjectContent{{object("vm-1")}, {object("vm-2")}}, "", []string{"vm-1", "vm-2"}},
		"empty":          {[][]types.ObjectContent{{object(""), object("vm-2")}}, `"VirtualMachine", has no value`, []string{"vm-2"}},
		"on one page":    {[][]types.ObjectContent{{object("vm-1"), object("vm-1"), object("vm-2")}}, `"vm-1", is there twice`, []string{"vm-2"}},
		"on a later":     {[][]types.ObjectContent{{object("vm-1")}, {object("vm-2"), object("vm-1")}}, `"vm-1", is there twice`, []string{"vm-1", "vm-2"}},
		"another type's": {[][]types.ObjectContent{{object("1"), {Obj: ref{Type: TypeHost, Value: "1"}}}}, "", []string{"1", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reader{Session: new(session.Session)}
			var seen []string
			var err error
			times := map[ref]int{}
			for _, page := range c.pages {
				err = r.deliver(t.Context(), 0, &Query{}, times, page, func(p *Props) { seen = append(seen, p.Ref.Value) })
			}
			require.Equal(t, c.seen, seen)
			if c.why == "" {
				require.NoError(t, err)
				return
			}
			var unnamed *UnnamedError
			require.ErrorAs(t, err, &unnamed)
			require.ErrorContains(t, err, "the answer is incomplete: the id of an object, "+c.why)
		})
	}
}

// TestReasonsNameObjectPropertyAndValue of a damaged property. If the name of a property is damaged, none that was not returned is unset.
func TestReasonsNameObjectPropertyAndValue(t *testing.T) {
	name := types.DynamicProperty{Name: "name", Val: &wire.DamageError{Text: "db\uFFFD-01"}}
	p := NewProps(object("vm-1", name, types.DynamicProperty{Name: "config.x", Val: &wire.DamageError{Text: "five", Want: "a number of 32 bits"}}), &Query{}, new(session.UnknownPaths))
	text, _ := Read(p, "name", Text, Required).Value()
	require.Equal(t, "db\uFFFD-01", text)
	_, state, reason := Read(p, "config.x", Int, DefaultTo(int64(7))).Get()
	require.Equal(t, inventory.StateUnread, state)
	require.Equal(t, "config.x of VM db\uFFFD-01: \"five\" is not a number of 32 bits", reason)

	p = NewProps(object("vm-1", types.DynamicProperty{Name: "config.hardware.device", Val: &wire.DamageError{Member: "[3].capacityInKB", Text: "xx", Want: "a number of 64 bits"}}), &Query{}, new(session.UnknownPaths))
	_, _, reason = Read(p, "config.hardware.device", Int, Required).Get()
	require.Equal(t, "config.hardware.device[3].capacityInKB of VM vm-1: \"xx\" is not a number of 64 bits", reason)

	p = NewProps(object("vm-1", types.DynamicProperty{Name: "con\uFFFDfig.x", Val: &wire.DamageError{Name: true, Text: "con\uFFFDfig.x"}}), &Query{}, new(session.UnknownPaths))
	_, state, reason = Read(p, "config.x", Int, DefaultTo(int64(7))).Get()
	require.Equal(t, inventory.StateUnread, state)
	require.Contains(t, reason, "the name of a property")
}
