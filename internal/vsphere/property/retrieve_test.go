package property

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// TestReusedPropsHaveOneObject: the answer about an object has nothing of the one before it.
func TestReusedPropsHaveOneObject(t *testing.T) {
	r := &Reader{Session: new(session.Session)}
	first := types.ObjectContent{
		Obj:        ref{Type: TypeVM, Value: "vm-1"},
		PropSet:    []types.DynamicProperty{{Name: "name", Val: "one"}, {Name: "config.version", Val: "vmx-21"}},
		MissingSet: []types.MissingProperty{{Path: "runtime", Fault: types.LocalizedMethodFault{Fault: new(types.NoPermission)}}},
	}
	second := types.ObjectContent{Obj: ref{Type: TypeVM, Value: "vm-2"}, PropSet: []types.DynamicProperty{{Name: "name", Val: "two"}}}
	var seen []string
	var props []*Props
	err := r.deliver(t.Context(), 0, &Query{Reuse: true}, map[ref]int{}, []types.ObjectContent{first, second}, func(p *Props) {
		version, gap := p.Lookup("runtime.host")
		require.Nil(t, version)
		require.Equal(t, p.Ref.Value == "vm-1", gap.reason != "")
		seen = append(seen, p.Ref.Value+" "+p.Values["name"].(string)+" "+strconv.FormatBool(p.Has("config")))
		props = append(props, p)
	})
	require.NoError(t, err)
	require.Equal(t, []string{"vm-1 one true", "vm-2 two false"}, seen)
	require.Same(t, props[0], props[1])
}

// BenchmarkDeliver passes on a page of VMs.
func BenchmarkDeliver(b *testing.B) {
	r := &Reader{Session: new(session.Session)}
	page := make([]types.ObjectContent, PageOfVMs)
	for i := range page {
		page[i].Obj = ref{Type: TypeVM, Value: strconv.Itoa(i)}
		for k := range 40 {
			page[i].PropSet = append(page[i].PropSet, types.DynamicProperty{Name: "config." + strconv.Itoa(k), Val: true})
		}
	}
	for _, reuse := range []bool{false, true} {
		b.Run("reuse="+strconv.FormatBool(reuse), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, r.deliver(b.Context(), 0, &Query{Reuse: reuse}, map[ref]int{}, page, func(*Props) {}))
			}
		})
	}
}
