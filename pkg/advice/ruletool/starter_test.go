package ruletool_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// TestStarters: every scope has a starter rule without errors.
func TestStarters(t *testing.T) {
	schema := compiledRuleSchema(t)
	for _, scope := range advice.Scopes() {
		t.Run(string(scope), func(t *testing.T) {
			text, err := ruletool.Starter("my-rule", "", scope)
			require.NoError(t, err)
			require.NoError(t, prove(text))
			require.NoError(t, schema.Validate(ruleAsJSON(t, text)))
			set, err := selected(text)
			require.NoError(t, err)
			r := set.Rules()[0]
			require.Equal(t, "my-rule", r.ID)
			require.Equal(t, scope, r.Scope)
			require.Empty(t, ruletool.Missing(r))
			_, survivors, err := ruletool.Mutants(t.Context(), set, (*advice.Rule).FromUser)
			require.NoError(t, err)
			require.Empty(t, survivors)
		})
	}
	text, err := ruletool.Starter("my-rule", "vdi", "vm")
	require.NoError(t, err)
	require.Contains(t, text, "\ncategory: vdi\n")
}

// TestDiagnosisStarters: a starter diagnosis is complete too, together with the built-in rules that it explains.
func TestDiagnosisStarters(t *testing.T) {
	schema := compiledRuleSchema(t)
	for _, scope := range new(ruletool.NoStarterError).Others() {
		text, err := ruletool.Starter("my-rule", advice.CategoryDiagnosis, scope)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(ruleAsJSON(t, text)))
		l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true}, advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
		require.NoError(t, err)
		set, err := l.Select(advice.Selection{Rules: []string{"my-rule"}})
		require.NoError(t, err)
		n, err := ruletool.RunExamples(t.Context(), set)
		require.NoError(t, err)
		require.Equal(t, 5, n)
		for _, r := range set.Rules() {
			if r.FromUser() {
				require.Empty(t, ruletool.Missing(r))
				require.Equal(t, scope, r.Scope)
			}
		}
		_, survivors, err := ruletool.Mutants(t.Context(), set, (*advice.Rule).FromUser)
		require.NoError(t, err)
		require.Empty(t, survivors)
	}
	_, err := ruletool.Starter("my-rule", advice.CategoryDiagnosis, inventory.ScopeVNIC)
	require.EqualError(t, err, "there is no starter for a diagnosis of a vnic")
	none, ok := errors.AsType[*ruletool.NoStarterError](err)
	require.True(t, ok)
	require.Equal(t, []inventory.Scope{inventory.ScopeHost, inventory.ScopeVM}, none.Others())
}

func TestStarterRefusesOtherWords(t *testing.T) {
	for want, c := range map[string]struct {
		id       string
		category advice.Category
		scope    inventory.Scope
	}{
		`id "My_Rule": write an id in kebab case`:             {"My_Rule", "", "host"},
		`no category "cpus" (did you mean "cpu"?)`:            {"my-rule", "cpus", "host"},
		`no scope "hots" (did you mean "host"?)`:              {"my-rule", "", "hots"},
		`id "a\nwant: x": write an id in kebab case, such as`: {"a\nwant: x", "", "host"},
	} {
		_, err := ruletool.Starter(c.id, c.category, c.scope)
		require.ErrorContains(t, err, want)
	}
}
