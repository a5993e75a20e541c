package audit_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// asked counts the hosts that are asked.
type asked struct {
	demo

	hosts int
}

func (a *asked) Fill(ctx context.Context, s *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	a.hosts += len(hosts)
	return a.demo.Fill(ctx, s, hosts, needs)
}

// TestProveAskingOnTheWayChangesNothing: only facts from per-host calls are evaluated again, and the result is the same as with all
// facts read at the start.
func TestProveAskingOnTheWayChangesNothing(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	source := &asked{demo: newDemo(t)}
	for _, all := range proof.Sample(t, 1, []bool{false, true}) {
		source.hosts = 0
		got, err := audit.Run(t.Context(), source, audit.Request{Rules: set, For: 2 * time.Minute, Options: advice.Options{All: all}})
		require.NoError(t, err)
		require.Positive(t, source.hosts)
		require.NotEmpty(t, got.Result.Diagnoses)
		want, err := advice.Evaluate(t.Context(), got.Snapshot, set, advice.Options{All: all})
		require.NoError(t, err)
		requireSame(t, want, got.Result)
	}
}

// TestOutcomesAreTheSameWithoutDetails: a result of outcomes only has every finding with its severity and its gaps, and asks the same
// hosts.
func TestOutcomesAreTheSameWithoutDetails(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	results, hosts, details := map[bool]*advice.Result{}, map[bool]int{}, map[bool]int{}
	for _, brief := range []bool{false, true} {
		source := &asked{demo: newDemo(t)}
		a, err := audit.Run(t.Context(), source, audit.Request{Rules: set, Options: advice.Options{OutcomesOnly: brief}})
		require.NoError(t, err)
		results[brief], hosts[brief] = a.Result, source.hosts
		for _, f := range a.Result.Findings {
			details[brief] += len(f.Evidence) + len(f.Remedies) + len(f.Notes) + len(f.Benefits)
		}
	}
	full, brief := results[false], results[true]
	require.Positive(t, details[false])
	require.Zero(t, details[true])
	require.Equal(t, hosts[false], hosts[true])
	require.Equal(t, full.Counts, brief.Counts)
	require.Equal(t, full.Rules, brief.Rules)
	require.Equal(t, full.Unread, brief.Unread)
	require.Equal(t, full.UnreadObjects, brief.UnreadObjects)
	require.Len(t, brief.Findings, len(full.Findings))
	for i, f := range full.Findings {
		got := brief.Findings[i]
		require.Equal(t, []any{f.Rule.ID, f.Object, f.Host, f.Outcome, f.Severity, f.Profile, f.Reason, f.Gaps, f.Covers},
			[]any{got.Rule.ID, got.Object, got.Host, got.Outcome, got.Severity, got.Profile, got.Reason, got.Gaps, got.Covers})
	}
}

// TestRemediesSayWhatIsSet: a value that a host returned for another rule is in the remedy of this rule, which was decided without
// it.
func TestRemediesSayWhatIsSet(t *testing.T) {
	head := "title: T\ncategory: network\nscope: pnic\nseverity: low\nwhy: W.\n"
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{
		"asks.yaml":    {Data: []byte("id: asks\n" + head + "want: pnic.rss\n")},
		"decided.yaml": {Data: []byte("id: decided\n" + head + "want: pnic.linkMbps < 1\nremedy: [{set: driver-options/RSS, to: '\"4\"', consent: named}]\n")},
	}, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{})
	require.NoError(t, err)
	a, err := audit.Run(t.Context(), new(fakeServer), audit.Request{Rules: set})
	require.NoError(t, err)
	from := map[string]inventory.Fact[inventory.Value]{}
	for _, f := range a.Result.Findings {
		for _, r := range f.Remedies {
			from[f.Rule.ID] = r.From
		}
	}
	require.Equal(t, map[string]inventory.Fact[inventory.Value]{"decided": inventory.Known(inventory.StringValue("0"))}, from)
}

// requireSame compares findings as text: they hold on to rules and objects, which are not looked at.
func requireSame(t *testing.T, want, got *advice.Result) {
	t.Helper()
	text := func(of *advice.Finding) string {
		f := *of
		f.Rule = nil
		b, err := json.Marshal(f)
		require.NoError(t, err)
		return of.Rule.ID + " " + string(b)
	}
	texts := func(list []*advice.Finding) (all []string) {
		for _, f := range list {
			all = append(all, text(f))
		}
		return all
	}
	require.Len(t, got.Findings, len(want.Findings))
	for i := range want.Findings {
		require.Equal(t, text(want.Findings[i]), text(got.Findings[i]))
	}
	gave, wanted := slices.Concat(got.Diagnoses, got.RuledOut()), slices.Concat(want.Diagnoses, want.RuledOut())
	require.Len(t, gave, len(wanted))
	for i, w := range wanted {
		g := gave[i]
		require.Equal(t, text(w.Finding), text(g.Finding))
		require.Equal(t, texts(w.Symptoms), texts(g.Symptoms))
		require.Equal(t, texts(w.Fixes), texts(g.Fixes))
		require.Equal(t, []any{w.Cause, w.First}, []any{g.Cause, g.First})
	}
	require.Equal(t, []any{want.Checks, want.Counts, want.Rules, want.Unread, want.UnreadEvidence, want.UnreadObjects, want.Warnings},
		[]any{got.Checks, got.Counts, got.Rules, got.Unread, got.UnreadEvidence, got.UnreadObjects, got.Warnings})
}
