package inventory

import (
	"slices"
	"strings"
	"time"
)

// SettingDesigns lists the designs that a setting can have, the quickest first.
func SettingDesigns() []Design {
	return []Design{DesignSwitchback, DesignSlowSwitchback, DesignRandomised, DesignNone}
}

// Trial is how a trial can measure the effect of a change.
type Trial struct {
	Design Design
	// Unit is the kind of object that is changed as one: a host, a VM, a LUN on all its hosts, a pool, a cluster with
	// all its hosts, or a distributed switch with all its hosts.
	Unit   Scope
	Block  time.Duration // the length of a block of a switchback; 0 for other designs
	Settle time.Duration // the beginning of each block that is not counted, because the change is still settling
	Reason string        // why it has this design, in sentences
}

// SlowerThan reports whether t's design is slower than o's, or has longer blocks. A change that no trial can measure is
// the slowest.
func (t Trial) SlowerThan(o Trial) bool {
	all := SettingDesigns()
	if a, b := slices.Index(all, t.Design), slices.Index(all, o.Design); a != b {
		return a > b
	}
	return t.Block > o.Block
}

// With returns the trial with another design, the default lengths of its blocks, and another reason.
func (t Trial) With(d Design, reason string) Trial {
	t.Design, t.Reason = d, reason
	t.Block, t.Settle = 0, 0
	switch d {
	case DesignSwitchback:
		t.Block, t.Settle = usualBlock, usualSettle
	case DesignSlowSwitchback:
		t.Block, t.Settle = slowBlock, slowSettle
	}
	return t
}

// The lengths of blocks, and of the part that is not counted: at least three time constants of the setting.
const (
	quickBlock, quickSettle = 3 * time.Minute, time.Minute // settings that settle within seconds: power, queues, limits
	usualBlock, usualSettle = 5 * time.Minute, time.Minute
	niocBlock, niocSettle   = 10 * time.Minute, 3 * time.Minute // settings that vCenter sends to all hosts of a switch
	slowBlock, slowSettle   = 30 * time.Minute, 10 * time.Minute
)

// Trial returns how a trial can measure a change of the setting that takes effect by this activation and needs this
// approval; both are at least the setting's own.
func (s Setting) Trial(a Activation, c Consent) Trial {
	t := Trial{Unit: trialUnit(s.Kind.Scope)}
	never := c == ConsentNever || !s.Kind.Applicable()
	switch {
	case a == ActivationManual:
		return t.With(DesignNone, "The change is manual, so a trial cannot make it.")
	case s.Kind.Inverse == InverseNone:
		return t.With(DesignNone, "The change cannot be undone, so a trial could not restore the present state.")
	case a != ActivationLive && s.Kind.trial.Design != DesignNone:
		t = t.With(DesignRandomised, activationReasons[a])
	case s.Kind.Name == KindHostOption:
		t = t.as(trialOfOption(s.Key))
	default:
		t = t.as(s.Kind.trial)
	}
	if !never || t.Design == DesignNone {
		return t
	}
	if t.Design == DesignRandomised {
		t.Reason += " " + manualReason
		return t
	}
	return t.With(DesignNone, "vperf explains this change and never makes it, so a trial cannot switch it.")
}

const manualReason = "vperf never makes this change, so it draws no lot: draw half of the objects yourself, and compare whole days before and after."

// as returns the trial with the design, blocks and reason of another, and with its unit if it has one.
func (t Trial) as(o Trial) Trial {
	if o.Unit == "" {
		o.Unit = t.Unit
	}
	return o
}

// trialUnit returns the kind of object that is changed as one where a setting has this scope.
func trialUnit(s Scope) Scope {
	switch s {
	case ScopePNIC, ScopeVMKNIC, ScopeHBA:
		return ScopeHost
	case ScopeVNIC, ScopeVDisk:
		return ScopeVM
	}
	return s
}

// activationReasons is why changes that are not live have no switchback.
var activationReasons = map[Activation]string{
	ActivationNextPowerOn:  "The change takes effect when a VM is powered on.",
	ActivationPowerCycle:   "The change takes effect when the VM is powered off and on again.",
	ActivationPowerOff:     "The VM must be powered off for the change.",
	ActivationDriverReload: "The change needs a driver reload or a reboot of the host, and links flap.",
	ActivationHostReboot:   "The change needs a reboot of the host.",
}

