package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	pathMemory       = "hardware.memorySize"
	pathVSAN         = "config.vsanHostConfig.enabled"
	pathVSANSystem   = "configManager.vsanSystem"
	pathVSANInternal = "configManager.vsanInternalSystem"
	pathPinned       = "config.cpuAffinity.affinitySet"
	pathReserved     = "config.memoryAllocation.reservation"
	pathStores       = "datastore"
	pathShared       = "summary.multipleHostAccess"
)

// evacuation is a host that would be taken out of service, and what is around it.
type evacuation struct {
	*power
	host    *property.Props
	cluster *property.Props   // nil for a host by itself
	others  []*property.Props // the hosts of the cluster beside it
	running []*property.Props // the VMs that run on it, but for those that vSphere sees to
	nearby  []*property.Props // the VMs that the other hosts have
	local   map[ref]string
	own     ownVM
}

// Evacuable implements tuning.Power. It looks at DRS and at what of each VM keeps it from being moved: its level of
// automation, devices of the host, CPU affinity, high latency sensitivity, datastores of one host and rules that must hold;
// at the other hosts of the cluster and the memory they have not promised to others; at vSAN; and for vCenter's own VM. It does not foretell what admission control
// or a VM's networks will say.
func (s *power) Evacuable(ctx context.Context, host tuning.Target) ([]string, error) {
	e, err := s.evacuation(ctx, targetHost(host))
	if err != nil {
		return nil, fmt.Errorf("looking whether %s can be evacuated: %w", session.Plain(host.Name), err)
	}
	vsan, err := e.vsan(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking at vSAN on %s: %w", session.Plain(host.Name), err)
	}
	var against []string
	for _, some := range [][]string{e.state(), e.vcenterHere(), e.othersBusy(), e.staying(), e.capacity(), vsan} {
		against = append(against, some...)
	}
	return against, nil
}

// evacuation reads a host, its VMs and their datastores, its cluster and the other hosts there at once.
func (s *power) evacuation(ctx context.Context, host ref) (*evacuation, error) {
	from := []types.ObjectSpec{{Obj: host, SelectSet: []types.BaseSelectionSpec{
		property.Along(property.TypeHost, "vm", property.Along(property.TypeVM, pathStores)),
		property.Along(property.TypeHost, tree.PathParent, property.Along("ComputeResource", "host")),
	}}}
	found, err := s.objects(ctx, "the host and its cluster", from,
		types.PropertySpec{Type: property.TypeHost, PathSet: []string{
			tree.PathName, tree.PathConnection, tree.PathPower, pathStandby, pathQuarantine, tree.PathMaintenance, tree.PathVersion, pathMemory,
			pathVSAN, pathVSANSystem, pathVSANInternal,
		}},
		types.PropertySpec{Type: property.TypeVM, PathSet: []string{
			tree.PathName, tree.PathPower, tree.PathTemplate, vmfacts.PathDevices, pathPinned, pathLatencyLevel, pathReserved, pathStores, pathBIOS, pathGuestName, pathGuestIP,
		}},
		types.PropertySpec{Type: property.TypeDatastore, PathSet: []string{tree.PathName, pathShared}},
		types.PropertySpec{Type: property.TypeCluster, PathSet: []string{tree.PathName, estatefacts.PathCluster}})
	if err != nil {
		return nil, err
	}
	e := &evacuation{power: s, local: map[ref]string{}}
	for _, p := range found {
		e.sort(p, host)
	}
	if e.host == nil {
		return nil, fmt.Errorf("%s does not have it any more", s.Host())
	}
	if e.own, err = s.ownVM(ctx); err != nil {
		return nil, err
	}
	e.nearby, err = e.vmsOfOthers(ctx)
	return e, err
}

// sort puts an object where it belongs, as seen from the host.
func (e *evacuation) sort(p *property.Props, host ref) {
	switch {
	case p.Ref == host:
		e.host = p
	case p.Ref.Type == property.TypeHost:
		e.others = append(e.others, p)
	case property.IsCluster(p.Ref):
		e.cluster = p
	case p.Ref.Type == property.TypeVM && mayRun(p) && !vmfacts.IsVCLS(tree.NameOf(p)):
		e.running = append(e.running, p)
	case p.Ref.Type == property.TypeDatastore:
		if shared, known := property.Read(p, pathShared, property.Bool, property.None).Value(); known && !shared {
			e.local[p.Ref] = tree.NameOf(p)
		}
	}
}

