package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// tableOf returns the table of one recommendation, without counters of its objects.
func tableOf(t *testing.T, r *advice.Recommendation) string {
	t.Helper()
	return storyTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
}

// TestAdviceNamesWhatWasFoundByItsOwnObject checks that another rule's finding names its own object, even if its evidence
// names another host.
func TestAdviceNamesWhatWasFoundByItsOwnObject(t *testing.T) {
	fix := shown("cpu-limit", db01, "vm.cpuLimitMHz", "vm.vcpus", "host.cpuMHz")
	cause := shown("limited", db01, "vm.cpuLimitMHz", "host.cpuMHz")
	symptom := shown("ready", db01, `vm.live("cpu.ready").p95`)
	d := &advice.Diagnosis{Finding: cause, Symptoms: []*advice.Finding{symptom}, Cause: db01, Fixes: []*advice.Finding{fix}}
	r := &advice.Recommendation{Rule: cause.Rule, Object: db01, Severity: advice.High, Diagnoses: []*advice.Diagnosis{d}, Findings: []*advice.Finding{fix}}
	for _, p := range view.Chain(r) {
		l := p.Link()
		if l.Kind == view.LinkFinding {
			require.Equal(t, db01, l.Object, l.Name)
		}
	}
	text := tableOf(t, r)
	require.Contains(t, text, "    because: a 0.5\n             esx01: b 0.5\n")
	require.Contains(t, text, "    found:   db-01: It is cpu-limit (cpu-limit): a 0.5, b 0.5\n", "two figures of it, the first among them")
}

func TestAdviceSaysOnceWhatAChangeBrings(t *testing.T) {
	benefit := func(text, when string, holds inventory.Fact[bool]) advice.Expected {
		return advice.Expected{Benefit: advice.Benefit{Text: text, When: when, Source: "somebody"}, Holds: holds}
	}
	like, unlike, unknown := inventory.Known(true), inventory.Known(false), inventory.Unread[bool]("no permission")
	for name, tc := range map[string]struct {
		benefits []advice.Expected
		want     string
	}{
		"nothing is known":    {nil, "No published measurement\n"},
		"none twice":          {[]advice.Expected{benefit("No published measurement; the wait goes", "", unknown), benefit("No published measurement", "", unknown)}, "No published measurement; the wait goes\n"},
		"measured and none":   {[]advice.Expected{benefit("No published measurement", "", unknown), benefit("10 % more", "40GbE", like)}, "10 % more (40GbE); conditions here are comparable\n"},
		"like here and other": {[]advice.Expected{benefit("5 % more", "10GbE", unknown), benefit("10 % more", "40GbE", like)}, "10 % more (40GbE); conditions here are comparable\n"},
		"nobody can tell":     {[]advice.Expected{benefit("5 % more", "10GbE", unknown), benefit("7 % more", "25GbE", unknown)}, "5 % more (10GbE); comparability unknown\n"},
		"elsewhere":           {[]advice.Expected{benefit("5 % more", "10GbE", unlike)}, "No published measurement under conditions like these (--all shows others)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := limited(t)
			r.Benefits = tc.benefits
			text := tableOf(t, r)
			require.Contains(t, text, "\n    brings:  "+tc.want+"    effort:")
			require.NotContains(t, text, "somebody", "vperf explain says who measured it")
		})
	}
}

// TestAdviceTableLeavesContextOut checks that the table omits figures next to a rule's own text, because they are context;
// --all shows both.
func TestAdviceTableLeavesContextOut(t *testing.T) {
	article := "name: x\npublisher: p\ntitle: t\nfigures:\n  - {id: y, values: [4], unit: '%', says: others were 4 % faster, when: elsewhere}\n"
	rule := "id: my-rule\ntitle: t\ncategory: cpu\nscope: host\nseverity: low\nwant: host.cores > 3\nwhy: w\nbenefit: [{figure: x/y, text: No published measurement for this}]\n"
	l, err := advice.Load(
		advice.Source{FS: fstest.MapFS{"sources/x.yaml": {Data: []byte(article)}}},
		advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(rule)}}, User: true},
	)
	require.NoError(t, err)
	r := limited(t)
	r.Benefits = []advice.Expected{{Benefit: l.Rules()[0].Benefit[0], Holds: inventory.Absent[bool]()}}
	require.Contains(t, tableOf(t, r), "\n    brings:  No published measurement for this\n")
	require.Contains(t, r.Benefits[0].Text, "others were 4 % faster", "--all has it")
}