// Reasons that several settings share.
const (
	atOnce        = "The change takes effect within seconds."
	pagesStay     = "Memory pages stay as they are: only those that the host handles later follow the change."
	keepsMemory   = "The host gives reclaimed memory back only as the guest touches it, and switching back could balloon or swap the VM."
	keepsNode     = "Memory stays on the NUMA nodes where it is until the VM is powered on again."
	onlyVMotion   = "The setting acts only during a vMotion, and a trial makes none. Time vMotions of one VM with each value."
	onlyOffload   = "The setting acts only while disks are cloned, moved or zeroed, or while files grow. Time the same clone with each value."
	onlyPowerOn   = "The setting decides only whether a VM powers on."
	resetsLink    = "The link can go down when it changes."
	mayReconnect  = "The host accepts the change while VMs run. If running adapters keep the old value until they reconnect, the trial shows no effect."
	lroReason     = "The vSphere networking guide asks for no reboot, KB 2055140 does. If running adapters keep the old value, the trial shows no effect."
	notDocumented = "It is not documented how soon running VMs follow the change."
	newSessions   = "Only new connections use it, and those to NFS and iSCSI storage stay open for days."
	sharedArray   = "The change takes effect within a minute. All hosts of the cluster switch together, because they share the queues of the array."
	movesStay     = "DRS moves VMs over many minutes. They stay where they are when the change is switched back, so the trial understates the effect."
	slowPlacement = "The scheduler moves VMs and their memory between NUMA nodes over many minutes."
)

// optionTrials is the design of host options whose keys begin with a text; the first that matches counts.
var optionTrials = []struct {
	prefixes string // separated by spaces
	trial    Trial
}{
	{"Numa.FollowCoresPerSocket", randomised("The NUMA nodes of a VM are decided when it is powered on.")},
	{"Numa.", slow(slowPlacement)},
	{"Mem. LPage.", randomised(pagesStay)},
	{"Cpu.AllowWideVsmp Cpu.VMAdmitCheckPerVcpuMin", none(onlyPowerOn)},
	{"Cpu.", quick(atOnce)},
	{"Power.", quick("The change takes effect within seconds, where the power policy of the host is Custom.")},
	{"Net.Vmxnet3HwLRO Net.Vmxnet3SwLRO Net.Vmxnet2HwLRO Net.Vmxnet2SwLRO", usual(lroReason)},
	{"Net.Coalesce Net.NetLatencyAwareness Net.E1000IntrCoalesce Net.Vmxnet", usual(mayReconnect)},
	{"Net.TcpipDefLRO", randomised(newSessions)},
	{"Net.Tcpip Net.UseHwTSO", randomised(activationReasons[ActivationHostReboot])},
	{"Net.", usual("The host spreads its network threads and queues again within a minute.")},
	{"Disk.MaxLUN", none("The setting counts only when the host looks for storage.")},
	{"Disk.", Trial{Design: DesignSwitchback, Unit: ScopeCluster, Block: quickBlock, Settle: quickSettle, Reason: sharedArray}},
	{"NFS. NFS41. SunRPC.", randomised("Volumes keep the old value until they are mounted again.")},
	{"DataMover. VMFS3.", none(onlyOffload)},
	{"Migrate. SvMotion.", none(onlyVMotion)},
	{"VSAN.ClomRepairDelay VSAN.ClomRebalanceThreshold VSAN.ObjectScrubsPerYear VSAN.SwapThickProvisionDisabled",
		none("The setting acts only on repairs, moves and checks of objects, or on new ones.")},
	{"VSAN. LSOM.", Trial{Design: DesignSlowSwitchback, Unit: ScopeCluster, Block: slowBlock, Settle: slowSettle,
		Reason: "The caches of vSAN follow over many minutes. All hosts of the cluster switch together, because they share its objects."}},
	{"", randomised(notDocumented)},
}

func trialOfOption(key string) Trial {
	for _, o := range optionTrials {
		for prefix := range strings.SplitSeq(o.prefixes, " ") {
			if strings.HasPrefix(key, prefix) {
				return o.trial
			}
		}
	}
	return Trial{}
}

func quick(reason string) Trial {
	return Trial{Design: DesignSwitchback, Block: quickBlock, Settle: quickSettle, Reason: reason}
}

func usual(reason string) Trial      { return Trial{}.With(DesignSwitchback, reason) }
func slow(reason string) Trial       { return Trial{}.With(DesignSlowSwitchback, reason) }
func randomised(reason string) Trial { return Trial{}.With(DesignRandomised, reason) }
func none(reason string) Trial       { return Trial{}.With(DesignNone, reason) }
