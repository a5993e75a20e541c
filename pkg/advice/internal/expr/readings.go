package expr

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"

	"github.com/vperf/vperf/pkg/inventory"
)

// Reading is one value that an expression reads: a fact of a variable's object, or the object itself, with all that can
// be reached from it.
type Reading struct {
	Variable inventory.Scope // or VarProfile
	// Fact is unique for the variable, such as numaNodes or option(Numa.PreferHT); "" is the object itself.
	Fact string
	// Of reads the fact of an object. known is false if it is absent or unread, or if its value cannot be compared.
	Of func(object any) (value any, known bool)
}

// ReadingsOf lists the values that determine the result of a checked expression, each once. The list is derived from
// the expression itself, so that it is always complete. The result is false if an expression depends on something else.
func ReadingsOf(tree *cel.Ast) ([]Reading, bool) {
	r := reader{tree: tree.NativeRep(), elements: elementsOf(tree.NativeRep()), complete: true}
	r.visit(tree.NativeRep().Expr())
	return r.found, r.complete
}

type reader struct {
	tree     *ast.AST
	elements elements
	own      []string // variables of comprehensions, which hide others
	found    []Reading
	complete bool
}

func (r *reader) add(x Reading) {
	if !slices.ContainsFunc(r.found, func(y Reading) bool { return x.Variable == y.Variable && x.Fact == y.Fact }) {
		r.found = append(r.found, x)
	}
}

func (r *reader) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		r.ident(e.AsIdent())
	case ast.SelectKind:
		if !r.selects(e.ID(), e.AsSelect()) {
			r.visit(e.AsSelect().Operand())
		}
	case ast.CallKind:
		if !r.calls(e.AsCall()) {
			r.all(e.AsCall().Target(), e.AsCall().Args())
		}
	case ast.ListKind:
		r.all(nil, e.AsList().Elements())
	case ast.ComprehensionKind:
		r.comprehension(e.AsComprehension())
	case ast.LiteralKind:
	default: // maps and structs, which no rule builds
		r.complete = false
	}
}

func (r *reader) all(target ast.Expr, args []ast.Expr) {
	if target != nil && target.Kind() != ast.UnspecifiedExprKind {
		r.visit(target)
	}
	for _, a := range args {
		r.visit(a)
	}
}

func (r *reader) comprehension(c ast.ComprehensionExpr) {
	r.visit(c.IterRange())
	r.visit(c.AccuInit())
	outer := len(r.own)
	r.own = append(r.own, c.IterVar(), c.IterVar2(), c.AccuVar())
	for _, e := range []ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()} {
		r.visit(e)
	}
	r.own = r.own[:outer]
}

// ident adds the object of a variable. The values of parameters and the vendors' list are the same for all objects.
func (r *reader) ident(name string) {
	switch {
	case slices.Contains(r.own, name), name == VarVendors, strings.HasPrefix(name, "params."):
	case name == VarProfile:
		r.add(Reading{Variable: VarProfile})
	case celTypes[inventory.Scope(name)] != nil:
		r.add(Reading{Variable: inventory.Scope(name)})
	default:
		r.complete = false
	}
}

// variable returns the scope variable that an expression is.
func (r *reader) variable(e ast.Expr) (inventory.Scope, bool) {
	if e == nil || e.Kind() != ast.IdentKind || slices.Contains(r.own, e.AsIdent()) {
		return "", false
	}
	scope := inventory.Scope(e.AsIdent())
	return scope, celTypes[scope] != nil
}

// selects adds the fact VARIABLE.FIELD; false if e is something else.
func (r *reader) selects(id int64, e ast.SelectExpr) bool {
	scope, ok := r.variable(e.Operand())
	if !ok {
		return false
	}
	object := r.tree.GetType(e.Operand().ID()).TypeName()
	if name, of := r.elements.listReader(r.tree.GetType(id), e.FieldName(), factReader(object, e.FieldName(), anyValue)); of != nil {
		r.add(Reading{scope, name, of})
		return true
	}
	of := factReader(object, e.FieldName(), comparableOf)
	if of != nil {
		r.add(Reading{scope, e.FieldName(), of})
	}
	return of != nil
}

