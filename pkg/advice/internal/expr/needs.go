package expr

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// AddNeeds adds the facts that a checked expression can read. They are derived from the expression itself, so that the
// list is always complete.
func AddNeeds(n *inventory.Needs, a *cel.Ast) {
	tree := a.NativeRep()
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			if t := tree.GetType(e.AsSelect().Operand().ID()); t.Kind() == types.StructKind {
				fact := strings.TrimPrefix(t.TypeName(), "inventory.") + "." + e.AsSelect().FieldName()
				n.AddFact(fact)
				n.AddFact(linkNeeds[fact]...)
			}
		case ast.IdentKind:
			AddLinkNeeds(n, e.AsIdent())
		case ast.CallKind:
			addCallNeeds(n, e.AsCall())
			addVendorNeeds(n, tree, e.AsCall())
		}
	}))
}

// linkNeeds maps a field to the facts that it is computed from and that connect objects.
var linkNeeds = map[string][]string{
	"Cluster.hosts":                  {"Cluster.hostIds", "Host.clusterId"},
	"Cluster.pools":                  {"Pool.clusterId"},
	"Switch.hosts":                   {"Switch.hostIds"},
	"Host.vms":                       {"VM.hostId"},
	"Host.datastores":                {"Datastore.hostIds"},
	"Datastore.hosts":                {"Datastore.hostIds"},
	"LUN.datastores":                 {"Datastore.hostIds", "Datastore.extents"},
	"Datastore.hardwareAcceleration": {"Datastore.hostIds", "Datastore.extents", "Host.luns", "LUN.hardwareAcceleration"},
	"Datastore.pseudo":               {"Datastore.hostIds", "Host.kind"},
	"Pool.runningVMs":                runningVMsNeeds,
	"Pool.directRunningVMs":          runningVMsNeeds,
	"VDisk.datastore":                {"VDisk.datastoreId", "Datastore.hostIds"},
}

// runningVMsNeeds are the facts needed to count running VMs of pools.
var runningVMsNeeds = []string{
	"VM.poolId", "VM.powerState", "VM.hostId", "Pool.parentId", "Pool.clusterId", "Cluster.hostIds", "Host.clusterId",
}

// AddLinkNeeds adds the facts needed to find the object of a variable.
func AddLinkNeeds(n *inventory.Needs, variable string) {
	switch inventory.Scope(variable) {
	case inventory.ScopeHost:
		n.AddFact("VM.hostId")
	case inventory.ScopeCluster:
		n.AddFact("VM.hostId", "Host.clusterId")
	}
}

func addCallNeeds(n *inventory.Needs, c ast.CallExpr) {
	switch c.FunctionName() {
	case fnDrift:
		n.AddFact("Cluster.hosts", "Cluster.hostIds", "Host.clusterId", "Host.offDefault", "Host.options")
	case fnMixedPaths:
		n.AddFact("Cluster.hosts", "Cluster.hostIds", "Host.clusterId", "Host.luns", "LUN.pathPolicy")
	case fnMixedMTUs:
		n.AddFact("Cluster.hosts", "Cluster.hostIds", "Host.clusterId", "Host.vmknics", "VMKNIC.services", "VMKNIC.mtu")
	case fnDefaultOf, fnOptionTexts:
		n.AddFact("Host.offDefault", "Host.options")
	}
	if len(c.Args()) == 0 {
		return
	}
	key, ok := literal(c.Args()[len(c.Args())-1])
	if !ok {
		return
	}
	switch c.FunctionName() {
	case fnOption, fnOptionText, fnOptionBool:
		n.AddOption(key)
	case fnOptionMax, fnOptionDefault:
		n.AddOptionBounds(key)
	case fnVMX, fnVMXKeys:
		n.AddFact("VM.vmx")
	case fnKernelSetting:
		n.AddFact("Host.kernelSettings")
	}
}
