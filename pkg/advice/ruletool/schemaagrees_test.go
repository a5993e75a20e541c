package ruletool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
)

// TestSchemaAgreesWithTheLoader: the schema refuses only texts that the loader or the examples also refuse, so that
// editors give no false errors.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	const good = `id: my-rule
title: Something is off
category: cpu
scope: host
severity: low
want: host.cores > 3
why: It matters.
examples:
  - {name: few, facts: {host: {cores: 2}}, expect: fail}
`
	const diagnosis = "category: diagnosis\nscope: host\nseverity: low\nexplains: [cpu-x]\n"
	schema := compiledRuleSchema(t)
	for name, c := range map[string]struct {
		old, with string
		ok        bool
	}{
		"good":                          {"", "", true},
		"its version":                   {"id:", "schema: vperf.rule/v1alpha1\nid:", true},
		"another version":               {"id:", "schema: vperf.rule/v9\nid:", false},
		"misspelt field":                {"want:", "wantt:", false},
		"no title":                      {"title: Something is off\n", "", false},
		"empty title":                   {"title: Something is off", `title: ""`, false},
		"no why":                        {"why: It matters.\n", "", false},
		"no id":                         {"id: my-rule\n", "", false},
		"bad id":                        {"my-rule", "My_Rule", false},
		"bad category":                  {"cpu", "cpus", false},
		"bad scope":                     {"scope: host", "scope: hots", false},
		"bad severity":                  {"low", "lwo", false},
		"list for a text":               {"Something is off", "[a]", false},
		"neither want nor look":         {"want: host.cores > 3\n", "", false},
		"both":                          {"want:", "manual: Look.\nwant:", false},
		"constant want":                 {"want: host.cores > 3", "want: false", true},
		"profiles":                      {"why:", "profiles: {latency: high}\nwhy:", true},
		"bad profile":                   {"why:", "profiles: {latecny: high}\nwhy:", false},
		"bad profile's severity":        {"why:", "profiles: {latency: hihg}\nwhy:", false},
		"case":                          {"why:", "cases: [{when: host.cores > 9, severity: high}]\nwhy:", true},
		"case without when":             {"why:", "cases: [{severity: low}]\nwhy:", false},
		"evidence":                      {"why:", "evidence: {cores: host.cores}\nwhy:", true},
		"list of evidence":              {"why:", "evidence: [host.cores]\nwhy:", false},
		"param":                         {"why:", "params: {least: {value: 3}}\nwhy:", true},
		"param of a list":               {"why:", "params: {least: {value: [3]}}\nwhy:", false},
		"param of nothing":              {"why:", "params: {least: {about: x}}\nwhy:", false},
		"remedy":                        {"why:", "remedy: [{set: power-policy, to: '\"static\"', consent: named, activation: host-reboot}]\nwhy:", true},
		"remedy of an option":           {"why:", "remedy: [{set: host-option/Net.Vmxnet3HwLRO, to: 1}]\nwhy:", true},
		"remedy without value":          {"why:", "remedy: [{set: power-policy}]\nwhy:", false},
		"unknown setting":               {"why:", "remedy: [{set: power-polizy, to: 1}]\nwhy:", false},
		"setting without key":           {"why:", "remedy: [{set: host-option, to: 1}]\nwhy:", false},
		"setting with a key":            {"why:", "remedy: [{set: power-policy/x, to: 1}]\nwhy:", false},
		"bad consent":                   {"why:", "remedy: [{set: power-policy, to: '\"low\"', consent: nmaed}]\nwhy:", false},
		"bad activation":                {"why:", "remedy: [{set: power-policy, to: '\"low\"', activation: reboot}]\nwhy:", false},
		"misspelt remedy":               {"why:", "remedy: [{set: power-policy, too: x}]\nwhy:", false},
		"manual with a remedy":          {"want: host.cores > 3", "manual: Look.\nremedy: [{set: power-policy, to: '\"low\"'}]", false},
		"figure":                        {"why:", "benefit: [{change: -0.2, metric: m, text: t}]\nwhy:", true},
		"words for a figure":            {"why:", "benefit: [{change: much}]\nwhy:", false},
		"misspelt fact":                 {"cores: 2", "corez: 2", false},
		"misspelt object":               {"{host: {cores: 2}}", "{hots: {cores: 2}}", false},
		"text for a number":             {"cores: 2", "cores: two", false},
		"half a core":                   {"cores: 2", "cores: 2.5", false},
		"null":                          {"cores: 2", "cores: null", false},
		"absent":                        {"cores: 2}}, expect: fail", "cores: {$absent: true}}}, expect: not-applicable", true},
		"unread":                        {"cores: 2}}, expect: fail", "cores: {$unread: no permission}}}, expect: unknown", true},
		"misspelt state":                {"cores: 2", "cores: {$absnet: true}", false},
		"version":                       {"cores: 2", "cores: 2, version: 7.0.3", true},
		"version that is none":          {"cores: 2", "cores: 2, version: seven", false},
		"bare option":                   {"cores: 2", "cores: 2, options: {Net.Vmxnet3HwLRO: 0}", true},
		"whole option":                  {"cores: 2", "cores: 2, options: {Net.Vmxnet3HwLRO: {value: 0, default: 1, max: 1}}", true},
		"misspelt option field":         {"cores: 2", "cores: 2, options: {Net.Vmxnet3HwLRO: {valeu: 0}}", false},
		"devices":                       {"cores: 2", "cores: 2, pnics: [{device: vmnic0, linkMbps: 10000}]", true},
		"misspelt device":               {"cores: 2", "cores: 2, pnics: [{device: vmnic0, linkMpbs: 10000}]", false},
		"time":                          {"host: {cores: 2}", "host: {cores: 2}, vm: {snapshots: [{name: a, created: 2026-01-02T03:04:05Z, depth: 1}]}", true},
		"nameless example":              {"name: few, ", "", false},
		"bad outcome":                   {"expect: fail", "expect: fails", false},
		"diagnosis":                     {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3", true},
		"all of a diagnosis":            {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nverdict: fault\norder: 3\nat: cluster\nfixes: [a]\naction: Do.\neffort: low\nfollows: [b]\nonly: true", true},
		"diagnosis of no symptom":       {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", strings.Replace(diagnosis, "[cpu-x]", "[]", 1) + "because: host.cores < 3", false},
		"diagnosis with want":           {"category: cpu\nscope: host\nseverity: low\n", diagnosis + "because: host.cores < 3\n", false},
		"diagnosis without cause":       {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis, false},
		"diagnosis of another category": {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", strings.Replace(diagnosis, "category: diagnosis", "category: cpu", 1) + "because: host.cores < 3", false},
		"diagnosis with a remedy":       {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nremedy: [{set: power-policy, to: '\"low\"'}]", false},
		"diagnosis with lost":           {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nlost: '1.0'", false},
		"harmless with fixes":           {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nverdict: harmless\nfixes: [a]", false},
		"harmless and a consequence":    {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nverdict: harmless\nfollows: [a]", false},
		"only of nothing":               {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nonly: true", false},
		"harmless":                      {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nverdict: harmless", true},
		"bad verdict":                   {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\nverdict: fine", false},
		"bad effort":                    {"category: cpu\nscope: host\nseverity: low\nwant: host.cores > 3", diagnosis + "because: host.cores < 3\neffort: some", false},
		"category of others":            {"category: cpu", "category: diagnosis", false},
		"because of others":             {"why:", "because: host.cores < 3\nwhy:", false},
		"effort of others":              {"why:", "effort: low\nwhy:", false},
		"fixes of others":               {"why:", "fixes: [a]\nwhy:", false},
		"follows of others":             {"why:", "follows: [a]\nwhy:", false},
		"only of others":                {"why:", "only: true\nwhy:", false},
		"benefit that holds":            {"why:", "benefit: [{text: t, holds: host.cores > 1}]\nwhy:", true},
		"expected setting":              {"expect: fail", "expect: fail, to: {power-polizy: static}", false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, good, c.old)
			text := strings.Replace(good, c.old, c.with, 1)
			proven, refused := prove(text), schema.Validate(ruleAsJSON(t, text))
			if c.ok {
				require.NoError(t, proven)
				require.NoError(t, refused)
				return
			}
			require.Error(t, proven)
			require.Error(t, refused)
		})
	}
}

// prove loads a rule together with some that it may refer to, and runs its examples.
func prove(text string) error {
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{
		"my-rule.yaml": {Data: []byte(text)}, "cpu-x.yaml": {Data: []byte(aSymptom)},
		"a.yaml": {Data: []byte(strings.Replace(aRule, "my-rule", "a", 1))},
		"b.yaml": {Data: []byte(strings.NewReplacer("my-rule", "b", "category: cpu", "category: diagnosis\nexplains: [cpu-x]", "want:", "because:").Replace(aRule))},
	}, User: true})
	if err != nil {
		return err
	}
	set, err := l.Select(advice.Selection{Rules: []string{"my-rule"}})
	if err != nil {
		return err
	}
	_, err = ruletool.RunExamples(context.Background(), set)
	return err
}

// selected loads and compiles one rule of a user.
func selected(text string) (*advice.Ruleset, error) {
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
	if err != nil {
		return nil, err
	}
	return l.Select(advice.Selection{Diagnoses: true})
}

func compiledRuleSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../../docs/schema/rule.schema.json")
	require.NoError(t, err)
	return s
}

// ruleAsJSON converts YAML to the form that a JSON Schema validates.
func ruleAsJSON(t *testing.T, text string) any {
	t.Helper()
	var tree any
	require.NoError(t, yaml.Unmarshal([]byte(text), &tree))
	b, err := json.Marshal(tree)
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return v
}

// aSymptom is a rule that diagnoses can explain.
const aSymptom = `id: cpu-x
title: The host is busy
category: monitoring
scope: host
severity: low
want: host.live("cpu.load").p95 < 1.0
why: It matters.
`

// aRule is a valid rule with many missing parts.
const aRule = `id: my-rule
title: Something is off
category: cpu
scope: host
severity: low
want: host.cores > 3
why: It matters.
`
