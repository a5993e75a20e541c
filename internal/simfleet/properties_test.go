package simfleet

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/vperf/vperf/internal/proof"
)

// stockOnly is no property. The fleet leaves a request with one to the simulator.
const stockOnly = "noSuchProperty"

// TestPropertiesAreTheSimulators: the fleet answers each path of each kind of object as the simulator would.
func TestPropertiesAreTheSimulators(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	now := time.Now()
	f := start(t, Config{Now: func() time.Time { return now }})
	c := login(t, f)
	for kind, object := range map[string]any{
		"ClusterComputeResource":         mo.ClusterComputeResource{},
		"ComputeResource":                mo.ComputeResource{},
		"Datacenter":                     mo.Datacenter{},
		"Datastore":                      mo.Datastore{},
		"DistributedVirtualPortgroup":    mo.DistributedVirtualPortgroup{},
		"Folder":                         mo.Folder{},
		"HostSystem":                     mo.HostSystem{},
		"ManagedEntity":                  mo.ManagedEntity{},
		"Network":                        mo.Network{},
		"ResourcePool":                   mo.ResourcePool{},
		"VirtualMachine":                 mo.VirtualMachine{},
		"VmwareDistributedVirtualSwitch": mo.VmwareDistributedVirtualSwitch{},
	} {
		paths := pathsOf(reflect.TypeOf(object), "", 2)
		require.NotEmpty(t, paths, kind)
		want := withoutMissing(readPages(t, c, kind, append(paths, stockOnly), 0))
		require.NotEmpty(t, want, kind)
		got := readPages(t, c, kind, paths, 3)
		require.Len(t, got, len(want), kind)
		for i := range want {
			require.Equal(t, asXML(t, want[i]), asXML(t, got[i]), want[i].Obj)
		}
	}
}

// pathsOf are the paths of a type's fields, to a depth, that lead through structs.
func pathsOf(kind reflect.Type, prefix string, depth int) (paths []string) {
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || depth == 0 || kind == reflect.TypeFor[time.Time]() {
		return nil
	}
	for f := range kind.Fields() {
		switch {
		case f.Anonymous:
			paths = append(paths, pathsOf(f.Type, prefix, depth)...)
		case f.Name != "Self":
			path := prefix + strings.ToLower(f.Name[:1]) + f.Name[1:]
			paths = append(append(paths, path), pathsOf(f.Type, path+".", depth-1)...)
		}
	}
	return paths
}

// readPages reads properties of all objects of a kind in pages. A limit of 0 is one page.
func readPages(t *testing.T, c *vim25.Client, kind string, paths []string, limit int32) (all []types.ObjectContent) {
	t.Helper()
	v, err := view.NewManager(c).CreateContainerView(t.Context(), c.ServiceContent.RootFolder, []string{kind}, true)
	require.NoError(t, err)
	defer func() { _ = v.Destroy(t.Context()) }()
	pc := c.ServiceContent.PropertyCollector
	res, err := methods.RetrievePropertiesEx(t.Context(), c, &types.RetrievePropertiesEx{
		This: pc, Options: types.RetrieveOptions{MaxObjects: limit}, SpecSet: []types.PropertyFilterSpec{{
			PropSet: []types.PropertySpec{{Type: kind, PathSet: paths}},
			ObjectSet: []types.ObjectSpec{{Obj: v.Reference(), Skip: new(true), SelectSet: []types.BaseSelectionSpec{
				&types.TraversalSpec{Type: "ContainerView", Path: "view", Skip: new(false)},
			}}},
		}},
	})
	require.NoError(t, err)
	all = res.Returnval.Objects
	for token := res.Returnval.Token; token != ""; {
		require.Len(t, all[len(all)-int(limit):], int(limit))
		next, err := methods.ContinueRetrievePropertiesEx(t.Context(), c, &types.ContinueRetrievePropertiesEx{This: pc, Token: token})
		require.NoError(t, err)
		all, token = append(all, next.Returnval.Objects...), next.Returnval.Token
	}
	return all
}

func withoutMissing(objects []types.ObjectContent) []types.ObjectContent {
	for i := range objects {
		objects[i].MissingSet = nil
	}
	return objects
}

func asXML(t *testing.T, v any) string {
	t.Helper()
	text, err := xml.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