func TestAdviceNamesOnePrice(t *testing.T) {
	fix, cause := shown("fix", db01, "vm.vcpus"), shown("cause", db01, "vm.vcpus")
	fix.Remedies = []advice.Change{change("vm-cpu-limit", db01)}
	d := &advice.Diagnosis{Finding: cause, Symptoms: []*advice.Finding{shown("symptom", db01, "vm.vcpus")}, Cause: db01}
	r := &advice.Recommendation{Rule: cause.Rule, Object: db01, Diagnoses: []*advice.Diagnosis{d}, Findings: []*advice.Finding{fix}, Effort: advice.EffortLow}
	require.Contains(t, tableOf(t, r), "\n    effort:  low, by vperf apply\n")
	cause.Rule.Tradeoff = "Of the cause."
	require.Contains(t, tableOf(t, r), "\n    effort:  low, by vperf apply. Of the cause.\n")
	fix.Rule.Tradeoff = "Of the\n  change."
	require.Contains(t, tableOf(t, r), "\n    effort:  low, by vperf apply. Of the change.\n")
	fix.Remedies = nil
	require.Contains(t, tableOf(t, r), "\n    effort:  low, manual. Of the cause.\n", "nobody changes what was found")
}

// TestAdviceSaysWhatElseAFaultShowsAs checks that one fault that is visible at several levels is one recommendation, named
// after the first.
func TestAdviceSaysWhatElseAFaultShowsAs(t *testing.T) {
	r := limited(t)
	other := shown("slow-host", esx01, "host.cores")
	r.Diagnoses = append(r.Diagnoses, &advice.Diagnosis{Finding: other, Symptoms: []*advice.Finding{shown("busy", esx01, "host.cores")}, Cause: esx01})
	also := shown("next-cause", db02, "vm.vcpus")
	r.Also = []*advice.Diagnosis{{Finding: also}, {Finding: also}, {Finding: r.Diagnoses[0].Finding}}
	text := tableOf(t, r)
	require.Contains(t, text, "\n    also:    busy\n             shows as slow-host\n")
	require.Contains(t, text, "\n    next:    next-cause\n")
}

func TestAdviceShowsTheWorstFirst(t *testing.T) {
	a := fullAdvice(t)
	d := a.Advice.Recommendations[0].Diagnoses
	d[1].Symptoms[0].Lost = inventory.Known(0.9)
	text := storyTable(t, a, 0)
	require.Less(t, strings.Index(text, "db-02: ready"), strings.Index(text, "db-01: ready"), "who loses most")
	d[0].Symptoms[0].Lost, d[1].Symptoms[0].Lost = inventory.Known(0.9), inventory.Known(0.9)
	text = storyTable(t, a, 0)
	require.Less(t, strings.Index(text, "db-01: ready"), strings.Index(text, "db-02: ready"), "or whose counter is worse")
	costly := finding(t, "rx-drops", db01, measured("dropped", 1.5))
	costly.Lost = inventory.Known(5.0)
	d[0].Symptoms = append(d[0].Symptoms, costly)
	require.Contains(t, storyTable(t, a, 0), "\n    shows:   Packets for the VM are dropped (rx-drops)\n             db-01: dropped 1.5 % of packets (worst); loses 5 vCPU-seconds per second\n    also:    cpu-ready at 2 VMs\n")
}

func TestAdviceOfFewSeesOnlyWhatMatters(t *testing.T) {
	r := limited(t)
	r.Findings[0].Rule = &advice.Rule{ID: "r", Title: "R", Notes: []advice.Note{{Text: "Always."}, {When: advice.Expr{Source: "true"}, Text: "Here."}}}
	r.Findings[0].Notes = []string{"Always.", "Here."}
	require.NotContains(t, tableOf(t, r), "note:", "nobody has to decide")
	r.Findings[0].Remedies[0].Consent = advice.ConsentNamed
	require.Contains(t, tableOf(t, r), "\n    note:    Here.\n")
}

// TestAdviceTellsHotSpotsOfCaptures checks that hot spots of live objects appear only if nothing else is reported about the
// object; those of captures always appear.
func TestAdviceTellsHotSpotsOfCaptures(t *testing.T) {
	a := fullAdvice(t)
	require.NotContains(t, storyTable(t, a, 0), "hot spots")
	a.Captured = true
	require.Contains(t, storyTable(t, a, 0), "\n  VMKMEM state  the host  clear   ")
	a.Captured, a.Spots[0].Object, a.Spots[0].MoID = false, "web-07", "vm-7"
	text := storyTable(t, a, 0)
	a.Spots[0].MoID = db01.ID
	require.NotContains(t, storyTable(t, a, 0), "hot spots", "its VM is told of")
	require.Contains(t, text, "\nhot spots\n  counter  of      worst   at         mean    beyond   longest\n  %RDY     web-07  48.8 %  11:58:50Z  26.4 %  9 of 12  90 s\n  … and 1 more;")
}

