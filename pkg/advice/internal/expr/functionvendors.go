package expr

import (
	"fmt"
	"reflect"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// celVendors is the type of the variable vendors.
var celVendors = cel.OpaqueType("vperf.vendors")

// Vendors is a CEL value that holds vendors.
type Vendors struct{ *vendor.List }

var _ ref.Val = Vendors{}

// ConvertToNative is not needed: functions read the value.
func (v Vendors) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("vendors cannot be a %s", t)
}

// ConvertToType is not needed: functions read the value.
func (v Vendors) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("vendors cannot be a %s", t.TypeName())
}

// Equal compares the lists themselves.
func (v Vendors) Equal(other ref.Val) ref.Val { return types.Bool(other == ref.Val(v)) }

// Type is the type of the variable vendors.
func (v Vendors) Type() ref.Type { return celVendors }

// Value returns the list of vendors.
func (v Vendors) Value() any { return v.List }

// vendorCalls are the functions of vendors: all take the object and the address of a setting as first arguments.
var vendorCalls = []string{fnAccepts, fnPublished, fnDisagree, fnVendorOr}

// vendorFunctions declares the functions of the variable vendors, for each kind of object whose storage identifies
// vendors.
func vendorFunctions(e *cel.Env) (*cel.Env, error) {
	adapter := e.CELTypeAdapter()
	var opts []cel.EnvOption
	for _, of := range []*cel.Type{celHost, celLUN, celVM} {
		about := []*cel.Type{celVendors, of, cel.StringType}
		opts = append(opts,
			vendorFunction(fnPublished, about, cel.ListType(cel.StringType), func(a vendor.Published, _ []ref.Val) ref.Val {
				return adapter.NativeToValue(a.Texts())
			}),
			vendorFunction(fnDisagree, about, cel.BoolType, func(a vendor.Published, _ []ref.Val) ref.Val { return types.Bool(a.Disagree()) }))
		for _, value := range []*cel.Type{cel.IntType, cel.StringType, cel.BoolType} {
			with := append(slices.Clone(about), value)
			opts = append(opts,
				vendorFunction(fnAccepts, with, cel.BoolType, func(a vendor.Published, args []ref.Val) ref.Val {
					yes, missing := a.Accepts(fmt.Sprint(args[3].Value()))
					if len(missing) > 0 {
						return UnknownOf(missing...)
					}
					return types.Bool(yes)
				}),
				vendorFunction(fnVendorOr, with, value, func(a vendor.Published, args []ref.Val) ref.Val {
					v, agreed := a.Agreed()
					switch {
					case a.Undecided():
						return UnknownOf(a.Gaps...)
					case agreed:
						return adapter.NativeToValue(v)
					}
					return args[3]
				}))
		}
	}
	return e.Extend(opts...)
}

// vendorFunction declares a function over what vendors publish about an object's setting.
func vendorFunction(name string, args []*cel.Type, result *cel.Type, answer func(vendor.Published, []ref.Val) ref.Val) cel.EnvOption {
	id := "vendors_" + name + "_" + args[1].TypeName()
	if len(args) > 3 {
		id += "_" + args[3].TypeName()
	}
	return cel.Function(name, cel.MemberOverload(id, args, result, cel.FunctionBinding(func(given ...ref.Val) ref.Val {
		object, ok := given[1].Value().(inventory.Object)
		if !ok {
			return types.NewErr("vendors.%s of a %s", name, given[1].Type().TypeName())
		}
		return answer(given[0].(Vendors).About(object, string(given[2].(types.String))), given)
	})))
}

// addVendorNeeds adds the facts needed to identify the vendors.
func addVendorNeeds(n *inventory.Needs, tree *ast.AST, call ast.CallExpr) {
	if !slices.Contains(vendorCalls, call.FunctionName()) || len(call.Args()) < 2 {
		return
	}
	n.AddFact("Host.version")
	switch tree.GetType(call.Args()[0].ID()).TypeName() {
	case celHost.TypeName(), celLUN.TypeName():
		n.AddFact("Host.luns", "LUN.local", "LUN.vendor", "LUN.model", "LUN.arrayType", "LUN.ssd")
	}
}
