package advice_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
)

const goodRule = `id: my-rule
title: Something is off
category: cpu
scope: host
severity: low
want: host.cores > 3
why: It matters.
`

// compileText loads one user rule and compiles it.
func compileText(text string) error {
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, Name: "rules", User: true})
	if err != nil {
		return err
	}
	_, err = l.Select(advice.Selection{Diagnoses: true})
	return err
}

func TestGoodRuleLoads(t *testing.T) { require.NoError(t, compileText(goodRule)) }

func TestMistakesHaveAPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty file":         {"", "rules/my-rule.yaml:1:1: the file is empty"},
		"not a map":          {"- a\n", "rules/my-rule.yaml:1:1: write a map here, not a list"},
		"broken YAML":        {"id: [\n", "rules/my-rule.yaml:1:1: did not find expected node content"},
		"unknown field":      {goodRule + "wantt: x\n", `rules/my-rule.yaml:8:1: no field "wantt" here (did you mean "want"?)`},
		"repeated field":     {goodRule + "id: again\n", "rules/my-rule.yaml:8:1: id is duplicated"},
		"unknown deep field": {goodRule + "remedy:\n  - {set: power-policy, too: x}\n", `rules/my-rule.yaml:9:25: no field "too" here (did you mean "to"?)`},
		"list for a text":    {strings.Replace(goodRule, "title: Something is off", "title: [a]", 1), "rules/my-rule.yaml:2:8: write one value here, not a list"},
		"text for a list":    {goodRule + "notes: x\n", "rules/my-rule.yaml:8:8: write a list here, not one value"},
		"alias":              {goodRule + "benefit: [&a {text: x}, *a]\n", "rules/my-rule.yaml:8:25: anchors and aliases are not used"},
		"bad id":             {strings.Replace(goodRule, "my-rule", "My_Rule", 1), `rules/my-rule.yaml:1:5: id "My_Rule": write an id in kebab case`},
		"no title":           {strings.Replace(goodRule, "title: Something is off\n", "", 1), "rules/my-rule.yaml:1:1: field title is missing"},
		"bad severity":       {strings.Replace(goodRule, ": low", ": lwo", 1), `rules/my-rule.yaml:5:11: no severity "lwo" (did you mean "low"?)`},
		"bad scope":          {strings.Replace(goodRule, "scope: host", "scope: hst", 1), `rules/my-rule.yaml:4:8: no scope "hst" (did you mean "host"?)`},
		"bad category":       {strings.Replace(goodRule, "category: cpu", "category: cpus", 1), `rules/my-rule.yaml:3:11: no category "cpus" (did you mean "cpu"?)`},
		"bad profile":        {goodRule + "profiles: {latecny: high}\n", `rules/my-rule.yaml:8:12: no profile "latecny" (did you mean "latency"?)`},
		"consent lowered": {
			goodRule + "remedy:\n  - {set: hyperthreading, to: 'true', consent: free}\n",
			"rules/my-rule.yaml:9:48: rule my-rule has consent free for hyperthreading, which needs named: a rule may require more consent, never less",
		},
		"consent lowered to write": {
			goodRule + "remedy:\n  - {set: kernel-setting/x, to: '\"x\"', consent: named}\n",
			"rules/my-rule.yaml:9:49: rule my-rule has consent named for kernel-setting/x, which needs never: a rule may require more consent, never less",
		},
		"bad reason":                    {goodRule + "high: {because: x, text: y}\n", `rules/my-rule.yaml:8:7: no reason "x"; there are benchmark, counter, outage, no-start`},
		"no effect":                     {goodRule + "high: {because: outage}\n", "rules/my-rule.yaml:8:7: high needs text: the effect in a sentence"},
		"no counter":                    {goodRule + "high: {because: counter, text: y}\n", "rules/my-rule.yaml:8:7: the reason counter is only for rules over live counters, and this rule reads none"},
		"no measurement":                {goodRule + "high: {because: benchmark, text: y}\n", "rules/my-rule.yaml:8:7: the reason benchmark needs a benefit with a source and a change of 10 % or more"},
		"a small effect":                {goodRule + "high: {because: benchmark, text: y}\nbenefit: [{change: -0.09, source: z}]\n", "rules/my-rule.yaml:8:7: the reason benchmark needs a benefit with a source and a change of 10 % or more"},
		"bad schema":                    {"schema: vperf.rule/v9\n" + goodRule, `rules/my-rule.yaml:1:9: schema "vperf.rule/v9": write vperf.rule/v1alpha1`},
		"wrong field":                   {strings.Replace(goodRule, "host.cores", "host.corez", 1), `rules/my-rule.yaml:6:11: undefined field 'corez' (did you mean "cores"?)`},
		"wrong field, quoted":           {strings.Replace(goodRule, "host.cores > 3", `"host.corez > 3"`, 1), `rules/my-rule.yaml:6:12: undefined field 'corez'`},
		"text of the quick parser only": {strings.Replace(goodRule, "> 3", "> 0X000", 1), "rules/my-rule.yaml:6:21: Syntax error: extraneous input 'X000' expecting <EOF>"},
		"wrong field, block": {
			strings.Replace(goodRule, "host.cores > 3", "|-\n    host.cores > 3 &&\n    host.corez > 3", 1),
			`rules/my-rule.yaml:8:9: undefined field 'corez'`,
		},
		"folded": {
			strings.Replace(goodRule, "host.cores > 3", ">-\n    host.cores > 3", 1),
			"rules/my-rule.yaml:6:7: write expressions with |-",
		},
		"bare !":            {goodRule + "applies: !host.vsan\n", "rules/my-rule.yaml:8:10: YAML treats !host.vsan as a tag: quote an expression that begins with !"},
		"not a condition":   {strings.Replace(goodRule, "host.cores > 3", "host.cores", 1), "rules/my-rule.yaml:6:7: this must be a bool, not a int"},
		"unknown option":    {strings.Replace(goodRule, "host.cores", `host.option("Net.Vmxnet3HwLRP")`, 1), `(did you mean "Net.Vmxnet3HwLRO"?)`},
		"misspelt param":    {strings.Replace(goodRule, "> 3", "> params.lmit", 1) + "params: {limit: {value: 3}}\n", `rules/my-rule.yaml:6:26: undeclared reference to 'params.lmit' (did you mean 'params.limit'?)`},
		"param of a list":   {goodRule + "params: {limit: {value: [3]}}\n", "rules/my-rule.yaml:8:17: a parameter's value is"},
		"unknown setting":   {goodRule + "remedy:\n  - {set: power-polizy, to: 'host.name'}\n", `rules/my-rule.yaml:9:11: no kind of setting "power-polizy"`},
		"unknown key":       {goodRule + "remedy:\n  - {set: host-option/Net.Typo, to: '1'}\n", `no release from 6.0 to 9.0 has a host option "Net.Typo"`},
		"setting of others": {goodRule + "remedy:\n  - {set: vm-cpu-limit, to: '1'}\n", "vm-cpu-limit is a setting of a vm, which a rule of scope host cannot reach"},
		"bare word":         {goodRule + "remedy:\n  - {set: power-policy, to: static}\n", `rules/my-rule.yaml:9:29: undeclared reference to 'static'; a text needs its own quotes: '"static"'`},
		"wrong value type":  {goodRule + "remedy:\n  - {set: power-policy, to: '1'}\n", "rules/my-rule.yaml:9:30: this must be a string, not a int"},
		"milder activation": {goodRule + "remedy:\n  - {set: host-option/VMkernel.Boot.hyperthreading, to: 'true', activation: live}\n", "needs at least host-reboot"},
		"bad activation":    {goodRule + "remedy:\n  - {set: power-policy, to: '\"static\"', activation: reboot}\n", `no activation "reboot"`},
		"bad consent":       {goodRule + "remedy:\n  - {set: power-policy, to: '\"static\"', consent: nmaed}\n", `no consent "nmaed" (did you mean "named"?)`},
		"no value":          {goodRule + "remedy:\n  - {set: power-policy}\n", "rules/my-rule.yaml:9:5: a remedy needs to"},
		"case without when": {goodRule + "cases:\n  - {severity: low}\n", "rules/my-rule.yaml:9:5: a case needs when"},
		"nameless example":  {goodRule + "examples:\n  - {facts: {}, expect: pass}\n", "rules/my-rule.yaml:9:5: an example needs a name"},
		"misspelt fact":     {goodRule + "examples:\n  - {name: a, facts: {host: {corez: 4}}, expect: pass}\n", `rules/my-rule.yaml:9:30: no fact "corez" here (did you mean "cores"?)`},
		"misspelt object":   {goodRule + "examples:\n  - {name: a, facts: {hst: {cores: 4}}, expect: pass}\n", `rules/my-rule.yaml:9:23: no fact "hst" here (did you mean "host"?)`},
		"fact of nothing":   {goodRule + "examples:\n  - {name: a, facts: {xyzzy: {}}, expect: pass}\n", `no fact "xyzzy" here; there are vcenter, cluster, pool, host`},
		"deep fact":         {goodRule + "examples:\n  - {name: a, facts: {host: {pnics: [{linkMbps: 1}, {uplnik: true}]}}, expect: pass}\n", `rules/my-rule.yaml:9:54: no fact "uplnik" here (did you mean "uplink"?)`},
		"option's field":    {goodRule + "examples:\n  - {name: a, facts: {host: {options: {LPage.LPageAlwaysTryForNPT: {valeu: 1}}}}, expect: pass}\n", `no fact "valeu" here (did you mean "value"?)`},
		"map for a list":    {goodRule + "examples:\n  - {name: a, facts: {host: {pnics: {uplink: true}}}, expect: pass}\n", `rules/my-rule.yaml:9:37: write a list here, not a map`},
		"bad expectation":   {goodRule + "examples:\n  - {name: a, facts: {}, expect: passes}\n", `no outcome "passes" (did you mean "pass"?)`},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, compileText(c.text), c.want) })
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	text := strings.Replace(goodRule, "host.cores > 3", "host.corez > 3", 1) + "evidence:\n  a: host.nmae\nnotes:\n  - {when: host.cores, text: x}\n"
	err := compileText(text)
	require.EqualError(t, err, strings.Join([]string{
		`rules/my-rule.yaml:6:11: undefined field 'corez' (did you mean "cores"?)`,
		`rules/my-rule.yaml:9:10: undefined field 'nmae' (did you mean "name"?)`,
		`rules/my-rule.yaml:11:12: this must be a bool, not a int`,
	}, "\n"))
}

