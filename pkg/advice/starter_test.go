package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// Every scope has a rule to begin with that nothing is wrong with.
func TestStarters(t *testing.T) {
	schema := compiledSchema(t)
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
			for _, m := range mutantsOf(r) {
				c, bad := compile(m.rule)
				require.True(t, len(bad) > 0 || c.noticed(t.Context()), "%s", m.at)
			}
		})
	}
	text, err := Starter("my-rule", "vdi", "vm")
	require.NoError(t, err)
	require.Contains(t, text, "\ncategory: vdi\n")
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
