package read

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

func TestPathOfAVMInAVApp(t *testing.T) {
	app := ref{Type: "VirtualApp", Value: "resgroup-v7"}
	root := ref{Type: "Folder", Value: "root"}
	part := &selection{index: &index{Tree: &tree.Tree{Root: root, Nodes: map[ref]*tree.Node{app: {Ref: app, Name: "app", Parent: root}}}}}
	v := part.vm(vspheretest.Given(map[string]any{tree.PathName: "web", tree.PathVApp: app}), property.Plan[*vm]{})
	require.Equal(t, "/app/web", v.Path)
	v = part.vm(vspheretest.Given(map[string]any{tree.PathName: "lost"}), property.Plan[*vm]{})
	require.Equal(t, "…/lost", v.Path)
}
