package vsphere

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathsSurviveRings(t *testing.T) {
	folder := func(id string) ref { return ref{Type: "Folder", Value: id} }
	x := &tree{root: folder("root"), nodes: map[ref]*node{
		folder("a"): {ref: folder("a"), name: "a", parent: folder("b")},
		folder("b"): {ref: folder("b"), name: "b", parent: folder("a")},
		folder("c"): {ref: folder("c"), name: "c", parent: folder("root")},
	}}
	require.Equal(t, "/c", x.path(folder("c")))
	require.Contains(t, x.path(folder("a")), "…/")
	require.Equal(t, ref{}, x.compute(folder("a")))
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{"a%2fb": "a/b", "a%5cb": `a\b`, "100%25": "100%", "%252f": "%2f", "50%zz": "50%zz"} {
		require.Equal(t, want, unescape(in))
	}
}
