package advice_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// TestRulesByPattern selects rules by a shell pattern of ids; it does not match diagnoses unless they are selected.
func TestRulesByPattern(t *testing.T) {
	library, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	set, err := library.Select(advice.Selection{Rules: []string{"numa-*"}})
	require.NoError(t, err)
	require.Greater(t, len(set.Rules()), 3)
	for _, r := range set.Rules() {
		require.True(t, strings.HasPrefix(r.ID, "numa-"), r.ID)
		require.Empty(t, r.Explains, r.ID)
	}
	_, err = library.Select(advice.Selection{Rules: []string{"nothing-*"}})
	require.EqualError(t, err, `no rule "nothing-*"`)
	_, err = library.Select(advice.Selection{Rules: []string{"costop-by-*"}})
	require.EqualError(t, err, `no rule "costop-by-*"`, "only diagnoses are called so")
	_, err = library.Select(advice.Selection{Rules: []string{"numa-["}})
	require.EqualError(t, err, `"numa-[" as a pattern of rules: syntax error in pattern`)
}
