package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// shown returns a failure of a rule that shows expressions; each is named by a letter.
func shown(rule string, o inventory.Ref, sources ...string) *advice.Finding {
	f := &advice.Finding{Evaluated: &advice.Evaluated{Object: o, Host: esx01}, Rule: &advice.Rule{ID: rule, Title: "It is " + rule}, Outcome: advice.Fail}
	for i, source := range sources {
		name := string(rune('a' + i))
		f.Rule.Evidence = append(f.Rule.Evidence, advice.EvidenceItem{Name: name, Expr: advice.Expr{Source: source}})
		f.Evidence = append(f.Evidence, measured(name, 0.5))
	}
	return f
}

func linksOf(r *advice.Recommendation) []string {
	var all []string
	for _, p := range view.Chain(r) {
		l := p.Link()
		all = append(all, fmt.Sprintf("%s %s: %s", l.Kind, l.Object.Name, l.Text()))
	}
	return all
}

func TestChainReadsExpressions(t *testing.T) {
	cluster := inventory.Ref{Kind: inventory.ScopeCluster, Name: "lowlat"}
	const beyond = `vm.live("cpu.ready").beyond(params.ok)`
	r := &advice.Recommendation{Diagnoses: []*advice.Diagnosis{{
		Symptoms: []*advice.Finding{shown("symptom", db01, beyond, `vm.live("cpu.ready").p95`, "vm.vcpus")},
		Finding: shown("cause", db01, beyond, `vm.live("cpu.ready").p95`, "vm.vcpus", `host.live("cpu.coreUtilization").samples`,
			"cluster.hosts.size()", "sum(host.vms.map(v, v.vcpus))", "host.cores - vm.vcpus", `vm.live("cpu.nothing").p95`, "true"),
		Cause: cluster,
	}}}
	require.Equal(t, []string{
		"symptom db-01: a 50 % of the samples",
		"symptom db-01: b 0.5 percent of one vCPU's time (p95)",
		"symptom db-01: c 0.5",
		"cause db-01: a 50 % of the samples", // by another parameter
		"cause esx01: d 0.5",
		"cause db-01: h 0.5",
		"configuration db-01: c 0.5", // the configuration proves the cause, even if another finding shows it too
		"configuration lowlat: e 0.5",
		"configuration esx01: f 0.5",
		"configuration db-01: g 0.5",
		"configuration db-01: i 0.5",
	}, linksOf(r))
}

func TestAdviceOmitsWhatWasNotCounted(t *testing.T) {
	drops := finding(t, "rx-drops", db02, measured("dropped", 2.25), advice.Measured{Name: "part", Value: inventory.Absent[any]()})
	a := adviceOf(&advice.Advice{Unexplained: []*advice.Unexplained{{Symptom: drops}}}, held(1))
	for _, a.Whole = range []bool{false, true} {
		text := adviceTable(t, a, 0)
		require.Contains(t, text, "worst 2.25 % of packets")
		require.NotContains(t, text, "absent")
	}
}

func TestAdviceNamesTheCauseFirst(t *testing.T) {
	a := fullAdvice(t)
	d := a.Advice.Recommendations[0].Diagnoses
	d[0].Symptoms[0].Evidence = nil // so that the cause shows the counter too
	text := storyTable(t, a, 0)
	require.Contains(t, text, "because: cores 96.4 % (p95)\n    found:")
	a.Whole = true
	require.Contains(t, adviceTable(t, a, 0), "because: esx01: cores 96.4 % (p95)\n             db-01: ready 9.3 % of a vCPU (p95)\n")
}

func TestAdviceIsBriefAboutASecondSymptom(t *testing.T) {
	a := fullAdvice(t)
	r := a.Advice.Recommendations[0]
	for i := range 5 {
		o := inventory.Ref{Kind: inventory.ScopeVM, Name: fmt.Sprintf("vm%d", i)}
		r.Diagnoses[0].Symptoms = append(r.Diagnoses[0].Symptoms, finding(t, "rx-drops", o, measured("dropped", 1.5), measured("part", 0.5)))
	}
	text := storyTable(t, a, 0)
	require.Contains(t, text, "\n    also:    rx-drops at 5 VMs\n")
	require.NotContains(t, text, "vm0")
	a.Whole = true
	require.Contains(t, adviceTable(t, a, 0), "vm4: dropped")
}

// TestAdviceTellsWhatWasMeasured checks that a loss of zero is not shown, and that a rule's other measurements appear with
// its counters once.
func TestAdviceTellsWhatWasMeasured(t *testing.T) {
	idle := finding(t, "ready-by-limit", db02, measured("limited", 3.5), measured("limitMHz", int64(1000)))
	drops := finding(t, "rx-drops", db02, measured("dropped", 2.25), measured("part", 0.25))
	drops.Lost = inventory.Known(0.0)
	u := []*advice.Unexplained{{Symptom: idle}, {Symptom: drops}}
	text := adviceTable(t, adviceOf(&advice.Advice{Unexplained: u}, held(1)), 0)
	require.Contains(t, text, "db-02: limited 3.5 % of a vCPU (p95); limit 1,000 MHz\n")
	require.Contains(t, text, "worst 2.25 % of packets\n")
	require.NotContains(t, text, "loses", "no time is no loss")
	require.Equal(t, 1, strings.Count(text, "2.25"), "what the counter tells is not told twice")
}
