package report

import (
	"io"
	"slices"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// RulesSchema is the version of the JSON form of a list of rules.
const RulesSchema = "vperf.rules/v1"

type jsonRules struct {
	Schema string     `json:"schema"`
	Rules  []jsonRule `json:"rules"`
}

type jsonRule struct {
	ID       string                             `json:"id"`
	Title    string                             `json:"title"`
	Category advice.Category                    `json:"category"`
	Scope    string                             `json:"scope"`
	Severity advice.Severity                    `json:"severity"`
	Profiles map[advice.Profile]advice.Severity `json:"profiles,omitempty"`
	Manual   bool                               `json:"manual"`             // needs a manual check
	Live     []string                           `json:"live,omitempty"`     // the live counters it evaluates
	Judges   []advice.VMState                   `json:"judges,omitempty"`   // states of VMs that do not run but are checked too
	Covers   []string                           `json:"covers,omitempty"`   // the rules whose findings this rule includes
	Explains []string                           `json:"explains,omitempty"` // diagnoses only: the rules whose findings it can cause
	At       string                             `json:"at,omitempty"`       // diagnoses only: the kind of object with the cause
	Verdict  advice.Verdict                     `json:"verdict,omitempty"`  // diagnoses only
	Fixes    []string                           `json:"fixes,omitempty"`    // diagnoses only: the rules whose remedies remove the cause
	Effort   advice.Effort                      `json:"effort,omitempty"`   // diagnoses only: the effort of a manual fix
	Follows  []string                           `json:"follows,omitempty"`  // diagnoses only: the diagnoses that can cause this one
	Only     bool                               `json:"only,omitempty"`     // diagnoses only: fixes are advised only with this diagnosis
	Remedies []jsonRuleRemedy                   `json:"remedies"`
	// Activations lists the distinct activations of the remedies, mildest first.
	Activations []inventory.Activation   `json:"activations"`
	Params      map[string]jsonRuleParam `json:"params,omitempty"`
	File        string                   `json:"file"` // path below the rules folder, for built-in rules
	Own         bool                     `json:"own"`  // whether the rule is built in
	Docs        string                   `json:"docs,omitempty"`
}

type jsonRuleParam struct {
	Value any    `json:"value"`
	About string `json:"about"`
}

type jsonRuleRemedy struct {
	Setting    string `json:"setting"`
	Activation string `json:"activation"`
	Consent    string `json:"consent"`
}

// RulesJSON lists rules as JSON.
func RulesJSON(w io.Writer, rules []*advice.Rule) error {
	out := jsonRules{Schema: RulesSchema, Rules: make([]jsonRule, len(rules))}
	for i, r := range rules {
		out.Rules[i] = ruleJSON(r)
	}
	return writeJSON(w, "the rules", out)
}

func ruleJSON(r *advice.Rule) jsonRule {
	out := jsonRule{
		ID: r.ID, Title: r.Title, Category: r.Category, Scope: string(r.Scope), Severity: r.Severity, Profiles: r.Profiles,
		Manual: r.Manual != "", Live: r.Live(), Remedies: make([]jsonRuleRemedy, len(r.Remedy)), Activations: []inventory.Activation{},
		Judges: r.Judges, Covers: covered(r), Explains: r.Explains, At: string(r.At), Verdict: r.Verdict, Fixes: r.Fixes, Effort: r.Effort, Follows: r.Follows, Only: r.Only,
		File: r.File(), Own: !r.FromUser(), Docs: wording.Docs(r),
	}
	for i, m := range r.Remedy {
		out.Remedies[i] = jsonRuleRemedy{m.Setting().String(), string(m.Activation), string(m.Consent)}
	}
	for _, a := range inventory.Activations() {
		if slices.ContainsFunc(r.Remedy, func(m advice.Remedy) bool { return m.Activation == a }) {
			out.Activations = append(out.Activations, a)
		}
	}
	for _, name := range r.ParamNames() {
		if out.Params == nil {
			out.Params = map[string]jsonRuleParam{}
		}
		p := r.Params[name]
		out.Params[name] = jsonRuleParam{p.Value, wording.OneLine(p.About)}
	}
	return out
}

// Rules lists rules by category.
func Rules(rules []*advice.Rule) doc.Document {
	var by collect.ByKey[advice.Category, doc.Table]
	for _, c := range advice.Categories() {
		for _, r := range rules {
			if r.Category == c {
				by.At(c).Add(r.ID, string(r.Scope), r.Title)
			}
		}
	}
	return doc.Of(collect.Each(by, func(c advice.Category, t *doc.Table) doc.Block {
		t.Prose = true
		return doc.Section(string(c), t.Block())
	})...)
}
