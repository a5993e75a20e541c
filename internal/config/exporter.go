package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Describe returns a text that differs if the sampling differs. Positions in the file do not count.
func (s Sampling) Describe() string {
	for _, list := range []*[]Word{&s.Modules, &s.Rules, &s.RuleFiles} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].At = ""
		}
	}
	return fmt.Sprintf("%#v", s)
}

// orElse fills in missing values from other.
func (s Sampling) orElse(other Sampling) Sampling {
	return Sampling{
		Modules: orList(s.Modules, other.Modules), Include: orList(s.Include, other.Include), Exclude: orList(s.Exclude, other.Exclude),
		MaxSeries: cmp.Or(s.MaxSeries, other.MaxSeries), Stale: cmp.Or(s.Stale, other.Stale),
		SurveyEvery: cmp.Or(s.SurveyEvery, other.SurveyEvery), History: cmp.Or(s.History, other.History),
		TagCategories: orList(s.TagCategories, other.TagCategories), EsxtopHosts: orList(s.EsxtopHosts, other.EsxtopHosts),
		IncludeMetrics: orList(s.IncludeMetrics, other.IncludeMetrics), ExcludeMetrics: orList(s.ExcludeMetrics, other.ExcludeMetrics),
		CustomAttributes: orList(s.CustomAttributes, other.CustomAttributes),
		Rules:            orList(s.Rules, other.Rules), RuleFiles: orList(s.RuleFiles, other.RuleFiles), Profile: cmp.Or(s.Profile, other.Profile),
	}
}

func orList[T any](a, b []T) []T {
	if a != nil {
		return a
	}
	return b
}

// exporter reads the section. Its own values are the defaults of its targets.
func (p *parser) exporter(e *Exporter, n *yaml.Node) {
	if isNull(n) {
		return
	}
	var targets *yaml.Node
	known := p.sampling(&e.Sampling)
	known["targets"] = func(n *yaml.Node) { targets = n }
	p.fieldsAmong(n, exporterSection, known)
	if targets == nil {
		return
	}
	for _, n := range p.list(targets, "targets is not a list: begin each target with a line \"- context: NAME\"") {
		e.Targets = append(e.Targets, p.exporterTarget(e, n))
	}
}

func (p *parser) exporterTarget(e *Exporter, n *yaml.Node) ExporterTarget {
	var t ExporterTarget
	before := len(p.problems)
	known := p.sampling(&t.Sampling)
	known["name"], known["context"] = p.text(&t.Name), p.text(&t.Context)
	p.fields(n, "a target", known)
	t.Sampling = t.orElse(e.Sampling)
	if len(p.problems) > before {
		return t
	}
	if t.Context == "" {
		p.at(n, "this target has no context: add context: NAME")
		return t
	}
	t.Name = cmp.Or(t.Name, t.Context)
	if !nameForm.MatchString(t.Name) {
		p.at(valueOf(n, "name"), "the target name %q is not valid: a name consists of letters, digits and . _ @ : -, and begins with a letter or digit", t.Name)
	}
	for _, other := range e.Targets {
		if other.Name == t.Name {
			p.at(valueOf(n, "name"), "there are two targets %s: give each target its own name", t.Name)
		}
	}
	return t
}

// sampling returns the readers of the keys that the section and its targets have in common.
func (p *parser) sampling(s *Sampling) map[string]func(*yaml.Node) {
	return map[string]func(*yaml.Node){
		"modules":           p.modules(&s.Modules),
		"include":           p.matches(&s.Include),
		"exclude":           p.matches(&s.Exclude),
		"max-series":        p.count(&s.MaxSeries),
		"stale":             p.duration(&s.Stale, time.Minute, time.Hour),
		"survey-every":      p.duration(&s.SurveyEvery, time.Minute, 24*time.Hour),
		"history":           p.duration(&s.History, 20*time.Second, time.Hour),
		"tag-categories":    p.texts(&s.TagCategories),
		"include-metrics":   p.texts(&s.IncludeMetrics),
		"exclude-metrics":   p.texts(&s.ExcludeMetrics),
		"custom-attributes": p.texts(&s.CustomAttributes),
		"esxtop-hosts":      p.texts(&s.EsxtopHosts),
		"rules":             p.words(&s.Rules),
		"rule-files":        func(n *yaml.Node) { p.words(&s.RuleFiles)(n); p.beside(s.RuleFiles) },
		"profile":           func(n *yaml.Node) { p.profile(&s.Profile, n) },
	}
}

// modules reads a list that must not be empty: a target that collects nothing is an error.
func (p *parser) modules(to *[]Word) func(*yaml.Node) {
	read := p.words(to)
	return func(n *yaml.Node) {
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			p.at(n, "the list of modules is empty: add modules, such as [basic, audit], or remove the line")
			return
		}
		read(n)
	}
}

func (p *parser) matches(to *[]Match) func(*yaml.Node) {
	return func(n *yaml.Node) {
		for _, item := range listOf(n) {
			var m Match
			before := len(p.problems)
			if item.Kind == yaml.ScalarNode {
				p.at(item, "a pattern needs a property: write {name: %q}, {path: /dc1/vm/web/**} or {tag: CATEGORY:NAME}", item.Value)
				continue
			}
			p.fields(item, "a pattern", map[string]func(*yaml.Node){"name": p.text(&m.Name), "path": p.text(&m.Path), "tag": p.text(&m.Tag)})
			switch category, name, ok := strings.Cut(m.Tag, ":"); {
			case len(p.problems) > before:
			case m == Match{}:
				p.at(item, "this pattern is empty: add name: WORD, path: /dc1/vm/web/** or tag: CATEGORY:NAME")
			case m.Tag != "" && (!ok || category == "" || name == ""):
				p.at(valueOf(item, "tag"), "%q is not a tag: write CATEGORY:NAME", m.Tag)
			case m.Path != "" && !strings.HasPrefix(m.Path, "/"):
				p.at(valueOf(item, "path"), "%q is not a path: a path begins with /, such as /dc1/vm/web/**", m.Path)
			}
			*to = append(*to, m)
		}
	}
}

const exporterSection = "exporter"
