package page

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// The number of samples of a report, and their interval.
const (
	sampleCount = 90
	sampleEvery = 20 * time.Second
)

func begin() time.Time { return noon.Add(-sampleCount * sampleEvery) }

// wave is a counter that goes around a level, with a peak at a part of the time.
func wave(level, swing, peak float64, at float64) inventory.Series {
	t := &inventory.Track{Start: begin().Add(sampleEvery), Every: sampleEvery, Values: make([]float32, sampleCount)}
	worst, worstAt := 0.0, time.Time{}
	for i := range t.Values {
		x := float64(i) / sampleCount
		v := level + swing*math.Sin(20*x) + peak*math.Exp(-144*(x-at)*(x-at))
		v = max(v, 0)
		if t.Values[i] = float32(v); v > worst {
			worst, worstAt = v, t.Start.Add(sampleEvery*time.Duration(i))
		}
	}
	all := sorted(t)
	return inventory.Series{
		Median: rankOf(all, 0.5), P95: rankOf(all, 0.95), Worst: worst, WorstAt: worstAt, Mean: level, Samples: sampleCount, Track: t,
	}
}

func text(s string) inventory.Fact[string] { return inventory.Known(s) }
func count(n int64) inventory.Fact[int64]  { return inventory.Known(n) }

func sampleHost(i int) *inventory.Host {
	h := &inventory.Host{
		Entity: inventory.Entity{ID: fmt.Sprintf("host-%d", i), Name: fmt.Sprintf("esx%02d.example.com", i), Path: fmt.Sprintf("/dc/host/general/esx%02d", i)},
		Cores:  count(32), CPUPackages: count(2), MemoryMB: count(512 * 1024), Version: inventory.Known(inventory.Version{Major: 8, Update: 2}),
		PowerPolicy: text("dynamic"), Model: text("PowerEdge R650"), ClusterID: text("domain-c1"),
		NUMANodes: inventory.Known([]*inventory.NUMANode{{ID: 0, MemoryMB: count(256 * 1024)}, {ID: 1, MemoryMB: count(256 * 1024)}}),
		Live: inventory.NewLive(map[string]inventory.Series{
			"cpu.coreUtilization": wave(40+float64(i*9%50), 6, 15, 0.7), "mem.free": wave(120*1024, 4000, 0, 0), "net.rx": wave(900*float64(i%4), 80, 2500, 0.3),
			"net.tx": wave(300*float64(i%4), 30, 200, 0.3), "disk.deviceLatency": wave(2+float64(i%3)*6, 1, 14, 0.5), "power.watts": wave(310+float64(10*i%70), 12, 20, 0.7),
		}),
	}
	nic := func(name string, node, mbps int64) *inventory.PNIC {
		return &inventory.PNIC{Device: name, NUMANode: count(node), LinkMbps: count(mbps), Driver: text("nmlx5_core"), Switch: text("dvs-prod")}
	}
	h.PNICs = inventory.Known([]*inventory.PNIC{
		nic("vmnic0", 0, 25000), nic("vmnic1", 0, 25000), nic("vmnic2", 1, 25000), nic("vmnic3", 1, int64(25000*(i%3))),
		{Device: "vmnic4", NUMANode: count(0), LinkMbps: count(10000), Switch: text("vSwitch1")},
		{Device: "vusb0", LinkMbps: count(1000), NUMANode: inventory.Unread[int64]("the host lists no PCI device for it"), Switch: text("")},
	})
	h.LUNs = inventory.Known([]*inventory.LUN{{Device: fmt.Sprintf("naa.6000%02d", i%3), Live: inventory.NewLive(map[string]inventory.Series{"disk.deviceLatency": wave(3+float64(i%3)*7, 2, 16, 0.5)})}})
	return h
}

