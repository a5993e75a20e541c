package ruletool_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
)

// wholeRule has no missing parts.
const wholeRule = aRule + `evidence: {cores: host.cores}
tradeoff: Cores cost money.
benefit: [{text: No published measurement}]
sources: [the house's sizing guide]
` + wholeExamples

const wholeExamples = `examples:
  - {name: few, facts: {host: {cores: 2}}, expect: fail}
  - {name: many, facts: {host: {cores: 4}}, expect: pass}
  - {name: not read, facts: {host: {}}, expect: unknown}
`

func TestLacks(t *testing.T) {
	for name, c := range map[string]struct {
		old, with string
		want      []string
	}{
		"nothing":     {"", "", nil},
		"no evidence": {"evidence: {cores: host.cores}\n", "", []string{"1:1: the rule has no evidence: the measured values that each finding shows"}},
		"no tradeoff": {"tradeoff: Cores cost money.\n", "", []string{"1:1: the rule has no tradeoff: the cost of the change"}},
		"no benefit":  {"benefit: [{text: No published measurement}]\n", "", []string{"1:1: the rule has no benefit: the measured benefit of the change, or text: No published measurement"}},
		"no sources":  {"sources: [the house's sizing guide]", "sources: []", []string{"11:10: the rule has no sources: where the claim comes from"}},
		"no fail":     {"expect: fail", "expect: pass", []string{"13:3: the rule has no example that fails"}},
		"no pass":     {"expect: pass", "expect: fail", []string{"13:3: the rule has no example that passes"}},
		"all decided": {"expect: unknown", "expect: pass", []string{"13:3: the rule has no example that does not apply or is unknown"}},
		"bare figure": {"{text: No published measurement}", "{change: -0.2}", []string{
			"10:11: the benefit has no text: the measurement, in words",
			"10:11: the figure has no metric: the measured quantity",
			"10:11: the figure has no when: the conditions of the measurement",
			"10:11: the figure has no source: the publisher of the measurement",
		}},
		"high": {"severity: low", "severity: high", []string{
			"5:11: the rule can be high and has no high: a published or measured effect of 10 % or more, an outage, or a VM that does not start",
		}},
		"high by profile": {"severity: low", "severity: low\nprofiles: {hpc: high}", []string{
			"5:11: the rule can be high and has no high: a published or measured effect of 10 % or more, an outage, or a VM that does not start",
		}},
		"high, with a reason":          {"severity: low", "severity: high\nhigh: {because: no-start, text: It does not start.}", nil},
		"critical, with a weak reason": {"severity: low", "severity: critical\nhigh: {because: no-start, text: It does not start.}", []string{"6:7: the rule can be critical, but its reason is not an outage"}},
		"critical":                     {"severity: low", "severity: critical\nhigh: {because: outage, text: The path is lost.}", nil},
		"a reason for nothing":         {"severity: low", "severity: low\nhigh: {because: outage, text: The path is lost.}", []string{"6:7: the rule is never high but has a reason for it"}},
		"no examples":                  {wholeExamples, "", []string{"1:1: the rule has no examples: facts with the expected outcome"}},
		"manual":                       {"want: host.cores > 3", "manual: Look.", []string{"13:3: the rule has no example of a manual check"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(wholeRule, c.old, c.with, 1)
			l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
			require.NoError(t, err)
			var got []string
			for _, p := range ruletool.Missing(l.Rules()[0]) {
				got = append(got, strings.TrimPrefix(p.String(), "my-rule.yaml:"))
			}
			require.Equal(t, c.want, got)
		})
	}
}