// vmsOfOthers are asked for no more than what counts of them: a cluster has many.
func (e *evacuation) vmsOfOthers(ctx context.Context) ([]*property.Props, error) {
	var from []types.ObjectSpec
	for _, h := range e.usable() {
		from = append(from, types.ObjectSpec{Obj: h.Ref, Skip: new(true), SelectSet: []types.BaseSelectionSpec{property.Along(property.TypeHost, "vm")}})
	}
	return e.objects(ctx, "what the other hosts have promised", from, types.PropertySpec{Type: property.TypeVM, PathSet: []string{
		tree.PathName, tree.PathVMHost, tree.PathPower, pathReserved,
	}})
}

// mayRun leaves out what is known not to run: it stays, and is in nobody's way.
func mayRun(p *property.Props) bool {
	state, known := property.Read(p, tree.PathPower, property.Text, property.Must).Value()
	return !known || state == string(types.VirtualMachinePowerStatePoweredOn)
}

func (e *evacuation) state() []string {
	for _, check := range []func(*property.Props) string{tree.HostDown, hostState} {
		if reason := check(e.host); reason != "" {
			return []string{reason}
		}
	}
	return nil
}

func (e *evacuation) vcenterHere() []string {
	for _, vm := range e.running {
		if e.own.is(vm) {
			return []string{"the vCenter itself runs on it, as " + session.Plain(tree.NameOf(vm))}
		}
	}
	return nil
}

// othersBusy: two hosts out of service at once are one failure away from trouble.
func (e *evacuation) othersBusy() []string {
	var against []string
	for _, h := range e.others {
		if in, _ := property.Read(h, tree.PathMaintenance, property.Bool, property.Must).Value(); in {
			against = append(against, session.Plain(tree.NameOf(h))+" of the same cluster is in maintenance mode")
		}
	}
	return against
}

// staying lists the VMs that nobody would move, by why.
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
		against = append(against, r+": "+listing(byReason[r])+" would stay")
	}
	return against
}

// listing names so many things that a person reads them, and counts the rest.
func listing(names []string) string {
	const most = 10
	slices.Sort(names)
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// moves says of a VM why DRS would not move it by itself, or "".
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
		return all(gapIn(config, "the configuration of its cluster"))
	}
	drs := c.DrsConfig
	if drs.Enabled == nil || !*drs.Enabled {
		return all("DRS is off")
	}
	overrides := vmOverrides(c)
	return func(vm *property.Props) string {
		switch own := overrides[vm.Ref.Value]; {
		case own.Enabled != nil && !*own.Enabled:
			return "DRS is off for them alone"
		case own.Behavior != "":
			return byHand("DRS of their own", own.Behavior)
		}
		return byHand("DRS", drs.DefaultVmBehavior)
	}
}

// clusterConfig is the configuration of the host's cluster.
func (e *evacuation) clusterConfig() inventory.Fact[estatefacts.ClusterConfig] {
	return property.Read(e.cluster, estatefacts.PathCluster, property.As[estatefacts.ClusterConfig], property.Must)
}

// vmOverrides are the DRS settings of single VMs, by VM; none where the cluster does not allow them.
func vmOverrides(c estatefacts.ClusterConfig) map[string]types.ClusterDrsVmConfigInfo {
	overrides := map[string]types.ClusterDrsVmConfigInfo{}
	if may := c.DrsConfig.EnableVmBehaviorOverrides; may == nil || *may {
		for _, o := range c.DrsVmConfig {
			overrides[o.Key.Value] = o
		}
	}
	return overrides
}

func byHand(what string, level types.DrsBehavior) string {
	if level == types.DrsBehaviorFullyAutomated {
		return ""
	}
	return what + " is not fully automated (" + session.Plain(string(level)) + ")"
}

// bound is what of a VM itself keeps it on its host, or "".
func (e *evacuation) bound(vm *property.Props) string {
	devices := property.Read(vm, vmfacts.PathDevices, property.As[types.ArrayOfVirtualDevice], property.Must)
	list, _ := devices.Value()
	if slices.ContainsFunc(list.VirtualDevice, ofHost) {
		return "bound to a device of the host"
	}
	if pinned, _ := property.Read(vm, pathPinned, property.Ints, property.Means([]int64{})).Value(); len(pinned) > 0 {
		return "bound by CPU affinity"
	}
	stores, _ := property.Read(vm, pathStores, property.As[types.ArrayOfManagedObjectReference], property.Means(types.ArrayOfManagedObjectReference{})).Value()
	for _, s := range stores.ManagedObjectReference {
		if name, local := e.local[s]; local {
			return "on datastore " + session.Plain(name) + ", which hosts do not share"
		}
	}
	if rule := e.rule(vm); rule != "" {
		return "tied to the host by rule " + session.Plain(rule)
	}
	level := property.Read(vm, pathLatencyLevel, property.Text, property.None)
	if is, _ := level.Value(); is == string(types.LatencySensitivitySensitivityLevelHigh) {
		return "their latency sensitivity is high, and DRS leaves such where they are"
	}
	return cmp.Or(gapIn(devices, "its devices"), gapIn(level, "its latency sensitivity"))
}