func sampleVM(i, host int) *inventory.VM {
	vcpus := []int64{2, 4, 2, 8, 1, 2, 4, 16, 2, 24}[i%10]
	state := "poweredOn"
	if i%13 == 5 {
		state = "poweredOff"
	}
	vm := &inventory.VM{
		Entity: inventory.Entity{ID: fmt.Sprintf("vm-%d", i), Name: fmt.Sprintf("%s-%03d", []string{"web", "app", "db", "etl", "infra"}[i%5], i), Path: fmt.Sprintf("/dc/vm/%d", i)},
		HostID: text(fmt.Sprintf("host-%d", host)), VCPUs: count(vcpus), MemoryMB: count(vcpus * 4096), PowerState: text(state), Template: inventory.Known(false),
	}
	if state == "poweredOn" {
		vm.Live.Set("cpu.ready", wave(float64((i*7)%11)*float64(host%3)*0.5, 0.6, float64(host%3)*6, 0.7))
	}
	return vm
}

func expr(source string) advice.Expr { return advice.Expr{Source: source} }

var change20 = -0.2

// The rules of the sample: invented, in the form of the real ones.
var (
	readyRule = &advice.Rule{
		ID: "cpu-ready", Title: "High ready time; vCPUs wait for a free core", Category: "monitoring", Scope: inventory.ScopeVM, Severity: advice.High,
		Want: expr(`vm.live("cpu.ready").p95 <= params.ok`), Why: "Ready time is time in which a vCPU had work\nand no core was free for it.",
		Params: map[string]advice.Param{"ok": {Value: 5.0}, "bad": {Value: 10.0}}, Sources: []string{"esxtop documentation, %RDY"},
	}
	headroomRule = &advice.Rule{
		ID: "host-cpu-headroom", Title: "Host's cores have no headroom; bursts of work must wait", Category: "monitoring", Scope: inventory.ScopeHost, Severity: advice.Medium,
		Want: expr(`host.live("cpu.coreUtilization").p95 <= params.others`), Params: map[string]advice.Param{"latency": {Value: 75.0}, "others": {Value: 84.0}},
	}
	latencyRule = &advice.Rule{
		ID: "datastore-latency", Title: "High storage latency on the host; VMs wait for I/O", Category: "monitoring", Scope: inventory.ScopeHost, Severity: advice.Medium,
		Want: expr(`host.live("disk.deviceLatency").p95 <= params.ok`), Params: map[string]advice.Param{"ok": {Value: 20.0}, "bad": {Value: 25.0}},
	}
	crowdRule = &advice.Rule{
		ID: "ready-by-crowding", Title: "Host runs more vCPUs than its cores can serve; vCPUs wait for cores", Category: advice.CategoryDiagnosis, Scope: inventory.ScopeVM,
		Severity: advice.High, Explains: []string{"cpu-ready"}, Because: expr(`host.live("cpu.coreUtilization").p95 >= params.busy`), At: inventory.ScopeHost,
		Action: "Move VMs to hosts with free capacity, or remove unused vCPUs.", Effort: advice.EffortMedium,
		Why:      "A core that is in use serves nobody else. When nearly all of them are, whoever comes waits.",
		Tradeoff: "VMs that are moved away add load to another host.",
	}
	limitRule = &advice.Rule{
		ID: "ready-by-limit", Title: "VM is throttled by its own CPU limit, not by other VMs", Category: advice.CategoryDiagnosis, Scope: inventory.ScopeVM, Severity: advice.High,
		Explains: []string{"cpu-ready"}, Because: expr("true"), Why: "A limit holds a VM back even where cores are idle.",
	}
	powerRule = &advice.Rule{
		ID: "power-policy", Title: "Power policy does not suit the host's workload; speed or power is wasted", Category: "power", Scope: inventory.ScopeHost, Severity: advice.Medium,
		Why: "Deep sleep states cost time on every wake-up.", Tradeoff: "An idle host takes more power.",
		Benefit: []advice.Benefit{{Metric: "score", Change: &change20, Text: "about 20 % less CPU", When: "40GbE, one-vCPU VM, two-socket host", Source: "VMmark 2.5 on four R620"}},
	}
	cpuLimitRule = &advice.Rule{ID: "cpu-limit", Title: "VM has a CPU limit; it is throttled even on an idle host", Category: "vm", Scope: inventory.ScopeVM, Severity: advice.High, Why: "A limit is forgotten until it hurts."}
	bootRule     = &advice.Rule{ID: "hwp-bios", Title: "Check whether the BIOS offers hardware P-states", Category: "power", Scope: inventory.ScopeHost, Severity: advice.Low}
)

