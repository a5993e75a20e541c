package advice

import (
	"context"
	"iter"
	"slices"
	"strings"
)

// Rest returns the passed and not applicable findings, by rule, and of each rule the passed ones first. It needs Options.Rest. It
// evaluates a rule when its findings are read: a large fleet has a million of them, which need more memory than its facts. It ends early if ctx
// ends.
func (r *Result) Rest(ctx context.Context) iter.Seq[[]*Finding] {
	return func(yield func([]*Finding) bool) {
		if r.rest == nil {
			return
		}
		rules := slices.DeleteFunc(slices.Clone(r.rest.rules), func(c *compiled) bool { return c.because != nil })
		slices.SortFunc(rules, func(a, b *compiled) int { return strings.Compare(a.ID, b.ID) })
		for _, rule := range rules {
			all, err := r.rest.others(ctx, rule, true)
			if err == nil && r.rest.memo.Spent(rule.budget) { // by the evidence
				all, err = r.rest.others(ctx, rule, false)
			}
			if err != nil || len(all) > 0 && !yield(all) {
				return
			}
		}
	}
}

// others returns the passed and not applicable findings of a rule, with or without their evidence.
func (e *evaluation) others(ctx context.Context, r *compiled, evidence bool) ([]*Finding, error) {
	if e.withdrawn[r] {
		return nil, nil
	}
	e.memo.Refill(r.budget)
	var all pile
	for _, v := range e.snapshot.VCenters {
		err := e.subjects(ctx, v, r.Scope, func(s *subject) {
			s.brief = e.brief(r)
			f := r.judge(s, evidence)
			if why, aside := e.out.setAside[place{r.Rule, s.object}]; aside {
				f = Finding{Evaluated: f.Evaluated, Rule: r.Rule, Severity: f.Severity, Outcome: NotApplicable, Reason: why}
			}
			if !listed(&f) {
				if len(e.out.gone) > 0 {
					_, f.InBaseline = e.out.gone[f.Fingerprint()]
				}
				e.strip(&f)
				all.add(f)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	sortStable(all.list, compareFindings)
	return all.list, nil
}

// keepAll adds passed and not applicable findings to the others if the options ask for it.
func (e *evaluation) keepAll(ctx context.Context) error {
	if !e.options.All {
		return nil
	}
	for rest := range (&Result{rest: e}).Rest(ctx) {
		e.out.Findings = append(e.out.Findings, rest...)
	}
	sortStable(e.out.Findings, compareFindings)
	return ctx.Err()
}
