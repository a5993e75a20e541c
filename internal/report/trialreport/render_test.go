package trialreport

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// rendered is what a renderer writes.
func rendered(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b))
	return b.String()
}

// onScreen checks that a text fits on a terminal of 80 columns and 40 lines.
func onScreen(t *testing.T, text string) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(text) {
		lines += 1 + (doc.Width(line)-1)/81 // a terminal continues a long command below
		require.True(t, doc.Width(line) <= 81 || strings.Contains(line, " vperf trial run "), line)
	}
	require.LessOrEqual(t, lines, 40)
}

// colours returns a style that writes colours.
func colours(t *testing.T) iostreams.Style {
	t.Helper()
	streams, _, _ := iostreams.Test()
	require.NoError(t, streams.SetColor("always"))
	return streams.StyleOut()
}

func TestResults(t *testing.T) {
	for name, one := range samples() {
		t.Run(name, func(t *testing.T) {
			text := rendered(t, func(w io.Writer) error { return Result(one, false).Terminal(w, 80, iostreams.Style{}) })
			golden.Equal(t, "testdata/result-"+name+".txt", []byte(text))
			if name != "hostile" { // its names have no spaces to wrap at
				onScreen(t, text)
			}
			golden.Equal(t, "testdata/result-"+name+".md", []byte(rendered(t, func(w io.Writer) error { return Result(one, true).Markdown(w) })))
		})
	}
}

// TestVerdictsAreThoseOfTheirSamples: otherwise the goldens would not show what their names say.
func TestVerdictsAreThoseOfTheirSamples(t *testing.T) {
	want := map[string]trial.Verdict{
		"keep": trial.Keep, "worse": trial.Worse, "nodifference": trial.NoDifference, "undecided": trial.Undecided, "interrupted": trial.Undecided,
		"randomised": trial.Observed, "beforeafter": trial.Observed, "guard": trial.Keep,
	}
	all := samples()
	for name, v := range want {
		require.Equal(t, v, all[name].Result.Verdict, name)
	}
}

// TestNoDifferenceWithoutASign: a change that did not take effect makes no difference, and proves nothing.
func TestNoDifferenceWithoutASign(t *testing.T) {
	one := samples()["nodifference"]
	require.NotContains(t, Sentence(one.Registration, one.Result), "no sign")
	one.Result.TookEffect = &trial.TookEffect{Seen: trial.SeenNot, Outcome: "size", Why: "size does not go up with the change, p 0.7"}
	require.Contains(t, Sentence(one.Registration, one.Result), "No difference that matters")
	require.Contains(t, Sentence(one.Registration, one.Result), "; but there is no sign that the change took effect")
	require.Contains(t, rendered(t, func(w io.Writer) error { return Page(w, one) }), "no sign of it: size does not go up with the change, p 0.7.")
	one.Result.TookEffect.Seen = trial.SeenUnable
	require.Contains(t, rendered(t, func(w io.Writer) error { return Result(one, true).Markdown(w) }), "which does not prove that it is in force")
}

// TestUndecidedButProven: an effect that is proven, and perhaps too small to matter, is not called unknown.
func TestUndecidedButProven(t *testing.T) {
	one := samples()["undecided"]
	r, res := one.Registration, one.Result
	require.NotContains(t, Sentence(r, res), "not certain")
	res.P, res.MorePairs = .001, 30
	res.Estimate.Mean, res.Estimate.Low, res.Estimate.High = math.Log1p(-.04), math.Log1p(-.06), math.Log1p(-.03)
	require.Contains(t, Sentence(r, res), "Undecided: numa-io lowers used CPU per Gb/s by 4 % (95 % interval 3 to 6 %), "+
		"but it is not certain that the effect is 5 % or more; by the noise so far it takes about 30 more pairs")
	res.MorePairs = 5000
	require.Contains(t, Sentence(r, res), "it takes more than 1000 more pairs")
}

// TestAGuardComesFirst: whatever the estimate says, a reader must not take a trial that a guard ended for a success.
func TestAGuardComesFirst(t *testing.T) {
	one := samples()["guard"]
	for what, text := range map[string]string{
		"terminal": rendered(t, func(w io.Writer) error { return Result(one, false).Terminal(w, 80, iostreams.Style{}) }),
		"markdown": rendered(t, func(w io.Writer) error { return Result(one, true).Markdown(w) }),
		"page":     rendered(t, func(w io.Writer) error { return Page(w, one) }),
	} {
		guard, keep := strings.Index(text, "A guard ended the trial"), strings.Index(text, "Keep: numa-io")
		require.Positive(t, keep, what)
		require.GreaterOrEqual(t, guard, 0, what)
		require.Less(t, guard, keep, what)
	}
}

