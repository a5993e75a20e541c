package ruletool_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/rules"
)

// leastCaught is the minimum ratio of mutants that the examples of the library have to catch.
const leastCaught = 0.90

func all(*advice.Rule) bool { return true }

func TestProveExamplesCatchMutants(t *testing.T) {
	library, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := library.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	some := proof.Sample(t, 30, set.Rules())
	made, survivors, err := ruletool.Mutants(t.Context(), set, func(r *advice.Rule) bool { return slices.Contains(some, r) })
	require.NoError(t, err)
	caught := 1 - float64(len(survivors))/float64(made)
	t.Logf("%d mutants, %.1f %% caught; survivors:\n%s", made, 100*caught, strictyaml.Errors(survivors))
	require.Greater(t, made, len(some))
	require.GreaterOrEqual(t, caught, leastCaught)
}

// TestSurvivorsHaveAPlace: a survivor has its position, in a block and on a line.
func TestSurvivorsHaveAPlace(t *testing.T) {
	text := strings.Replace(aRule, "want: host.cores > 3", "applies: host.kind == \"physical\"\nwant: |-\n  host.name != \"\" &&\n    host.cores > 3", 1) +
		"examples:\n" +
		"  - {name: few, facts: {host: {kind: physical, cores: 3}}, expect: fail}\n" +
		"  - {name: many, facts: {host: {kind: physical, cores: 8}}, expect: pass}\n" +
		"  - {name: nested, facts: {host: {kind: nested, cores: 8}}, expect: not-applicable}\n"
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	made, survivors, err := ruletool.Mutants(t.Context(), set, all)
	require.NoError(t, err)
	require.Equal(t, 8, made)
	require.EqualError(t, strictyaml.Errors(survivors), strings.Join([]string{
		`my-rule.yaml:8:16: want of my-rule: no example detects "zz" instead of ""`,
		`my-rule.yaml:9:18: want of my-rule: no example detects 4 instead of 3`,
	}, "\n"))
	made, _, err = ruletool.Mutants(t.Context(), set, (*advice.Rule).FromUser)
	require.NoError(t, err)
	require.Equal(t, 8, made)
	made, _, err = ruletool.Mutants(t.Context(), set, func(*advice.Rule) bool { return false })
	require.NoError(t, err)
	require.Zero(t, made)
}
