package overrides

import (
	"cmp"
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

// words are the valid values of a VM's fields.
var words = struct{ latency, monitor, sharing, exec, mmu []string }{
	latency: []string{"low", "normal", "medium", "high", "custom"},
	monitor: []string{"release", "debug", "stats"},
	sharing: []string{"any", "none", "internal"},
	exec:    []string{ExecAuto, "hvOn", "hvOff"},
	mmu:     []string{MmuAuto, "on", "off"},
}

// Defaults of a VM's unset fields.
const (
	ExecAuto = "hvAuto"
	MmuAuto  = "automatic"
)

// checkWords refuses invalid values.
func (c *vmChange) checkWords() types.BaseMethodFault {
	f := c.flags()
	level := ""
	if l := c.spec.LatencySensitivity; l != nil {
		level = cmp.Or(string(l.Level), "none")
	}
	for _, field := range []struct {
		name, word string
		known      []string
	}{
		{"latencySensitivity.level", level, words.latency},
		{"flags.monitorType", f.MonitorType, words.monitor},
		{"flags.htSharing", f.HtSharing, words.sharing},
		{"flags.virtualExecUsage", f.VirtualExecUsage, words.exec},
		{"flags.virtualMmuUsage", f.VirtualMmuUsage, words.mmu},
	} {
		if field.word != "" && !slices.Contains(field.known, field.word) {
			return &types.InvalidArgument{InvalidProperty: "spec." + field.name}
		}
	}
	return nil
}

// flags returns the flags that were sent.
func (c *vmChange) flags() types.VirtualMachineFlagInfo {
	if c.spec.Flags == nil {
		return types.VirtualMachineFlagInfo{}
	}
	return *c.spec.Flags
}

// movesEngine reports a change of the execution mode or of the MMU virtualization.
func (c *vmChange) movesEngine() bool {
	sent, have := c.flags(), c.vm.Config.Flags
	moved := func(want, is string) bool { return want != "" && want != is }
	return moved(sent.VirtualExecUsage, cmp.Or(have.VirtualExecUsage, ExecAuto)) ||
		moved(sent.VirtualMmuUsage, cmp.Or(have.VirtualMmuUsage, MmuAuto))
}

// checkAffinity refuses CPUs and NUMA nodes that the host does not have.
func (c *vmChange) checkAffinity() types.BaseMethodFault {
	if c.host == nil {
		return nil
	}
	for _, a := range []struct {
		field string
		info  *types.VirtualMachineAffinityInfo
		n     int32
	}{
		{"spec.cpuAffinity", c.spec.CpuAffinity, c.cpus},
		{"spec.memoryAffinity", c.spec.MemoryAffinity, c.nodes},
	} {
		if a.info != nil && slices.ContainsFunc(a.info.AffinitySet, func(i int32) bool { return i < 0 || i >= a.n }) {
			return &types.InvalidArgument{InvalidProperty: a.field}
		}
	}
	return nil
}

// affinity returns the affinity that was sent, or else the existing one. An empty list removes it.
func affinity(have, sent *types.VirtualMachineAffinityInfo) *types.VirtualMachineAffinityInfo {
	switch {
	case sent == nil:
		return have
	case len(sent.AffinitySet) == 0:
		return nil
	}
	return sent
}