// calls adds the fact VARIABLE.FUNCTION("KEY"), such as a host option; false if e is something else.
func (r *reader) calls(e ast.CallExpr) bool {
	read := keyed[e.FunctionName()]
	if read == nil || !e.IsMemberFunction() || len(e.Args()) != 1 {
		return false
	}
	scope, ok := r.variable(e.Target())
	key, isLiteral := literal(e.Args()[0])
	if !ok || !isLiteral {
		return false
	}
	r.add(Reading{scope, e.FunctionName() + "(" + key + ")", func(o any) (any, bool) { return read(o, key) }})
	return true
}

// keyed reads the facts that have a key, by the function of the language.
var keyed = map[string]func(object any, key string) (value any, known bool){
	fnOption: optionOf, fnOptionText: optionOf, fnOptionBool: optionOf,
	fnOptionMax: func(o any, key string) (any, bool) {
		option, known := hostOption(o, key)
		if !known || option.Max == nil {
			return nil, false
		}
		return *option.Max, true
	},
	fnOptionDefault: func(o any, key string) (any, bool) {
		option, known := hostOption(o, key)
		if !known || option.Default == nil {
			return nil, false
		}
		return *option.Default, true
	},
	fnKernelSetting: func(o any, key string) (any, bool) {
		h, ok := o.(*inventory.Host)
		return textOf(ok, func() inventory.Fact[string] { return h.KernelSetting(key) })
	},
	fnVMXKeys: func(o any, pattern string) (any, bool) {
		vm, ok := o.(*inventory.VM)
		re, err := compiledPattern(pattern)
		if !ok || err != nil {
			return nil, false
		}
		keys, state, _ := matchingKeys(vm, re)
		return fmt.Sprintf("%q", keys), state == inventory.StateKnown
	},
	fnVMX: func(o any, key string) (any, bool) {
		x, ok := o.(interface {
			VMXKey(key string) inventory.Fact[string]
		})
		return textOf(ok, func() inventory.Fact[string] { return x.VMXKey(key) })
	},
}

func textOf(ok bool, read func() inventory.Fact[string]) (any, bool) {
	if !ok {
		return nil, false
	}
	value, known := read().Value()
	return value, known
}

func hostOption(o any, key string) (inventory.Option, bool) {
	h, ok := o.(*inventory.Host)
	if !ok {
		return inventory.Option{}, false
	}
	all, _ := h.Options.Value()
	option, known := all[key]
	return option, known && option.Unread == ""
}

func optionOf(o any, key string) (any, bool) {
	option, known := hostOption(o, key)
	return option.Value, known
}

// factReader returns a function that reads a field of a fact struct; nil if there is no such field.
func factReader(celType, name string, as func(any) (any, bool)) func(any) (any, bool) {
	f, ok := factFields()[celType+"."+name]
	if !ok {
		return nil
	}
	return func(o any) (any, bool) {
		v, known := fieldOf(o, f.index, f.isFact)
		if !known {
			return nil, false
		}
		return as(v)
	}
}

type factField struct {
	index  []int
	isFact bool
}

// factFields are the fields of all fact structs, by CEL type and name.
var factFields = sync.OnceValue(func() map[string]factField {
	all := map[string]factField{}
	for _, t := range FactTypes {
		for _, sf := range reflect.VisibleFields(t) {
			if name := FieldName(sf); name != "" && sf.IsExported() && !sf.Anonymous {
				_, isFact := FactValue(sf.Type)
				all[t.String()+"."+name] = factField{sf.Index, isFact}
			}
		}
	}
	return all
})

func fieldOf(o any, index []int, isFact bool) (any, bool) {
	v := reflect.ValueOf(o)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, false
	}
	f := v.Elem().FieldByIndex(index)
	if !isFact {
		return f.Interface(), lostList(v.Elem(), f) == ""
	}
	value, state, _ := f.Addr().Interface().(inventory.Reader).Raw()
	return value, state == inventory.StateKnown
}

func anyValue(v any) (any, bool) { return v, true }

// empty is any list without elements.
type empty struct{}

// comparableOf returns a value that is equal for equal values of a fact; false if there is none.
func comparableOf(v any) (any, bool) {
	switch x := v.(type) {
	case string, bool, int64:
		return v, true
	case float64:
		return v, !math.IsNaN(x) // NaN is not equal to itself
	case []string:
		return fmt.Sprintf("%q", x), true
	}
	t := reflect.ValueOf(v)
	if t.Kind() == reflect.Slice {
		return empty{}, t.Len() == 0
	}
	return v, t.IsValid() && t.Comparable()
}
