package report_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

var (
	esx01 = inventory.Ref{Kind: inventory.ScopeHost, Name: "esx01", ID: "host-1", VCenter: "vc.example.com", Path: "/dc/host/esx01"}
	db01  = inventory.Ref{Kind: inventory.ScopeVM, Name: "db-01", ID: "vm-1", VCenter: "vc.example.com", Path: "/dc/vm/db-01"}
	db02  = inventory.Ref{Kind: inventory.ScopeVM, Name: "db-02", ID: "vm-2", VCenter: "vc.example.com", Path: "/dc/vm/db-02"}
)

// adviceRules are a few rules that cover all cases of the advice formats. Changes to the library's rules do not change the
// golden files of a format.
var adviceRules = sync.OnceValues(func() (map[string]*advice.Rule, error) {
	l, err := advice.Load(advice.Source{FS: os.DirFS("testdata/advicerules"), Lean: true})
	if err != nil {
		return nil, err
	}
	byID := map[string]*advice.Rule{}
	for _, r := range l.Rules() {
		byID[r.ID] = r
	}
	return byID, nil
})

// finding returns a failure of one of these rules, without evidence.
func finding(t *testing.T, rule string, o inventory.Ref, evidence ...advice.Measured) *advice.Finding {
	t.Helper()
	all, err := adviceRules()
	require.NoError(t, err)
	require.Contains(t, all, rule)
	f := &advice.Finding{
		Evaluated: &advice.Evaluated{Object: o, Host: esx01, Profile: advice.ProfileGeneral},
		Rule:      all[rule], Outcome: advice.Fail, Severity: advice.High, Evidence: evidence,
	}
	return f
}

// waivedAt returns a waived finding.
func waivedAt(t *testing.T, rule string, o inventory.Ref) *advice.Finding {
	f := finding(t, rule, o)
	f.Outcome, f.Reason = advice.Waived, "accepted until 2026-12-31 by ops: the customer\n  knows"
	f.Waiver = &advice.Waiver{Rule: rule, Object: o.Name, Reason: "the customer\n  knows", Owner: "ops", Until: "2026-12-31", From: "waivers.yaml:7"}
	return f
}

func measured(name string, v any) advice.Measured {
	return advice.Measured{Name: name, Value: inventory.Known(v)}
}

func unmeasured(name, why string) advice.Measured {
	return advice.Measured{Name: name, Value: inventory.Unread[any](why)}
}

// change returns a change that vperf can make to a setting of an object.
func change(setting string, o inventory.Ref) advice.Change {
	s, err := inventory.LookupSetting(setting)
	if err != nil {
		panic(err)
	}
	return advice.Change{
		Object: o, Setting: s, From: inventory.Known(inventory.LongValue(1000)), To: inventory.Known(inventory.LongValue(-1)),
		Activation: inventory.ActivationLive, Consent: advice.ConsentFree,
	}
}

// crowded returns one recommendation for two VMs on one host.
func crowded(t *testing.T) *advice.Recommendation {
	t.Helper()
	fix := finding(t, "cpu-overcommit", esx01, measured("vcpus", int64(1204)), measured("cores", int64(28)))
	r := &advice.Recommendation{Object: esx01, Severity: advice.High, Findings: []*advice.Finding{fix}}
	for _, vm := range []struct {
		of           inventory.Ref
		ready, worst advice.Measured
	}{
		{db01, measured("ready", 9.3), measured("worst", 12.21)},
		{db02, measured("ready", 6.0), unmeasured("worst", "no permission")},
	} {
		symptom := finding(t, "cpu-ready", vm.of, vm.ready, vm.worst)
		cause := finding(t, "ready-by-crowding", vm.of, vm.ready, measured("cores", 96.4))
		r.Rule = cause.Rule
		r.Diagnoses = append(r.Diagnoses, &advice.Diagnosis{
			Finding: cause, Symptoms: []*advice.Finding{symptom}, Cause: esx01, First: true, Fixes: []*advice.Finding{fix},
		})
	}
	return r
}

