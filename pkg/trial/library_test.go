package trial_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/rules"
)

// builtIn loads vperf's own outcomes and guards.
func builtIn(t *testing.T) *trial.Library {
	t.Helper()
	folder, err := fs.Sub(rules.FS, "outcomes")
	require.NoError(t, err)
	l, err := trial.Load(folder)
	require.NoError(t, err)
	require.NotEmpty(t, l.Outcomes)
	require.NotEmpty(t, l.Guards)
	return l
}

func builtInRules(t *testing.T) map[string]*advice.Rule {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	all := map[string]*advice.Rule{}
	for _, r := range l.Rules() {
		all[r.ID] = r
	}
	return all
}

// TestOutcomesSuitTheirRules: an outcome names rules that a trial can measure, with the unit that the rule changes, and
// settles within the part of a block that is not counted.
func TestOutcomesSuitTheirRules(t *testing.T) {
	all := builtInRules(t)
	for _, o := range builtIn(t).Outcomes {
		require.NotEmpty(t, o.Rules, o.ID)
		for _, id := range o.Rules {
			r := all[id]
			require.NotNil(t, r, "%s names %s", o.ID, id)
			got := r.Trial()
			require.NotEqual(t, inventory.DesignNone, got.Design, "%s names %s", o.ID, id)
			require.True(t, o.Suits(got.Unit), "%s names %s, which changes a %s", o.ID, id, got.Unit)
			if got.Design.Switches() {
				require.LessOrEqual(t, 3*o.TimeConstant, got.Settle, "%s names %s", o.ID, id)
			}
		}
	}
}

// TestEveryTrialHasAnOutcome: each rule that a trial can measure has one best outcome, which needs no Esxtop service
// unless nothing else has its counters.
func TestEveryTrialHasAnOutcome(t *testing.T) {
	l := builtIn(t)
	for id, r := range builtInRules(t) {
		list := l.For(id)
		if r.Trial().Design == inventory.DesignNone {
			require.Empty(t, list, id)
			continue
		}
		require.NotEmpty(t, list, id)
		first := 0
		for _, o := range list {
			if slices.Contains(o.First, id) {
				first++
			}
		}
		require.Equal(t, 1, first, id)
		require.Contains(t, list[0].First, id)
	}
}

// TestGuardsOfEveryTrial: the guards are those of the specification.
func TestGuardsOfEveryTrial(t *testing.T) {
	var metrics []string
	for _, g := range builtIn(t).Guards {
		metrics = append(metrics, g.Term.Metric)
	}
	for _, want := range []string{"cpu.readyPerVCPU", "cpu.costopPerVCPU", "net.droppedRx", "net.droppedTx", "disk.guestLatency", "mem.hostSwapRead", "mem.latency", "mem.hostBalloon"} {
		require.True(t, slices.ContainsFunc(metrics, func(m string) bool { return strings.HasPrefix(m, want) }), want)
	}
}

// TestOutcomesDoc: docs/outcomes.md lists all outcomes and guards.
func TestOutcomesDoc(t *testing.T) {
	l := builtIn(t)
	var b strings.Builder
	b.WriteString(`<!-- Generated from rules/outcomes by: go test ./pkg/trial -run TestOutcomesDoc -update. Do not edit. -->

# Outcomes of trials

An outcome is the figure that a trial compares with and without a change. Most are a cost per unit of work, because load that
comes and goes then does not look like an effect. Each is a file in ` + "`rules/outcomes`" + `; its counters are [metrics](metrics.md).

- **ratio**: the sum of the cost divided by the sum of the work. The effect is a fraction.
- **log1p**: the mean of log(1 + x) over samples, shown as x. A few extreme samples do not decide it.
- **difference**: the cost per second. For counters that are often zero.

Where it says *varies*, effects depend on the load, as those on queues and on energy do. The plan of a trial then allows for effects
that vary from pair to pair with a standard deviation of the given fraction of them, and takes more pairs.

| Outcome | What it says | Unit | Better | Form | Counters | Measured on | Rules (**best outcome**) |
|---|---|---|---|---|---|---|---|
`)
	for _, o := range l.Outcomes {
		var units, names []string
		for _, s := range o.Scopes {
			units = append(units, string(s))
		}
		for _, r := range o.Rules {
			if slices.Contains(o.First, r) {
				r = "**" + r + "**"
			}
			names = append(names, r)
		}
		counters := terms(o.Cost)
		if len(o.Work) > 0 {
			counters += "<br>per " + terms(o.Work)
		}
		if o.Counters != "" {
			counters += "<br>(Esxtop service only)"
		}
		form := string(o.Form)
		if o.EffectVaries > 0 {
			form += fmt.Sprintf(", varies (%g)", o.EffectVaries)
		}
		fmt.Fprintf(&b, "| `%s` | **%s.** %s | %s | %s | %s | %s | %s | %s |\n", o.ID, o.Title, strings.Join(strings.Fields(o.About), " "), o.Unit, o.Better, form,
			counters, strings.Join(units, ", "), strings.Join(names, ", "))
	}
	b.WriteString("\n## Guards\n\nEvery trial watches these counters. If the change makes one of them worse, the trial stops and restores the old value.\n\n| Guard | What it watches | Unit | Counter |\n|---|---|---|---|\n")
	for _, g := range l.Guards {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", g.ID, g.Title, g.Unit, terms([]trial.Term{g.Term}))
	}
	golden.Equal(t, "../../docs/outcomes.md", []byte(b.String()))
}

// terms names the counters of terms.
func terms(list []trial.Term) string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = "`" + x.Metric + "`"
		if x.Weight != "" {
			names[i] += " × `" + x.Weight + "`"
		}
	}
	return strings.Join(names, " + ")
}
