package page

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

func track(values ...float32) *inventory.Track {
	return &inventory.Track{Start: noon.Add(time.Minute), Every: time.Minute, Values: values}
}

var gap = float32(math.NaN())

func TestThinningKeepsTheWorst(t *testing.T) {
	values := make([]float32, 1000)
	values[777] = 9
	thin := thinned(track(values...), 300, false)
	require.Len(t, thin.values, 250)
	require.InDelta(t, 9.0, thin.top(), 0)
	require.Equal(t, noon, thin.from)
	require.Equal(t, noon.Add(1000*time.Minute), thin.end())

	require.Equal(t, []float64{5, 1}, thinned(track(5, 8, 1, 3), 2, true).values, "of a counter whose lowest is the worst that one is kept")
	require.Equal(t, []float64{8, 3}, thinned(track(5, 8, gap, 3), 2, false).values)
	require.True(t, math.IsNaN(thinned(track(gap, gap, 3, 3), 2, false).values[0]), "a while without samples stays one")
	require.Equal(t, []float64{2, 3}, thinned(track(2, 3, float32(math.Inf(1))), 3, false).values[:2])
}

func TestLinesEndAtGaps(t *testing.T) {
	w := window{noon, noon.Add(6 * time.Minute)}
	lines := thinned(track(0, 10, gap, 5, gap, 20), 10, false).polylines(w, 0, 10, 600, 100)
	require.Equal(t, []string{"50,100 150,0", "350,50 350,50", "550,0 550,0"}, lines, "a value beyond the axis is drawn at its end")
}

func TestHeat(t *testing.T) {
	w := window{noon, noon.Add(5 * time.Minute)}
	steps := [levels - 1]float64{2.5, 5, 10}
	cells := cells(thinned(track(0, 2.5, 5.5, gap, 11), 10, false), w, steps)
	require.Equal(t, []heatCell{
		{"0", "400", "15", "5", "h1"}, {"400", "200", "5", "15", "h3"}, {"800", "200", "0", "20", "h4"},
	}, cells)
	for v, want := range map[float64]int{0: 1, 2.5: 1, 2.6: 2, 5: 2, 5.1: 3, 10: 3, 10.1: 4} {
		require.Equal(t, want, level(v, steps), v)
	}
}

func TestAxis(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, 0.7: 0.8, 1: 1, 22.6: 30, 35: 40, 101: 200, 9.1: 10} {
		require.InDelta(t, want, round(v), 1e-9)
	}
	require.InDelta(t, 20.0, axisTop(4, []float64{5, 10}), 1e-9, "limits that are near are seen")
	require.InDelta(t, 2.0, axisTop(1.5, []float64{5, 10}), 1e-9, "limits that are far would flatten all")
}

func TestChartsSayWhichLinesAreLeftOut(t *testing.T) {
	s := newShow(view.New(sampleReport(8, 14)))
	c := s.counters()
	require.Equal(t, "the 6 worst of 8 hosts", c.Charts[0].Which)
	require.Len(t, c.Charts[0].Lines, 6)
	require.Len(t, c.Charts[0].Limits, 2, "of the rule's parameters")
	require.Equal(t, []string{"11:30:00", "11:37:30", "11:45:00", "11:52:30", "12:00:00"}, c.Ticks)

	s.Rules, s.rules = nil, nil
	require.Empty(t, s.counters().Charts[0].Limits, "no rule, no limit")
	require.Contains(t, newShow(view.New(view.Advice{})).counters().Why, "vperf report HOST --for 5m")
}

