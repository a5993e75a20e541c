package expr

import (
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/ext"

	"github.com/vperf/vperf/pkg/inventory"
)

// Chain lists the objects that a rule of each scope can read: its own object and those it belongs to.
var Chain = map[inventory.Scope][]inventory.Scope{
	inventory.ScopeVCenter:   {inventory.ScopeVCenter},
	inventory.ScopeCluster:   {inventory.ScopeVCenter, inventory.ScopeCluster},
	inventory.ScopePool:      {inventory.ScopeVCenter, inventory.ScopeCluster, inventory.ScopePool},
	inventory.ScopeHost:      hostChain(),
	inventory.ScopePNIC:      hostChain(inventory.ScopePNIC),
	inventory.ScopeVMKNIC:    hostChain(inventory.ScopeVMKNIC),
	inventory.ScopeHBA:       hostChain(inventory.ScopeHBA),
	inventory.ScopeLUN:       hostChain(inventory.ScopeLUN),
	inventory.ScopeVM:        hostChain(inventory.ScopeVM),
	inventory.ScopeVNIC:      hostChain(inventory.ScopeVM, inventory.ScopeVNIC),
	inventory.ScopeVDisk:     hostChain(inventory.ScopeVM, inventory.ScopeVDisk),
	inventory.ScopeSwitch:    {inventory.ScopeVCenter, inventory.ScopeSwitch},
	inventory.ScopeDatastore: {inventory.ScopeVCenter, inventory.ScopeDatastore},
}

// hostChain returns the chain of objects that are in, or run on, a host.
func hostChain(below ...inventory.Scope) []inventory.Scope {
	return append([]inventory.Scope{inventory.ScopeVCenter, inventory.ScopeCluster, inventory.ScopeHost}, below...)
}

// celTypes are the CEL types of the variables.
var celTypes = map[inventory.Scope]*cel.Type{
	inventory.ScopeVCenter:   cel.ObjectType("inventory.VCenter"),
	inventory.ScopeCluster:   celCluster,
	inventory.ScopePool:      cel.ObjectType("inventory.Pool"),
	inventory.ScopeHost:      celHost,
	inventory.ScopePNIC:      cel.ObjectType("inventory.PNIC"),
	inventory.ScopeVMKNIC:    cel.ObjectType("inventory.VMKNIC"),
	inventory.ScopeHBA:       cel.ObjectType("inventory.HBA"),
	inventory.ScopeLUN:       cel.ObjectType("inventory.LUN"),
	inventory.ScopeVM:        celVM,
	inventory.ScopeVNIC:      celVNIC,
	inventory.ScopeVDisk:     cel.ObjectType("inventory.VDisk"),
	inventory.ScopeSwitch:    cel.ObjectType("inventory.Switch"),
	inventory.ScopeDatastore: celDatastore,
}

// baseEnv returns the language without variables. It excludes operators that give unread facts a value: has() and
// optional syntax treat an unread fact as unset, and dyn() and type() bypass its type.
var baseEnv = sync.OnceValues(func() (*cel.Env, error) {
	std := env.NewLibrarySubset().SetDisableMacros(true).AddExcludedFunctions(env.NewFunction("dyn"), env.NewFunction("type"))
	opts := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(std)),
		cel.Macros(cel.AllMacro, cel.ExistsMacro, cel.ExistsOneMacro, cel.MapMacro, cel.MapFilterMacro, cel.FilterMacro),
		nativeTypes(),
		factProvider,
		cel.CrossTypeNumericComparisons(true),
		ext.Strings(), ext.Math(), ext.Lists(), ext.Sets(),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), literals{}),
		cel.Variable(VarProfile, cel.StringType),
		cel.Variable(VarKey, cel.StringType),
		cel.Variable(VarVendors, celVendors),
	}
	return cel.NewCustomEnv(append(opts, functions()...)...)
})

var (
	scopeEnvsMu sync.Mutex
	scopeEnvs   = map[envKey]*cel.Env{}
)

// envKey identifies a language: only diagnoses can read the outcomes of other rules.
type envKey struct {
	scope     inventory.Scope
	diagnosis bool
}

// ForScope returns the language for rules of one scope.
func ForScope(s inventory.Scope, diagnosis bool) (*cel.Env, error) {
	scopeEnvsMu.Lock()
	defer scopeEnvsMu.Unlock()
	key := envKey{s, diagnosis}
	if e, ok := scopeEnvs[key]; ok {
		return e, nil
	}
	base, err := baseEnv()
	if err != nil {
		return nil, err
	}
	var vars []cel.EnvOption
	for _, v := range Chain[s] {
		vars = append(vars, cel.Variable(string(v), celTypes[v]))
	}
	if diagnosis {
		vars = append(vars, cel.Variable(VarFindings, cel.MapType(cel.StringType, cel.BoolType)))
	}
	e, err := base.Extend(vars...)
	if err == nil {
		scopeEnvs[key] = e
	}
	return e, err
}
