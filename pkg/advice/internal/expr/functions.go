package expr

import (
	"cmp"
	"regexp"
	"slices"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vperf/vperf/pkg/inventory"
)

func functions() []cel.EnvOption {
	return []cel.EnvOption{
		member(fnOption, celHost, cel.IntType, optionValue),
		member(fnOptionText, celHost, cel.StringType, optionValue),
		member(fnOptionBool, celHost, cel.BoolType, optionValue),
		member(fnOptionMax, celHost, cel.IntType, optionMax),
		member(fnAtLeast, celVersion, cel.BoolType, atLeast),
		member(fnVMX, celVM, cel.StringType, vmx),
		member(fnVMXKeys, celVM, cel.ListType(cel.StringType), vmxKeys),
		member(fnVMX, celVNIC, cel.StringType, vnicVMX),
		member(fnOptionDefault, celHost, cel.IntType, optionDefault),
		member(fnDefaultOf, celHost, cel.DynType, defaultOf), // for options whose type is known only when they are read
		cel.Function(fnOptionTexts, cel.MemberOverload("host_option_texts", []*cel.Type{celHost, cel.ListType(cel.StringType)},
			cel.ListType(cel.StringType), cel.BinaryBinding(optionTexts))),
		member(fnKernelSetting, celHost, cel.StringType, kernelSetting),
		ofCluster(fnDrift, optionDrift),
		ofCluster(fnMixedPaths, mixedPathPolicies),
		ofCluster(fnMixedMTUs, mixedMTUs),
		vendorFunctions,
		liveFunctions,
		cel.Function(fnHomes, cel.MemberOverload("vm_home_nodes", []*cel.Type{celVM}, cel.ListType(cel.IntType), cel.UnaryBinding(homes))),
		cel.Function(fnAway, cel.MemberOverload("vm_away_from", []*cel.Type{celVM, cel.ListType(cel.IntType)}, cel.BoolType, cel.BinaryBinding(neverOnNodes))),
		cel.Function(fnBeyond, cel.MemberOverload("series_beyond", []*cel.Type{celSeries, cel.DoubleType}, cel.DoubleType, cel.BinaryBinding(beyond))),
		cel.Function(fnSum, cel.Overload("sum_list_int", []*cel.Type{cel.ListType(cel.IntType)}, cel.IntType, cel.UnaryBinding(sum))),
		cel.Function(fnOlderGuest, cel.Overload("older_guest_string_string", []*cel.Type{cel.StringType, cel.StringType}, cel.BoolType,
			cel.BinaryBinding(olderGuest))),
		ordered("min", -1),
		ordered("max", +1),
	}
}

// ordered declares min or max of two integers.
func ordered(name string, sign int) cel.EnvOption {
	args := []*cel.Type{cel.IntType, cel.IntType}
	return cel.Function(name, cel.Overload(name+"_int_int", args, cel.IntType, cel.BinaryBinding(func(a, b ref.Val) ref.Val {
		if cmp.Compare(a.(types.Int), b.(types.Int)) == sign {
			return a
		}
		return b
	})))
}

func atLeast(v, s ref.Val) ref.Val {
	want, err := inventory.ParseVersion(string(s.(types.String)))
	if err != nil {
		return types.WrapErr(err)
	}
	switch have := v.Value().(type) {
	case inventory.Version:
		return types.Bool(have.AtLeast(want))
	case *inventory.Version:
		return types.Bool(have.AtLeast(want))
	}
	return types.NewErr("%s of a %s, not of a version", fnAtLeast, v.Type().TypeName())
}

func vmx(v, k ref.Val) ref.Val {
	vm, key := v.Value().(*inventory.VM), string(k.(types.String))
	f := vm.VMXKey(key)
	value, err := readFact(vm, key, &f)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

// vnicVMX looks up a VMX key of the adapter: coalescingScheme is ethernetN.coalescingScheme of its VM.
func vnicVMX(n, k ref.Val) ref.Val {
	nic, key := n.Value().(*inventory.VNIC), string(k.(types.String))
	f := nic.VMXKey(key)
	value, err := readFact(nic, key, &f)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

// vmxKeys lists the VMX keys that are set and match a regular expression, so that rules can find families of keys.
func vmxKeys(v, pattern ref.Val) ref.Val {
	vm := v.Value().(*inventory.VM)
	re, err := compiledPattern(string(pattern.(types.String)))
	if err != nil {
		return types.WrapErr(err)
	}
	keys, state, reason := matchingKeys(vm, re)
	if state == inventory.StateUnread {
		return Unread(vm, "VM.vmx", reason)
	}
	return types.DefaultTypeAdapter.NativeToValue(keys)
}

// matchingKeys returns the VMX keys that match, sorted.
func matchingKeys(vm *inventory.VM, re *regexp.Regexp) (keys []string, state inventory.State, reason string) {
	all, state, reason := vm.VMX.Get()
	keys = []string{}
	for k := range all {
		if re.MatchString(k) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys, state, cmp.Or(reason, vm.Gap())
}

// patterns caches compiled regular expressions: a rule uses the same one for every VM.
var patterns sync.Map // string → *regexp.Regexp

func compiledPattern(s string) (*regexp.Regexp, error) {
	if re, ok := patterns.Load(s); ok {
		return re.(*regexp.Regexp), nil
	}
	re, err := regexp.Compile(s)
	if err == nil {
		patterns.Store(s, re)
	}
	return re, err
}

func sum(list ref.Val) ref.Val {
	total := types.Int(0)
	for it := list.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		switch x := it.Next().(type) {
		case types.Int:
			total += x
		default:
			return x // an unknown or an error is returned as it is
		}
	}
	return total
}
