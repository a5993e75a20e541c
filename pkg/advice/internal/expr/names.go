package expr

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types/ref"

	"github.com/vperf/vperf/pkg/inventory"
)

// The functions that expressions have in addition to CEL's own. There is one function for each type of option, because
// a single dynamic function would lose the check that a rule compares a number with a number.
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

// optionTypes maps each option function to the type of option it reads.
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

// member declares a function of an object and a text.
func member(name string, of, result *cel.Type, call func(of, arg ref.Val) ref.Val) cel.EnvOption {
	id := of.TypeName() + "_" + name
	return cel.Function(name, cel.MemberOverload(id, []*cel.Type{of, cel.StringType}, result, cel.BinaryBinding(call)))
}

// The variables that are not objects: the profile of the object and, in the value of a remedy for several settings, the
// key of the current one.
const (
	VarProfile = "profile"
	VarKey     = "key"
	// VarFindings["RULE"] is true if another rule fails for the object, its devices or an object it belongs to.
	VarFindings = "findings"
	// VarVendors has the published values of vendors, as vendors.accepts(host, "SETTING", VALUE).
	VarVendors = "vendors"
)
