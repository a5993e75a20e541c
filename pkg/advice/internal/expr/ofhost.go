package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"github.com/vperf/vperf/pkg/inventory"
)

// OfHost reports an expression that goes through lists of a host and asks for nothing else: not for the object, its profile or
// other findings.
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