func TestPlans(t *testing.T) {
	simulated := planned(2)
	simulated.Conditions.Simulated = true
	for name, in := range map[string]PlanInput{
		"one": planned(1), "eight": planned(8), "simulated": simulated,
		"lot":    {Rule: "rss", How: inventory.Trial{Design: inventory.DesignRandomised, Unit: inventory.ScopeHost, Reason: "Links flap."}, Hosts: []string{"esx0*"}, Params: []string{"rss.options=VALUE"}, Outcomes: []trial.Outcome{cpuPerGbit, drops}},
		"manual": {Rule: "pnic-ring", How: inventory.Trial{Design: inventory.DesignRandomised, Unit: inventory.ScopeHost, Reason: "vperf never makes this change."}, Manual: true},
		"none":   {Rule: "snapshots", How: inventory.Trial{Design: inventory.DesignNone, Reason: "The change cannot be undone, so a trial could not restore the present state."}},
	} {
		t.Run(name, func(t *testing.T) {
			text := rendered(t, func(w io.Writer) error { return Plan(in, false).Terminal(w, 80, iostreams.Style{}) })
			onScreen(t, text)
			golden.Equal(t, "testdata/plan-"+name+".txt", []byte(text))
			golden.Equal(t, "testdata/plan-"+name+".md", []byte(rendered(t, func(w io.Writer) error { return Plan(in, true).Markdown(w) })))
		})
	}
	started := planned(1)
	started.Started = true
	require.NotContains(t, rendered(t, func(w io.Writer) error { return Plan(started, false).Terminal(w, 80, iostreams.Style{}) }), "Next:")
}

// watched is the view of a trial in its nth block.
func watched(one *trials.Recorded, n int) *Live {
	l := NewLive(one.Registration)
	for i := range n {
		b := one.Blocks[i]
		l.Take(trial.Progress{Kind: trial.BlockBegan, Time: b.Begin, Block: &trial.Block{Pair: b.Pair, Half: b.Half, Begin: b.Begin, End: b.End, Treated: b.Treated}})
		p := trial.Progress{Kind: trial.BlockDone, Time: b.End, Block: &b}
		if b.Half == 1 {
			p.Result = trial.Analyse(one.Registration, one.Blocks[:i+1])
		}
		l.Take(p)
	}
	b := one.Blocks[n]
	l.Take(trial.Progress{
		Kind: trial.SampleTaken, Time: b.Begin.Add(2 * time.Minute),
		Block: &trial.Block{Pair: b.Pair, Half: b.Half, Begin: b.Begin, End: b.End, Treated: b.Treated},
		Guards: []trial.GuardReading{
			{Guard: "ready", Value: 3, Limit: 6, Known: true}, {Guard: "disk-latency", Value: 18, Limit: 20, Known: true},
			{Guard: "swap-in", Limit: 1}, {Guard: "vm.cpu.costop<5%", Value: 1, Limit: 5, Known: true},
		},
	})
	return l
}

func TestLive(t *testing.T) {
	many := recorded(sample{hosts: 12, pairs: 6, effect: -.17, noise: .03})
	long := recorded(sample{hosts: 2, pairs: 144, effect: 0, noise: .05, done: 200})
	all := samples()
	var b strings.Builder
	for _, width := range []int{60, 80, 120} {
		for _, one := range []*trials.Recorded{all["keep"], all["undecided"], all["hosts8"], many, long, all["hostile"]} {
			for _, n := range []int{0, 1, 7} {
				if one == long {
					n = 20 * (n + 1)
				}
				plain := watched(one, n).Lines(width)
				coloured := watched(one, n).Lines(width, colours(t))
				require.Len(t, coloured, len(plain))
				for i := range plain {
					require.LessOrEqual(t, doc.Width(plain[i]), width, plain[i])
					require.Equal(t, doc.Width(plain[i]), doc.Width(coloured[i]), "colour changes the layout of %q", plain[i])
					require.NotContains(t, plain[i], "\x1b")
				}
				if one != all["hostile"] && n > 1 {
					fmt.Fprintf(&b, "--- %d columns, %d hosts, in block %d\n%s\n", width, len(one.Registration.Units), n+1, strings.Join(plain, "\n"))
				}
			}
		}
	}
	golden.Equal(t, "testdata/live.txt", []byte(b.String()))
}

// TestTheIntervalIsDrawnWhereItIs checks the bar against the figures.
func TestTheIntervalIsDrawnWhereItIs(t *testing.T) {
	one := samples()["keep"]
	f := newEffect(&one.Registration.Outcome, one.Result.Estimate)
	bar := []rune(effectBar(one.Registration, f, 100, iostreams.Style{}))
	at := func(r rune) int { return slices.Index(bar, r) }
	zero, matters := at('|'), at('¦')
	require.Less(t, at('['), at('●'))
	require.Less(t, at('●'), at(']'))
	require.Less(t, at(']'), matters, "the interval is below -5 %")
	require.Less(t, matters, zero)
	mean, low, _ := f.figures()
	perColumn := 5 / float64(zero-matters)
	require.InDelta(t, mean, float64(at('●')-zero)*perColumn, 1.5*perColumn)
	require.InDelta(t, low, float64(at('[')-zero)*perColumn, 1.5*perColumn)
}

