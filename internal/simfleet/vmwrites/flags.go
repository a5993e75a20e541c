package vmwrites

import (
	"cmp"
	"slices"

	"github.com/vmware/govmomi/vim25/types"
)

// words are what fields of a VM can say; anything else is refused.
var words = struct{ latency, monitor, sharing, exec, mmu []string }{
	latency: []string{"low", "normal", "medium", "high", "custom"},
	monitor: []string{"release", "debug", "stats"},
	sharing: []string{"any", "none", "internal"},
	exec:    []string{ExecAuto, "hvOn", "hvOff"},
	mmu:     []string{MmuAuto, "on", "off"},
}

// What fields of a VM stand for that say nothing.
const (
	ExecAuto = "hvAuto"
	MmuAuto  = "automatic"
)

// checkWords refuses what no field can say.
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

// flags are the flags that were sent.
func (c *vmChange) flags() types.VirtualMachineFlagInfo {
	if c.spec.Flags == nil {
		return types.VirtualMachineFlagInfo{}
	}
	return *c.spec.Flags
}

// movesEngine reports whether the way is to change in which the guest's code runs, or its memory is mapped.
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

// affinity is what was sent, or what was there. An empty list takes it away.
func affinity(have, sent *types.VirtualMachineAffinityInfo) *types.VirtualMachineAffinityInfo {
	switch {
	case sent == nil:
		return have
	case len(sent.AffinitySet) == 0:
		return nil
	}
	return sent
}
