package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/pkg/inventory"
)

// commands decides for every chosen command whether it works, and collects the permissions that are missing.
func (x *examination) commands() (list []Command, grants []Grant) {
	plan := newGrants(x)
	for _, c := range commands() {
		if len(x.Commands) > 0 && !slices.Contains(x.Commands, c.id) {
			continue
		}
		list = append(list, x.command(c, plan))
	}
	return list, plan.list()
}

func (x *examination) command(c command, plan *grants) Command {
	r := Command{Result: Result{ID: c.id + suffix(c), Status: OK}}
	if by := x.blocker(); by != "" {
		r.Status, r.Text, r.BlockedBy = x.results[by].Status, "not possible: see "+Title(by), by
		return r
	}
	if status, why := x.blocked(c); status != OK {
		r.Status, r.Text = status, why
		return r
	}
	unread := false
	r.Missing, unread = x.missing(c, plan)
	for _, m := range r.Missing {
		r.Status = worse(r.Status, Warning)
		if !partialIn(c, m.Privilege) {
			r.Status = Fail
		}
	}
	r.Text = x.summary(c)
	if r.Status == Fail {
		r.Text = x.failure(c, r.Missing)
	}
	if unread {
		r.Status = worse(r.Status, Unknown)
		r.Cause = "the account's privileges on some objects are not known"
	}
	x.limits(c, &r)
	return r
}

// suffix distinguishes the parts of apply in ids.
func suffix(c command) string {
	if allow, is := strings.CutPrefix(c.title, "--allow "); is {
		return "-" + allow
	}
	if c.id == commandApply {
		return "-" + string(c.scope)
	}
	return ""
}

// CommandTitle returns the name of a command for people.
func CommandTitle(id string) string {
	for _, c := range commands() {
		if c.id+suffix(c) == id {
			return c.title
		}
	}
	return id
}

// CommandIDs returns the ids of all commands in a report.
func CommandIDs() (list []string) {
	for _, c := range commands() {
		list = append(list, c.id+suffix(c))
	}
	return list
}

// blocker returns the check because of which no command works, or "": there is no session, no object, or privileges are unread.
func (x *examination) blocker() string {
	if x.session == nil {
		for _, id := range []string{checkName, checkPort, checkProxy, checkTLS, checkLogin} {
			if r, done := x.results[id]; done && !r.Status.Works() {
				return id
			}
		}
	}
	switch {
	case x.noList != nil, x.results[checkHosts].Status == Fail:
		return checkHosts
	case x.notGranted != nil:
		return checkPrivileges
	}
	return ""
}

// blocked returns why a command is not judged by its privileges, and OK if it is.
func (x *examination) blocked(c command) (Status, string) {
	if c.scope != "" && len(x.objects(c.scope)) == 0 {
		if !x.product.IsVCenter && (c.scope == inventory.ScopeCluster || c.scope == inventory.ScopeSwitch) {
			return Absent, "only vCenter has them"
		}
		return Absent, "the account sees none"
	}
	if c.writes && x.Ambiguous != nil {
		return Fail, "refused, because it is not clear which server is meant: see config"
	}
	return OK, ""
}

// limits adds what stands in the way of a command besides privileges.
func (x *examination) limits(c command, r *Command) {
	if statistics := x.results[checkStatistics]; c.counters && !statistics.Status.Works() {
		r.Status = worse(r.Status, statistics.Status)
		r.Cause = "counters: " + statistics.Text
	}
	if answers := x.results[checkAnswers]; !answers.Status.Works() {
		r.Status, r.Text = worse(r.Status, answers.Status), "will not work everywhere"
		r.Cause = "answers: " + answers.Text
	}
	if product := x.results[checkProduct]; !product.Status.Works() {
		r.Status = worse(r.Status, product.Status)
		r.Cause = "product: " + product.Cause
	}
	if c.writes && !x.product.IsVCenter && r.Status.Works() {
		r.Status = Unknown
		r.Cause = "whether the host's licence allows changes shows only when one is made: the free licence refuses them"
	}
}

