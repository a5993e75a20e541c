package vsphere

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathOfAVMInAVApp(t *testing.T) {
	app := ref{Type: "VirtualApp", Value: "resgroup-v7"}
	root := ref{Type: "Folder", Value: "root"}
	part := &portion{index: &index{tree: &tree{root: root, nodes: map[ref]*node{app: {ref: app, name: "app", parent: root}}}}}
	v := part.vm(given(map[string]any{pathName: "web", pathVApp: app}), plan[*vm]{})
	require.Equal(t, "/app/web", v.Path)
	v = part.vm(given(map[string]any{pathName: "lost"}), plan[*vm]{})
	require.Equal(t, "…/lost", v.Path)
}
