package exporter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/remedy"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// unreadState is a property that the account may not read, and unsetState one without a value.
const unreadState, unsetState = "(unread)", "(unset)"

// stateOf is the host of a server that returns these values of the state's properties.
func stateOf(values ...string) *property.Props {
	p := &property.Props{
		Ref:    types.ManagedObjectReference{Type: property.TypeHost, Value: "host-1"},
		Values: map[string]any{tree.PathName: "esx01"}, Missing: map[string]types.BaseMethodFault{}, Unknown: func(string) bool { return false },
	}
	for i, path := range []string{tree.PathConnection, tree.PathPower, tree.PathStandby} {
		switch values[i] {
		case unreadState:
			p.Missing[path] = &types.NoPermission{}
		case unsetState:
		default:
			p.Values[path] = values[i]
		}
	}
	switch values[3] {
	case unreadState:
		p.Missing[tree.PathMaintenance] = &types.NoPermission{}
	default:
		p.Values[tree.PathMaintenance] = values[3] == "true"
	}
	return p
}

// TestHostStates walks all combinations of the properties that make up a host's state, and holds their effect on facts, results,
// plans, series, the alert and what a target reports as lost.
func TestHostStates(t *testing.T) {
	t.Parallel()
	l, err := ownRules()
	require.NoError(t, err)
	effects := map[string]stateEffect{}
	planned := 0
	for _, connection := range []string{"connected", "notResponding", "disconnected", "odd", unsetState, unreadState} {
		for _, power := range []string{"poweredOn", "poweredOff", "standBy", "unknown", unreadState} {
			for _, mode := range []string{"none", "entering", "in", "exiting", "odd", unsetState, unreadState} {
				for _, maintenance := range []string{"true", "false", unreadState} {
					at := fmt.Sprintf("%s, %s, standby mode %s, maintenance %s", connection, power, mode, maintenance)
					p := stateOf(connection, power, mode, maintenance)

					// The state.
					down := connection == "notResponding" || connection == "disconnected"
					moving := mode == "entering" || mode == "exiting"
					asleep := power == "standBy" || mode == "in" || moving && down
					absent := asleep || down && maintenance == "true"
					reason := tree.HostUnreadReason(p)
					why, isPlanned := inventory.PlannedAbsence(reason)
					require.Equal(t, absent, isPlanned, at)
					require.Equal(t, connection == "connected" && !asleep, reason == "", at)
					if asleep {
						require.Equal(t, "in standby", why, at)
					} else if absent {
						require.Equal(t, "in maintenance mode and "+map[string]string{"notResponding": "not responding", "disconnected": "disconnected"}[connection], why, at)
					}

					// The series and the alert.
					h := source.Host{MoID: "host-1", Name: "esx01", Power: power, Down: reason, Standby: tree.Standby(p), Maintenance: tree.Maintenance(p)}
					if strings.HasPrefix(power, "(") {
						h.Power = ""
					}
					page := exposition.Record(func(w *exposition.Writer) {
						new(module.Inventory).Write(w, []source.Host{h}, nil, nil, nil)
					})
					got := map[string]float64{}
					for name, v := range series(t, played(t, page)) {
						family, _, _ := strings.Cut(name, "{")
						got[family] = v
					}
					standby, known := got["esxi_host_in_standby"]
					require.Equal(t, power == "standBy" || mode != "odd" && mode != unreadState, known, at)
					require.Equal(t, power == "standBy" || mode == "in" || moving, standby == 1, at)
					in, known := got["esxi_host_in_maintenance"]
					require.Equal(t, maintenance != unreadState, known, at)
					require.Equal(t, maintenance == "true", in == 1, at)
					require.Equal(t, reason == "", got["esxi_host_connected"] == 1, at)
					fires := got["esxi_host_connected"] == 0 && standby != 1 && in != 1
					require.False(t, fires && isPlanned, at)
					require.Equal(t, reason != "" && standby != 1 && in != 1, fires, at)
					here := present{asked: []source.Host{h}}
					require.Equal(t, reason != "" && !isPlanned && power != "poweredOff", here.lost() != "", at)
					require.Equal(t, reason != "" || power == "poweredOff" || power == "unknown", here.away()["host-1"], at)

					// Results and plans depend on the reason alone.
					if _, done := effects[reason]; !done {
						effects[reason] = effectOf(t, l, reason)
					}
					e := effects[reason]
					require.Equal(t, reason == "" || isPlanned, e.complete, at)
					require.Equal(t, reason == "", e.judged, at)
					if reason != "" {
						require.Contains(t, e.skipped, reason, at)
					}
					if isPlanned {
						planned++
					}
				}
			}
		}
	}
	require.Greater(t, planned, 200)
	require.GreaterOrEqual(t, len(effects), 8)
}

