package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// survey maps a target's key to its condition.
type survey map[string]Condition

func surveyTargets(ctx context.Context, s Settings, targets []Target) (survey, error) {
	all, err := s.Survey(ctx, targets)
	if err == nil && len(all) != len(targets) {
		err = errors.New("unexpected number of objects in the answer")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the state of the targets: %w", err)
	}
	found := survey{}
	for i, t := range targets {
		found[t.Key()] = all[i]
	}
	return found, nil
}

// hosts returns the ids of the hosts that the targets are or run on.
func (s survey) hosts() []string {
	var ids []string
	for _, c := range s {
		ids = append(ids, c.Host)
	}
	return ids
}

// targets returns the targets of the steps, each once.
func targets[S any](steps []S, of func(S) Target) []Target {
	var all []Target
	seen := map[string]bool{}
	for _, s := range steps {
		if t := of(s); !seen[t.Key()] {
			seen[t.Key()] = true
			all = append(all, t)
		}
	}
	return all
}

// consent lists everything in a plan that the user has to approve and has not approved.
func (t *Options) consent(p *Plan, found survey) []string {
	var why []string
	for _, s := range p.Steps {
		owner, place := s.Owner, s.Place
		if c := found[s.Target.Key()]; c.Owner != "" {
			owner, place = c.Owner, c.Place
		}
		if owner != "" && !t.OverrideOwner {
			why = append(why, strings.TrimSpace(fmt.Sprintf("%s: %s manages its settings and would revert the change; make the change in %s", s.Target.Name, owner, cmp.Or(place, "its settings")))+parenthesized(t.Hints.OverrideOwner))
		}
		for _, doubt := range found[s.Target.Key()].Doubts {
			if owner == "" && !t.OverrideOwner {
				why = append(why, s.Target.Name+": "+doubt+parenthesized(t.Hints.OverrideOwner))
			}
		}
		for _, c := range s.Changes {
			if irreversible(c.Inverse) && !t.AcceptIrreversible {
				why = append(why, fmt.Sprintf("%s of %s: the change cannot be undone: %s%s", c.Key(), s.Target.Name, c.Inverse.About, parenthesized(t.Hints.AcceptIrreversible)))
			}
		}
	}
	return why
}

func parenthesized(hint string) string {
	if hint == "" {
		return ""
	}
	return " (" + hint + ")"
}

func irreversible(i Inverse) bool { return i.Kind == inventory.InverseNone || len(i.Write) == 0 }

// preflight checks everything before anything is written: the identity of the targets, reasons not to change them, and
// whether every value still equals the plan's before-value. Its errors list all faults, not only the first. No operations
// and no error mean that there is nothing to do.
func preflight(ctx context.Context, e Estate, p *Plan, t *Options) ([]operation, survey, error) {
	found, err := surveyTargets(ctx, e.Settings, targets(p.Steps, func(s Step) Target { return s.Target }))
	if err != nil {
		return nil, nil, err
	}
	all := targets(p.Steps, func(s Step) Target { return s.Target })
	var unfitting []string
	for _, target := range all {
		unfitting = append(unfitting, unfit(target, found[target.Key()])...)
	}
	if len(unfitting) > 0 {
		return nil, nil, &RefusedError{Why: append(unfitting, t.consent(p, found)...)}
	}
	operations, previews, err := previewSteps(ctx, e.Settings, p.Steps, found)
	if err != nil {
		return nil, nil, err
	}
	state := compare(p.Steps, operations, previews, found)
	state.refused = append(state.refused, t.consent(p, found)...)
	switch {
	case state.already:
		return nil, found, nil
	case len(state.refused) > 0:
		return nil, nil, &RefusedError{Why: state.refused}
	case len(state.moved) > 0:
		return nil, nil, &StaleError{Moved: state.moved}
	}
	return operations, found, nil
}

// comparison is the result of comparing a plan with the server.
type comparison struct {
	already        bool     // every value is already the wanted one
	refused, moved []string // changes that cannot be written; values that differ from the plan's
}

