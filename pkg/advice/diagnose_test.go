package advice_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// ready is a symptom; limited and small are possible faults near it.
const (
	ready = `id: ready
title: It waits
category: monitoring
scope: vm
severity: high
want: vm.live("cpu.ready").p95 <= 5.0
lost: vm.live("cpu.ready").mean / 100.0
evidence: {share: 'vm.live("cpu.ready").beyond(5.0)'}
why: It matters.
`
	limited = `id: limited
title: It has a limit
category: vm
scope: vm
severity: medium
want: vm.cpuLimitMHz == -1
why: It matters.
remedy:
  - {set: vm-cpu-limit, to: -1}
benefit:
  - {text: No published measurement}
`
	old = `id: old
title: An old card
category: network
scope: vnic
severity: low
want: vnic.type != "e1000"
why: It matters.
`
	crowded = `id: crowded
title: Crowded
category: cpu
scope: host
severity: medium
want: host.cores > 3
why: It matters.
`
)

// because returns a diagnosis of ready.
func because(id, condition string, more ...string) string {
	return fmt.Sprintf("id: %s\ntitle: T\ncategory: diagnosis\nscope: vm\nseverity: low\nexplains: [ready]\nwhy: W.\nbecause: '%s'\n%s",
		id, condition, strings.Join(append(more, ""), "\n"))
}

// rulesOf compiles rules whose ids are in their first lines.
func rulesOf(t testing.TB, s advice.Selection, texts ...string) *advice.Ruleset {
	t.Helper()
	_, set := libraryOf(t, s, texts...)
	return set
}