// watched returns a snapshot with counters of two VMs, a host and a NIC.
func watched() *inventory.Snapshot {
	at := func(second int) time.Time { return adviceFrom.Add(time.Duration(second) * time.Second) }
	nic := &inventory.PNIC{Device: "vmnic0", Live: inventory.NewLive(map[string]inventory.Series{
		"net.rx": {Median: 9400, P95: 9412.3, Worst: 9415, Mean: 9399, Samples: 12, WorstAt: at(70)},
	})}
	host := &inventory.Host{PNICs: inventory.Known([]*inventory.PNIC{nic}), Live: inventory.NewLive(map[string]inventory.Series{
		"cpu.coreUtilization": {Median: 91, P95: 96.4, Worst: 99, Mean: 90, Samples: 12, WorstAt: at(50)},
	})}
	host.ID, host.Name, host.Path = esx01.ID, esx01.Name, esx01.Path
	one := &inventory.VM{HostID: inventory.Known(esx01.ID), Live: inventory.NewLive(map[string]inventory.Series{
		"cpu.ready": {Median: 6.1, P95: 9.3, Worst: 12.21, Mean: 6.6, Samples: 12, WorstAt: at(50)},
	})}
	one.ID, one.Name, one.Path = db01.ID, db01.Name, db01.Path
	two := &inventory.VM{HostID: inventory.Known(esx01.ID), Live: inventory.NewLive(map[string]inventory.Series{
		"cpu.ready":      {Median: 5.4, P95: 6, Worst: 6.3, Mean: 5.2, Samples: 12, WorstAt: at(-86400)},
		"net.droppedRx":  {Median: 0, P95: 0.5, Worst: 2.25, Mean: 0.1, Samples: 12},
		"cpu.maxLimited": {Samples: 0},
	})}
	two.ID, two.Name, two.Path = db02.ID, db02.Name, db02.Path
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter, TakenAt: adviceTo, Hosts: []*inventory.Host{host}, VMs: []*inventory.VM{one, two}}
	v.ID, v.Name = "uuid", esx01.VCenter
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: v.Name, VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func adviceOf(a *advice.Advice, r *advice.Result) view.Advice {
	return view.Advice{
		Source: "vc.example.com", TakenAt: adviceTo, From: adviceFrom, To: adviceTo, Snapshot: watched(), Result: r, Advice: a,
	}
}

// held returns a result with a number of evaluated rules and one rule that was not evaluated.
func held(rules int) *advice.Result {
	r := &advice.Result{Hosts: 1, VMs: 2, Rules: map[string]*advice.RuleCount{"not-meant": {Checked: 3, Skipped: 3}}}
	for i := range rules {
		r.Rules[fmt.Sprintf("rule-%d", i)] = &advice.RuleCount{Checked: 2, Skipped: 1}
	}
	return r
}