// TestALateEventChangesAnEarlierBlock: a block that is reported again replaces the first report.
func TestALateEventChangesAnEarlierBlock(t *testing.T) {
	one := samples()["keep"]
	l := watched(one, 4)
	before := l.Lines(80)
	late := one.Blocks[0]
	late.Units = slices.Clone(late.Units)
	late.Units[0].Dropped = "vMotion of web02 to esx03"
	p := trial.Progress{Kind: trial.BlockDone, Time: late.End, Block: &late}
	l.Take(p)
	after := l.Lines(80)
	require.NotContains(t, before[1], "×")
	require.Contains(t, after[1], "×× ")
	require.Equal(t, before[0], after[0], "the current block goes on")
	require.Equal(t, "22:20Z block 1 does not count, nor does its pair: esx01: vMotion of web02 to esx03", LiveLine(one.Registration, p))
}

func TestLiveLines(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"keep", "hosts8"} {
		one := samples()[name]
		for i := range one.Blocks {
			p := trial.Progress{Kind: trial.BlockDone, Time: one.Blocks[i].End, Block: &one.Blocks[i]}
			if i%2 == 1 {
				p.Result = trial.Analyse(one.Registration, one.Blocks[:i+1])
			}
			b.WriteString(LiveLine(one.Registration, p) + "\n")
		}
	}
	golden.Equal(t, "testdata/livelines.txt", []byte(b.String()))
	r := samples()["keep"].Registration
	require.Equal(t, "22:15Z a guard ends the trial: "+`\x1b[31mred\u202e<script>hurt=1</script>|`+"`*",
		LiveLine(r, trial.Progress{Kind: trial.GuardTripped, Time: began, Trip: &trial.Trip{Text: evil}}))
	require.Empty(t, LiveLine(r, trial.Progress{Kind: trial.SampleTaken, Time: began, Block: &trial.Block{}}))
}

func TestList(t *testing.T) {
	all := samples()
	var list []*trials.Recorded
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	for _, width := range []int{0, 80} {
		text := rendered(t, func(w io.Writer) error { return List(list, typed.Source{}).Terminal(w, width, iostreams.Style{}) })
		golden.Equal(t, fmt.Sprintf("testdata/list-%d.txt", width), []byte(text))
	}
	require.Contains(t, rendered(t, func(w io.Writer) error { return List(nil, typed.Source{}).Terminal(w, 80, iostreams.Style{}) }), "no trials yet")
}

// TestNothingObeysForeignText: no output has a control character or changes the direction of writing.
func TestNothingObeysForeignText(t *testing.T) {
	one := samples()["hostile"]
	for what, text := range map[string]string{
		"result": rendered(t, func(w io.Writer) error { return Result(one, false).Terminal(w, 80, iostreams.Style{}) }), "markdown": rendered(t, func(w io.Writer) error { return Result(one, true).Markdown(w) }),
		"page": rendered(t, func(w io.Writer) error { return Page(w, one) }), "list": rendered(t, func(w io.Writer) error {
			return List([]*trials.Recorded{one}, typed.Source{}).Terminal(w, 80, iostreams.Style{})
		}),
		"sentence": Sentence(one.Registration, one.Result),
	} {
		require.NotContains(t, text, "\x1b", what)
		require.NotContains(t, text, "\u202e", what)
		if what == "page" || what == "markdown" {
			for line := range strings.SplitSeq(text, "\n") {
				if !strings.HasPrefix(line, "- **Repeat:** ``") { // code
					require.NotContains(t, line, "<script", what)
				}
			}
		}
	}
}

func TestAftermath(t *testing.T) {
	for name, want := range map[string]string{
		"keep": "the change was kept and is in force", "worse": "the old values are restored.", "beforeafter": "",
		"foreign": "1 setting changed by somebody else was left alone; the others have their old values.",
	} {
		require.True(t, strings.HasPrefix(aftermath(samples()[name]), want), "%s: %s", name, aftermath(samples()[name]))
	}
	one := samples()["worse"]
	one.Run.Results[0].State = "done"
	require.Contains(t, aftermath(one), "vperf rollback 20261120-221530.123-ab12")
}