// libraryOf is as rulesOf, and returns the library, too.
func libraryOf(t testing.TB, s advice.Selection, texts ...string) (*advice.Library, *advice.Ruleset) {
	t.Helper()
	files := fstest.MapFS{}
	for _, text := range texts {
		id, _, _ := strings.Cut(strings.TrimPrefix(text, "id: "), "\n")
		files[id+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	l, err := advice.Load(advice.Source{FS: files, User: true})
	require.NoError(t, err)
	set, err := l.Select(s)
	require.NoError(t, err)
	return l, set
}

// waiting returns the small fleet with counters: its first VM waits.
func waiting() *inventory.Snapshot {
	s := smallFleet()
	s.VCenters[0].Hosts[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.utilization": {Median: 50, P95: 60, Worst: 70, Samples: 9}})
	s.VCenters[0].VMs[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.ready": {Median: 6, P95: 9, Worst: 12, Mean: 7, Samples: 9}})
	return s
}

// diagnosed returns all diagnoses, also those that are ruled out.
func diagnosed(r *advice.Result) []*advice.Diagnosis { return slices.Concat(r.Diagnoses, r.RuledOut()) }

// said maps a diagnosis to its outcome.
func said(r *advice.Result) map[string]advice.Outcome {
	out := map[string]advice.Outcome{}
	for _, d := range diagnosed(r) {
		out[d.Finding.Rule.ID+" "+d.Finding.Object.Name] = d.Finding.Outcome
	}
	return out
}

func TestCausesOfWhatShows(t *testing.T) {
	texts := []string{
		ready, limited, old, crowded,
		because("by-limit", `findings["limited"]`, "fixes: [limited]", "order: 20"),
		because("by-card", `findings["old"]`, "order: 30"),
		because("by-crowd", `findings["crowded"]`, "order: 10", "at: host"),
		because("by-hosts-clock", `host.live("cpu.clock").p95 < 90.0`),
		because("by-disk", `vm.live("mem.swapIn").p95 > 0.0 && vm.cpuLimitMHz == 0`),
		because("not-here", "vm.latencySensitivity == \"high\""),
	}
	set := rulesOf(t, advice.Selection{Diagnoses: true}, texts...)
	r, err := advice.Evaluate(t.Context(), waiting(), set, advice.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string]advice.Outcome{
		"by-limit web-01": advice.Fail, "by-card web-01": advice.Fail, "by-crowd web-01": advice.Pass, "not-here web-01": advice.Pass,
		"by-hosts-clock web-01": advice.Unknown, "by-disk web-01": advice.Pass,
	}, said(r))
	first := r.Diagnoses[0]
	require.Equal(t, "by-card", first.Finding.Rule.ID, "proven ones are sorted as findings are")
	require.False(t, first.First)
	limit := r.Diagnoses[1]
	require.True(t, limit.First, "the lowest order of those proven")
	require.Equal(t, "web-01", limit.Cause.Name)
	require.Len(t, limit.Fixes, 1)
	require.Equal(t, "limited", limit.Fixes[0].Rule.ID)
	require.Equal(t, "vm-cpu-limit", limit.Fixes[0].Remedies[0].Setting.String())
	require.Len(t, limit.Symptoms, 1)
	require.Equal(t, inventory.Known(0.07), limit.Symptoms[0].Lost)
	require.Equal(t, []advice.Expected{{Benefit: limit.Fixes[0].Rule.Benefit[0], Holds: inventory.Absent[bool]()}}, limit.Fixes[0].Benefits)
}

// TestDiagnosesAreNoFindings: diagnoses are not findings and are not counted.
func TestDiagnosesAreNoFindings(t *testing.T) {
	plain := rulesOf(t, advice.Selection{}, ready, limited, because("by-limit", `findings["limited"]`))
	with := rulesOf(t, advice.Selection{Diagnoses: true}, ready, limited, because("by-limit", `findings["limited"]`))
	a, err := advice.Evaluate(t.Context(), waiting(), plain, advice.Options{})
	require.NoError(t, err)
	b, err := advice.Evaluate(t.Context(), waiting(), with, advice.Options{})
	require.NoError(t, err)
	require.Empty(t, a.Diagnoses)
	require.Len(t, b.Diagnoses, 1)
	require.Equal(t, a.Counts, b.Counts)
	require.Equal(t, a.Checks, b.Checks)
	require.Equal(t, a.Rules, b.Rules)
	require.Len(t, b.Findings, len(a.Findings))
}

// TestWhatOtherRulesSay: findings["RULE"] of a VM covers the VM, its devices, its host and the host's objects. One fail
// is enough for true; false requires that none is unknown.
func TestWhatOtherRulesSay(t *testing.T) {
	rule := func(id, scope, want string) string {
		return fmt.Sprintf("id: %s\ntitle: T\ncategory: cpu\nscope: %s\nseverity: low\nwant: %s\nwhy: W.\n", id, scope, want)
	}
	manual := "id: look\ntitle: T\ncategory: cpu\nscope: host\nseverity: low\nmanual: Look.\nwhy: W.\n"
	nic := func(up inventory.Fact[bool]) *inventory.PNIC { return &inventory.PNIC{Device: "vmnic0", Uplink: up} }
	yes, no := inventory.Known(true), inventory.Known(false)
	for name, c := range map[string]struct {
		rule string // the id of the rule that is read
		with func(v *inventory.VCenter)
		keep func(inventory.Ref) bool
		want advice.Outcome
		gap  string // the unread fact
	}{
		"itself":               {rule: limited, want: advice.Fail},
		"itself, well":         {rule: rule("own", "vm", "vm.vcpus == 4"), want: advice.Pass},
		"itself, unread":       {rule: rule("own", "vm", "vm.memoryMB == 4"), want: advice.Unknown, gap: "VM.memoryMB: not read"},
		"itself, not meant":    {rule: rule("own", "vm", "vm.vcpus == 4\napplies: vm.vcpus > 9"), want: advice.Pass},
		"a device":             {rule: old, want: advice.Fail},
		"its devices, unread":  {rule: rule("disk", "vdisk", "vdisk.iopsLimit == -1"), want: advice.Unknown, gap: "VM.disks: not read"},
		"its host":             {rule: rule("few", "host", "host.cores > 99"), want: advice.Fail},
		"a device of its host": {rule: rule("nic", "pnic", "pnic.uplink"), with: func(v *inventory.VCenter) { v.Hosts[0].PNICs = inventory.Known([]*inventory.PNIC{nic(yes), nic(no)}) }, want: advice.Fail},
		"one fails, one is unread": {rule: rule("nic", "pnic", "pnic.uplink"), with: func(v *inventory.VCenter) {
			v.Hosts[0].PNICs = inventory.Known([]*inventory.PNIC{nic(inventory.Unread[bool]("x")), nic(no)})
		}, want: advice.Fail},
		"one passes, one is unread": {rule: rule("nic", "pnic", "pnic.uplink"), with: func(v *inventory.VCenter) {
			v.Hosts[0].PNICs = inventory.Known([]*inventory.PNIC{nic(inventory.Unread[bool]("x")), nic(yes)})
		}, want: advice.Unknown, gap: "PNIC.uplink: x"},
		"no device at all": {rule: rule("nic", "pnic", "pnic.uplink"), want: advice.Pass},
		"another host's device": {rule: rule("nic", "pnic", "pnic.uplink"), with: func(v *inventory.VCenter) {
			v.Hosts[1].Unread, v.Hosts[1].PNICs = "", inventory.Known([]*inventory.PNIC{nic(no)})
		}, want: advice.Pass},
		"manual":                   {rule: manual, want: advice.Unknown, gap: "rule look: needs a manual check"},
		"no cluster":               {rule: rule("hosts", "cluster", "cluster.hosts.size() > 9"), want: advice.Pass},
		"its host is not known":    {rule: rule("few", "host", "host.cores > 99"), with: func(v *inventory.VCenter) { v.VMs[0].HostID = inventory.Unread[string]("no permission") }, want: advice.Unknown, gap: "VM.hostId: no permission"},
		"its host is not selected": {rule: rule("few", "host", "host.cores > 99"), keep: func(o inventory.Ref) bool { return o.Kind != inventory.ScopeHost }, want: advice.Unknown, gap: "rule few: this host was not selected"},
		"a pool above its own":     {rule: rule("pool-limit", "pool", "pool.cpuLimitMHz == -1"), with: pools, want: advice.Fail},
		"its pool is not known":    {rule: rule("pool-limit", "pool", "pool.cpuLimitMHz == -1"), want: advice.Unknown, gap: "VM.poolId: not read"},
		"its datastore":            {rule: rule("full", "datastore", "datastore.freeMB > 100"), with: stores, want: advice.Fail},
		"a switch of its host":     {rule: rule("mtu", "switch", "switch.mtu > 9000"), with: switches, want: advice.Fail},
		"a switch of others":       {rule: rule("mtu", "switch", "switch.mtu != 1400"), with: switches, want: advice.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			id, _, _ := strings.Cut(strings.TrimPrefix(c.rule, "id: "), "\n")
			set := rulesOf(t, advice.Selection{Diagnoses: true}, ready, c.rule, because("it", fmt.Sprintf("findings[%q]", id)))
			s := waiting()
			if c.with != nil {
				c.with(s.VCenters[0])
				s.Link()
			}
			r, err := advice.Evaluate(t.Context(), s, set, advice.Options{Keep: c.keep})
			require.NoError(t, err)
			require.Len(t, diagnosed(r), 1)
			f := diagnosed(r)[0].Finding
			require.Equal(t, c.want, f.Outcome, "%v %s", f.Gaps, f.Reason)
			if c.gap != "" {
				require.Len(t, f.Gaps, 1)
				require.Equal(t, c.gap, f.Gaps[0].Fact+": "+f.Gaps[0].Reason)
			}
			for _, g := range r.Unread {
				require.NotContains(t, g.Fact, "rule ", "a rule is no fact that anybody could read")
			}
		})
	}
}

// pools puts the first VM into a pool whose parent has a limit.
func pools(v *inventory.VCenter) {
	pool := func(id string, parent inventory.Fact[string], limit int64) *inventory.Pool {
		p := &inventory.Pool{ParentID: parent, CPULimitMHz: inventory.Known(limit), CPUShares: inventory.Known(int64(2))}
		p.ID, p.Name, p.Path = id, id, "/pools/"+id
		return p
	}
	v.Pools = []*inventory.Pool{
		pool("root", inventory.Absent[string](), -1), pool("above", inventory.Known("root"), 5000), pool("own", inventory.Known("above"), -1),
	}
	v.VMs[0].PoolID = inventory.Known("own")
}

func stores(v *inventory.VCenter) {
	d := &inventory.Datastore{FreeMB: inventory.Known(int64(5)), HostIDs: inventory.Known([]string{"host-1"})}
	d.ID, d.Name = "ds-1", "ds-1"
	v.Datastores = []*inventory.Datastore{d}
	v.VMs[0].Disks = inventory.Known([]*inventory.VDisk{{Label: "Hard disk 1", DatastoreID: inventory.Known("ds-1")}})
}

func switches(v *inventory.VCenter) {
	mine := &inventory.Switch{MTU: inventory.Known(int64(1500)), HostIDs: inventory.Known([]string{"host-1"})}
	mine.ID, mine.Name = "dvs-1", "dvs-1"
	other := &inventory.Switch{MTU: inventory.Known(int64(1400)), HostIDs: inventory.Known([]string{"host-9"})}
	other.ID, other.Name = "dvs-2", "dvs-2"
	v.Switches = []*inventory.Switch{mine, other}
	v.Hosts[0].VSwitches = inventory.Known([]*inventory.Switch{})
	v.Hosts[1].VSwitches = inventory.Known([]*inventory.Switch{})
}

// TestCausesLieAtTheirObject: a cause of scope pool is at the pool whose setting has to be changed, or else at the VM's
// own pool.
func TestCausesLieAtTheirObject(t *testing.T) {
	poolLimit := "id: pool-limit\ntitle: T\ncategory: vm\nscope: pool\nseverity: low\nwant: pool.cpuLimitMHz == -1\nwhy: W.\n"
	poolShares := strings.NewReplacer("pool-limit", "pool-shares", "cpuLimitMHz == -1", "cpuShares == 1").Replace(poolLimit)
	for name, c := range map[string]struct{ text, at string }{
		"no pool":                     {because("it", "true", "at: pool"), "web-01"},
		"a pool alone":                {because("it", "true", "at: pool"), "root"},
		"where the symptom is":        {because("it", "true"), "web-01"},
		"at its host":                 {because("it", "true", "at: host"), "host01"},
		"no cluster":                  {because("it", "true", "at: cluster"), "web-01"},
		"at the pool to be fixed":     {because("it", "true", "at: pool", "fixes: [pool-limit]"), "above"},
		"nothing to fix, its own":     {because("it", "true", "at: pool"), "own"},
		"the first to be fixed":       {because("it", "true", "at: pool", "fixes: [limited, old, pool-shares]"), "above"},
		"at a device to be fixed":     {because("it", "true", "at: vnic", "fixes: [old]"), "web-01/Network adapter 1"},
		"no device to be fixed there": {because("it", "true", "at: vdisk"), "web-01"},
	} {
		t.Run(name, func(t *testing.T) {
			s := waiting()
			pools(s.VCenters[0])
			switch name {
			case "no pool":
				s.VCenters[0].VMs[0].PoolID = inventory.Absent[string]()
			case "a pool alone":
				s.VCenters[0].VMs[0].PoolID = inventory.Known("root")
			}
			s.Link()
			r, err := advice.Evaluate(t.Context(), s, rulesOf(t, advice.Selection{Diagnoses: true}, ready, old, limited, poolLimit, poolShares, c.text), advice.Options{})
			require.NoError(t, err)
			require.Len(t, diagnosed(r), 1)
			require.Equal(t, c.at, diagnosed(r)[0].Cause.Name)
		})
	}
}

// TestSelectBringsWhatADiagnosisNeeds: selecting a diagnosis also selects the rules it needs; a diagnosis that is not
// selected adds none.
func TestSelectBringsWhatADiagnosisNeeds(t *testing.T) {
	texts := []string{
		ready, limited, old, crowded, because("by-limit", `findings["limited"]`, "fixes: [crowded]", "at: host"),
		because("by-nothing", "true"),
	}
	ids := func(s advice.Selection) []string {
		var all []string
		for _, r := range rulesOf(t, s, texts...).Rules() {
			all = append(all, r.ID)
		}
		return all
	}
	require.Equal(t, []string{"by-limit", "crowded", "limited", "ready"}, ids(advice.Selection{Rules: []string{"by-limit"}}))
	require.Equal(t, []string{"by-nothing", "ready"}, ids(advice.Selection{Rules: []string{"by-nothing"}}))
	require.Equal(t, []string{"crowded", "limited", "old", "ready"}, ids(advice.Selection{}))
	require.Equal(t, []string{"old"}, ids(advice.Selection{Categories: []advice.Category{"network"}, Diagnoses: true}))
	require.Equal(t, []string{"by-limit", "by-nothing", "crowded", "limited", "old", "ready"},
		ids(advice.Selection{Scopes: []inventory.Scope{inventory.ScopeVM, inventory.ScopeVNIC}, Diagnoses: true}))
	needs := rulesOf(t, advice.Selection{Rules: []string{"by-limit"}}, texts...).Needs(advice.Options{})
	require.True(t, needs.Any("VM.hostId"))
	require.True(t, needs.Any("Host.cores"))
}

// TestDiagnosesSayWhatTheyLack: facts of conditions and evidence of a diagnosis that a call to the host would give are
// requested.
func TestDiagnosesSayWhatTheyLack(t *testing.T) {
	for name, text := range map[string]string{
		"to judge": because("it", `host.kernelSetting("latencyOptimMode") == "x"`),
		"to show":  because("it", `true`, `evidence: {mode: 'host.kernelSetting("latencyOptimMode")'}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := waiting()
			s.VCenters[0].Hosts[0].KernelSettings = inventory.Unread[map[string]string](inventory.PerHost)
			r, err := advice.Evaluate(t.Context(), s, rulesOf(t, advice.Selection{Diagnoses: true}, ready, text), advice.Options{})
			require.NoError(t, err)
			require.Len(t, diagnosed(r), 1)
			gaps := r.UnreadEvidence
			if name == "to judge" {
				gaps = nil
				for _, g := range r.Unread {
					if g.Reason == inventory.PerHost {
						gaps = append(gaps, g)
					}
				}
			}
			require.Len(t, gaps, 1)
			require.Equal(t, "host01", gaps[0].Object.Name)
		})
	}
}

// TestWaiversOfSymptomsAndCauses: waivers move findings; diagnoses still point at theirs. A cause can be waived too,
// and is not counted.
func TestWaiversOfSymptomsAndCauses(t *testing.T) {
	texts := []string{ready, limited, because("by-limit", `findings["limited"]`, "fixes: [limited]")}
	for name, c := range map[string]struct {
		rule                  string
		symptom, cause, fixed advice.Outcome
	}{
		"the symptom": {"ready", advice.Waived, advice.Fail, advice.Fail},
		"the cause":   {"by-limit", advice.Fail, advice.Waived, advice.Fail},
		"the fix":     {"limited", advice.Fail, advice.Fail, advice.Waived},
	} {
		t.Run(name, func(t *testing.T) {
			l, set := libraryOf(t, advice.Selection{Diagnoses: true}, texts...)
			r, err := advice.Evaluate(t.Context(), waiting(), set, advice.Options{})
			require.NoError(t, err)
			w := l.Waivers(today)
			require.NoError(t, w.Parse("w.yaml", []byte("waivers:\n- {rule: "+c.rule+", object: web-01, reason: known, until: 2026-06-10}\n")))
			before := r.Counts[advice.Fail]
			w.Apply(r, waiting(), set)
			require.Empty(t, r.Warnings)
			d := diagnosed(r)[0]
			symptoms := slices.Concat(d.Symptoms, d.Waived)
			require.Equal(t, c.symptom == advice.Waived, len(d.Waived) == 1, "it counts, or is accepted")
			require.Equal(t, "ready", symptoms[0].Rule.ID)
			require.Equal(t, "limited", d.Fixes[0].Rule.ID)
			require.Equal(t, []advice.Outcome{c.symptom, c.cause, c.fixed}, []advice.Outcome{symptoms[0].Outcome, d.Finding.Outcome, d.Fixes[0].Outcome})
			waivedNow := 0
			for _, f := range r.Findings {
				if f.Outcome == advice.Waived {
					waivedNow++
				}
			}
			require.Equal(t, waivedNow, r.Counts[advice.Waived])
			require.Equal(t, before-waivedNow, r.Counts[advice.Fail])
			a := advice.Advise(waiting(), r)
			switch name {
			case "the symptom":
				require.Empty(t, a.Unexplained)
				require.Len(t, a.Recommendations, 1, "the limit itself, which is not waived")
				require.Empty(t, a.Recommendations[0].Diagnoses)
			case "the cause":
				require.Equal(t, []*advice.Diagnosis{d}, a.Harmless)
				require.Empty(t, a.Unexplained)
			case "the fix":
				require.Len(t, a.Recommendations, 1)
				require.Empty(t, a.Recommendations[0].Findings)
				require.Equal(t, d.Fixes, a.Recommendations[0].Waived, "the waived fix is listed with the cause")
				require.Equal(t, advice.ConsentNever, a.Recommendations[0].Risk)
			}
		})
	}
}

// TestWhoIsNotDiagnosed: objects without the symptom, or with an unknown one, are not diagnosed; causes that do not
// apply to an object are not listed; a cause at a host without counters is unknown.
func TestWhoIsNotDiagnosed(t *testing.T) {
	meant := because("it", "vm.vcpus > 1", "applies: vm.vcpus > 99")
	unmeasured := because("clock", `host.live("cpu.clock").p95 < 90.0`)
	set := rulesOf(t, advice.Selection{Diagnoses: true}, ready, meant, unmeasured)
	s := waiting()
	s.VCenters[0].Hosts[0].Live = nil
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{All: true})
	require.NoError(t, err)
	require.Equal(t, map[string]advice.Outcome{"clock web-01": advice.Unknown}, said(r))
	require.Equal(t, "live counters: no live counters", r.Diagnoses[0].Finding.Gaps[0].Fact+": "+r.Diagnoses[0].Finding.Gaps[0].Reason)
	s.VCenters[0].VMs[0].Live.Set("cpu.ready", inventory.Series{P95: 5, Samples: 9})
	r, err = advice.Evaluate(t.Context(), s, set, advice.Options{All: true})
	require.NoError(t, err)
	require.Empty(t, r.Diagnoses, "a pass is not a symptom")
}

// TestACauseOfTwoSymptoms: it is evaluated once, and listed once.
func TestACauseOfTwoSymptoms(t *testing.T) {
	busy := strings.Replace(strings.Replace(ready, "id: ready", "id: busy", 1), "<= 5.0", "<= 6.0", 1)
	both := strings.Replace(because("by-both", "vm.cpuLimitMHz > 0"), "[ready]", "[ready, busy]", 1)
	r, err := advice.Evaluate(t.Context(), waiting(), rulesOf(t, advice.Selection{Diagnoses: true}, ready, busy, both), advice.Options{})
	require.NoError(t, err)
	require.Len(t, r.Diagnoses, 1)
	require.Len(t, r.Diagnoses[0].Symptoms, 2)
}

// TestEachSymptomHasItsFirstCause: each of two symptoms of an object has its own first cause; all findings named by
// proofs and all fixes are there.
func TestEachSymptomHasItsFirstCause(t *testing.T) {
	busy := strings.Replace(strings.Replace(ready, "id: ready", "id: busy", 1), "<= 5.0", "<= 6.0", 1)
	ofBusy := strings.Replace(because("of-busy", `findings["limited"] && findings["old"]`, "order: 10", "fixes: [limited, old]"), "[ready]", "[busy]", 1)
	texts := []string{ready, busy, limited, old, ofBusy, because("of-ready", "true", "order: 20"), because("later", "true", "order: 30")}
	r, err := advice.Evaluate(t.Context(), waiting(), rulesOf(t, advice.Selection{Diagnoses: true}, texts...), advice.Options{All: true})
	require.NoError(t, err)
	first := map[string]bool{}
	for _, d := range r.Diagnoses {
		first[d.Finding.Rule.ID] = d.First
		if d.Finding.Rule.ID == "of-busy" {
			require.Len(t, d.Fixes, 2)
		}
	}
	require.Equal(t, map[string]bool{"of-busy": true, "of-ready": true, "later": false}, first)
	for _, x := range advice.Advise(waiting(), r).Recommendations {
		require.NotEmpty(t, x.Diagnoses, "%s is named in a proof", x.Rule.ID)
	}
}

// TestEveryGapOfOtherRules: all gaps of unknown rules are listed, and one failed rule is enough.
func TestEveryGapOfOtherRules(t *testing.T) {
	nics := "id: nics\ntitle: T\ncategory: cpu\nscope: pnic\nseverity: low\nwant: pnic.uplink && pnic.linkMbps > 1\nwhy: W.\n"
	set := rulesOf(t, advice.Selection{Diagnoses: true}, ready, nics, because("it", `findings["nics"]`))
	s := waiting()
	dark, dim := inventory.Unread[bool]("dark"), inventory.Unread[int64]("dim")
	s.VCenters[0].Hosts[0].PNICs = inventory.Known([]*inventory.PNIC{{Device: "a", Uplink: dark, LinkMbps: dim}, {Device: "b", Uplink: dark, LinkMbps: inventory.Known(int64(9))}})
	s.Link()
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
	require.NoError(t, err)
	require.Equal(t, advice.Unknown, r.Diagnoses[0].Finding.Outcome)
	var gaps []string
	for _, g := range r.Diagnoses[0].Finding.Gaps {
		gaps = append(gaps, g.Object.Name+" "+g.Fact+": "+g.Reason)
	}
	require.ElementsMatch(t, []string{"host01/a PNIC.uplink: dark", "host01/a PNIC.linkMbps: dim", "host01/b PNIC.uplink: dark"}, gaps)
}

// endsAfter is a context that ends after a number of calls of Err.
type endsAfter struct {
	context.Context //nolint:containedctx // it is one

	asks int
}

func (c *endsAfter) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}

// TestDiagnosingEndsWithItsContext: diagnosing ends early too, with the context's error.
func TestDiagnosingEndsWithItsContext(t *testing.T) {
	set := rulesOf(t, advice.Selection{Diagnoses: true}, ready, because("it", "true"))
	ended := 0
	for asks := range 99 {
		_, err := advice.Evaluate(&endsAfter{t.Context(), asks}, waiting(), set, advice.Options{})
		if err == nil {
			ended = asks
			break
		}
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, 3, ended, "two VMs, and one of them waits")
}

// TestWhatIsASymptom: rules over counters are symptoms if they are monitoring rules or a diagnosis explains them; all
// other rules are configuration.
func TestWhatIsASymptom(t *testing.T) {
	watch := func(id, category, want string) string {
		return "id: " + id + "\ntitle: T\ncategory: " + category + "\nscope: vm\nseverity: high\nwant: '" + want + "'\nwhy: W.\n"
	}
	const live, set = `vm.live("cpu.ready").p95 <= 5.0`, "vm.vcpus == 99"
	explains := strings.Replace(because("it", "vm.vcpus == 99"), "[ready]", "[seen]", 1)
	a := advise(t, waiting(), explains, watch("seen", "cpu", live), watch("watched", "monitoring", live), watch("unseen", "cpu", live), watch("set", "monitoring", set))
	var symptoms, settings []string
	for _, u := range a.Unexplained {
		symptoms = append(symptoms, u.Symptom.Rule.ID)
	}
	for _, r := range a.Recommendations {
		settings = append(settings, r.Rule.ID)
	}
	require.Equal(t, []string{"seen", "watched"}, symptoms)
	require.Equal(t, []string{"set", "unseen"}, settings)
}

// TestAWaivedSymptomCountsForNothing: it does not raise its cause's rank, but is still listed.
func TestAWaivedSymptomCountsForNothing(t *testing.T) {
	mild := strings.NewReplacer("id: ready", "id: mild", "severity: high", "severity: low", "lost: ", "# ").Replace(ready)
	cause := strings.Replace(because("by-limit", `findings["limited"]`, "fixes: [limited]"), "[ready]", "[ready, mild]", 1)
	l, set := libraryOf(t, advice.Selection{Diagnoses: true}, ready, mild, limited, cause)
	advise := func(waivers string) *advice.Recommendation {
		r, err := advice.Evaluate(t.Context(), waiting(), set, advice.Options{})
		require.NoError(t, err)
		w := l.Waivers(today)
		require.NoError(t, w.Parse("w.yaml", []byte("waivers: ["+waivers+"]\n")))
		w.Apply(r, waiting(), set)
		require.Empty(t, r.Warnings)
		all := advice.Advise(waiting(), r).Recommendations
		require.Len(t, all, 1)
		require.Equal(t, "by-limit", all[0].Rule.ID)
		return all[0]
	}
	before := advise("")
	require.Empty(t, before.Waived)
	require.Equal(t, advice.High, before.Severity)
	lost, known := before.Impact.Lost.Value()
	require.True(t, known)
	require.Positive(t, lost)

	after := advise("{rule: ready, object: web-01, reason: harmless, until: 2026-06-10}")
	require.Equal(t, advice.Low, after.Severity, "of the symptom that counts")
	_, known = after.Impact.Lost.Value()
	require.False(t, known)
	require.Len(t, after.Diagnoses[0].Symptoms, 1)
	require.Len(t, after.Waived, 1)
	require.Equal(t, []string{"ready", "accepted until 2026-06-10: harmless"}, []string{after.Waived[0].Rule.ID, after.Waived[0].Reason})
}

// TestWhatRulesACauseOutAfterWaivers: conditions that are false because a rule fails are still so when its finding is waived.
func TestWhatRulesACauseOutAfterWaivers(t *testing.T) {
	l, set := libraryOf(t, advice.Selection{Diagnoses: true}, ready, limited, because("by-nothing", `!findings["limited"]`))
	r, err := advice.Evaluate(t.Context(), waiting(), set, advice.Options{})
	require.NoError(t, err)
	require.Len(t, r.RuledOut(), 1)
	before := r.RuledOut()[0].Against
	require.Equal(t, []advice.Against{{Condition: `!findings["limited"]`, Rules: []string{"limited"}}}, before)
	w := l.Waivers(today)
	require.NoError(t, w.Parse("w.yaml", []byte("waivers: [{rule: limited, object: web-01, reason: harmless, until: 2026-06-10}]\n")))
	w.Apply(r, waiting(), set)
	require.Positive(t, r.Counts[advice.Waived])
	require.Equal(t, before, r.RuledOut()[0].Against)
	u := advice.Advise(waiting(), r).Unexplained
	require.Len(t, u, 1)
	require.Equal(t, []string{"by-nothing"}, []string{u[0].RuledOut[0].Finding.Rule.ID})
	require.Equal(t, before, u[0].RuledOut[0].Against)
}

// TestWhatRulesACauseOut: a cause that is ruled out lists its false conditions, with the evidence that they read.
func TestWhatRulesACauseOut(t *testing.T) {
	texts := []string{
		ready, limited, crowded,
		because("by-crowd", `findings["crowded"] && vm.live("cpu.ready").p95 > 1.0`, `evidence: {cores: host.cores, ready: 'vm.live("cpu.ready").p95'}`),
		because("by-size", `vm.live("cpu.ready").p95 > 1.0 && vm.vcpus * host.cores > 9999`, `evidence: {ready: 'vm.live("cpu.ready").p95', vcpus: vm.vcpus, cores: host.cores, both: vm.vcpus + vm.coresPerSocket}`),
	}
	r, err := advice.Evaluate(t.Context(), waiting(), rulesOf(t, advice.Selection{Diagnoses: true}, texts...), advice.Options{})
	require.NoError(t, err)
	against := map[string][]advice.Against{}
	for _, d := range diagnosed(r) {
		against[d.Finding.Rule.ID] = d.Against
	}
	require.Equal(t, []advice.Against{{Condition: `findings["crowded"]`, Rules: []string{"crowded"}}}, against["by-crowd"])
	require.Len(t, against["by-size"], 1)
	size := against["by-size"][0]
	require.Equal(t, `vm.vcpus * host.cores > 9999`, size.Condition)
	require.Equal(t, []string{"vcpus", "cores"}, []string{size.Evidence[0].Name, size.Evidence[1].Name})
	require.Len(t, size.Evidence, 2, "only evidence that the condition reads counts against the cause")
}