// fullAdvice has every part that advice can have.
func fullAdvice(t *testing.T) view.Advice {
	t.Helper()
	a := adviceOf(&advice.Advice{
		Recommendations: []*advice.Recommendation{crowdedWithAll(t), limited(t), wrongSwitch(t), manyLRO(t)},
		Harmless:        []*advice.Diagnosis{lineRate(t)},
		Unexplained:     []*advice.Unexplained{drops(t, db01, true), drops(t, db02, false), swapped(t)},
	}, held(87))
	a.Profile = advice.ProfileDatabase
	a.Advice.Recommendations[1].Waived = []*advice.Finding{waivedAt(t, "rx-drops", db02)}
	a.Advice.Harmless = append(a.Advice.Harmless, &advice.Diagnosis{
		Finding: waivedAt(t, "ready-by-limit", db01), Symptoms: []*advice.Finding{finding(t, "cpu-ready", db01, measured("ready", 6.0))}, Cause: db01,
	})
	a.Result.Findings = []*advice.Finding{finding(t, "lro", esx01), waivedAt(t, "rx-drops", db02)}
	a.Result.UnreadObjects = []advice.Gap{{Object: inventory.Ref{Kind: inventory.ScopeHost, Name: "esx09", ID: "host-9", VCenter: "vc.example.com", Path: "/dc/host/esx09"}, Fact: "all facts", Reason: "host not responding"}}
	a.Result.Unread = append(slices.Clone(a.Result.UnreadObjects),
		advice.Gap{Object: db01, Fact: "VM.vmx", Reason: "no permission"},
		advice.Gap{Object: db02, Fact: "VM.vmx", Reason: "no permission"},
		advice.Gap{Object: esx01, Fact: "PNIC.numaNode", Reason: "the host lists no PCI devices"})
	a.Result.Warnings = []string{"waiver 3 has ended"}
	a.Notes = []string{"2 rows were left out"}
	a.MeasuredHere = []view.MeasuredHere{
		{
			Rule: "cpu-overcommit", Run: "20261120-221530.123-ab12", Date: adviceFrom, Server: "lab", Units: []string{"esx01", "esx02"}, Verdict: "keep",
			Text: "Keep: cpu-overcommit lowers ready time by 17 % (95 % interval 15 to 19 %)",
		},
		{Rule: "cpu-overcommit", Run: "20261020-221530.123-ab12", Date: adviceFrom.AddDate(0, -1, 0), Units: []string{"esx01"}, Verdict: "undecided", Text: "Undecided: it may", Simulated: true},
		{Rule: "another-rule", Run: "20260920-221530.123-ab12", Date: adviceFrom, Units: []string{"esx01"}, Verdict: "worse", Text: "Worse: not of this advice"},
	}
	a.Efficiency = []efficiency.Figure{
		{ID: "gbps-per-core", Object: esx01, Title: "throughput by core", Value: inventory.Known(3.217), Unit: "Gb/s", From: []string{"9.4 Gb/s received", "2.9 cores used"}, About: "The more the better."},
		{ID: "gbps-per-watt", Object: esx01, Title: "throughput by watt", Value: inventory.Unread[float64]("the host has no power sensor"), Unit: "Gb/s", From: nil},
		{ID: "packet-size", Object: esx01, Title: "mean packet", Value: inventory.Absent[float64](), Unit: "bytes"},
		{ID: "ratio", Object: esx01, Title: "vCPUs by core", Value: inventory.Unread[float64](""), Unit: ""},
	}
	a.Spots = []hotspot.Spot{{
		Metric: metric(t, "cpu.ready"), Host: "esx01", Object: "db-01", MoID: "vm-1", Worst: 48.8, Mean: 26.4, At: adviceFrom.Add(50 * time.Second),
		Samples: 12, Beyond: 9, Longest: 90 * time.Second,
	}, {Metric: metric(t, "mem.state"), Host: "esx01", Worst: 1, Mean: 0.5, Samples: 1, Beyond: 1}}
	return a
}