func TestRepeatCommand(t *testing.T) {
	one := samples()["keep"]
	require.Equal(t, "vperf trial run esx01 --rule numa-io --outcome cpu-per-gbit --min-effect 5% --for 2h --block 5m --guard 'vm.cpu.costop<5%' --seed 42",
		repeatCommand(one.Registration, &one.Conditions))
	one.Registration.Units = []trial.Unit{{Kind: inventory.ScopeVM, Name: "web 01"}}
	one.Conditions.Simulated = true
	require.Contains(t, repeatCommand(one.Registration, &one.Conditions), "vperf trial run --vm 'web 01' --rule")
	require.Contains(t, repeatCommand(one.Registration, &one.Conditions), " --demo")
	one.Registration.Units = []trial.Unit{{Kind: inventory.ScopeLUN, Name: "naa.1"}}
	require.Contains(t, repeatCommand(one.Registration, &one.Conditions), "vperf trial run esx01 --rule", "a LUN is chosen by its hosts")
}

func TestSizesAndDigits(t *testing.T) {
	for _, c := range []struct {
		mean, low, high float64
		want            string
	}{
		{-.186, -.211, -.163, "-17 % (95 % interval -19 to -15 %)"},
		{.004, -.0121, .0198, "0 % (95 % interval -1 to +2 %)"},
		{.004, -.0021, .0098, "+0.4 % (95 % interval -0.2 to +1.0 %)"},
	} {
		require.Equal(t, c.want, newEffect(&cpuPerGbit, trial.Estimate{Mean: c.mean, Low: c.low, High: c.high, N: 9, Form: trial.Ratio}).text())
	}
	require.Equal(t, "-3.4 packets/s (95 % interval -4.6 to -2.2 packets/s)",
		newEffect(&drops, trial.Estimate{Mean: -3.4, Low: -4.6, High: -2.2, N: 9, Form: trial.Difference}).text(), "without a baseline")
	require.Equal(t, "not measured", newEffect(&drops, trial.Estimate{}).text())
}

// Spare pairs are shown as such until a dropped pair needs one.
func TestSparePairsAreShown(t *testing.T) {
	s := sample{hosts: 1, pairs: 8, effect: -.1, noise: .02, done: 3}
	r := registered(s)
	r.Spare = 2
	cells := func(blocks []trial.Block) string { return string(strip(r, blocks, 0)[10:]) }
	require.Equal(t, "··----", cells(nil))
	s.dropped, s.done = map[[2]int]string{{1, 0}: "1 lost sample"}, 4
	blocks := s.blocks(r)
	require.Equal(t, "····--", cells(blocks))
	live := NewLive(r)
	live.Take(trial.Progress{Kind: trial.BlockDone, Block: &blocks[0]})
	require.Contains(t, live.Lines(80)[0], "1 of 12 + 4 spare blocks done")
	live.Take(trial.Progress{Kind: trial.BlockDone, Block: &blocks[1]})
	require.Contains(t, live.Lines(80)[0], "2 of 14 + 2 spare blocks done")
	require.Contains(t, strings.Join(live.Lines(80), "\n"), "- spare")
	done := recorded(sample{hosts: 1, pairs: 8, effect: -.1, noise: .02, done: 14, dropped: s.dropped, edit: func(t *trials.Recorded) {
		t.Registration.Spare = 2
	}})
	require.Equal(t, "6 pairs count of 6 planned; 1 dropped: 1 × 1 lost sample. 1 spare pair was made.", pairsText(done))
	require.Equal(t, "14 blocks of 5 min in 7 pairs; time runs from left to right. 1 spare pair was not needed.", newSchedule(done).Text)
	in := PlanInput{Registration: r, Lasts: 80 * time.Minute}
	require.Equal(t, "6 pairs, 1 h; up to 2 spare pairs for pairs that are dropped, 1 h 20 min at most; it ends earlier if the answer is clear. Seed 42.", lengthText(&in))
	require.NotContains(t, repeatCommand(r, &trials.Conditions{}), "--for", "which would make spare pairs planned ones")
}

// TestMarkdownNames: names are text in the Markdown of results, lots and plans.
func TestMarkdownNames(t *testing.T) {
	for name, want := range map[string]string{
		"@alice": "@&#8203;alice", "www.evil.example": "www&#46;evil.example", "https://evil.example": "https:&#47;&#47;evil.example", "$x$": `\$x\$`,
		"a|b": "a&#124;b", "#1": "#&#8203;1", "<b>": "&lt;b&gt;", "[x](y)": `\[x\](y)`, "`id`": "\\`id\\`", "a\u200bb": `a\\u200bb`, "a\u202eb": `a\\u202eb`,
	} {
		for kind, one := range samples() {
			one.Registration.Question = "Does it help " + name + "?"
			one.Registration.Units[0].Name = name
			var b bytes.Buffer
			require.NoError(t, Result(one, true).Markdown(&b))
			require.Contains(t, b.String(), "Does it help "+want, kind)
			for line := range strings.Lines(b.String()) {
				if !strings.Contains(line, "`vperf") { // a command is code
					require.NotContains(t, line, " "+name, kind)
				}
			}
		}
	}
}
