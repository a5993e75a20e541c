package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// failed reports a measurement that failed: without an answer in time it is unknown, with a refusal it fails.
func (x *examination) failed(id, what string, err error) {
	if late(err) {
		x.set(id, Unknown, what+" did not answer in time", cause(err), x.waitLonger())
		return
	}
	x.set(id, Unknown, what+" could not be read", cause(err))
}

// cause returns why a measurement failed, without the operation.
func cause(err error) string {
	if limit, ok := errors.AsType[*limitError](err); ok {
		return limit.Error()
	}
	return session.Cause(err)
}

// oldest is the first release of docs/compatibility.md: 6.0 U3 reports itself as 6.0.0.
var oldest = inventory.Version{Major: 6}

// release compares the server's own release with the compatibility table.
func (x *examination) release() {
	v, known := x.product.Version.Value()
	switch {
	case !known:
		_, _, reason := x.product.Version.Get()
		x.set(checkProduct, Unknown, x.product.Name, "its release is not known: "+reason)
	case !v.AtLeast(oldest):
		x.set(checkProduct, Unknown, x.product.Name, "vperf supports 6.0 U3 and later; nobody has tested an older release", "update the server")
	case x.product.IsVCenter && v.NewerThanTables():
		x.set(checkProduct, Warning, x.product.Name, newerWords)
	case !x.product.IsVCenter:
		x.set(checkProduct, OK, x.product.Name+", without vCenter", "")
	default:
		x.set(checkProduct, OK, x.product.Name, "")
	}
}

// newerWords is the row of docs/compatibility.md for newer releases.
var newerWords = "newer than vperf's tables, which end at " + inventory.NewestRelease() + ": the hosts' own definitions decide, and counters are not verified"

// hosts compares the releases of the hosts with the compatibility table, and reports those that do not respond.
func (x *examination) hosts() {
	if x.noList != nil {
		x.failed(checkHosts, "the list of hosts", x.noList)
		return
	}
	all := x.inventory.hosts()
	if len(all) == 0 {
		x.set(checkHosts, Fail, "the account sees no host", "there is none, or the account has no role on them", x.grantReading())
		return
	}
	var newer, older, silent, unread, planned []string
	var versions []inventory.Version
	for _, h := range all {
		v, known := h.Version.Value()
		_, absent := inventory.PlannedAbsence(h.Down)
		switch {
		case absent:
			planned = append(planned, h.Name)
		case h.Down != "":
			silent = append(silent, h.Name)
		case !known:
			unread = append(unread, h.Name)
		default:
			versions = append(versions, v)
			if v.NewerThanTables() {
				newer = append(newer, h.Name)
			} else if !v.AtLeast(oldest) {
				older = append(older, h.Name)
			}
		}
	}
	status, notes := OK, []string(nil)
	add := func(s Status, hosts []string, is, are string) {
		if len(hosts) > 0 {
			status = worse(status, s)
			notes = append(notes, names(hosts)+" "+plural.Form(len(hosts), is, are))
		}
	}
	add(Unknown, older, "is older than 6.0 U3, which vperf does not support", "are older than 6.0 U3, which vperf does not support")
	add(Unknown, unread, "does not show its release to the account", "do not show their release to the account")
	add(Warning, silent, "does not respond and is not judged", "do not respond and are not judged")
	add(OK, planned, "is in standby, or in maintenance mode and down", "are in standby, or in maintenance mode and down")
	add(Warning, newer, "is "+newerWords, "are "+newerWords)
	x.set(checkHosts, status, plural.Count(len(all), "host")+span(versions), strings.Join(notes, "; "))
}

// names joins at most three names.
func names(list []string) string {
	if len(list) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:2], ", "), len(list)-2)
	}
	return strings.Join(list, ", ")
}

func span(versions []inventory.Version) string {
	if len(versions) == 0 {
		return ""
	}
	compare := func(a, b inventory.Version) int {
		switch {
		case a == b:
			return 0
		case a.AtLeast(b):
			return 1
		}
		return -1
	}
	first, last := slices.MinFunc(versions, compare), slices.MaxFunc(versions, compare)
	if first == last {
		return ", ESXi " + first.String()
	}
	return fmt.Sprintf(", ESXi %s to %s", first, last)
}

// Readings of the clock, and the limits from which they are worth a warning.
const (
	clockReadings = 3
	clockOff      = 30 * time.Second
	slowRoundTrip = 250 * time.Millisecond
)

// clock reads the server's clock a few times; the quickest call gives the best difference.
func (x *examination) clock(ctx context.Context) {
	var readings []Clock
	for range clockReadings {
		r, err := x.session.Clock(ctx)
		if err != nil {
			if len(readings) == 0 {
				x.failed(checkClock, "the clock", err)
				x.failed(checkRoundTrip, "a short call", err)
				return
			}
			break
		}
		readings = append(readings, r)
	}
	slices.SortStableFunc(readings, func(a, b Clock) int { return int(a.Took - b.Took) })
	x.difference(readings[0])
	middle := readings[len(readings)/2].Took
	text := fmt.Sprintf("%s for a short call (median of %d)", brief(middle), len(readings))
	if middle > slowRoundTrip {
		x.set(checkRoundTrip, Warning, text, "an audit takes ten calls and one per page of results: expect it to be slow")
		return
	}
	x.set(checkRoundTrip, OK, text, "")
}

