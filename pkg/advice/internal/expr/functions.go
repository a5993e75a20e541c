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

// The functions that expressions have beside CEL's own. Options are typed by function, because one dynamic function
// would lose the check that a rule compares a number with a number.
const (
	fnOption     = "option"     // host.option("KEY"): a whole number
	fnOptionText = "optionText" // host.optionText("KEY"): text
	fnOptionBool = "optionBool" // host.optionBool("KEY"): true or false
	fnOptionMax  = "optionMax"  // host.optionMax("KEY"): the most that this host accepts
	fnAtLeast    = "atLeast"    // host.version.atLeast("7.0")
	fnVMX        = "vmx"        // vm.vmx("numa.vcpu.preferHT"): text, "" when the key is not set
	fnVMXKeys    = "vmxKeys"    // vm.vmxKeys("(?i)^monitor_control\\."): the set keys that match
	fnSum        = "sum"        // sum([1, 2]): of whole numbers, 0 for none
	fnOlderGuest = "olderGuest" // olderGuest("vmkernel6Guest", vm.guestId): an older release of the same family of guests

	fnOptionDefault = "optionDefault"     // host.optionDefault("KEY"): the default that this host reports, a whole number
	fnOptionTexts   = "optionTexts"       // host.optionTexts(host.offDefault): each key with its value and its default
	fnDefaultOf     = "defaultOf"         // host.defaultOf(key): the default of any option that is not at its default
	fnKernelSetting = "kernelSetting"     // host.kernelSetting("latencyOptimMode"): text
	fnLive          = "live"              // vm.live("cpu.ready").p95: of the counters measured for the object
	fnBeyond        = "beyond"            // vm.live("cpu.ready").beyond(5.0): the part of the samples that are worse, from 0 to 1
	fnHomes         = "homeNodes"         // vm.homeNodes(): the NUMA nodes it ran on while counters were measured
	fnAway          = "awayFrom"          // vm.awayFrom([0]): it ran on other NUMA nodes than these
	fnDrift         = "optionDrift"       // cluster.optionDrift(): options in which its hosts differ, in words
	fnMixedPaths    = "mixedPathPolicies" // cluster.mixedPathPolicies(): disks whose policy differs from host to host, in words
	fnMixedMTUs     = "mixedMTUs"         // cluster.mixedMTUs(): traffic whose adapters have other MTUs from host to host, in words

	fnAccepts   = "accepts"   // vendors.accepts(host, "SETTING", VALUE): a vendor of this object's storage publishes the value
	fnPublished = "published" // vendors.published(host, "SETTING"): who publishes which value, in words
	fnDisagree  = "disagree"  // vendors.disagree(host, "SETTING"): vendors of this object's storage publish different values
	fnVendorOr  = "valueOr"   // vendors.valueOr(host, "SETTING", OTHER): the value they publish, or else the other
)

// optionTypes says which type of option each option function reads.
var optionTypes = map[string]inventory.ValueType{
	fnOption: inventory.TypeLong, fnOptionMax: inventory.TypeLong,
	fnOptionText: inventory.TypeString, fnOptionBool: inventory.TypeBool, fnOptionDefault: inventory.TypeLong,
}

var (
	celHost      = cel.ObjectType("inventory.Host")
	celVM        = cel.ObjectType("inventory.VM")
	celVNIC      = cel.ObjectType("inventory.VNIC")
	celCluster   = cel.ObjectType("inventory.Cluster")
	celDatastore = cel.ObjectType("inventory.Datastore")
	celPNIC      = cel.ObjectType("inventory.PNIC")
	celLUN       = cel.ObjectType("inventory.LUN")
	celVDisk     = cel.ObjectType("inventory.VDisk")
	celVersion   = cel.ObjectType("inventory.Version")
	celSeries    = cel.ObjectType("inventory.Series")
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
		member(fnDefaultOf, celHost, cel.DynType, defaultOf), // of options that are told apart only where they are read
		cel.Function(fnOptionTexts, cel.MemberOverload("host_option_texts", []*cel.Type{celHost, cel.ListType(cel.StringType)},
			cel.ListType(cel.StringType), cel.BinaryBinding(optionTexts))),
		member(fnKernelSetting, celHost, cel.StringType, kernelSetting),
		ofCluster(fnDrift, optionDrift),
		ofCluster(fnMixedPaths, mixedPathPolicies),
		ofCluster(fnMixedMTUs, mixedMTUs),
		vendorFunctions,
		liveFunctions,
		cel.Function(fnHomes, cel.MemberOverload("vm_home_nodes", []*cel.Type{celVM}, cel.ListType(cel.IntType), cel.UnaryBinding(homes))),
		cel.Function(fnAway, cel.MemberOverload("vm_away_from", []*cel.Type{celVM, cel.ListType(cel.IntType)}, cel.BoolType, cel.BinaryBinding(away))),
		cel.Function(fnBeyond, cel.MemberOverload("series_beyond", []*cel.Type{celSeries, cel.DoubleType}, cel.DoubleType, cel.BinaryBinding(beyond))),
		cel.Function(fnSum, cel.Overload("sum_list_int", []*cel.Type{cel.ListType(cel.IntType)}, cel.IntType, cel.UnaryBinding(sum))),
		cel.Function(fnOlderGuest, cel.Overload("older_guest_string_string", []*cel.Type{cel.StringType, cel.StringType}, cel.BoolType,
			cel.BinaryBinding(olderGuest))),
		ordered("min", -1),
		ordered("max", +1),
	}
}

// member declares a function of an object and a text.
func member(name string, of, result *cel.Type, call func(of, arg ref.Val) ref.Val) cel.EnvOption {
	id := of.TypeName() + "_" + name
	return cel.Function(name, cel.MemberOverload(id, []*cel.Type{of, cel.StringType}, result, cel.BinaryBinding(call)))
}

// ordered declares min or max of two whole numbers.
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

// vnicVMX looks up a key of the adapter: coalescingScheme is ethernetN.coalescingScheme of its VM.
func vnicVMX(n, k ref.Val) ref.Val {
	nic, key := n.Value().(*inventory.VNIC), string(k.(types.String))
	f := nic.VMXKey(key)
	value, err := readFact(nic, key, &f)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.DefaultTypeAdapter.NativeToValue(value)
}

// vmxKeys lists the set keys that a regular expression matches, so that rules can look for families of keys.
func vmxKeys(v, pattern ref.Val) ref.Val {
	vm := v.Value().(*inventory.VM)
	re, err := compiledPattern(string(pattern.(types.String)))
	if err != nil {
		return types.WrapErr(err)
	}
	keys, state, reason := vm.VMXKeys().Get()
	if state == inventory.StateUnread {
		return Unread(vm, "VM.vmx", reason)
	}
	found := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !re.MatchString(k) })
	return types.DefaultTypeAdapter.NativeToValue(append([]string{}, found...))
}

// patterns holds compiled regular expressions: a rule's is the same for every VM.
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
			return x // unknown or an error stays what it is
		}
	}
	return total
}