// TestMisspeltFieldIsOneMistake: a misspelt field is one error, and is not reported as missing too.
func TestMisspeltFieldIsOneMistake(t *testing.T) {
	for _, field := range []string{"id", "title", "category", "scope", "severity", "want", "why"} {
		text := strings.Replace(goodRule, field+":", field+"x:", 1)
		err := compileText(text)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "missing")
		require.Equal(t, 1, strings.Count(err.Error()+"\n", "\n"), err)
	}
}

func TestRulesOfOneIDAreRefused(t *testing.T) {
	_, err := advice.Load(
		advice.Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(goodRule)}}, User: true},
		advice.Source{FS: fstest.MapFS{"b.yaml": {Data: []byte(goodRule)}}, User: true},
	)
	require.EqualError(t, err, "b.yaml:1:5: rule my-rule is already defined in a.yaml")
}

func TestOurOwnRulesStandWhereTheirIDSays(t *testing.T) {
	_, err := advice.Load(advice.Source{FS: fstest.MapFS{"numa/my-rule.yaml": {Data: []byte(goodRule)}}})
	require.ErrorContains(t, err, "numa/my-rule.yaml:1:5: the file of this rule is cpu/my-rule.yaml")
}

func TestUnknownRuleNamesNearOnes(t *testing.T) {
	_, err := library(t).Select(advice.Selection{Rules: []string{"numaio"}})
	require.EqualError(t, err, `no rule "numaio"; near ones: numa-io`)
}