// ofHost is a device that lies in the host: one that is passed through, or a function of a NIC. One that is chosen from
// several alike can be had elsewhere, and the VM still cannot be moved while it runs.
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

// rule is the name of a rule that ties a VM to this host alone, or "".
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

// groupsByName are the members of a cluster's groups of VMs and of hosts.
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

// mustHold reports a rule that is in force and that DRS may not break.
func mustHold(rule *types.ClusterVmHostRuleInfo) bool {
	return rule.Mandatory != nil && *rule.Mandatory && rule.Enabled != nil && *rule.Enabled
}

func allows(rule *types.ClusterVmHostRuleInfo, groups map[string][]ref, h ref) bool {
	if rule.AffineHostGroupName != "" && !slices.Contains(groups[rule.AffineHostGroupName], h) {
		return false
	}
	return !slices.Contains(groups[rule.AntiAffineHostGroupName], h)
}

// usable are the hosts that could take VMs.
func (e *evacuation) usable() []*property.Props {
	return slices.DeleteFunc(slices.Clone(e.others), func(h *property.Props) bool {
		in, known := property.Read(h, tree.PathMaintenance, property.Bool, property.Must).Value()
		return tree.HostDown(h) != "" || hostState(h) != "" || in || !known
	})
}

// capacity compares what is guaranteed to the running VMs with the memory that the other hosts have not guaranteed to theirs.
// A host by itself takes nobody out of service, and one without running VMs needs no room.
func (e *evacuation) capacity() []string {
	if len(e.running) == 0 || e.cluster == nil {
		return nil
	}
	hosts := e.usable()
	if len(hosts) == 0 {
		return []string{"no other host of the cluster can take its virtual machines"}
	}
	free, gap := e.freeMemory(hosts)
	if gap != "" {
		return []string{gap}
	}
	need, largest, gap := e.guaranteed()
	if gap != "" {
		return []string{gap}
	}
	var sum, most int64
	for _, h := range hosts {
		sum, most = sum+max(free[h.Ref], 0), max(most, free[h.Ref])
	}
	if need <= sum && largest <= most {
		return nil
	}
	return []string{fmt.Sprintf("%d MB are guaranteed to its virtual machines (%d MB to one), and the other %s %d MB left to guarantee (one has %d MB)",
		need, largest, plural.Count(len(hosts), "host")+plural.Form(len(hosts), " has", " have"), sum, most)}
}

// freeMemory is what each host has not guaranteed to its VMs, in MB, or what could not be read of that.
func (e *evacuation) freeMemory(hosts []*property.Props) (free map[ref]int64, gap string) {
	free = map[ref]int64{}
	for _, h := range hosts {
		size, known := property.Read(h, pathMemory, property.MB, property.Must).Value()
		if !known {
			return nil, "how much memory " + session.Plain(tree.NameOf(h)) + " has could not be read"
		}
		free[h.Ref] = size
	}
	for _, vm := range e.nearby {
		on, placed := property.Read(vm, tree.PathVMHost, property.As[ref], property.Must).Value()
		reserved, known := reservation(vm)
		switch {
		case !mayRun(vm):
		case !known || !placed:
			return nil, "what is guaranteed to " + session.Plain(tree.NameOf(vm)) + ", on another host, could not be read"
		default:
			free[on] -= reserved
		}
	}
	return free, ""
}

// guaranteed is the memory, in MB, that is guaranteed to all running VMs together and to the one with most.
func (e *evacuation) guaranteed() (need, largest int64, gap string) {
	for _, vm := range e.running {
		reserved, known := reservation(vm)
		if !known {
			return 0, 0, "what is guaranteed to " + session.Plain(tree.NameOf(vm)) + " could not be read"
		}
		need, largest = need+reserved, max(largest, reserved)
	}
	return need, largest, ""
}

func reservation(vm *property.Props) (int64, bool) {
	return property.Read(vm, pathReserved, property.Int, property.Must).Value()
}

// runsVSAN reports whether the host stores data of a vSAN cluster.
func (e *evacuation) runsVSAN() inventory.Fact[bool] {
	return property.Read(e.host, pathVSAN, property.Bool, property.Means(false))
}