// rooms returns figures for a number of hosts, each with less headroom than the previous one.
func rooms(hosts int) []efficiency.Figure {
	var all []efficiency.Figure
	for i := range hosts {
		o := inventory.Ref{Kind: inventory.ScopeHost, Name: fmt.Sprintf("esx%02d", i), ID: fmt.Sprintf("host-%d", i)}
		lun := inventory.Ref{Kind: inventory.ScopeLUN, Name: o.Name + "/naa.1", ID: o.ID + "/naa.1"}
		all = append(all,
			efficiency.Figure{ID: "headroom", Object: o, Title: "room", Value: inventory.Known(float64(50 - i))},
			efficiency.Figure{ID: "packets-rx", Object: o, Title: "packets", Value: inventory.Known(1000.0)},
			efficiency.Figure{ID: "mhz-per-watt", Object: o, Title: "work by watt", Value: inventory.Unread[float64]("no power sensor")},
			efficiency.Figure{ID: "latency-device", Object: lun, Value: inventory.Known(98.0)}, efficiency.Figure{ID: "latency-kernel", Object: lun, Value: inventory.Known(2.0)})
	}
	return all
}

func TestAdviceComparesHosts(t *testing.T) {
	a := clearAdvice(t)
	a.Efficiency = rooms(9)
	text := storyTable(t, a, 0)
	require.Contains(t, text, "\nefficiency\n"+
		"         pkt/s in/out  DAVG/KAVG %  room %\n"+
		"  esx08  1,000/-       98/2         42\n"+
		"  esx07  1,000/-       98/2         43\n")
	require.Contains(t, text, "  esx03  1,000/-       98/2         47\n  … and 3 more with more room;")
	require.Contains(t, text, "\n  not known: work by watt of host esx00, host esx01, host esx02 and 6 more (no power sensor)\n")
	narrow := storyTable(t, a, 36)
	require.Contains(t, narrow, "\n  esx08: pkt/s in/out 1,000/-;\n    DAVG/KAVG % 98/2; room % 42\n", "no figure is cut")
	var b bytes.Buffer
	require.NoError(t, report.AdviceTicket(view.New(a)).Markdown(&b))
	require.Contains(t, b.String(), "\n|  | pkt/s in/out | DAVG/KAVG % | room % |\n| --- | --- | --- | --- |\n| esx08 | 1,000/- | 98/2 | 42 |\n")
}

// TestAdviceOfACaptureSaysOnceWhatItLacks checks that advice from a capture alone mentions the missing configuration once,
// not for every fact.
func TestAdviceOfACaptureSaysOnceWhatItLacks(t *testing.T) {
	a := captureAdvice(t)
	a.Efficiency = []efficiency.Figure{{ID: "vcpus-per-core", Object: esx01, Title: "vCPUs by core", Value: inventory.Unread[float64](a.Result.Unread[0].Reason)}}
	proven := limited(t)
	proven.Unseen = []advice.Gap{{Object: db02, Fact: "VM.vmx", Reason: a.Result.Unread[0].Reason}}
	a.Advice.Recommendations = []*advice.Recommendation{proven}
	undecided := finding(t, "ready-by-crowding", db02)
	undecided.Outcome, undecided.Gaps = advice.Unknown, []advice.Gap{{Object: esx01, Fact: "Host.cores", Reason: a.Result.Unread[0].Reason}}
	a.Result.Diagnoses = []*advice.Diagnosis{{Finding: undecided, Symptoms: []*advice.Finding{proven.Diagnoses[0].Symptoms[0]}}}
	text := storyTable(t, a, 0)
	require.Equal(t, 1, strings.Count(text, "--from"), text)
	require.Contains(t, text, "\n    2 possible causes are undecided without it:\n")
	require.Contains(t, text, "(ready-by-crowding): reads Host.cores; would explain cpu-ready\n    figures of efficiency: vCPUs by core\n")
	require.NotContains(t, text, "unseen:")
	require.NotContains(t, text, "could not be read\n  a capture")
	a.Result.Unread, a.Result.Diagnoses, a.Advice.Unexplained, a.Efficiency = nil, nil, nil, nil
	require.NotContains(t, storyTable(t, a, 0), "missing configuration")
}
