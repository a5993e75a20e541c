package doctor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/pkg/inventory"
)

// The groups of privileges that roles are made of.
const (
	groupCounters = "counters"
	groupVMs      = "change-vms"
	groupHosts    = "change-hosts"
)

// grants collects the permissions that are missing. A user has one role on an object, so there is one role for each object, with
// everything that the chosen commands need there.
type grants struct {
	x      *examination
	order  []Object
	groups map[string][]string // by object: groups of privileges besides reading
}

func newGrants(x *examination) *grants { return &grants{x: x, groups: map[string][]string{}} }

// groupOf returns the group of a need; "" is reading.
func groupOf(n need) string {
	switch {
	case n.scope == everywhere:
		return ""
	case n.privilege == privilege.ServiceManagers:
		return groupCounters
	case privilege.OnVMs(n.scope):
		return groupVMs
	}
	return groupHosts
}

// add notes the highest objects on which a privilege is missing. Where the root does not have it either, the root is enough.
func (g *grants) add(c command, n need, without []Object) {
	top := g.x.inventory.Objects[0]
	if has, known := g.x.granted[top.ID][n.privilege]; known && !has {
		g.at(top, groupOf(n))
		return
	}
	for _, o := range without {
		if !g.missingAbove(o, without) {
			g.at(o, groupOf(n))
			for _, other := range c.needs { // a role of its own there must keep what the command needs
				if other.scope == n.scope {
					g.at(o, groupOf(other))
				}
			}
		}
	}
}

// missingAbove reports whether the privilege is missing on an object above too.
func (g *grants) missingAbove(o Object, without []Object) bool {
	for parent := o.Parent; parent != ""; {
		if slices.ContainsFunc(without, func(w Object) bool { return w.ID == parent }) {
			return true
		}
		i := slices.IndexFunc(g.x.inventory.Objects, func(a Object) bool { return a.ID == parent })
		if i < 0 {
			return false
		}
		parent = g.x.inventory.Objects[i].Parent
	}
	return false
}

func (g *grants) at(o Object, group string) {
	if _, known := g.groups[o.ID]; !known {
		g.order = append(g.order, o)
		g.groups[o.ID] = []string{}
	}
	if group != "" && !slices.Contains(g.groups[o.ID], group) {
		g.groups[o.ID] = append(g.groups[o.ID], group)
	}
}

// list returns the permissions, the root's first. Groups that the account has on an object stay in its role.
func (g *grants) list() (list []Grant) {
	for _, o := range g.order {
		groups := g.groups[o.ID]
		for _, group := range []string{groupCounters, groupVMs, groupHosts} {
			if !slices.Contains(groups, group) && g.x.hasAll(o, group) {
				groups = append(groups, group)
			}
		}
		list = append(list, g.x.grant(o, groups))
	}
	return list
}

// hasAll reports whether the account has a whole group on an object, and uses it there: counters on the root, changes of hosts on
// anything but VM folders and pools, and changes of VMs on these and on containers.
func (x *examination) hasAll(o Object, group string) bool {
	container := o.Scope == "" || o.Scope == inventory.ScopeCluster
	switch {
	case group == groupCounters && o.Parent != "", !container && group != groupCounters && (group == groupVMs) != privilege.OnVMs(o.Scope):
		return false
	}
	return !slices.ContainsFunc(privilegesOf(group), func(p string) bool { return !x.granted[o.ID][p] })
}

func privilegesOf(group string) []string {
	switch group {
	case groupCounters:
		return []string{privilege.ServiceManagers}
	case groupVMs:
		return privilege.ToChange(true)
	case groupHosts:
		return privilege.ToChange(false)
	}
	return nil
}

func (x *examination) grant(o Object, groups []string) Grant {
	all := []string{}
	for _, group := range groups {
		all = append(all, privilegesOf(group)...)
	}
	slices.Sort(all)
	role, builtIn := roleName(groups)
	changes := slices.Contains(groups, groupVMs) || slices.Contains(groups, groupHosts)
	return Grant{
		Role: role, BuiltIn: builtIn, Changes: changes, Privileges: append(privilege.Reading(), slices.Compact(all)...), Principal: x.principal(), Path: o.Path,
	}
}

// roleName returns the name of a role for some groups: those of docs/permissions.md, or a name of the groups.
func roleName(groups []string) (name string, builtIn bool) {
	ordered := slices.DeleteFunc([]string{groupCounters, groupVMs, groupHosts}, func(g string) bool { return !slices.Contains(groups, g) })
	switch {
	case len(ordered) == 0:
		return "ReadOnly", true
	case len(ordered) == 1:
		return map[string]string{groupCounters: privilege.RoleCounters, groupVMs: privilege.RoleVMs, groupHosts: privilege.RoleHosts}[ordered[0]], false
	case len(ordered) == len([]string{groupCounters, groupVMs, groupHosts}):
		return "vperf-all", false
	}
	return "vperf-" + strings.Join(ordered, "-"), false
}

// principal is the user as govc takes it: with its domain.
func (x *examination) principal() string {
	if strings.ContainsAny(x.User, `@\`) {
		return x.User
	}
	return cmp.Or(x.account, x.User)
}

// Lines returns the commands that give the permission, for a shell.
func (g Grant) Lines() (lines []string) {
	if !g.BuiltIn {
		lines = append(lines, "govc role.create "+g.Role+" "+strings.Join(g.Privileges, " "))
	}
	return append(lines, "govc permissions.set -principal "+quoted(g.Principal)+" -role "+g.Role+" -propagate=true "+quoted(g.Path))
}
