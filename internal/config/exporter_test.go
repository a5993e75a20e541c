package config

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestExporter(t *testing.T) {
	path := clean(t, `exporter:
  modules: [basic, disk]
  survey-every: 10m
  max-series: 1000
  tag-categories: owner
  targets:
  - context: prod
  - context: lab
    name: the-lab
    modules: basic
    include: [{path: "/dc1/vm/**"}, {tag: "env:prod"}]
    exclude: {name: "test-*"}
    esxtop-hosts: ["esx0*"]
    custom-attributes: [cost-centre]
    include-metrics: ["esxi_vm_*"]
    exclude-metrics: ["esxi_vm_memory_*"]
    stale: 2m
    history: 1h
    profile: database
    rules: [numa-io]
    rule-files: [own]
contexts:
- {name: prod, url: vc}
- {name: lab, url: lab}
`)
	f, err := Load()
	require.NoError(t, err)
	targets := f.Exporter.Targets
	require.Len(t, targets, 2)
	require.Equal(t, "prod", targets[0].Name, "the context's name is the target's")
	require.Equal(t, []string{"basic", "disk"}, textsOf(targets[0].Modules), "the section's values apply to all targets")
	require.Equal(t, 10*time.Minute, targets[0].SurveyEvery)

	lab := targets[1]
	require.Equal(t, "the-lab", lab.Name)
	require.Equal(t, []string{"basic"}, textsOf(lab.Modules), "unless they say otherwise")
	require.Contains(t, lab.Modules[0].At, "config.yaml:10:14")
	require.Equal(t, Sampling{
		Modules: lab.Modules, Include: []Match{{Path: "/dc1/vm/**"}, {Tag: "env:prod"}}, Exclude: []Match{{Name: "test-*"}},
		MaxSeries: 1000, Stale: 2 * time.Minute, SurveyEvery: 10 * time.Minute, History: time.Hour,
		TagCategories: []string{"owner"}, CustomAttributes: []string{"cost-centre"}, IncludeMetrics: []string{"esxi_vm_*"}, ExcludeMetrics: []string{"esxi_vm_memory_*"}, EsxtopHosts: []string{"esx0*"}, Profile: "database",
		Rules:     []Word{{"numa-io", path + ":20:13"}},
		RuleFiles: []Word{{filepath.Join(filepath.Dir(path), "own"), path + ":21:18"}},
	}, lab.Sampling)

	same := lab.Sampling
	same.Rules = []Word{{"numa-io", "elsewhere:1:1"}}
	require.Equal(t, lab.Describe(), same.Describe(), "a line more above is no other sampling")
	require.Equal(t, "elsewhere:1:1", same.Rules[0].At, "and the positions are kept")
	same.Rules = []Word{{"numa-cores", "elsewhere:1:1"}}
	require.NotEqual(t, lab.Describe(), same.Describe())
}

func textsOf(words []Word) (texts []string) {
	for _, w := range words {
		texts = append(texts, w.Text)
	}
	return texts
}

func TestExporterMistakes(t *testing.T) {
	const contexts = "contexts: [{name: prod, url: vc}]\n"
	for name, tc := range map[string]struct{ text, want string }{
		"no list":         {"exporter: {targets: prod}", `:2:21: targets is not a list: begin each target with a line "- context: NAME"`},
		"no context":      {"exporter: {targets: [{name: x}]}", ":2:22: this target has no context: add context: NAME"},
		"unknown context": {"exporter: {targets: [{context: prd}]}", `:2:32:`},
		"twice":           {"exporter: {targets: [{context: prod}, {context: prod}]}", ":2:39: there are two targets prod"},
		"bad name":        {"exporter: {targets: [{context: prod, name: \"a\\u202e b\"}]}", `:2:44: the target name "a\u202e b" is not valid: a name consists of letters`},
		"no time":         {"exporter: {stale: soon}", ":2:19: write a duration here, such as 5m or 90s"},
		"too short":       {"exporter: {survey-every: 1s}", ":2:26: 1s is out of range: from 1m to 24h"},
		"too long":        {"exporter: {history: 2h}", ":2:21: 2h is out of range: from 20s to 1h"},
		"no number":       {"exporter: {max-series: -1}", ":2:24: write a whole number above 0 here, without separators, such as 300000"},
		"no modules":      {"exporter: {modules: []}", ":2:21: the list of modules is empty: add modules, such as [basic, audit], or remove the line"},
		"bare pattern":    {"exporter: {include: [tmp-*]}", `:2:22: a pattern needs a property: write {name: "tmp-*"}`},
		"empty pattern":   {"exporter: {include: [{}]}", "this pattern is empty"},
		"bad tag":         {"exporter: {include: [{tag: prod}]}", `"prod" is not a tag: write CATEGORY:NAME`},
		"bad path":        {"exporter: {exclude: {path: dc1/vm}}", `"dc1/vm" is not a path`},
		"bad profile":     {"exporter: {profile: fast}", `"fast"`},
		"empty word":      {"exporter: {modules: [basic, '']}", "the value is empty"},
		"a password":      {"exporter: {targets: [{context: prod, password: secret}]}", "password"},
		"a list as text":  {"exporter: {targets: [{context: [prod]}]}", "write one text here"},
		"no mapping":      {"exporter: [prod]", "exporter must consist of KEY: VALUE lines"},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t, contexts+tc.text+"\n")
			_, err := Load()
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "secret")
		})
	}
	clean(t, contexts+"exporter:\n")
	_, err := Load()
	require.NoError(t, err)
}
