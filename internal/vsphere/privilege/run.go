package privilege

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// ServiceManagers is the privilege for the Esxtop service, on the root of the inventory.
const ServiceManagers = "Global.ServiceManagers"

// Reading lists the privileges of the built-in role Read-only, which every role contains. They are enough to read all facts and the
// counters of the PerformanceManager.
func Reading() []string { return []string{"System.Anonymous", "System.Read", "System.View"} }

// LogEvent is the privilege to post an event on an object.
const LogEvent = "Global.LogEvent"

// RawDevice is also required for the limit of a disk that is a raw device mapping or a LUN used directly.
const RawDevice = "VirtualMachine.Config.RawDevice"

// Disruptive actions, as --allow names them.
const (
	PowerCycle = "power-cycle"
	HostReboot = "host-reboot"
)

// Use is a privilege that a run needs besides those for writing settings, according to the vSphere API reference for the methods that
// it calls.
type Use struct {
	Privilege string
	Scope     inventory.Scope // of the objects on which it is needed
	For       string
	// Allow is the disruptive action that needs it: power-cycle or host-reboot. "" is any run, which continues without it.
	Allow string
}

// ofRuns lists the privileges that runs need besides those for writing settings. An event is on each changed object.
var ofRuns = []Use{
	{LogEvent, inventory.ScopeVM, "an event on each changed object", ""},
	{RawDevice, inventory.ScopeVM, "the I/O limit of a raw device", ""},
	{"VirtualMachine.Interact.PowerOff", inventory.ScopeVM, "shutting a VM down", PowerCycle},
	{"VirtualMachine.Interact.PowerOn", inventory.ScopeVM, "starting it again", PowerCycle},
	{LogEvent, inventory.ScopeHost, "an event on each changed object", ""},
	{"Host.Config.Firmware", inventory.ScopeHost, "saving the host's configuration", ""},
	{"Host.Config.Maintenance", inventory.ScopeHost, "maintenance mode and restart", HostReboot},
}

// OfRuns returns the privileges that runs need besides those for writing settings.
func OfRuns() []Use { return slices.Clone(ofRuns) }

// OnVMs reports whether the settings of a scope belong to VMs and their pools, and not to hosts and their clusters.
func OnVMs(s inventory.Scope) bool {
	switch s {
	case inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk, inventory.ScopePool:
		return true
	}
	return false
}

// ToChange returns all privileges of a role that changes VMs, or hosts: sorted, without those of [Reading].
func ToChange(vms bool) []string {
	var all []string
	for _, k := range inventory.SettingKinds() {
		if k.Applicable() && OnVMs(k.Scope) == vms {
			all = append(all, k.Privileges()...)
		}
	}
	for _, u := range ofRuns {
		if OnVMs(u.Scope) == vms {
			all = append(all, u.Privilege)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Names of the roles in docs/permissions.md.
const (
	RoleCounters = "vperf-counters"
	RoleVMs      = "vperf-change-vms"
	RoleHosts    = "vperf-change-hosts"
)