func TestDrawing(t *testing.T) {
	s := newShow(view.New(sampleReport(3, 14)))
	h := s.Snapshot.VCenters[0].Hosts[2] // its vmnic3 has no link
	vms, _ := h.VMs.Value()
	d := s.draw(h, vms, large)
	require.Equal(t, "host esx03.example.com: 2 NUMA nodes, 6 NICs, 1 of them without a link, 14 VMs", d.Label)
	require.Equal(t, []string{"node 0", "node 1"}, []string{d.Nodes[0].Name, d.Nodes[1].Name})
	require.Equal(t, "16 cores · 256 GB", d.Nodes[0].Facts)
	require.Equal(t, "320", d.Width)

	down := 0
	for _, n := range d.NICs {
		if n.Down {
			down++
			require.Equal(t, "vmnic3 down dvs-prod", n.Text)
		}
		require.Equal(t, strings.HasPrefix(n.Text, "vusb0"), n.Stem == segment{}, "what is on no known node hangs off none")
	}
	require.Equal(t, 1, down)
	for _, b := range d.VMs {
		wide := strings.Contains(b.Title, "24 vCPUs")
		require.Equal(t, wide, strings.Contains(b.Class, "wide"), b.Title)
		require.Len(t, b.Seams, map[bool]int{true: 1}[wide])
		require.Equal(t, strings.Contains(b.Title, "powered off"), strings.Contains(b.Class, " off"))
	}
	require.Contains(t, fmt.Sprint(s.draw(h, vms, small).VMs), "24 vCPUs", "small drawings name all VMs too")
}

func TestVMsAreColouredByTheWorstOfTheirDevices(t *testing.T) {
	a := sampleReport(1, 3)
	vm := a.Snapshot.VCenters[0].VMs[0]
	vm.VNICs = inventory.Known([]*inventory.VNIC{{Key: 4000, Label: "Network adapter 1"}})
	a.Snapshot.Link()
	nics, _ := vm.VNICs.Value()
	f := sampleFinding(cpuLimitRule, nics[0], advice.Critical)
	a.Result.Findings = append(a.Result.Findings, f)
	s := newShow(view.New(a))
	require.Equal(t, advice.Critical, s.worst[keyOf(vm.Ref())])
	require.Equal(t, "vm critical", strings.TrimSpace(s.draw(vm.Host(), []*inventory.VM{vm}, large).VMs[0].Class))
	require.Equal(t, "esx01.example.com", s.object(f.Object).Host)
}

func TestVerdicts(t *testing.T) {
	hurts := &advice.Recommendation{Rule: crowdRule, Diagnoses: []*advice.Diagnosis{{Finding: &advice.Finding{Evaluated: new(advice.Evaluated), Rule: crowdRule}}}}
	latent := &advice.Recommendation{Rule: powerRule}
	clean := &advice.Result{Checks: 120, Counts: map[advice.Outcome]int{advice.Pass: 120}}
	cases := []struct {
		name          string
		advice        advice.Advice
		result        *advice.Result
		measured      bool
		verdict, says string
	}{
		{"nothing at all", advice.Advice{}, &advice.Result{}, false, "Nothing was checked", "No rule"},
		{"nothing wrong", advice.Advice{}, clean, true, "Nothing is wrong", "120 checks were made and none failed."},
		{"nothing wrong as far as was seen", advice.Advice{}, &advice.Result{Checks: 9, Counts: map[advice.Outcome]int{advice.Unknown: 2}}, true, "Nothing is wrong in the data that could be read", "9 checks"},
		{"hygiene", advice.Advice{}, &advice.Result{Checks: 120, Findings: []*advice.Finding{{Evaluated: new(advice.Evaluated), Rule: bootRule, Outcome: advice.Fail, Severity: advice.Low}}}, true,
			"Nothing to do now", "1 of 120 checks found something that vperf recommends no change for."},
		{"one hurts", advice.Advice{Recommendations: []*advice.Recommendation{hurts}}, clean, true, "1 problem costs performance now", ""},
		{"two hurt, one does not", advice.Advice{Recommendations: []*advice.Recommendation{hurts, hurts, latent}}, clean, true, "2 problems cost performance now", "1 other recommendation concerns a fault"},
		{"nothing shows", advice.Advice{Recommendations: []*advice.Recommendation{latent}}, clean, true, "Nothing costs performance now", "1 recommendation concerns a fault"},
		{"not measured", advice.Advice{Recommendations: []*advice.Recommendation{latent}}, clean, false, "1 change recommended", "No counters were measured"},
		{"unexplained", advice.Advice{Unexplained: []*advice.Unexplained{{Symptom: &advice.Finding{Evaluated: new(advice.Evaluated), Rule: readyRule}}}}, clean, true, "1 symptom has no known cause", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := view.Advice{Advice: &c.advice, Result: c.result}
			if c.measured {
				a.From, a.To = begin(), noon
			}
			s := newShow(view.New(a))
			verdict, _, says := s.verdict(s.unread())
			require.Equal(t, c.verdict, verdict)
			require.Contains(t, says, c.says)
			require.Equal(t, c.says == "", says == "")
			wellFormed(t, written(t, a))
		})
	}
}

