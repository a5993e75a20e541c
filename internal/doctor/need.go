package doctor

import (
	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/pkg/inventory"
)

// need is a privilege that a command takes, on objects of a scope.
type need struct {
	privilege string
	scope     inventory.Scope // everywhere: all objects; root: the root folder
	use       string
	partial   bool // without it the command works with a limit
}

// Scopes of needs besides those of settings.
const (
	everywhere inventory.Scope = "everywhere"
	root       inventory.Scope = "root"
)

// command is a command of vperf, or one kind of change, with what it takes.
type command struct {
	id    string // as vperf doctor takes it
	title string
	needs []need
	// kinds is how many kinds of settings it changes; 0: it changes none.
	kinds    int
	scope    inventory.Scope // of the objects that it changes
	counters bool            // it measures
	writes   bool
}

// Ids of commands; every kind of change is a part of apply.
const (
	commandAudit    = "audit"
	commandAdvise   = "advise"
	commandTop      = "top"
	commandExporter = "exporter"
	commandApply    = "apply"
	commandTrial    = "trial"
)

// Names returns the names by which a user chooses commands, with those that take the same.
func Names() map[string]string {
	return map[string]string{
		"audit": commandAudit, "snapshot": commandAudit, "plan": commandAudit, "history": commandAudit,
		"advise": commandAdvise, "report": commandAdvise, "top": commandTop, "exporter": commandExporter,
		"apply": commandApply, "rollback": commandApply, "trial": commandTrial,
	}
}

// commands returns all commands, in the order of the report.
func commands() []command {
	read := reading()
	counters := append(reading(), need{privilege.ServiceManagers, root, "the Esxtop service", true})
	all := []command{
		{id: commandAudit, title: "audit, snapshot, plan", needs: read},
		{id: commandAdvise, title: "advise, report", needs: counters, counters: true},
		{id: commandTop, title: "top", needs: counters, counters: true},
		{id: commandExporter, title: "exporter", needs: counters, counters: true},
	}
	for _, c := range []struct {
		scope inventory.Scope
		title string
	}{
		{inventory.ScopeVM, "apply: VMs"}, {inventory.ScopePool, "apply: resource pools"}, {inventory.ScopeHost, "apply: hosts"},
		{inventory.ScopeCluster, "apply: clusters"}, {inventory.ScopeSwitch, "apply: switches"}, {inventory.ScopeDatastore, "apply: datastores"},
	} {
		all = append(all, changes(c.scope, c.title))
	}
	all = append(all, disruption(inventory.ScopeVM, privilege.PowerCycle), disruption(inventory.ScopeHost, privilege.HostReboot))
	return append(all, trialCommand())
}

// reading returns what every command takes.
func reading() (list []need) {
	for _, p := range privilege.Reading() {
		list = append(list, need{privilege: p, scope: everywhere, use: "reading"})
	}
	return list
}

// objectScope returns the scope of the object that a setting of a scope is written on.
func objectScope(s inventory.Scope) inventory.Scope {
	switch s {
	case inventory.ScopeVNIC, inventory.ScopeVDisk:
		return inventory.ScopeVM
	case inventory.ScopePNIC, inventory.ScopeVMKNIC, inventory.ScopeHBA, inventory.ScopeLUN:
		return inventory.ScopeHost
	}
	return s
}

// changes returns the command that changes the settings of one kind of object.
func changes(scope inventory.Scope, title string) command {
	c := command{id: commandApply, title: title, scope: scope, writes: true}
	for _, k := range inventory.SettingKinds() {
		if !k.Applicable() || objectScope(k.Scope) != scope {
			continue
		}
		c.kinds++
		for _, p := range k.Privileges() {
			c.needs = append(c.needs, need{privilege: p, scope: scope, use: k.Name})
		}
	}
	for _, u := range privilege.OfRuns() {
		if u.Allow == "" && (u.Scope == scope || u.Privilege == privilege.LogEvent && privilege.OnVMs(u.Scope) == privilege.OnVMs(scope)) {
			c.needs = append(c.needs, need{u.Privilege, scope, u.For, true})
		}
	}
	return c
}

// disruption returns the option of apply that allows a disruptive action.
func disruption(scope inventory.Scope, allow string) command {
	c := command{id: commandApply, title: "--allow " + allow, scope: scope, writes: true}
	for _, u := range privilege.OfRuns() {
		if u.Allow == allow {
			c.needs = append(c.needs, need{privilege: u.Privilege, scope: scope, use: u.For})
		}
	}
	return c
}

// trialCommand returns the trials: they change settings that take effect at once and have an exact inverse, and they measure.
func trialCommand() command {
	c := command{id: commandTrial, title: "trial run", writes: true, counters: true}
	for _, k := range inventory.SettingKinds() {
		if !k.Applicable() || k.Activation != inventory.ActivationLive || k.Inverse != inventory.InverseExact {
			continue
		}
		c.kinds++
		for _, p := range k.Privileges() {
			c.needs = append(c.needs, need{privilege: p, scope: objectScope(k.Scope), use: k.Name})
		}
	}
	return c
}
