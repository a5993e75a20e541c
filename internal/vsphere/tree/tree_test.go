package tree

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathsSurviveRings(t *testing.T) {
	folder := func(id string) ref { return ref{Type: "Folder", Value: id} }
	x := &Tree{Root: folder("root"), Nodes: map[ref]*Node{
		folder("a"): {Ref: folder("a"), Name: "a", Parent: folder("b")},
		folder("b"): {Ref: folder("b"), Name: "b", Parent: folder("a")},
		folder("c"): {Ref: folder("c"), Name: "c", Parent: folder("root")},
	}}
	require.Equal(t, "/c", x.Path(folder("c")))
	require.Contains(t, x.Path(folder("a")), "…/")
	require.Equal(t, ref{}, x.Compute(folder("a")))
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{"a%2fb": "a/b", "a%5cb": `a\b`, "100%25": "100%", "%252f": "%2f", "50%zz": "50%zz"} {
		require.Equal(t, want, Unescape(in))
	}
}
