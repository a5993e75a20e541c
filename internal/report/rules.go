package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/vperf/vperf/pkg/advice"
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
	Manual   bool                               `json:"manual"`
	Remedies []jsonRuleRemedy                   `json:"remedies"`
	Docs     string                             `json:"docs,omitempty"`
}

type jsonRuleRemedy struct {
	Setting    string `json:"setting"`
	Activation string `json:"activation"`
	Consent    string `json:"consent"`
}

// RulesJSON lists rules for machines.
func RulesJSON(w io.Writer, rules []*advice.Rule) error {
	out := jsonRules{Schema: RulesSchema, Rules: make([]jsonRule, len(rules))}
	for i, r := range rules {
		out.Rules[i] = jsonRule{
			ID: r.ID, Title: r.Title, Category: r.Category, Scope: string(r.Scope), Severity: r.Severity, Profiles: r.Profiles,
			Manual: r.Manual != "", Remedies: make([]jsonRuleRemedy, len(r.Remedy)), Docs: docs(r),
		}
		for j, m := range r.Remedy {
			out.Rules[i].Remedies[j] = jsonRuleRemedy{m.Setting().String(), string(m.Activation), string(m.Consent)}
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("writing the rules as JSON: %w", err)
	}
	return nil
}

// RulesTable lists rules for people, by category.
func RulesTable(w io.Writer, rules []*advice.Rule, t Terminal) error {
	b := bufio.NewWriter(w)
	p := &page{w: b, term: t}
	for _, c := range advice.Categories() {
		first := true
		for _, r := range rules {
			if r.Category != c {
				continue
			}
			if first {
				p.line(0, "%s", t.Style.Bold(string(c)))
				first = false
			}
			p.hanging(objectIndent, ruleColumn, "%-*s %-8s %s", ruleColumn-objectIndent-10, r.ID, r.Scope, r.Title)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the rules as a table: %w", err)
	}
	return nil
}

// ruleColumn is where titles start.
const ruleColumn = 36