func played(t *testing.T, tape *exposition.Tape) string {
	t.Helper()
	var b strings.Builder
	w := exposition.NewWriter(&b, exposition.Text)
	tape.Play(w, nil)
	require.NoError(t, w.Close())
	return b.String()
}

// stateEffect is the effect of a host's state on the results about it.
type stateEffect struct {
	complete, judged bool
	skipped          string
}

// effectOf evaluates a host that is unread for a reason, together with its cluster and a host that is read.
func effectOf(t *testing.T, rules *advice.Ruleset, reason string) stateEffect {
	t.Helper()
	host := func(id, reason string) *inventory.Host {
		h := &inventory.Host{ClusterID: inventory.Known("domain-c1")}
		h.ID, h.Name, h.Path, h.Unread = id, id, "/dc/host/c1/"+id, reason
		if reason == "" {
			h.Kind, h.PNICs, h.PowerPolicy = inventory.Known(inventory.HostPhysical), inventory.Known([]*inventory.PNIC{}), inventory.Known("static")
			h.LUNs, h.PowerHardware = inventory.Known([]*inventory.LUN{}), inventory.Known("ACPI C-states")
		}
		return h
	}
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter, Hosts: []*inventory.Host{host("host-1", reason), host("host-2", "")}}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	s.Link()
	r, err := advice.Evaluate(t.Context(), s, rules, advice.Options{All: true})
	require.NoError(t, err)
	e := stateEffect{judged: true}
	for _, f := range r.Findings {
		if f.Rule.ID == "pnic-link" && f.Object.ID == "host-1" && f.Outcome == advice.Unknown {
			e.judged = false
		}
		require.False(t, reason != "" && f.Object.ID == "host-1" && f.Outcome == advice.Pass, "%s passes of a host that was not read", f.Rule.ID)
	}
	e.complete = !slices.ContainsFunc(r.Incomplete(advice.Info), func(why string) bool { return strings.Contains(why, "host-1") || strings.Contains(why, "pnic-link") }) &&
		auditStatus(r, s.VCenters[0].TakenAt, 0).Success
	if reason != "" {
		require.Len(t, r.UnreadObjects, 1, "it is listed")
	}
	_, skipped := remedy.Propose(r, s, remedy.Request{})
	for _, l := range skipped {
		if l.Target.ID == "host-1" {
			e.skipped += l.Why + "\n"
		}
	}
	return e
}

// TestReadingsOfHostsThatWentAway: sensors of a host that is down are not shown as current, and vCenter's own states of it are.
func TestReadingsOfHostsThatWentAway(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic, module.Hardware, module.Tags}, TagCategories: []string{"tier"}})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	st.survey()
	of := func(moid string) (families map[string]int) {
		families = map[string]int{}
		for name := range series(t, textOf(t, target)) {
			if strings.Contains(name, `moid="`+moid+`"`) {
				family, _, _ := strings.Cut(name, "{")
				families[family]++
			}
		}
		return families
	}
	at := slices.IndexFunc(target.snapshot().here.hosts, func(h source.Host) bool { return of(h.MoID)["esxi_host_sensor_healthy"] > 0 })
	require.GreaterOrEqual(t, at, 0, "a host with sensors")
	gone := target.snapshot().here.hosts[at].MoID
	other := target.snapshot().here.hosts[(at+1)%len(target.snapshot().here.hosts)].MoID
	before := of(other)
	target.change(func(now *state) {
		for _, list := range []*[]source.Host{&now.here.hosts, &now.here.asked} {
			*list = slices.Clone(*list)
			for i := range *list {
				if h := &(*list)[i]; h.MoID == gone {
					h.Down, h.Maintenance = inventory.Planned("in maintenance mode and not responding"), inventory.Known(true)
				}
			}
		}
	})
	left := of(gone)
	for family := range left {
		require.False(t, strings.HasPrefix(family, "esxi_host_sensor_") || strings.HasPrefix(family, "esxi_pnic_"), family)
	}
	require.Equal(t, 1, left["esxi_host_in_maintenance"])
	require.Equal(t, 1, left["esxi_host_connected"])
	require.Equal(t, before, of(other))
}