func metric(t *testing.T, id string) *esxtop.Metric {
	t.Helper()
	for _, m := range esxtop.Catalogue() {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no metric %s", id)
	return nil
}

// crowdedWithAll is crowded with a fix, its benefits under all conditions, and an unread fact.
func crowdedWithAll(t *testing.T) *advice.Recommendation {
	r := crowded(t)
	r.Impact = advice.Impact{Objects: 2, VMs: 2, Lost: inventory.Known(1.3824), Share: inventory.Known(0.75)}
	r.Diagnoses[0].Symptoms[0].Lost = inventory.Known(0.7)
	r.Diagnoses[1].Symptoms[0].Lost = inventory.Unread[float64]("no vCPUs")
	for _, d := range r.Diagnoses {
		d.Finding.Notes = []string{"The figures are of one vCPU."}
	}
	numa := finding(t, "numa-io", esx01, measured("threshold", int64(0)))
	named := change("host-option/Net.NetNetqNumaIOCpuPinThreshold", esx01)
	named.From, named.To, named.Consent = inventory.Known(inventory.LongValue(0)), inventory.Known(inventory.LongValue(60)), advice.ConsentNamed
	numa.Remedies, numa.Notes = []advice.Change{named}, []string{"Reversible\n  live."}
	less := -0.2
	numa.Benefits = []advice.Expected{}
	r.Findings = append(r.Findings, numa)
	r.Benefits = []advice.Expected{
		{Benefit: advice.Benefit{Figure: "40g-nics/numa-io", Metric: "cpu-per-gbps", Change: &less, Text: "about 20 % less CPU", When: "40GbE, 1-vCPU VM, two-socket host", Source: "VMware VROOM!"}, Holds: inventory.Known(true)},
		{Benefit: advice.Benefit{Metric: "throughput", Text: "no more throughput", When: "10GbE", Source: "VMware VROOM!"}, Holds: inventory.Known(false)},
		{Benefit: advice.Benefit{Text: "less latency", When: "a NIC on each node"}, Holds: inventory.Unread[bool]("PNIC.numaNode: the host lists no PCI devices")},
		{Benefit: advice.Benefit{Text: "less variation", Source: "a book", When: "long ago"}, Holds: inventory.Absent[bool]()},
		{Benefit: advice.Benefit{Text: "No published measurement; the wait goes with the crowd"}},
	}
	r.Effort, r.Risk = advice.EffortMedium, advice.ConsentNamed
	r.Unseen = []advice.Gap{{Object: esx01, Fact: "PNIC.numaNode", Reason: "the host lists no PCI devices"}}
	not := finding(t, "ready-by-limit", db01)
	not.Outcome = advice.Pass
	r.RuledOut = []*advice.Diagnosis{{Finding: not, Against: []advice.Against{
		{Condition: `vm.live("cpu.maxLimited").p95 > 1.0`, Evidence: []advice.Measured{measured("limited", 0.2)}},
		{Condition: `findings["cpu-limit"]`, Rules: []string{"cpu-limit"}},
	}}}
	open := finding(t, "ready-by-limit", db02)
	open.Outcome, open.Gaps = advice.Unknown, []advice.Gap{{Object: esx01, Fact: "Host.cores", Reason: "no permission"}, {Object: db02, Fact: "VM.cpuLimitMHz", Reason: "no permission"}}
	r.Undecided = []*advice.Diagnosis{{Finding: open}}
	return r
}

// limited is a VM throttled by its limit, with some unread facts.
func limited(t *testing.T) *advice.Recommendation {
	symptom := finding(t, "cpu-ready", db02, measured("ready", 6.0))
	cause := finding(t, "ready-by-limit", db02, measured("limited", 3.5), measured("limitMHz", int64(1000)))
	fix := finding(t, "cpu-limit", db02, measured("limitMHz", int64(1000)))
	unset := change("vm-cpu-limit", db02)
	unset.From = inventory.Unread[inventory.Value]("no permission")
	waits := finding(t, "cpu-limit", db01, measured("limitMHz", int64(2000)))
	waits.Remedies, waits.Pending = []advice.Change{change("vm-cpu-limit", db01)}, "a power cycle, written 2026-06-10T10:00:00Z"
	hand := change("vm-snapshots", db02)
	hand.From, hand.To, hand.Activation = inventory.Known(inventory.LongValue(3)), inventory.Known(inventory.LongValue(0)), inventory.ActivationManual
	fix.Remedies = []advice.Change{unset, hand}
	return &advice.Recommendation{
		Rule: cause.Rule, Object: db02, Severity: advice.Medium,
		Diagnoses: []*advice.Diagnosis{{Finding: cause, Symptoms: []*advice.Finding{symptom}, Cause: db02, First: true, Fixes: []*advice.Finding{fix}}},
		Findings:  []*advice.Finding{fix, waits},
		Impact:    advice.Impact{Objects: 1, VMs: 1, Lost: inventory.Unread[float64]("VM.vcpus: no permission"), Share: inventory.Unread[float64]("the samples were not kept")},
		Effort:    advice.EffortLow, Risk: advice.ConsentFree,
	}
}

// wrongSwitch is a misconfiguration of one object with no visible effect.
func wrongSwitch(t *testing.T) *advice.Recommendation {
	f := finding(t, "lro", esx01)
	f.Remedies = []advice.Change{change("host-option/Net.Vmxnet3HwLRO", esx01)}
	return &advice.Recommendation{
		Rule: f.Rule, Object: esx01, Severity: advice.Low, Findings: []*advice.Finding{f}, Impact: advice.Impact{Objects: 1, VMs: 2},
		Effort: advice.EffortHigh, Risk: advice.ConsentFree,
	}
}

// manyLRO is the same misconfiguration on five hosts, too many to name.
func manyLRO(t *testing.T) *advice.Recommendation {
	r := &advice.Recommendation{Severity: advice.Info, Impact: advice.Impact{Objects: 10, VMs: 0}, Risk: advice.ConsentNever}
	for i := range 10 {
		o := inventory.Ref{Kind: inventory.ScopeHost, Name: fmt.Sprintf("lab%02d", i), ID: fmt.Sprintf("host-%d", 100+i), VCenter: esx01.VCenter, Path: "/dc/host/lab"}
		f := finding(t, "lro", o)
		f.Host = o
		f.Remedies = []advice.Change{change("host-option/Net.Vmxnet3HwLRO", o)}
		r.Rule = f.Rule
		r.Findings = append(r.Findings, f)
	}
	return r
}

func lineRate(t *testing.T) *advice.Diagnosis {
	nic := inventory.Ref{Kind: inventory.ScopePNIC, Name: "esx01/vmnic0", ID: "host-1/vmnic0", VCenter: esx01.VCenter, Path: esx01.Path + "/vmnic0"}
	why := finding(t, "line-rate", nic, measured("received", 9412.3), measured("linkMbps", int64(10000)))
	why.Notes = []string{"Jumbo frames carry 9.9 Gb/s."}
	return &advice.Diagnosis{Finding: why, Symptoms: []*advice.Finding{finding(t, "pnic-saturated", nic, measured("received", 9412.3))}, Cause: nic, First: true}
}

// drops is a symptom of a VM without a proven cause; if told is true, one of the causes is ruled out.
func drops(t *testing.T, vm inventory.Ref, told bool) *advice.Unexplained {
	symptom := finding(t, "rx-drops", vm, measured("dropped", 2.25), measured("part", 1.0/6))
	symptom.Severity = advice.Medium
	ring := finding(t, "drops-by-ring", vm)
	ring.Outcome, ring.Gaps = advice.Unknown, []advice.Gap{{Object: vm, Fact: "VM.vmx", Reason: "no permission"}}
	ready := finding(t, "drops-by-ready", vm)
	u := &advice.Unexplained{Symptom: symptom, Possible: []*advice.Diagnosis{{Finding: ring, Symptoms: []*advice.Finding{symptom}}}}
	if told {
		ready.Outcome = advice.Pass
		u.RuledOut = []*advice.Diagnosis{{Finding: ready, Symptoms: []*advice.Finding{symptom}}}
		return u
	}
	ready.Outcome, ready.Reason = advice.Unknown, "evaluating it failed: division by zero"
	u.Possible = append(u.Possible, &advice.Diagnosis{Finding: ready, Symptoms: []*advice.Finding{symptom}})
	return u
}

// swapped is a symptom that no rule explains.
func swapped(t *testing.T) *advice.Unexplained {
	symptom := finding(t, "mem-swapped", db02, advice.Measured{Name: "swappedMB", Value: inventory.Absent[any]()})
	symptom.Severity, symptom.Lost = advice.Low, inventory.Absent[float64]()
	return &advice.Unexplained{Symptom: symptom}
}

// clearAdvice finds no problem and has read everything.
func clearAdvice(*testing.T) view.Advice { return adviceOf(&advice.Advice{}, held(87)) }

// partlyAdvice finds no problem, but some facts are unread.
func partlyAdvice(t *testing.T) view.Advice {
	full := fullAdvice(t)
	a := adviceOf(&advice.Advice{Harmless: []*advice.Diagnosis{lineRate(t)}}, held(1))
	a.Result.UnreadObjects, a.Result.Unread = full.Result.UnreadObjects, full.Result.Unread
	return a
}

// captureAdvice is based on a capture alone: only counters are known.
func captureAdvice(t *testing.T) view.Advice {
	const why = "a capture has no configuration; --from FILE adds it"
	u := drops(t, db02, false)
	u.Possible[0].Finding.Gaps[0].Reason = why
	a := adviceOf(&advice.Advice{Unexplained: []*advice.Unexplained{u}}, held(40))
	a.Source, a.Result.Unread = "esxtop.csv.gz", []advice.Gap{{Object: db02, Fact: "VM.vmx", Reason: why}, {Object: esx01, Fact: "Host.options", Reason: why}}
	a.Spots = fullAdvice(t).Spots
	return a
}

// configAdvice is based on a configuration without counters.
func configAdvice(t *testing.T) view.Advice {
	a := adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{manyLRO(t), wrongSwitch(t)}}, held(60))
	a.From, a.To, a.Snapshot = time.Time{}, time.Time{}, nil
	return a
}

