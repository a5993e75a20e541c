package evacuation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
)

// staying lists the VMs that would not be moved, by reason.
func (e *evacuation) staying() []string {
	byReason, reasons := map[string][]string{}, []string(nil)
	moves := e.moves()
	for _, vm := range e.running {
		reason := moves(vm)
		if reason == "" {
			reason = e.bound(vm)
		}
		if reason == "" {
			continue
		}
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], session.Plain(tree.NameOf(vm)))
	}
	var against []string
	for _, r := range reasons {
		against = append(against, r+": "+Listing(byReason[r])+" would stay")
	}
	return against
}

// Listing joins as many names as are readable and counts the rest.
func Listing(names []string) string {
	const most = 10
	slices.Sort(names)
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// moves returns a function that returns why DRS would not move a VM automatically, or "".
func (e *evacuation) moves() func(*property.Props) string {
	all := func(reason string) func(*property.Props) string {
		return func(*property.Props) string { return reason }
	}
	if e.cluster == nil {
		return all("the host is in no cluster")
	}
	config := e.clusterConfig()
	c, known := config.Value()
	if !known {
		return all(condition.Gap(config, "the configuration of its cluster"))
	}
	drs := c.DrsConfig
	if drs.Enabled == nil || !*drs.Enabled {
		return all("DRS is off")
	}
	overrides := vmOverrides(c)
	return func(vm *property.Props) string {
		switch own := overrides[vm.Ref.Value]; {
		case own.Enabled != nil && !*own.Enabled:
			return "DRS is off for these VMs"
		case own.Behavior != "":
			return manualReason("DRS of their own", own.Behavior)
		}
		return manualReason("DRS", drs.DefaultVmBehavior)
	}
}

// clusterConfig returns the configuration of the host's cluster.
func (e *evacuation) clusterConfig() inventory.Fact[estatefacts.ClusterConfig] {
	return property.Read(e.cluster, estatefacts.PathCluster, property.As[estatefacts.ClusterConfig], property.Required)
}

// vmOverrides returns the DRS overrides by VM; there are none if the cluster does not allow them.
func vmOverrides(c estatefacts.ClusterConfig) map[string]types.ClusterDrsVmConfigInfo {
	overrides := map[string]types.ClusterDrsVmConfigInfo{}
	if may := c.DrsConfig.EnableVmBehaviorOverrides; may == nil || *may {
		for _, o := range c.DrsVmConfig {
			overrides[o.Key.Value] = o
		}
	}
	return overrides
}

func manualReason(what string, level types.DrsBehavior) string {
	if level == types.DrsBehaviorFullyAutomated {
		return ""
	}
	return what + " is not fully automated (" + session.Plain(string(level)) + ")"
}

// bound returns the property of a VM that ties it to its host, or "".
func (e *evacuation) bound(vm *property.Props) string {
	devices := property.Read(vm, vmfacts.PathDevices, property.As[types.ArrayOfVirtualDevice], property.Required)
	list, _ := devices.Value()
	if slices.ContainsFunc(list.VirtualDevice, ofHost) {
		return "bound to a device of the host"
	}
	if pinned, _ := property.Read(vm, pathPinned, property.Ints, property.DefaultTo([]int64{})).Value(); len(pinned) > 0 {
		return "bound by CPU affinity"
	}
	stores, _ := property.Read(vm, pathStores, property.As[types.ArrayOfManagedObjectReference], property.DefaultTo(types.ArrayOfManagedObjectReference{})).Value()
	for _, s := range stores.ManagedObjectReference {
		if name, local := e.local[s]; local {
			return "on datastore " + session.Plain(name) + ", which hosts do not share"
		}
	}
	if rule := e.rule(vm); rule != "" {
		return "tied to the host by rule " + session.Plain(rule)
	}
	level := property.Read(vm, pathLatencyLevel, property.Text, property.AbsentIfUnset)
	if is, _ := level.Value(); is == string(types.LatencySensitivitySensitivityLevelHigh) {
		return "their latency sensitivity is high, and DRS does not move such VMs"
	}
	return cmp.Or(condition.Gap(devices, "its devices"), condition.Gap(level, "its latency sensitivity"))
}

// ofHost reports a device of the host: a passthrough device or a virtual function of a NIC. A device chosen from several
// equivalent ones is available on other hosts too, but the VM still cannot be moved while it runs.
func ofHost(d types.BaseVirtualDevice) bool {
	switch d := d.(type) {
	case *types.VirtualPCIPassthrough, *types.VirtualSCSIPassthrough, *types.VirtualSriovEthernetCard:
		return true
	case *types.VirtualUSB:
		_, remote := d.Backing.(*types.VirtualUSBRemoteHostBackingInfo)
		return !remote
	}
	return false
}

// rule returns the name of a rule that ties a VM to this host alone, or "".
func (e *evacuation) rule(vm *property.Props) string {
	if e.cluster == nil {
		return ""
	}
	c, _ := e.clusterConfig().Value()
	vms, hosts := groupsByName(c)
	for _, r := range c.Rule {
		tie, ok := r.(*types.ClusterVmHostRuleInfo)
		if !ok || !mustHold(tie) || !slices.Contains(vms[tie.VmGroupName], vm.Ref) {
			continue
		}
		if !slices.ContainsFunc(e.usable(), func(h *property.Props) bool { return allows(tie, hosts, h.Ref) }) {
			return tie.Name
		}
	}
	return ""
}

// groupsByName returns the members of a cluster's VM groups and host groups.
func groupsByName(c estatefacts.ClusterConfig) (vms, hosts map[string][]ref) {
	vms, hosts = map[string][]ref{}, map[string][]ref{}
	for _, g := range c.Group {
		switch g := g.(type) {
		case *types.ClusterVmGroup:
			vms[g.Name] = g.Vm
		case *types.ClusterHostGroup:
			hosts[g.Name] = g.Host
		}
	}
	return vms, hosts
}

// mustHold reports whether a rule is enabled and mandatory, so that DRS may not violate it.
func mustHold(rule *types.ClusterVmHostRuleInfo) bool {
	return rule.Mandatory != nil && *rule.Mandatory && rule.Enabled != nil && *rule.Enabled
}

func allows(rule *types.ClusterVmHostRuleInfo, groups map[string][]ref, h ref) bool {
	if rule.AffineHostGroupName != "" && !slices.Contains(groups[rule.AffineHostGroupName], h) {
		return false
	}
	return !slices.Contains(groups[rule.AntiAffineHostGroupName], h)
}