func TestBenefitsSayWhetherTheyHold(t *testing.T) {
	of := func(holds inventory.Fact[bool]) string {
		return benefitOf(advice.Expected{Benefit: advice.Benefit{Text: "x", When: "40GbE", Source: "VMware"}, Holds: holds}).Holds
	}
	require.Equal(t, "conditions here are comparable", of(inventory.Known(true)))
	require.Contains(t, of(inventory.Known(false)), "conditions here differ")
	require.Contains(t, of(inventory.Absent[bool]()), "comparability unknown")
	require.Contains(t, of(inventory.Unread[bool]("no permission")), "not read")
	require.Empty(t, benefitOf(advice.Expected{Benefit: advice.Benefit{Text: "No published measurement"}}).Holds)
	less, more := -0.2, 0.5
	require.Equal(t, "cpu −20\u00a0%", benefitOf(advice.Expected{Benefit: advice.Benefit{Metric: "cpu", Change: &less}}).Text)
	require.Equal(t, "cpu +50\u00a0%", benefitOf(advice.Expected{Benefit: advice.Benefit{Metric: "cpu", Change: &more}}).Text)
}

func TestLongListsAreCutAndSaySo(t *testing.T) {
	a := sampleReport(20, 60)
	short := written(t, a)
	require.True(t, regexp.MustCompile(`[\d,]+ VMs: [^<]* and [\d,]+ more`).MatchString(short), "a long list is one row with a count")
	require.True(t, has(short, "vperf audit -o json --rule cpu-ready lists them all"))
	require.True(t, has(short, "and 51 more symptoms"), "not on the page")
	a.Whole = true
	whole := written(t, a)
	require.False(t, has(whole, "lists them all"), "on the page")
	require.False(t, has(whole, "more symptoms"), "on the page")
	for _, vm := range a.Snapshot.VCenters[0].VMs {
		require.True(t, has(whole, vm.Name), "not on the page")
	}
}

func TestUnreadIsGroupedByReason(t *testing.T) {
	a := sampleReport(4, 2)
	a.Result.Unread = nil
	for _, h := range a.Snapshot.VCenters[0].Hosts {
		for _, fact := range []string{"PNIC.ringRx", "PNIC.ringTx"} {
			a.Result.Unread = append(a.Result.Unread, advice.Gap{Object: h.Ref(), Fact: fact, Reason: "no permission"})
		}
	}
	u := newShow(view.New(a)).unread()
	require.Len(t, u.Reasons, 1)
	require.Equal(t, unreadReason{"no permission", "PNIC.ringRx, PNIC.ringTx", "host esx01.example.com, host esx02.example.com, host esx03.example.com, host esx04.example.com", "4"}, u.Reasons[0])
	require.Equal(t, "1 object was not read at all, and 3 checks could not be made", u.Sentence)
}

// TestBudget: 64 hosts and 8,000 VMs make a page of less than 15 MB.
func TestBudget(t *testing.T) {
	var n counter
	a := sampleReport(64, 125)
	for i, vm := range a.Snapshot.VCenters[0].VMs {
		atHome(vm, i)
	}
	a.Snapshot.Link()
	require.NoError(t, Write(&n, view.New(a)))
	require.Less(t, int64(n), int64(15e6))
	require.Greater(t, int64(n), int64(1e6), "8,000 VMs are drawn")
}

func TestEfficiencyHasATableByKind(t *testing.T) {
	a := sampleReport(2, 2)
	c := a.Snapshot.VCenters[0].Clusters[0]
	for i := range 9 {
		a.Efficiency = append(a.Efficiency, efficiency.Figure{ID: strconv.Itoa(i), Object: c.Ref(), Title: "t", Value: inventory.Known(float64(i))})
	}
	e := newShow(view.New(a)).efficiency()
	require.Len(t, e.Tables, 3, "a kind with more columns than a page has room for has two")
	require.Equal(t, []string{"host", "cluster", "cluster"}, []string{e.Tables[0].Kind, e.Tables[1].Kind, e.Tables[2].Kind})
	require.Equal(t, []efficiencyCell{{Text: "0.5", Sort: "0.5"}, {Text: "3.5", Sort: "3.5"}, {Text: "?", Why: "the host tells no power"}}, e.Tables[0].Rows[1].Cells)
	require.Len(t, e.Tables[1].Columns, 5)
	require.Equal(t, "8", e.Tables[2].Rows[0].Cells[3].Text)
	require.Equal(t, "host esx02.example.com", e.From[1].At.Kind+" "+e.From[1].At.Name)
}