func settingOf(address string) inventory.Setting {
	s, err := inventory.LookupSetting(address)
	if err != nil {
		panic(err)
	}
	return s
}

func measuredAs(name string, v any) advice.Measured {
	return advice.Measured{Name: name, Value: inventory.Known(v)}
}

func sampleFinding(r *advice.Rule, o inventory.Object, sev advice.Severity, evidence ...advice.Measured) *advice.Finding {
	return &advice.Finding{Evaluated: &advice.Evaluated{Object: o.Ref(), Profile: advice.ProfileGeneral}, Rule: r, Outcome: advice.Fail, Severity: sev, Evidence: evidence}
}

// sampleFleet is hosts with so many VMs each.
func sampleFleet(hosts, vmsEach int) *inventory.Snapshot {
	v := &inventory.VCenter{
		Entity: inventory.Entity{ID: "vc", Name: "vc.example.com"}, Kind: inventory.EndpointVCenter, TakenAt: noon, Whole: true,
		Clusters: []*inventory.Cluster{{
			Entity: inventory.Entity{ID: "domain-c1", Name: "general", Path: "/dc/host/general"}, DRSEnabled: inventory.Known(true),
			DRSAutomation: text("fullyAutomated"), EVCMode: text("intel-icelake"),
		}},
	}
	for i := range hosts {
		v.Hosts = append(v.Hosts, sampleHost(i+1))
		for j := range vmsEach {
			v.VMs = append(v.VMs, sampleVM(i*vmsEach+j, i+1))
		}
	}
	for i, vm := range v.VMs[:min(vmsEach, len(v.VMs))] { // esxtop reported the VM placement of the first host
		atHome(vm, i)
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "vc.example.com", VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

// atHome gives a running VM a home on the NUMA nodes of its host: on both, moved, on none, on either.
func atHome(vm *inventory.VM, i int) {
	if state, _ := vm.PowerState.Value(); state != "poweredOn" {
		return
	}
	stay := func(samples int64, nodes ...int64) inventory.NUMAHome {
		return inventory.NUMAHome{Nodes: append([]int64{}, nodes...), Samples: samples}
	}
	homes := []inventory.NUMAHome{stay(sampleCount, int64(i%2))}
	switch vcpus, _ := vm.VCPUs.Value(); {
	case vcpus > 16:
		homes = []inventory.NUMAHome{stay(sampleCount, 0, 1)}
	case i%5 == 1:
		homes = []inventory.NUMAHome{stay(30, 0), stay(60, 1)}
	case i%7 == 4:
		homes = []inventory.NUMAHome{stay(sampleCount)}
	}
	vm.NUMAHomes = inventory.Known(homes)
	near := inventory.Series{Median: 100 - float64(i*i%60), P95: 70, Worst: 40, Mean: 90, Samples: sampleCount, Below: true}
	vm.Live.Set("numa.local", near)
	vm.Live.Set("numa.migrations", inventory.Series{Mean: float64(len(homes)-1) / sampleCount, Samples: sampleCount})
	vm.VNICs = inventory.Known([]*inventory.VNIC{{Key: 4000, Label: "Network adapter 1", Switch: text([]string{"dvs-prod", "vSwitch1"}[i%2])}})
}

// sampleReport is a report with something in each of its parts.
func sampleReport(hosts, vmsEach int) view.Advice {
	s := sampleFleet(hosts, vmsEach)
	v := s.VCenters[0]
	a := view.Advice{
		Source: "vc.example.com", TakenAt: noon, From: begin(), To: noon, Snapshot: s, Version: "1.2.3", Rules: []*advice.Rule{readyRule, headroomRule, latencyRule, crowdRule, limitRule, powerRule, cpuLimitRule, bootRule},
		Notes: []string{"2 rows of the capture had another number of fields and were left out"},
		MeasuredHere: []view.MeasuredHere{
			{Rule: "power-policy", Run: "20261120-221530.123-ab12", Date: noon, Server: "lab", Units: []string{"esx01"}, Verdict: "keep", Text: "Keep: power-policy lowers latency by 17 % (95 % interval 15 to 19 %)"},
			{Rule: "lro", Run: "20261020-221530.123-ab12", Date: noon, Units: []string{"esx02"}, Verdict: "undecided", Text: "Undecided: too few pairs of blocks count", Simulated: true},
		},
	}
	var all []*advice.Finding
	ready := map[*inventory.Host][]*advice.Finding{}
	for _, vm := range v.VMs {
		series, ok := vm.Live.Get("cpu.ready")
		if !ok || series.P95 <= 5 {
			continue
		}
		sev := advice.Medium
		if series.P95 > 10 {
			sev = advice.High
		}
		f := sampleFinding(readyRule, vm, sev, measuredAs("ready", series.P95), measuredAs("worst", series.Worst))
		f.Notes = []string{"The figure is for one vCPU; esxtop's %RDY of a VM is the sum over its vCPUs."}
		all, ready[vm.Host()] = append(all, f), append(ready[vm.Host()], f)
	}
	ad := &advice.Advice{}
	var power []*advice.Finding
	for i, h := range v.Hosts {
		f := sampleFinding(powerRule, h, advice.Medium, measuredAs("policy", "dynamic"), measuredAs("hardware", "ACPI P-states, ACPI C-states"))
		f.Remedies = []advice.Change{{
			Object: h.Ref(), Setting: settingOf("power-policy"), From: inventory.Known(inventory.StringValue("dynamic")),
			To: inventory.Known(inventory.StringValue("static")), Activation: inventory.ActivationLive, Consent: advice.ConsentFree,
		}}
		f.Benefits = []advice.Expected{{Benefit: powerRule.Benefit[0], Holds: inventory.Known(false)}}
		all, power = append(all, f), append(power, f)
		if symptoms := ready[h]; len(symptoms) > 0 && i%3 == 1 {
			ad.Recommendations = append(ad.Recommendations, crowded(h, symptoms))
		}
	}
	if limited := ready[v.Hosts[0]]; len(limited) > 0 {
		ad.Recommendations = append(ad.Recommendations, limitedVM(limited[0]))
	}
	ad.Recommendations = append(ad.Recommendations, &advice.Recommendation{
		Rule: powerRule, Severity: advice.Medium, Findings: power, Impact: advice.Impact{Objects: len(power), VMs: len(v.VMs)}, Benefits: power[0].Benefits,
		Effort: advice.EffortLow, Risk: advice.ConsentFree,
	})
	manual := sampleFinding(bootRule, v.Hosts[0], advice.Low)
	manual.Outcome, manual.Reason = advice.Manual, "In the BIOS, look for Hardware P-states."
	all = append(all, manual)
	if len(all) > 6 {
		ad.Harmless = []*advice.Diagnosis{{Finding: sampleFinding(limitRule, v.VMs[0], advice.Low), Symptoms: all[:1]}}
		ad.Unexplained = []*advice.Unexplained{{
			Symptom:  all[1],
			Possible: []*advice.Diagnosis{{Finding: &advice.Finding{Evaluated: &advice.Evaluated{Object: all[1].Object}, Rule: limitRule, Gaps: []advice.Gap{{Object: all[1].Object, Fact: "VM.cpuLimitMHz", Reason: "no permission to read the VM's configuration"}}}}},
			RuledOut: []*advice.Diagnosis{{Finding: sampleFinding(crowdRule, v.VMs[0], advice.High)}},
		}}
	}
	a.Advice = ad
	a.Result = sampleResult(v, all)
	a.Efficiency = sampleEfficiency(v)
	a.Spots = []hotspot.Spot{{
		Metric: esxtop.Lookup("cpu.ready"), Host: v.Hosts[0].Name, Object: "db-002", MoID: "vm-2", Worst: 18.2, Mean: 6.1, At: noon.Add(-9 * time.Minute),
		Samples: sampleCount, Beyond: 31, Longest: 4 * time.Minute,
	}}
	a.Changes = sampleChanges()
	return a
}

func crowded(h *inventory.Host, symptoms []*advice.Finding) *advice.Recommendation {
	r := &advice.Recommendation{
		Rule: crowdRule, Object: h.Ref(), Severity: advice.High, Effort: advice.EffortMedium, Risk: advice.ConsentNever,
		Impact: advice.Impact{
			Objects: len(symptoms), VMs: len(symptoms), Lost: inventory.Known(float64(len(symptoms)) * 0.41), Share: inventory.Known(0.62),
		},
		Benefits: []advice.Expected{{Benefit: advice.Benefit{Text: "No published measurement; the wait goes with the crowd"}}},
		Unseen:   []advice.Gap{{Object: h.Ref(), Fact: "Host.options", Reason: "the session may not read advanced settings"}},
	}
	accepted := *symptoms[0]
	accepted.Outcome, accepted.Reason = advice.Waived, "accepted until 2026-12-31 by ops: moves next week"
	r.Waived = []*advice.Finding{&accepted}
	for _, f := range symptoms {
		cause := &advice.Finding{
			Evaluated: &advice.Evaluated{Object: f.Object, Host: h.Ref()}, Rule: crowdRule, Outcome: advice.Fail, Severity: advice.High,
			Evidence: []advice.Measured{measuredAs("ready", f.Evidence[0].Value), measuredAs("cores", h.Live.Of("cpu.coreUtilization").P95)},
		}
		cause.Evidence[0] = f.Evidence[0]
		r.Diagnoses = append(r.Diagnoses, &advice.Diagnosis{Finding: cause, Symptoms: []*advice.Finding{f}, Cause: h.Ref(), First: true})
	}
	return r
}

func limitedVM(symptom *advice.Finding) *advice.Recommendation {
	fix := &advice.Finding{Evaluated: &advice.Evaluated{Object: symptom.Object}, Rule: cpuLimitRule, Outcome: advice.Fail, Severity: advice.High, Remedies: []advice.Change{{
		Object: symptom.Object, Setting: settingOf("vm-cpu-limit"), From: inventory.Known(inventory.LongValue(1000)),
		To: inventory.Known(inventory.LongValue(-1)), Activation: inventory.ActivationLive, Consent: advice.ConsentNamed,
	}}}
	cause := &advice.Finding{Evaluated: &advice.Evaluated{Object: symptom.Object}, Rule: limitRule, Outcome: advice.Fail, Evidence: []advice.Measured{measuredAs("limitMHz", int64(1000)), measuredAs("vcpus", int64(4))}}
	return &advice.Recommendation{
		Rule: limitRule, Object: symptom.Object, Severity: advice.High, Findings: []*advice.Finding{fix},
		Diagnoses: []*advice.Diagnosis{{Finding: cause, Symptoms: []*advice.Finding{symptom}, Cause: symptom.Object, First: true, Fixes: []*advice.Finding{fix}}},
		Impact:    advice.Impact{Objects: 1, VMs: 1, Lost: inventory.Known(0.37), Share: inventory.Known(1.0)},
		Benefits: []advice.Expected{{
			Benefit: advice.Benefit{Text: "about 20 % less CPU", Change: &change20, When: "40GbE, one-vCPU VM, two-socket host", Source: "two Dell R720, netperf"}, Holds: inventory.Known(true),
		}},
		Effort: advice.EffortLow, Risk: advice.ConsentNamed,
	}
}

func sampleResult(v *inventory.VCenter, all []*advice.Finding) *advice.Result {
	r := &advice.Result{
		Hosts: len(v.Hosts), VMs: len(v.VMs), Checks: 100 * len(v.Hosts), Counts: map[advice.Outcome]int{advice.Pass: 60 * len(v.Hosts), advice.Unknown: 3, advice.Manual: 1},
		Rules:         map[string]*advice.RuleCount{"cpu-ready": {Checked: len(v.VMs), Skipped: 1}, "power-policy": {Checked: len(v.Hosts)}},
		UnreadObjects: []advice.Gap{{Object: inventory.Ref{Kind: inventory.ScopeHost, Name: "esx99.example.com", ID: "host-99"}, Fact: "all facts", Reason: "the host does not respond"}},
	}
	for _, f := range all {
		r.Counts[f.Outcome]++
		r.Findings = append(r.Findings, f)
	}
	r.Unread = append(r.Unread, r.UnreadObjects...)
	for _, h := range v.Hosts[:1] {
		r.Unread = append(r.Unread, advice.Gap{Object: h.Ref(), Fact: "PNIC.ringRx", Reason: "the session may not call esxcli"})
	}
	return r
}

func sampleEfficiency(v *inventory.VCenter) []efficiency.Figure {
	var out []efficiency.Figure
	for i, h := range v.Hosts {
		out = append(out,
			efficiency.Figure{ID: "gbps-per-core", Object: h.Ref(), Title: "throughput by core", Unit: "Gb/s", Value: inventory.Known(0.4 + float64(i%7)/10), From: []string{"2.4 Gb/s over 3.1 cores in use"}, About: "What a core in use moves; not what the host could."},
			efficiency.Figure{ID: "vcpus-per-core", Object: h.Ref(), Title: "vCPUs by core", Value: inventory.Known(2.5 + float64(i%3)), From: []string{"80 vCPUs on 32 cores"}},
			efficiency.Figure{ID: "work-per-watt", Object: h.Ref(), Title: "work by watt", Unit: "MHz/W", Value: inventory.Unread[float64]("the host tells no power")},
		)
	}
	return out
}

func sampleChanges() []*tuning.Run {
	return []*tuning.Run{{
		ID: "20260503-210000.000-ab12", Began: noon.Add(-15 * time.Hour), Ended: noon.Add(-15*time.Hour + time.Minute), Result: "done",
		Begin: tuning.Begin{Server: tuning.Server{Name: "vc.example.com"}, User: "ops@example.com", Version: "1.2.3", Reason: "slow trades", Ticket: "CHG-1207", Digest: "sha256:0123abcd"},
		Results: []tuning.Result{{
			Step: 1, Target: tuning.Target{Kind: inventory.ScopeHost, ID: "host-1", Name: "esx01.example.com"}, Address: tuning.Address{Setting: "host-option/Net.NetNetqNumaIOCpuPinThreshold"},
			Before: inventory.Known(inventory.LongValue(0)), After: inventory.Known(inventory.LongValue(100)), State: tuning.StateDone, Rules: []string{"numa-io"},
		}},
	}}
}

func BenchmarkWrite(b *testing.B) {
	a := sampleReport(64, 125)
	var size int64
	for b.Loop() {
		var n counter
		if err := Write(&n, view.New(a)); err != nil {
			b.Fatal(err)
		}
		size = int64(n)
	}
	b.ReportMetric(float64(size)/1e6, "MB")
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
