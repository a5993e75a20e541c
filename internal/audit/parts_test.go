package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// fleet is several servers that were read before.
type fleet struct {
	all  []*inventory.VCenter
	fail error

	released func(*inventory.Snapshot) // gets each snapshot after it was visited
}

// endpoint returns the facts of the demo fleet as those of another server.
func endpoint(t *testing.T, saved []byte, name string) *inventory.VCenter {
	t.Helper()
	s, err := inventory.Load(bytes.NewReader(saved))
	require.NoError(t, err)
	v := s.VCenters[0]
	v.Name = name
	for i, h := range v.Hosts {
		h.Name = fmt.Sprintf("%s-%s", name, h.Name)
		h.Attributes = inventory.Known(map[string]string{"vperf.waive": "no waiver", "vperf.profile": "no profile"})
		h.Version = inventory.Known(inventory.Version{Major: 99 + i%2})
	}
	v.Hosts[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.utilization": {P95: 99, Samples: 9}})
	for i, vm := range v.VMs {
		vm.Name = name + "-" + vm.Name
		vm.Live = inventory.NewLive(map[string]inventory.Series{"cpu.ready": {P95: 30, Samples: 9}})
		if i%3 == 0 {
			vm.Attributes = inventory.Known(map[string]string{"vperf.waive": "vnic-* until 2026-06-10 as for " + name + "; rss until 2026-01-10 over"})
			vm.Tags = inventory.Unread[[]string]("no tags")
		}
	}
	return v
}

func (f *fleet) Read(context.Context, inventory.Targets, inventory.Needs) (*inventory.Snapshot, error) {
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: f.all}
	s.Link()
	return s, nil
}

func (f *fleet) ReadEach(_ context.Context, _ inventory.Targets, _ inventory.Needs, visit func(int, *inventory.Snapshot, audit.Filler) error) (*inventory.Snapshot, error) {
	atOnce := make(chan struct{}, len(f.all)) // all servers are slow, unless the test looks at each
	if f.released != nil {
		atOnce = make(chan struct{}, 1)
	}
	var all sync.WaitGroup
	for i := range f.all {
		s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: f.all[i : i+1 : i+1]}
		s.Link()
		atOnce <- struct{}{}
		all.Go(func() {
			defer func() { <-atOnce }()
			if err := visit(i, s, nil); err != nil {
				panic(err) // the context of a test does not end
			}
			if f.released != nil {
				f.released(s)
			}
			f.all[i] = nil // its facts are released
		})
	}
	all.Wait()
	if f.released != nil {
		f.released(nil)
	}
	return &inventory.Snapshot{}, f.fail
}

// demoServers returns the rules, and several servers like the demo fleet.
func demoServers(t *testing.T) (l *advice.Library, set *advice.Ruleset, servers func() *fleet) {
	t.Helper()
	read, err := newDemo(t).Read(t.Context(), inventory.Targets{}, inventory.Everything())
	require.NoError(t, err)
	var saved bytes.Buffer
	require.NoError(t, inventory.Save(&saved, read))
	l, err = advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err = l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	return l, set, func() *fleet {
		f := new(fleet)
		for _, name := range []string{"west", "east", "south"} {
			f.all = append(f.all, endpoint(t, saved.Bytes(), name))
		}
		return f
	}
}

// TestFactsOfEvaluatedServersAreReleased: before the results are joined, no host or VM of a server is in memory.
func TestFactsOfEvaluatedServersAreReleased(t *testing.T) {
	l, set, servers := demoServers(t)
	var hosts []weak.Pointer[inventory.Host]
	var vms []weak.Pointer[inventory.VM]
	released := func(s *inventory.Snapshot) {
		if s != nil {
			for _, h := range s.VCenters[0].Hosts {
				hosts = append(hosts, weak.Make(h))
			}
			for _, vm := range s.VCenters[0].VMs {
				vms = append(vms, weak.Make(vm))
			}
			return
		}
		runtime.GC()
		inMemory := 0
		for _, h := range hosts {
			if h.Value() != nil {
				inMemory++
			}
		}
		for _, vm := range vms {
			if vm.Value() != nil {
				inMemory++
			}
		}
		require.Zero(t, inMemory)
	}
	for _, all := range []bool{true, false} {
		hosts, vms = nil, nil
		f := servers()
		f.released = released
		r := audit.Request{Rules: set, ResultOnly: true, Waivers: l.Waivers("2026-05-01"), Options: advice.Options{All: all}}
		a, err := audit.Run(t.Context(), f, r)
		require.NoError(t, err)
		require.NotEmpty(t, a.Result.Findings)
		require.NotEmpty(t, vms)
	}
}

