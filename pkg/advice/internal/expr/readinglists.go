package expr

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// elements are the fields that an expression reads of the elements of lists, by the CEL type of the elements. Two lists
// with equal fields give the same result.
type elements map[string][]string

// escapes marks a type whose elements are used otherwise than by their fields.
const escapes = "*"

// elementsOf finds the fields of elements in an expression.
func elementsOf(tree *ast.AST) elements {
	e := elements{}
	e.visit(tree, tree.Expr())
	e.use(tree, tree.Expr()) // the result
	return e
}

// visit walks an expression. Each part is used by the part that holds it.
func (e elements) visit(tree *ast.AST, x ast.Expr) {
	switch x.Kind() {
	case ast.SelectKind:
		operand := x.AsSelect().Operand()
		if name := structName(tree.GetType(operand.ID())); name != "" {
			e[name] = append(e[name], x.AsSelect().FieldName())
		}
		e.visit(tree, operand)
	case ast.CallKind:
		e.call(tree, x.AsCall())
	case ast.ListKind:
		for _, one := range x.AsList().Elements() {
			e.visit(tree, one)
		}
	case ast.ComprehensionKind:
		c := x.AsComprehension()
		for _, part := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			e.visit(tree, part)
		}
	}
}

// call walks a call. Only calls that keep lists as they are do not use the elements themselves.
func (e elements) call(tree *ast.AST, c ast.CallExpr) {
	parts := c.Args()
	if c.IsMemberFunction() {
		parts = append(slices.Clone(parts), c.Target())
	}
	for _, p := range parts {
		if !slices.Contains(keepsElements, c.FunctionName()) {
			e.use(tree, p)
		}
		e.visit(tree, p)
	}
}

var keepsElements = []string{operators.Add, operators.Conditional, operators.Index, "size"}

// use marks the type of a value, or of its elements, as used otherwise than by fields.
func (e elements) use(tree *ast.AST, x ast.Expr) {
	t := tree.GetType(x.ID())
	for t != nil && t.Kind() == types.ListKind {
		t = t.Parameters()[0]
	}
	if name := structName(t); name != "" {
		e[name] = append(e[name], escapes)
	}
}

func structName(t *types.Type) string {
	if t == nil || t.Kind() != types.StructKind {
		return ""
	}
	return t.TypeName()
}

// listReader returns the name of a list with the fields that are read of its elements, and a function that encodes them;
// nil if it is not a list of structs, or if the elements are used otherwise.
func (e elements) listReader(t *types.Type, name string, list func(any) (any, bool)) (string, func(any) (any, bool)) {
	if t.Kind() != types.ListKind {
		return "", nil
	}
	of := structName(t.Parameters()[0])
	fields := slices.Compact(slices.Sorted(slices.Values(e[of])))
	if of == "" || slices.Contains(fields, escapes) {
		return "", nil
	}
	readers := make([]func(any) (any, bool), len(fields))
	for i, f := range fields {
		if readers[i] = factReader(of, f, anyValue); readers[i] == nil {
			return "", nil
		}
	}
	return name + "{" + strings.Join(fields, ",") + "}", func(o any) (any, bool) {
		all, known := list(o)
		if !known {
			return nil, false
		}
		return encode(reflect.ValueOf(all), readers)
	}
}

// encode returns a text that is equal for lists whose elements have equal fields; false if a field is absent, unread or
// of another kind, because the result then names the element.
func encode(list reflect.Value, readers []func(any) (any, bool)) (any, bool) {
	b := binary.AppendUvarint(nil, uint64(list.Len()))
	for i := range list.Len() {
		for _, read := range readers {
			v, known := read(list.Index(i).Interface())
			if !known {
				return nil, false
			}
			if b, known = appendValue(b, v); !known {
				return nil, false
			}
		}
	}
	return string(b), true
}

// appendValue appends a value with its length, so that no two lists have the same text.
func appendValue(b []byte, v any) ([]byte, bool) {
	switch x := v.(type) {
	case string:
		return append(binary.AppendUvarint(b, uint64(len(x))), x...), true
	case bool:
		if x {
			return append(b, 1), true
		}
		return append(b, 0), true
	case int64:
		return binary.AppendVarint(b, x), true
	case float64:
		return binary.AppendUvarint(b, math.Float64bits(x)), true
	case []string:
		b = binary.AppendUvarint(b, uint64(len(x)))
		for _, s := range x {
			b, _ = appendValue(b, s)
		}
		return b, true
	case inventory.Version:
		return fmt.Appendf(b, "%d.%d.%d.", x.Major, x.Minor, x.Update), true
	}
	if p := reflect.ValueOf(v); p.Kind() == reflect.Pointer { // to another object, with all that can be reached from it
		return binary.AppendUvarint(b, uint64(p.Pointer())), true
	}
	return b, false
}
