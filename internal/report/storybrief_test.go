package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// blocks are the things to do of a table, each as its lines.
func blocks(text string) [][]string {
	var all [][]string
	for part := range strings.SplitSeq(text, "\n\n") {
		if lines := strings.Split(part, "\n"); part != "" && part[0] >= '1' && part[0] <= '9' {
			all = append(all, lines)
		}
	}
	return all[1:] // the first begins with how many there are
}

// A thing to do is decided on by what a glance takes in.
func TestAdviceFitsAScreen(t *testing.T) {
	a := fullAdvice(t)
	a.Advice.Recommendations[1].Waived = nil
	all := blocks(adviceTable(t, a, 100))
	require.Len(t, all, 2)
	for _, lines := range all {
		require.LessOrEqual(t, len(lines), 10, strings.Join(lines, "\n"))
	}
	a.Whole = true
	for i, lines := range blocks(adviceTable(t, a, 100)) {
		require.Greater(t, len(lines), len(all[i]))
	}
}

func TestBriefAdviceOfOneThing(t *testing.T) {
	brief := func(change func(*advice.Recommendation)) string {
		r := limited(t)
		change(r)
		return adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	}
	for name, tc := range map[string]struct {
		change func(*advice.Recommendation)
		want   string
	}{
		"what is not known is said":       {func(*advice.Recommendation) {}, "\n    VM db-02; time lost is not known; how long it was there is not known (the samples were not kept)\n"},
		"no time is lost":                 {func(r *advice.Recommendation) { r.Impact.Lost = inventory.Known(0.0) }, "; VMs lose no time; "},
		"time is lost":                    {func(r *advice.Recommendation) { r.Impact.Lost = inventory.Known(0.25) }, "; VMs lose 0.25 seconds per second; "},
		"the plan alone, which is safe":   {func(*advice.Recommendation) {}, "\n    type:    vperf plan --vm db-02 --rule cpu-limit\n    brings:"},
		"vperf makes it":                  {func(*advice.Recommendation) {}, "\n    brings:  No published measurement; takes little work\n"},
		"a person makes a part":           {func(r *advice.Recommendation) { r.Risk = advice.ConsentNever }, "; takes little work; in part by hand\n"},
		"a person makes it":               {func(r *advice.Recommendation) { r.Findings = nil }, "; takes little work; done by hand\n"},
		"nobody knows how much work":      {func(r *advice.Recommendation) { r.Findings, r.Effort = nil, "" }, "\n    brings:  No published measurement; done by hand\n"},
		"one change beside":               {func(r *advice.Recommendation) { r.Findings = r.Findings[:1] }, " to -1 (live); vm-snapshots 3 to 0, by hand\n    type:"},
		"more changes":                    {func(*advice.Recommendation) {}, " to -1 (live); 2 more changes\n"},
		"what was found, for want of why": {func(r *advice.Recommendation) { r.Diagnoses[0].Finding.Evidence = nil }, "\n    because: A CPU limit holds the VM back (cpu-limit): limit 1,000 MHz\n    do:"},
		"measured elsewhere": {
			func(r *advice.Recommendation) {
				r.Benefits = []advice.Expected{{Benefit: advice.Benefit{Text: "5 % more", When: "10GbE"}, Holds: inventory.Unread[bool]("")}}
			}, "\n    brings:  5 % more, measured elsewhere; comparability unknown; takes",
		},
		"measured on what is like it": {
			func(r *advice.Recommendation) {
				r.Benefits = []advice.Expected{{Benefit: advice.Benefit{Text: "5 % more", When: "10GbE"}, Holds: inventory.Known(true)}}
			}, "\n    brings:  5 % more (10GbE); conditions here are comparable; takes",
		},
		"measured on something else": {
			func(r *advice.Recommendation) {
				r.Benefits = []advice.Expected{{Benefit: advice.Benefit{Text: "5 % more", When: "10GbE"}, Holds: inventory.Known(false)}}
			}, "\n    brings:  No published measurement under conditions like these; takes",
		},
		"one reason": {
			func(r *advice.Recommendation) {
				r.Unseen = []advice.Gap{{Object: db02, Fact: "VM.vmx", Reason: "no permission"}}
			},
			"\n    unseen:  VM.vmx of db-02: no permission\n",
		},
		"two reasons": {
			func(r *advice.Recommendation) {
				r.Unseen = []advice.Gap{{Object: db02, Fact: "VM.vmx", Reason: "no permission"}, {Object: db02, Fact: "VM.disks", Reason: "it broke"}}
			}, "\n    unseen:  VM.vmx of db-02: no permission (and more, for 1 other reason)\n",
		},
	} {
		t.Run(name, func(t *testing.T) { require.Contains(t, brief(tc.change), tc.want) })
	}
}

