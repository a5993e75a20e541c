package vsphere

import "slices"

// writePrivileges are what writing a kind of setting takes, as the API's reference has it for the method that is called.
// Of the host's command line it says nothing; there it is what the methods beside it take.
var writePrivileges = map[string][]string{
	"host-option":            {"Host.Config.AdvancedConfig"},
	"power-policy":           {"Host.Config.Power"},
	"hyperthreading":         {"Host.Config.HyperThreading"},
	"driver-options":         {"Host.Config.Settings"},
	"lun-outstanding-ios":    {"Host.Config.Settings"},
	"datastore-unmap":        {"Host.Config.Storage"},
	"switch-nioc":            {"DVSwitch.ResourceManagement"},
	"cluster-drs-automation": {"Host.Inventory.EditCluster"},
	"cluster-drs-rate":       {"Host.Inventory.EditCluster"},
	"pool-cpu-limit":         {"Resource.EditPool"},
}

// WritePrivileges are the privileges that writing a kind of setting takes; none are known of a kind that is never written.
func WritePrivileges(kind string) []string {
	if of := vmPrivileges[kind]; of != nil {
		return slices.Clone(of)
	}
	return slices.Clone(writePrivileges[kind])
}