func (x *examination) difference(c Clock) {
	ahead := c.Ahead()
	side := "ahead of"
	if ahead < 0 {
		ahead, side = -ahead, "behind"
	}
	switch {
	case ahead > clockOff:
		x.set(checkClock, Warning, fmt.Sprintf("the server's clock is %s %s this machine's", brief(ahead), side),
			"one of the two is wrong: times of findings, runs and waivers do not match events on the server", "check NTP on this machine (timedatectl) and on the server")
	case ahead <= max(c.Took/2, time.Second):
		x.set(checkClock, OK, "equal to this machine's within a second", "")
	default:
		x.set(checkClock, OK, fmt.Sprintf("%s %s this machine's", brief(ahead), side), "")
	}
}

func (x *examination) rest(ctx context.Context) {
	if !x.product.IsVCenter {
		x.set(checkREST, Absent, "only vCenter has tags and content libraries", "")
		return
	}
	if err := x.session.REST(ctx); err != nil {
		x.set(checkREST, Warning, "no login over REST", cause(err)+"; tags and content libraries are unread", restTry(err)...)
		return
	}
	x.set(checkREST, OK, "login works: tags and content libraries can be read", "")
}

// answers reports values and answers that the server sends and nobody can decode.
func (x *examination) answers(ctx context.Context) {
	values, lost := x.session.Damaged(ctx)
	cause := strings.Join(firstOf(slices.Concat(lost, values), 3), "; ")
	switch {
	case len(lost) > 0:
		x.set(checkAnswers, Fail, "the server sends answers that cannot be decoded: what they are about is unread", cause,
			"check the proxies on the way, and the server's health")
	case len(values) > 0:
		x.set(checkAnswers, Warning, "the server sends values that cannot be decoded: these facts are unread", cause)
	}
}

func restTry(err error) []string {
	if late(err) {
		return nil
	}
	return []string{"check that the vCenter's REST API (https://HOST/api) is reachable and its services run"}
}

// asked returns a host that can be asked for its counters, or nil.
func (x *examination) asked() *Object {
	if x.inventory == nil {
		return nil
	}
	for _, h := range x.inventory.hosts() {
		if h.Down == "" {
			return &h
		}
	}
	return nil
}

func (x *examination) statistics(ctx context.Context) {
	host := x.asked()
	if host == nil {
		x.set(checkStatistics, Unknown, "no host can be asked for counters", "")
		return
	}
	s, err := x.session.Statistics(ctx, host.ID)
	switch {
	case err != nil:
		x.failed(checkStatistics, "the PerformanceManager", err)
	case s.RealTime == 0:
		x.set(checkStatistics, Fail, "the PerformanceManager keeps no real-time samples", "release 9.1 and later are not verified")
	case len(s.Rollups) == 0:
		x.set(checkStatistics, OK, fmt.Sprintf("samples every %s; no rollups", unit(s.RealTime)), "")
	default:
		x.set(checkStatistics, OK, fmt.Sprintf("samples every %s; rollups %s", unit(s.RealTime), rollups(s.Rollups)), "")
	}
}

// rollups lists intervals with their levels; neighbours of one level share it.
func rollups(list []Rollup) string {
	var parts []string
	for i, r := range list {
		part := unit(r.Every)
		if r.Level > 0 && (i == len(list)-1 || list[i+1].Level != r.Level) {
			part += fmt.Sprintf(" at level %d", r.Level)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// unit formats an interval in its largest unit: 20 s, 5 min, 2 h, 1 d.
func unit(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if d >= u.size && d%u.size == 0 {
			return fmt.Sprintf("%d %s", d/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

func (x *examination) esxtop(ctx context.Context) {
	host := x.asked()
	if host == nil {
		x.set(checkEsxtop, Unknown, "no host can be asked for its Esxtop service", "")
		return
	}
	err := x.session.Esxtop(ctx, host.Name)
	denied, is := errors.AsType[*session.PermissionError](err)
	switch {
	case err == nil:
		x.set(checkEsxtop, OK, host.Name+" offers the service", "")
	case is:
		missing := session.OrUnknown(denied.Privilege)
		x.set(checkEsxtop, Warning, "the account may not use the service: privilege "+missing+" is missing", "counters come from the PerformanceManager, which has fewer")
	case late(err):
		x.failed(checkEsxtop, "the Esxtop service of "+host.Name, err)
	default:
		x.set(checkEsxtop, Warning, "there is no service of "+host.Name, cause(err)+"; counters come from the PerformanceManager, which has fewer")
	}
}

// privileges reads what the account may do, on every object that it sees.
func (x *examination) privileges(ctx context.Context) {
	if x.inventory == nil {
		x.notGranted = x.noList
		x.failed(checkPrivileges, "the inventory", x.noList)
		return
	}
	var ids []string
	for _, o := range x.inventory.Objects {
		ids = append(ids, o.ID)
	}
	granted, err := x.session.Granted(ctx, ids, needed())
	if err != nil {
		x.notGranted = err
		x.failed(checkPrivileges, "the account's privileges", err)
		return
	}
	x.granted, x.account = granted.By, granted.Account
	if unread := len(ids) - len(granted.By); unread > 0 {
		x.set(checkPrivileges, Unknown, fmt.Sprintf("read on %d of %s", len(granted.By), plural.Count(len(ids), "object")), "the server did not report them on the others")
		return
	}
	x.set(checkPrivileges, OK, fmt.Sprintf("read on %s of the inventory", plural.Count(len(ids), "object")), "")
}

// needed returns all privileges that any command needs.
func needed() []string {
	all := slices.Concat(privilege.Reading(), privilege.ToChange(true), privilege.ToChange(false), []string{privilege.ServiceManagers})
	slices.Sort(all)
	return slices.Compact(all)
}

func (x *examination) grantReading() string {
	return fmt.Sprintf("govc permissions.set -principal %s -role ReadOnly -propagate=true /", quoted(x.principal()))
}
