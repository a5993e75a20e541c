package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/advice"
)

// Prometheus writes the number of findings for the textfile collector of node_exporter. It names no objects, because they
// come and go; the other formats name them.
func Prometheus(w io.Writer, a Audit) error {
	p := exposition.NewWriter(w, exposition.Text)
	gauge := func(name, help string) { p.Family(exposition.Family{Name: name, Help: help}) }
	r := a.Result

	gauge("vperf_rule_findings", "Findings by rule, severity and outcome.")
	for _, c := range ruleCounts(r.Findings) {
		p.Sample(exposition.NewLabels("rule", c.rule, "severity", string(c.severity), "outcome", string(c.outcome), "vcenter", c.vcenter), float64(c.n))
	}
	gauge("vperf_audit_new_findings", "New findings (not in the baseline), by severity; --fail-on counts these.")
	for _, s := range advice.Severities() {
		p.Sample(exposition.NewLabels("severity", string(s)), float64(newFails(r.Findings, s)))
	}
	gauge("vperf_audit_outcomes", "Checks by outcome; a check is one rule evaluated for one object.")
	for _, o := range advice.Outcomes() {
		p.Sample(exposition.NewLabels("outcome", string(o)), float64(r.Counts[o]))
	}
	gauge("vperf_audit_objects", "Hosts and VMs that were in the audit.")
	p.Sample(exposition.NewLabels("kind", "host"), float64(r.Hosts))
	p.Sample(exposition.NewLabels("kind", "vm"), float64(r.VMs))
	gauge("vperf_audit_unread_objects", "Objects that could not be read at all.")
	p.Sample("", float64(len(r.UnreadObjects)))
	gauge("vperf_audit_unread_facts", "Facts that could not be read, and that left an outcome unknown.")
	p.Sample("", float64(len(r.Unread)))
	gauge("vperf_audit_incomplete_reasons", "Why a gate should not rely on the audit: objects that were not read, and rules that are unknown on over a tenth of their objects.")
	p.Sample("", float64(len(r.Incomplete(advice.Info))))
	if !a.TakenAt.IsZero() {
		gauge("vperf_audit_timestamp_seconds", "When the facts were read, by the server's clock.")
		p.Sample("", float64(a.TakenAt.UnixMilli())/1000)
	}
	if err := p.Close(); err != nil {
		return fmt.Errorf("writing the audit for Prometheus: %w", err)
	}
	return nil
}

// ruleCount counts the findings of a rule with the same outcome on a vCenter.
type ruleCount struct {
	rule, vcenter string
	severity      advice.Severity
	outcome       advice.Outcome
	n             int
}

func ruleCounts(findings []*advice.Finding) (list []ruleCount) {
	counts := map[ruleCount]int{}
	for _, f := range findings {
		counts[ruleCount{f.Rule.ID, f.Object.VCenter, f.Severity, f.Outcome, 0}]++
	}
	for c, n := range counts {
		c.n = n
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b ruleCount) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.severity, b.severity), cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.vcenter, b.vcenter))
	})
	return list
}

func newFails(findings []*advice.Finding, s advice.Severity) (n int) {
	for _, f := range findings {
		if f.Outcome == advice.Fail && f.Severity == s && !f.Known() {
			n++
		}
	}
	return n
}
