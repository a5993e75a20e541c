package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"github.com/vperf/vperf/pkg/inventory"
)

// OfHost reports whether an expression iterates over lists of a host and reads nothing else: neither the object, nor
// its profile, nor other findings.
func OfHost(tree *cel.Ast) bool {
	known, lists := map[string]bool{string(inventory.ScopeHost): true}, false
	var named []string
	ast.PreOrderVisit(tree.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			known[c.IterVar()], known[c.AccuVar()] = true, true
			lists = true
		case ast.IdentKind:
			named = append(named, e.AsIdent())
		}
	}))
	for _, n := range named {
		if !known[n] {
			return false
		}
	}
	return lists
}