// compare compares each change of a plan with the live values.
func compare(steps []Step, operations []operation, previews [][]Preview, found survey) comparison {
	c := comparison{already: true}
	for i, s := range steps {
		c.refused = append(c.refused, missingPrivileges(&s, found[s.Target.Key()], previews[i])...)
		for k, turn := range operations[i].edits {
			c.add(s.Target, turn, previews[i][k])
		}
	}
	return c
}

func (c *comparison) add(target Target, t edit, p Preview) {
	c.already = c.already && anyOf(t.Address, p.Before, t.to)
	switch _, state, reason := p.Before.Get(); {
	case state == inventory.StateUnread:
		c.refused = append(c.refused, fmt.Sprintf("%s of %s cannot be read: %s", t.Key(), target.Name, reason))
	case !Same(t.Address, p.Before, t.from):
		c.moved = append(c.moved, fmt.Sprintf("%s of %s is %s; the plan found %s", t.Key(), target.Name, formatFact(p.Before), formatFact(t.from)))
	case p.Refused != "":
		c.refused = append(c.refused, fmt.Sprintf("%s of %s: %s", t.Key(), target.Name, p.Refused))
	}
}

// previewSteps converts steps to operations, and returns the server's preview for each of their changes.
func previewSteps(ctx context.Context, settings Settings, steps []Step, found survey) ([]operation, [][]Preview, error) {
	operations, requests := make([]operation, len(steps)), make([]Request, len(steps))
	for i, s := range steps {
		operations[i] = operationOf(&s)
		requests[i] = Request{Condition: found[s.Target.Key()], Assignments: operations[i].assignments()}
	}
	previews, err := previewsOf(ctx, settings, requests)
	if err != nil {
		return nil, nil, err
	}
	for i, s := range steps {
		for j := range s.Changes {
			operations[i].edits[j].activation = stricter(s.Changes[j].Activation, previews[i][j].Activation)
		}
	}
	return operations, previews, nil
}

// operationOf converts a step to an operation.
func operationOf(s *Step) operation {
	m := operation{step: s.ID, target: s.Target}
	for _, change := range s.Changes {
		m.edits = append(m.edits, edit{
			Address: change.Address, before: change.Before, after: change.After, inverse: change.Inverse, rules: rulesOf(change.Causes),
			from: change.Before, to: []value{change.After}, write: []Assignment{{Address: change.Address, Value: change.After}},
		})
	}
	return m
}

// rulesOf returns the ids of the rules, each once.
func rulesOf(causes []Cause) []string {
	var ids []string
	for _, c := range causes {
		if !slices.Contains(ids, c.Rule) {
			ids = append(ids, c.Rule)
		}
	}
	return ids
}

// previewsOf asks for the previews of requests, and checks that the answer has one for each wanted assignment.
func previewsOf(ctx context.Context, s Settings, requests []Request) ([][]Preview, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	all, err := s.Preview(ctx, requests)
	fits := len(all) == len(requests)
	for i := 0; fits && i < len(all); i++ {
		fits = len(all[i]) == len(requests[i].Assignments)
	}
	if err == nil && !fits {
		err = errors.New("unexpected number of prospects in the answer")
	}
	if err != nil {
		return nil, fmt.Errorf("checking the changes: %w", err)
	}
	return all, nil
}

// stricter returns the stricter of the plan's activation and the current one: a rule may ask for more than the server,
// and a VM may have been started since.
func stricter(planned, now inventory.Activation) inventory.Activation {
	if now == "" || now.MilderThan(planned) {
		return planned
	}
	return now
}

// missingPrivileges names the privileges that a step needs and the user does not have.
func missingPrivileges(s *Step, c Condition, previews []Preview) []string {
	var needed []string
	for i, change := range s.Changes {
		needed = slices.Concat(needed, change.Privileges, previews[i].Privileges)
	}
	missing := c.missingPrivileges(needed)
	if len(missing) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("step %d on %s: the account does not have the privilege %s on it", s.ID, s.Target.Name, strings.Join(missing, ", "))}
}