// The symptom that is told is that of whoever has it worst, whatever was not the counter that it failed by.
func TestBriefAdviceShowsTheWorst(t *testing.T) {
	a := fullAdvice(t)
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "\n    shows:   cpu-ready, worst of 2 at db-01: ready median 6.1, worst 12.2 % of a vCPU at 11:58:50Z\n")
	require.NotContains(t, text, "vperf apply esx01")
	require.Contains(t, text, "\n  vperf plan shows a change and makes none;")
	a.Advice.Recommendations = a.Advice.Recommendations[:1]
	a.Advice.Recommendations[0].Findings = nil
	require.NotContains(t, adviceTable(t, a, 0), "vperf plan", "nothing of it is vperf's")

	r := limited(t)
	r.Diagnoses[0].Symptoms = append(r.Diagnoses[0].Symptoms, finding(t, "rx-drops", db02, measured("dropped", 1.5)), finding(t, "mem-swapped", db02))
	also := adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	require.Contains(t, also, " at 2026-06-09 11:58:00Z; also rx-drops, mem-swapped\n")

	r = limited(t)
	r.Object = esx01
	one := adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	require.Contains(t, one, "\n    shows:   cpu-ready of db-02: ready median 5.4, worst 6.3 % of a vCPU at 2026-06-09 11:58:00Z\n")
}

// A figure that could not be read stands beside the proof by that word; what is left out of it is no reason to look away.
func TestBriefProofs(t *testing.T) {
	r := limited(t)
	r.Diagnoses[0].Finding.Evidence = []advice.Measured{measured("limited", 3.5), unmeasured("limitMHz", "no permission")}
	text := adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	require.Contains(t, text, "\n    because: limited 3.5 % of a vCPU, limit not read\n")
}

// A list that nothing is in, such as of VMs that are busier than most, says nothing to who has to decide.
func TestAdviceLeavesEmptyListsOut(t *testing.T) {
	r := limited(t)
	r.Diagnoses[0].Finding.Evidence = []advice.Measured{measured("limited", 3.5), measured("busiestVMs", []any{}), measured("idleVMs", []any{"web-01"})}
	a := adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1))
	require.Contains(t, adviceTable(t, a, 0), "\n    because: limited 3.5 % of a vCPU, idle VMs web-01\n")
	require.NotContains(t, storyTable(t, a, 0), "busiest VMs")
	a.Whole = true
	require.Contains(t, adviceTable(t, a, 0), "busiest VMs none")
	require.Contains(t, string(adviceJSON(t, a)), "busiestVMs")
}

// What is ruled out for some of those with a symptom is not ruled out.
func TestBriefAdviceRulesOutForAll(t *testing.T) {
	a := fullAdvice(t)
	require.NotContains(t, adviceTable(t, a, 0), "is not:")
	a.Advice.Unexplained = a.Advice.Unexplained[:1]
	require.Contains(t, adviceTable(t, a, 0), "\n    is not:  drops-by-ready\n")
}

// Somebody accepted it: that is said, by which waiver, wherever it would be missed.
func TestAdviceSaysWhatIsWaived(t *testing.T) {
	a := fullAdvice(t)
	const why = "accepted until 2026-12-31 by ops: the customer knows (waivers.yaml:7)"
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "\n1 finding is waived, and no reason to do anything\n")
	require.Contains(t, text, "\n    waived:  rx-drops of db-02, "+why+"\n")
	require.Contains(t, text, "\nexplained, and no fault or accepted\n")
	require.Contains(t, text, ": db-01 (waived, "+why+")\n")
	require.NotContains(t, text, "\nwaived\n")
	a.Whole = true
	require.Contains(t, adviceTable(t, a, 0), "\nwaived\n  rx-drops  Packets for the VM are dropped\n    "+why+"\n    db-02\n")

	a = clearAdvice(t)
	a.Result.Findings = []advice.Finding{*waivedAt(t, "rx-drops", db02)}
	require.Contains(t, adviceTable(t, a, 0), "1 finding is waived", "all is well, because somebody said so")
}

// Where nobody measured, or nothing shows, what is wrong in the configuration is all there is to say: with its names.
func TestBriefAdviceOfTheConfiguration(t *testing.T) {
	require.Contains(t, adviceTable(t, configAdvice(t), 0), "\n    10 hosts: lab00, lab01, lab02 and 7 more\n      vperf plan --rule lro\n")
	a := fullAdvice(t)
	a.Advice.Recommendations[2].ByLoad = true
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "\n3   LOW  lro  Large receive offload is off: host esx01; pays only under load, which was not measured\n4   INFO  lro  Large receive offload is off: 10 hosts\n  vperf audit --rule RULE")
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"Short. And more.":                   "Short. And more.",
		"Take it off now. Else leave it.":    "Take it off now.",
		"One. Two. Three sentences here it":  "One. Two.",
		"No end at all but a long text so":   "No end at all but a long text so",
		"Set it to 1.5 of them. 2 are more.": "Set it to 1.5 of them.",
		"A very long first sentence. Next.":  "A very long first sentence.",
	} {
		require.Equal(t, want, report.Sentences(text, 20), text)
	}
}
