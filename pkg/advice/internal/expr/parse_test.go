package expr

import (
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/vperf/vperf/pkg/inventory"
)

// FuzzExpression: the quick parser makes the same tree as that of the environment, and accepts nothing that it refuses.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		`vm.vcpus > 8 && !(host.cores < 4 || vm.memoryMB % 2 == 0)`,
		`vm.vcpus > 4 ? "wide" : vm.vcpus > 2 ? 'middle' : r"narrow\d"`,
		`host.pnics.exists(p, p.uplink && p.linkMbps >= 25000) // fast`,
		`vm.disks.filter(d, d.controller in ["pvscsi", "nvme",]).map(d, d.name + "\u00e9\n")`,
		`vm.disks.exists(d, host.pnics.all(p, p.name != d.name))`,
		`{"a": 1, "b": -2.5e3}["a"] == 0x1F - 1u`,
		`math.greatest(vm.vcpus, -1) - - 1`,
		`"%d of %s".format([vm.vcpus, vm.name])`,
		"\"\"\"three\nlines\"\"\" + '''\"'''",
		`b"bytes" == b'\xff'`,
		`has(vm.name)`, `vm.name == null`, `vm.` + "`name`", `.vm.vcpus`, `Message{field: 1}`, `a[?0]`, `a.?b`,
		``, ` `, `1 +`, `(1`, `[1, 2`, `"open`, `in`, `if`, `1 2`, `a b`, `1..2`, `$`, "\x00", "\xff", `'\z'`, `99999999999999999999`, `1e999`, `--1`, `!!true`, `!-1`,
		strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300), strings.Repeat("!", 400) + "true", strings.Repeat("1+", 3000) + "1",
	} {
		f.Add(text)
	}
	env, err := ForScope(inventory.ScopeVM, true)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		tree := parse(env, text)
		if tree == nil {
			return
		}
		want, issues := env.Parse(text)
		require.NoError(t, issues.Err(), "%q", text)
		require.True(t, proto.Equal(treeOf(t, want), treeOf(t, tree)), "%q\n%v\n%v", text, treeOf(t, want), treeOf(t, tree))
	})
}

// treeOf returns the tree without the places of its parts: they differ by one column for names that begin with a dot.
func treeOf(t *testing.T, a *cel.Ast) proto.Message {
	t.Helper()
	tree, err := cel.AstToParsedExpr(a)
	require.NoError(t, err)
	return tree.GetExpr()
}

// TestErrorsOfExpressions: they are those of the environment's parser and checker, and name the place.
func TestErrorsOfExpressions(t *testing.T) {
	env, err := ForScope(inventory.ScopeVM, false)
	require.NoError(t, err)
	for _, text := range []string{`vm.vcpus >`, "vm.vcpus > 1 &&\n vm.nothing", `vm.name.matches("[")`, `vm.name > 1`} {
		_, want := env.Compile(text)
		_, got := Compile(env, text)
		require.Error(t, want.Err())
		require.EqualError(t, got.Err(), want.Err().Error())
	}
}