// TestServersAreEvaluatedSeparately: the result of several servers that are evaluated one by one is that of one snapshot of all of them,
// with its order, counts, warnings, waivers and baseline.
func TestServersAreEvaluatedSeparately(t *testing.T) {
	l, set, servers := demoServers(t)
	waivers := l.Waivers("2026-05-01")
	require.NoError(t, waivers.Parse("w.yaml", []byte(`waivers:
- {rule: "numa-*", object: "*", reason: known, until: 2026-06-10}
- {rule: "tools-version", object: "nothing-*", reason: known, until: 2026-06-10}
- {rule: "*", tag: "a/b", reason: known, until: 2026-06-10}
- {rule: "snapshot-*", object: "*", reason: known, until: 2026-04-10}
`)))
	first, err := audit.Run(t.Context(), servers(), audit.Request{Rules: set})
	require.NoError(t, err)
	baseline := advice.NewBaseline(first.Result)
	for i := range baseline.Findings { // some are new, and some are not there any more
		if i%5 == 0 {
			baseline.Findings[i].Fingerprint += "0"
		}
	}
	baseline.Findings = baseline.Findings[:len(baseline.Findings)/2]
	for name, r := range map[string]audit.Request{
		"fails":    {},
		"all":      {Options: advice.Options{All: true}},
		"waivers":  {Waivers: waivers},
		"baseline": {Baseline: baseline},
		"both":     {Waivers: waivers, Baseline: baseline, Options: advice.Options{Assignments: []advice.Assignment{{Tag: "x/*", Profile: advice.ProfileLatency}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "both" { // which has everything
				proof.NotRaced(t)
			}
			r.Rules = set
			whole, err := audit.Run(t.Context(), servers(), r)
			require.NoError(t, err)
			r.ResultOnly = true
			parts, err := audit.Run(t.Context(), servers(), r)
			require.NoError(t, err)
			require.NotEmpty(t, whole.Result.Warnings)
			require.Equal(t, whole.Result.Warnings, parts.Result.Warnings)
			require.Equal(t, whole.Result.Baseline, parts.Result.Baseline)
			require.Equal(t, diagnoses(whole.Result), diagnoses(parts.Result))
			require.NotEmpty(t, parts.Result.Diagnoses)
			require.Empty(t, parts.Result.RuledOut(), "facts are gone")
			require.Equal(t, rendered(t, whole.Result), rendered(t, parts.Result))
		})
	}
}

// diagnoses lists the diagnoses, and the places of their symptoms among the findings.
func diagnoses(r *advice.Result) (all []string) {
	at := map[*advice.Finding]int{}
	for i, f := range r.Findings {
		at[f] = i + 1
	}
	for _, d := range r.Diagnoses {
		var symptoms []int
		for _, f := range slices.Concat(d.Symptoms, d.Waived) {
			symptoms = append(symptoms, at[f])
		}
		all = append(all, fmt.Sprint(d.Finding.Rule.ID, d.Finding.Object, d.Finding.Outcome, d.Cause, symptoms))
	}
	return all
}

// rendered returns all that an audit shows of a result.
func rendered(t *testing.T, r *advice.Result) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.JSON(&out, report.Audit{Result: r, Whole: true}))
	return out.String()
}

func TestAServerThatCannotBeReadEndsAnAuditOfSeveral(t *testing.T) {
	gone := errors.New("gone")
	_, err := audit.Run(t.Context(), &fleet{fail: gone}, audit.Request{Rules: request(t, "rss").Rules, ResultOnly: true})
	require.ErrorIs(t, err, gone)
}
