package tree

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// StatePaths returns the properties that HostUnreadReason, Standby and Maintenance read.
func StatePaths() []string { return []string{PathConnection, PathPower, PathStandby, PathMaintenance} }

// Standby reports whether a host is in standby, entering it or leaving it. A server that returns no standby mode knows no standby.
func Standby(p *property.Props) inventory.Fact[bool] {
	if power(p) == types.HostSystemPowerStateStandBy {
		return inventory.Known(true)
	}
	return property.Then(property.Read(p, PathStandby, property.Text, property.DefaultTo(string(types.HostStandbyModeNone))), func(mode string) inventory.Fact[bool] {
		switch types.HostStandbyMode(mode) {
		case types.HostStandbyModeNone:
			return inventory.Known(false)
		case types.HostStandbyModeEntering, types.HostStandbyModeIn, types.HostStandbyModeExiting:
			return inventory.Known(true)
		}
		return inventory.Unread[bool]("the server reports its standby mode as " + session.Plain(mode))
	})
}

// Maintenance reports whether a host is in maintenance mode. vCenter knows this also of hosts that do not respond.
func Maintenance(p *property.Props) inventory.Fact[bool] {
	return property.Read(p, PathMaintenance, property.Bool, property.Required)
}

// HostUnreadReason returns why a host's facts must not be used, or "": vCenter returns cached data for a host that does not respond
// or is in standby. Standby, and maintenance mode of a host that is down, are planned absences (inventory.PlannedAbsence). A host
// that responds is read, also in maintenance mode and on its way into or out of standby. A state that was not read plans nothing.
func HostUnreadReason(p *property.Props) string {
	state, ok := property.Read(p, PathConnection, property.Text, property.Required).Value()
	mode, _ := property.Read(p, PathStandby, property.Text, property.AbsentIfUnset).Value()
	if power(p) == types.HostSystemPowerStateStandBy || mode == string(types.HostStandbyModeIn) {
		return inventory.Planned("in standby")
	}
	var how, word string
	switch types.HostSystemConnectionState(state) {
	case types.HostSystemConnectionStateConnected:
		return ""
	case types.HostSystemConnectionStateNotResponding:
		how, word = "host not responding", "not responding"
	case types.HostSystemConnectionStateDisconnected:
		how, word = "host disconnected", "disconnected"
	default:
		if !ok {
			return "the server does not report whether the host responds"
		}
		return "host in state " + session.Plain(state)
	}
	if asleep, _ := Standby(p).Value(); asleep {
		return inventory.Planned("in standby")
	}
	if in, _ := Maintenance(p).Value(); in {
		return inventory.Planned("in maintenance mode and " + word)
	}
	return how + " (state " + state + ")"
}

func power(p *property.Props) types.HostSystemPowerState {
	state, _ := property.Read(p, PathPower, property.Text, property.Required).Value()
	return types.HostSystemPowerState(state)
}