// objects returns the objects of a scope.
func (x *examination) objects(scope inventory.Scope) []Object {
	switch scope {
	case everywhere:
		return x.inventory.Objects
	case root:
		return x.inventory.Objects[:1]
	}
	var list []Object
	for _, o := range x.inventory.Objects {
		if o.Scope == scope {
			list = append(list, o)
		}
	}
	return list
}

// missing returns the privileges that a command takes and the account does not have, in the order of the needs, each once; and whether
// some are not known.
func (x *examination) missing(c command, plan *grants) (list []Missing, unread bool) {
	for _, n := range c.needs {
		objects := x.objects(n.scope)
		var without []Object
		for _, o := range objects {
			has, known := x.granted[o.ID][n.privilege]
			switch {
			case !known:
				unread = true
			case !has:
				without = append(without, o)
			}
		}
		if len(without) == 0 {
			continue
		}
		plan.add(c, n, without)
		list = addMissing(list, n, without, len(objects))
	}
	return list, unread
}

// addMissing adds a privilege, or another use of it.
func addMissing(list []Missing, n need, without []Object, of int) []Missing {
	i := slices.IndexFunc(list, func(m Missing) bool { return m.Privilege == n.privilege })
	if i < 0 {
		m := Missing{Privilege: n.privilege, For: []string{n.use}, Of: of}
		if len(without) < of {
			for _, o := range without {
				m.Objects = append(m.Objects, o.Path)
			}
		}
		return append(list, m)
	}
	if !slices.Contains(list[i].For, n.use) {
		list[i].For = append(list[i].For, n.use)
	}
	return list
}

// partialIn reports a privilege without which a command works with a limit.
func partialIn(c command, name string) bool {
	return !slices.ContainsFunc(c.needs, func(n need) bool { return n.privilege == name && !n.partial })
}

// failure says how much of a command does not work.
func (x *examination) failure(c command, missing []Missing) string {
	if c.kinds == 0 {
		if slices.ContainsFunc(missing, func(m Missing) bool { return len(m.Objects) > 0 }) {
			return "will not work everywhere"
		}
		return "will not work"
	}
	var broken []string
	for _, n := range c.needs {
		if !n.partial && !slices.Contains(broken, n.use) && x.lacks(n) {
			broken = append(broken, n.use)
		}
	}
	everywhere := ""
	if slices.ContainsFunc(missing, func(m Missing) bool { return len(m.Objects) > 0 }) {
		everywhere = " everywhere"
	}
	return fmt.Sprintf("%d of %s can be changed%s", c.kinds-len(broken), plural.Count(c.kinds, "setting"), everywhere)
}

// summary says what a command that works does.
func (x *examination) summary(c command) string {
	switch {
	case c.counters && c.kinds == 0 && slices.ContainsFunc(c.needs, func(n need) bool { return n.privilege == privilege.ServiceManagers && !x.lacks(n) }) &&
		x.results[checkEsxtop].Status == OK:
		return "Esxtop service and PerformanceManager"
	case c.counters && c.kinds == 0:
		return "PerformanceManager only"
	case c.id == commandTrial:
		return plural.Count(c.kinds, "setting") + " that take effect at once"
	case c.kinds > 0:
		return fmt.Sprintf("%s, %s", plural.Count(c.kinds, "setting"), x.places(c.scope))
	case c.writes:
		return "allowed, " + x.places(c.scope)
	}
	return "everything that the account sees can be read"
}

// lacks reports whether the account is without a privilege somewhere.
func (x *examination) lacks(n need) bool {
	return slices.ContainsFunc(x.objects(n.scope), func(o Object) bool { return !x.granted[o.ID][n.privilege] })
}

// places counts the objects of a scope; privileges on VMs are checked on their folders.
func (x *examination) places(scope inventory.Scope) string {
	nouns := map[inventory.Scope]string{
		inventory.ScopeVM: "VM folder", inventory.ScopePool: "pool", inventory.ScopeHost: "host", inventory.ScopeCluster: "cluster",
		inventory.ScopeSwitch: "switch", inventory.ScopeDatastore: "datastore",
	}
	return "on " + plural.Count(len(x.objects(scope)), nouns[scope])
}