// hostile is text with special characters of formats, terminals and shells.
const hostile = "<script>alert(1)</script>\"'`id`$(id)|a\u202egnp\n\x1b[31m**b** #1 @all [x](y)"

// hostileAdvice has hostile names everywhere.
func hostileAdvice(t *testing.T) view.Advice {
	a := fullAdvice(t)
	a.Source = hostile
	a.Notes, a.Result.Warnings = []string{hostile}, []string{hostile}
	a.MeasuredHere[0].Text, a.MeasuredHere[0].Units, a.MeasuredHere[0].Server = hostile, []string{hostile}, hostile
	a.Advice.Recommendations = a.Advice.Recommendations[:3]
	rename := func(o *inventory.Ref) { o.Name, o.Path = hostile, "/"+hostile }
	findings := func(all ...*advice.Finding) {
		for _, f := range all {
			rename(&f.Object)
			rename(&f.Host)
			f.Notes = []string{hostile}
			if f.Waiver != nil {
				f.Reason, f.Waiver = hostile, &advice.Waiver{Reason: hostile, Owner: hostile, Until: "2026-12-31", From: hostile}
			}
			f.Evidence = append(f.Evidence, measured("text", hostile), unmeasured("lost", hostile))
			for i := range f.Remedies {
				rename(&f.Remedies[i].Object)
				f.Remedies[i].From = inventory.Known(inventory.StringValue(hostile))
			}
			for i := range f.Gaps {
				rename(&f.Gaps[i].Object)
				f.Gaps[i].Reason = hostile
			}
		}
	}
	for _, r := range a.Advice.Recommendations {
		rename(&r.Object)
		findings(r.Findings...)
		findings(r.Waived...)
		for _, d := range r.Diagnoses {
			rename(&d.Cause)
			findings(d.Finding)
			findings(d.Symptoms...)
		}
		for i := range r.Unseen {
			rename(&r.Unseen[i].Object)
			r.Unseen[i].Reason = hostile
		}
	}
	for _, d := range a.Advice.Harmless {
		findings(d.Finding)
	}
	for i := range a.Result.Findings {
		findings(a.Result.Findings[i])
	}
	for _, u := range a.Advice.Unexplained {
		findings(u.Symptom)
		for _, d := range u.Possible {
			findings(d.Finding)
		}
	}
	for i := range a.Result.Unread {
		rename(&a.Result.Unread[i].Object)
		a.Result.Unread[i].Reason = hostile
	}
	for i := range a.Efficiency {
		rename(&a.Efficiency[i].Object)
	}
	for i := range a.Spots {
		a.Spots[i].Host, a.Spots[i].Object = hostile, hostile
	}
	return a
}

// replayedAdvice is based on the demo fleet.
func replayedAdvice(a view.Advice) view.Advice {
	a.Replayed = true
	return a
}
