package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// blocks splits a table into recommendations, each as its lines.
func blocks(text string) [][]string {
	var all [][]string
	for part := range strings.SplitSeq(text, "\n\n") {
		if lines := strings.Split(part, "\n"); part != "" && part[0] >= '1' && part[0] <= '9' {
			all = append(all, lines)
		}
	}
	return all[1:] // the first starts with the number of recommendations
}

// TestAdviceFitsAScreen checks that a user can decide on a recommendation at a glance.
func TestAdviceFitsAScreen(t *testing.T) {
	a := fullAdvice(t)
	a.Advice.Recommendations[1].Waived = nil
	all := blocks(adviceTable(t, a, 100))
	require.Len(t, all, 2)
	for _, lines := range all {
		require.LessOrEqual(t, len(lines), 10, "wrapped at 100 columns: "+strings.Join(lines, "\n"))
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
		"what is not known is said":       {func(*advice.Recommendation) {}, "\n    VM db-02; vCPU time lost: unknown; duration unknown (the samples were not kept)\n"},
		"no time is lost":                 {func(r *advice.Recommendation) { r.Impact.Lost = inventory.Known(0.0) }, "; VMs lose no vCPU time; "},
		"time is lost":                    {func(r *advice.Recommendation) { r.Impact.Lost = inventory.Known(0.25) }, "; VMs lose 0.25 vCPU-seconds per second; "},
		"the plan alone, which is safe":   {func(*advice.Recommendation) {}, "\n    type:    vperf plan --vm db-02 --rule cpu-limit\n\n"},
		"the settings, without an action": {func(r *advice.Recommendation) { r.Rule.Action = "" }, "\n    do:      vm-cpu-limit not read (no permission) to -1 (live); 2 more changes\n"},
		"what was found, for want of why": {func(r *advice.Recommendation) { r.Diagnoses[0].Finding.Evidence = nil }, "\n    because: A CPU limit holds the VM back (cpu-limit): limit 1,000 MHz\n    do:"},
		"facts that were not read": {
			func(r *advice.Recommendation) {
				r.Unseen = []advice.Gap{{Object: db02, Fact: "VM.vmx", Reason: "no permission"}, {Object: db02, Fact: "VM.disks", Reason: "it broke"}}
			}, "; 2 facts not read\n",
		},
	} {
		t.Run(name, func(t *testing.T) { require.Contains(t, brief(tc.change), tc.want) })
	}
}

// TestBriefAdviceWithoutProof shows the symptom if no figure proves the cause.
func TestBriefAdviceWithoutProof(t *testing.T) {
	a := fullAdvice(t)
	text := adviceTable(t, a, 0)
	require.NotContains(t, text, "vperf apply esx01")
	require.Contains(t, text, "\nvperf plan shows a change;")
	a.Advice.Recommendations = a.Advice.Recommendations[:1]
	a.Advice.Recommendations[0].Findings = nil
	require.NotContains(t, adviceTable(t, a, 0), "vperf plan", "nothing of it is vperf's")

	r := limited(t)
	r.Findings, r.Diagnoses[0].Finding.Evidence = nil, nil
	r.Diagnoses[0].Symptoms = append(r.Diagnoses[0].Symptoms, finding(t, "rx-drops", db02, measured("dropped", 1.5)), finding(t, "mem-swapped", db02))
	also := adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	require.Contains(t, also, " at 2026-06-09 11:58:00Z; also rx-drops, mem-swapped\n")

	r = limited(t)
	r.Object, r.Findings, r.Diagnoses[0].Finding.Evidence = esx01, nil, nil
	one := adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	require.Contains(t, one, "\n    because: cpu-ready of db-02: ready median 5.4, worst 6.3 % of a vCPU at 2026-06-09 11:58:00Z\n")
}

// TestBriefProofs checks that an unread figure is shown next to the proof as "not read".
func TestBriefProofs(t *testing.T) {
	r := limited(t)
	r.Diagnoses[0].Finding.Evidence = []advice.Measured{measured("limited", 3.5), unmeasured("limitMHz", "no permission")}
	text := adviceTable(t, adviceOf(&advice.Advice{Recommendations: []*advice.Recommendation{r}}, held(1)), 0)
	require.Contains(t, text, "\n    because: limited 3.5 % of a vCPU, limit not read\n")
}

// TestAdviceLeavesEmptyListsOut checks that empty lists, such as unusually busy VMs, are omitted, because they do not help a
// decision.
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

// TestBriefAdviceRulesOutForAll checks that a cause is ruled out only if it is ruled out for all objects with the symptom.
func TestBriefAdviceRulesOutForAll(t *testing.T) {
	a := fullAdvice(t)
	require.NotContains(t, adviceTable(t, a, 0), "is not:")
	a.Advice.Unexplained = a.Advice.Unexplained[:1]
	require.Contains(t, adviceTable(t, a, 0), "\n    is not:  drops-by-ready\n")
}

// TestAdviceSaysWhatIsWaived checks that a waived finding is marked with its waiver wherever it would be listed.
func TestAdviceSaysWhatIsWaived(t *testing.T) {
	a := fullAdvice(t)
	const why = "accepted until 2026-12-31 by ops: the customer knows (waivers.yaml:7)"
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "\n1 finding is waived\n")
	require.Contains(t, text, "; 1 finding waived\n")
	require.Contains(t, text, "\nexplained, no fault or waived\n")
	require.Contains(t, text, ": db-01 (waived, "+why+")\n")
	require.NotContains(t, text, "\nwaived\n")
	a.Whole = true
	require.Contains(t, adviceTable(t, a, 0), "\nwaived\n  rx-drops  Packets for the VM are dropped\n    "+why+"\n    db-02\n")

	a = clearAdvice(t)
	a.Result.Findings = []*advice.Finding{waivedAt(t, "rx-drops", db02)}
	require.Contains(t, adviceTable(t, a, 0), "1 finding is waived", "all is well, because somebody said so")
}

// TestBriefAdviceOfTheConfiguration checks that advice names misconfigured objects if there are no measurements or no visible
// effects.
func TestBriefAdviceOfTheConfiguration(t *testing.T) {
	require.Contains(t, adviceTable(t, configAdvice(t), 0), "\n      10 hosts: lab00, lab01, lab02 and 7 more\n      vperf plan --rule lro\n")
	a := fullAdvice(t)
	a.Advice.Recommendations[2].ByLoad = true
	text := adviceTable(t, a, 0)
	require.Contains(t, text, "\n  3   LOW  lro  Large receive offload is off: host esx01; helps only under load, which was not measured\n  4   INFO  lro  Large receive offload is off: 10 hosts\n  vperf audit --rule RULE")
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
