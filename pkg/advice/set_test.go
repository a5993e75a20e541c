package advice_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

const ruleWithParams = goodRule + `params:
  level: {value: 3, about: a}
  share: {value: 0.5, about: b}
  strict: {value: true, about: c}
  policy: {value: static, about: d}
remedy:
  - {set: power-policy, to: params.policy, consent: value}
`

func settable(t *testing.T) *advice.Library {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(ruleWithParams)}}, User: true})
	require.NoError(t, err)
	return l
}

func TestSetReadsTheParametersOwnType(t *testing.T) {
	for name, c := range map[string]struct {
		rule, param, text string
		value             any
		err               string
	}{
		"a whole number":      {"my-rule", "level", "40", 40, ""},
		"a negative number":   {"my-rule", "level", "-1", -1, ""},
		"a number":            {"my-rule", "share", "2", 2.0, ""},
		"a boolean":           {"my-rule", "strict", "false", false, ""},
		"a text":              {"my-rule", "policy", "dynamic", "dynamic", ""},
		"a text of digits":    {"my-rule", "policy", "4,4", "4,4", ""},
		"an empty text":       {"my-rule", "policy", "", "", ""},
		"no whole number":     {"my-rule", "level", "4.5", nil, `my-rule.level is a whole number, not "4.5"`},
		"too large a number":  {"my-rule", "level", "99999999999999999999", nil, `my-rule.level is a whole number, not "99999999999999999999"`},
		"no number":           {"my-rule", "share", "NaN", nil, `my-rule.share is a number, not "NaN"`},
		"no boolean":          {"my-rule", "strict", "yes", nil, `my-rule.strict is true or false, not "yes"`},
		"an unknown rule":     {"my-rul", "level", "1", nil, `no rule "my-rul"; near ones: my-rule`},
		"a misspelt param":    {"my-rule", "polcy", "1", nil, `rule my-rule has no parameter "polcy" (did you mean "policy"?)`},
		"nothing to be typed": {"my-rule", "", "1", nil, `rule my-rule has no parameter ""`},
	} {
		t.Run(name, func(t *testing.T) {
			l := settable(t)
			err := l.Set(c.rule, c.param, c.text)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			p := l.Rules()[0].Params[c.param]
			require.Equal(t, c.value, p.Value)
			require.True(t, p.Given)
		})
	}
}

func TestSetOfARuleWithoutParameters(t *testing.T) {
	require.EqualError(t, library(t).Set("cpu-limit", "x", "1"), `rule cpu-limit has no parameter "x": it has no parameters`)
}

// TestSetReachesTheRemedy: the remedy uses the value that was set, and the change says that the user chose it.
func TestSetReachesTheRemedy(t *testing.T) {
	proposed := func(l *advice.Library) advice.Change {
		set, err := l.Select(advice.Selection{Diagnoses: true})
		require.NoError(t, err)
		s := smallFleet()
		s.VCenters[0].Hosts[0].Cores = inventory.Known(int64(2))
		r, err := advice.Evaluate(t.Context(), s, set, advice.Options{})
		require.NoError(t, err)
		return r.Findings[0].Remedies[0]
	}
	l := settable(t)
	before := proposed(l)
	require.Equal(t, inventory.Known(inventory.StringValue("static")), before.To)
	require.Equal(t, []string{"policy"}, before.Params)
	require.False(t, before.Given)

	require.NoError(t, l.Set("my-rule", "level", "4"))
	require.False(t, proposed(l).Given, "another parameter than the one the value is made of")

	require.NoError(t, l.Set("my-rule", "policy", "dynamic"))
	after := proposed(l)
	require.Equal(t, inventory.Known(inventory.StringValue("dynamic")), after.To)
	require.True(t, after.Given)
}

func TestSetLeavesWhatWasSelectedBefore(t *testing.T) {
	l := settable(t)
	old := l.Rules()[0]
	require.NoError(t, l.Set("my-rule", "level", "9"))
	require.Equal(t, 3, old.Params["level"].Value)
	require.Equal(t, 9, l.Rules()[0].Params["level"].Value)
}