func TestExpensiveUserRuleEndsUnknown(t *testing.T) {
	tens := "[1,2,3,4,5,6,7,8,9,10]"
	loop := "a+b+c+d+e > 0"
	for _, v := range []string{"e", "d", "c", "b", "a"} {
		loop = tens + ".all(" + v + ", " + loop + ")"
	}
	text := strings.Replace(goodRule, "host.cores > 3", "|-\n  "+loop, 1) +
		"examples:\n  - {name: too much, facts: {host: {}}, expect: unknown}\n"
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	_, err = ruletool.RunExamples(t.Context(), set)
	require.NoError(t, err, "the cost limit ends it, and the outcome is unknown")
}

func TestWrongExamplesAreFound(t *testing.T) {
	for facts, want := range map[string]string{
		"facts: {host: {cores: 4}}, expect: fail":                             `rules/my-rule.yaml:9:22: example "e": expected fail, got pass`,
		"facts: {host: {}}, expect: pass":                                     `expected pass, got unknown: Host.cores of host is unread (not read)`,
		"facts: {host: {cores: many}}, expect: pass":                          "facts: have string, want a whole number",
		"facts: {vm: {vcpus: 4}}, expect: pass":                               "the facts contain no host, which the rule evaluates",
		"facts: {host: {cores: 2}}, expect: fail, severity: high":             "expected severity high, got low",
		"facts: {host: {cores: 2}}, expect: fail, to: {power-policy: static}": "expected a remedy that sets power-policy to static, but there is none",
	} {
		t.Run(facts, func(t *testing.T) {
			text := goodRule + "examples:\n  - {name: e, " + facts + "}\n"
			l, err := advice.Load(advice.Source{FS: fstest.MapFS{"my-rule.yaml": {Data: []byte(text)}}, Name: "rules", User: true})
			require.NoError(t, err)
			set, err := l.Select(advice.Selection{Diagnoses: true})
			require.NoError(t, err)
			_, err = ruletool.RunExamples(t.Context(), set)
			require.ErrorContains(t, err, want)
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(goodRule)
	f.Add(goodRule + "evidence:\n  a: host.name\nremedy:\n  - {set: power-policy, to: '\"static\"'}\n")
	f.Add("id: [")
	f.Add("? a\n: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		err := compileText(text) // must not panic, and must say where
		if err != nil {
			require.Contains(t, err.Error(), "rules/my-rule.yaml:")
		}
	})
}
