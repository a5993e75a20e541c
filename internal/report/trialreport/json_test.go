package trialreport

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// valid checks a document with its published schema.
func valid(t *testing.T, name, document string) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../../docs/schema/" + name + ".schema.json")
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(v))
}

// TestJSONHoldsEverything: registration, blocks with raw samples, and the result can be computed again from them.
func TestJSONHoldsEverything(t *testing.T) {
	for name, one := range samples() {
		text := rendered(t, func(w io.Writer) error { return JSON(w, one) })
		valid(t, "vperf.trial-result-v1", text)
		var back struct {
			Registration *trial.Registration
			Blocks       []trial.Block
			Result       *trial.Result
			Conditions   trials.Conditions
		}
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.Equal(t, one.Registration, back.Registration, name)
		require.Equal(t, one.Conditions, back.Conditions, name)
		require.Len(t, back.Blocks, len(one.Blocks), name)
		if name == "beforeafter" || one.Waiting() { // what is not analysed
			continue
		}
		again := trial.Analyse(back.Registration, back.Blocks)
		require.Equal(t, one.Result.Verdict, again.Verdict, name)
		require.InDelta(t, one.Result.Estimate.Mean, again.Estimate.Mean, 1e-12, name)
		require.InDelta(t, one.Result.P, again.P, 1e-12, name)
	}
}

func TestPlanJSON(t *testing.T) {
	for _, in := range []PlanInput{
		planned(1), planned(8), {Rule: "rss", How: inventory.Trial{Design: inventory.DesignRandomised, Unit: inventory.ScopeHost}},
		{Rule: "snapshots", How: inventory.Trial{Design: inventory.DesignNone, Reason: "It cannot be undone."}},
	} {
		valid(t, "vperf.trial-plan-v1", rendered(t, func(w io.Writer) error { return PlanJSON(w, in) }))
	}
}

func TestListJSON(t *testing.T) {
	all := samples()
	var list []*trials.Recorded
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	valid(t, "vperf.trials-v1", rendered(t, func(w io.Writer) error { return ListJSON(w, list) }))
	valid(t, "vperf.trials-v1", rendered(t, func(w io.Writer) error { return ListJSON(w, nil) }))
}
