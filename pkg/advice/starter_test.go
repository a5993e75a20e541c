package advice

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// Every scope has a rule to begin with that nothing is wrong with.
func TestStarters(t *testing.T) {
	schema := compiledSchema(t, schemaFile)
	for _, scope := range Scopes() {
		t.Run(string(scope), func(t *testing.T) {
			require.Contains(t, starters, scope, "a scope needs a rule to begin with")
			text, err := Starter("my-rule", "", scope)
			require.NoError(t, err)
			require.NoError(t, prove(t, text))
			require.NoError(t, schema.Validate(asJSON(t, text)))
			r, bad := parseRule("my-rule.yaml", []byte(text))
			require.Empty(t, bad)
			require.Equal(t, "my-rule", r.ID)
			require.Equal(t, scope, r.Scope)
			require.Empty(t, r.Lacks())
			c, bad := compile(r)
			require.Empty(t, bad)
			_, survivors, err := c.mutants(t.Context())
			require.NoError(t, err)
			require.Empty(t, survivors)
		})
	}
	text, err := Starter("my-rule", "vdi", "vm")
	require.NoError(t, err)
	require.Contains(t, text, "\ncategory: vdi\n")
}

// A diagnosis to begin with is whole too, beside vperf's own rules, which it explains.
func TestDiagnosisStarters(t *testing.T) {
	schema := compiledSchema(t, schemaFile)
	for scope := range diagnosisStarters {
		text, err := Starter("my-rule", CategoryDiagnosis, scope)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(asJSON(t, text)))
		l, err := Load(Source{FS: rules.FS, Lean: true}, Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
		require.NoError(t, err)
		set, err := l.Select(Selection{Rules: []string{"my-rule"}})
		require.NoError(t, err)
		n, err := set.Prove(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5, n)
		for _, r := range set.Rules() {
			if r.FromUser() {
				require.Empty(t, r.Lacks())
				require.Equal(t, scope, r.Scope)
			}
		}
		_, survivors, err := set.Mutants(t.Context(), (*Rule).FromUser)
		require.NoError(t, err)
		require.Empty(t, survivors)
	}
	_, err := Starter("my-rule", CategoryDiagnosis, inventory.ScopeVNIC)
	require.EqualError(t, err, "there is no diagnosis of a vnic to begin with; begin with --scope host or --scope vm")
}

func TestStarterRefusesOtherWords(t *testing.T) {
	for want, c := range map[string]struct {
		id       string
		category Category
		scope    inventory.Scope
	}{
		`id "My_Rule": want an id in kebab case`:        {"My_Rule", "", "host"},
		`no category "cpus" (did you mean "cpu"?)`:      {"my-rule", "cpus", "host"},
		`no scope "hots" (did you mean "host"?)`:        {"my-rule", "", "hots"},
		`id "a\nwant: x": want an id in kebab case, as`: {"a\nwant: x", "", "host"},
	} {
		_, err := Starter(c.id, c.category, c.scope)
		require.ErrorContains(t, err, want)
	}
}
