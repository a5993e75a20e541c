package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// TestSelectionTakesNoDiagnosis: they lead to no findings, and none would look as if nothing were wrong.
func TestSelectionTakesNoDiagnosis(t *testing.T) {
	require.ErrorContains(t, (&selection{Categories: []string{"cpu", "diagnosis"}}).check(), "use the command advise")
	require.NoError(t, (&selection{Categories: []string{"monitoring"}}).check())
	require.NotContains(t, findingCategories(), advice.CategoryDiagnosis)

	library, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(t, err)
	require.EqualError(t, (&selection{Rules: []string{"cpu-limit", "limited-by-vm"}}).noDiagnoses(library),
		"--rule: limited-by-vm is a diagnosis, which only the command advise evaluates; name its symptoms and fixes instead: cpu-limit, cpu-limited")
	require.NoError(t, (&selection{Rules: []string{"cpu-limit", "cpu-limited"}}).noDiagnoses(library))
}