// TestDashesAloneAreLeftOut checks that columns and rows without measurable values are omitted, but unread ones are kept.
func TestDashesAloneAreLeftOut(t *testing.T) {
	a := sampleReport(3, 0)
	hosts := a.Snapshot.VCenters[0].Hosts
	of := func(id string, host int, f inventory.Fact[float64]) efficiency.Figure {
		return efficiency.Figure{ID: id, Object: hosts[host].Ref(), Title: id, Value: f}
	}
	none, unread := inventory.Absent[float64](), inventory.Unread[float64]("no permission")
	a.Efficiency = []efficiency.Figure{
		of("full", 0, inventory.Known(1.0)), of("empty", 0, none), of("blind", 0, none),
		of("full", 1, none), of("empty", 1, none), of("blind", 1, none),
		of("full", 2, none), of("empty", 2, none), of("blind", 2, unread),
	}
	tables := newShow(view.New(a)).efficiency().Tables
	require.Len(t, tables, 1)
	require.Len(t, tables[0].Columns, 2)
	require.Len(t, tables[0].Rows, 2)
	require.Equal(t, []efficiencyCell{{Text: "1", Sort: "1"}, {Text: "–", Why: "nothing to measure"}}, tables[0].Rows[0].Cells)
	require.Equal(t, "?", tables[0].Rows[1].Cells[1].Text)
	a.Efficiency = a.Efficiency[3:6]
	require.Empty(t, newShow(view.New(a)).efficiency().Tables)
}

// TestLimitsAreThoseOfRules: a chart draws parameters of rules, by names that only the rules know.
func TestLimitsAreThoseOfRules(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	s := newShow(view.New(view.Advice{Rules: set.Rules()}))
	limits := slices.Concat(plots[0].limits, plots[2].limits, plots[3].limits)
	limits = append(limits, localLimit)
	for _, m := range maps {
		limits = append(limits, m.limits[:]...)
	}
	require.Len(t, limits, 13)
	for _, l := range limits {
		v, ok := s.param(l)
		require.True(t, ok && v > 0, "%s has no number %s", l.rule, l.param)
	}
}

func TestFirstLeavesOutNoSingleOne(t *testing.T) {
	shown, more := first([]int{1, 2, 3}, 2)
	require.Len(t, shown, 3, "a line that says and 1 more saves none")
	require.Zero(t, more)
	shown, more = first([]int{1, 2, 3, 4}, 2)
	require.Equal(t, []int{1, 2}, shown)
	require.Equal(t, 2, more)
}

func TestSymptomsOfEachRuleAreShown(t *testing.T) {
	a := sampleReport(2, 8)
	s := newShow(view.New(a))
	var all []*advice.Finding
	for _, vm := range a.Snapshot.VCenters[0].VMs[:mostSymptoms+2] {
		all = append(all, sampleFinding(readyRule, vm, advice.High))
	}
	shown := collect.Map(append(all, sampleFinding(latencyRule, a.Snapshot.VCenters[0].Hosts[0], advice.Medium)), func(f *advice.Finding) *view.Symptom {
		return &view.Symptom{Finding: f}
	})
	groups, more := s.symptoms(shown)
	require.Equal(t, 2, more)
	require.Len(t, groups, 2, "many symptoms of one kind hide none of another")
	require.Len(t, groups[0].Rows, mostSymptoms)
}

// TestTrialsAreShown: as a section, and beside the recommendation whose change was measured.
func TestTrialsAreShown(t *testing.T) {
	page := written(t, sampleReport(2, 5))
	require.Equal(t, 2, strings.Count(page, "power-policy lowers latency by 17 %"), "in the list of trials, and in one recommendation")
	require.Contains(t, page, "Simulated: Undecided: too few pairs of blocks count")
	require.Contains(t, page, `href="#trials"`)
	a := sampleReport(2, 5)
	a.MeasuredHere = nil
	require.NotContains(t, written(t, a), `"#trials"`)
}
