package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// value is a setting's value; absent is a setting that is not there.
type value = inventory.Fact[inventory.Value]

// way is how a tool reads and writes one setting of a target, in the language of its script.
type way struct {
	read  string               // prints the present value
	write func(v value) string // nil where the tool cannot write that
	show  func(v value) string // a value as read prints it; nil is its own text
	why   string               // why the tool cannot do it; "" if it can
}

// cannot is a setting that a tool cannot write.
func cannot(format string, args ...any) way { return way{why: fmt.Sprintf(format, args...)} }

func (w way) text(v value) string {
	if w.show != nil {
		return w.show(v)
	}
	return textOf(v)
}

// textOf returns a value as text; an absent one is empty.
func textOf(v value) string {
	known, _ := v.Value()
	return known.Text
}

func isAbsent(v value) bool {
	_, state, _ := v.Get()
	return state == inventory.StateAbsent
}

// move is one change of a script.
type move struct {
	target        tuning.Target
	what          string   // the object and its setting, made safe for a line
	about         []string // notes for readers of the script, one per line
	before, after string   // as read prints them
	back          string   // as read prints the value after the undo: it may be another, equivalent value
	read          string
	apply         []string
	undo          []string // empty: the change cannot be undone
	off           bool     // the VM has to be off
	why           string   // why it is a comment only
}

// moves translates all changes of a plan.
func moves(plan *tuning.Plan, find func(tuning.Target, tuning.Address) way) []move {
	var all []move
	for i := range plan.Steps {
		for j := range plan.Steps[i].Changes {
			all = append(all, newMove(&plan.Steps[i], &plan.Steps[i].Changes[j], find))
		}
	}
	return all
}

func newMove(s *tuning.Step, c *tuning.Change, find func(tuning.Target, tuning.Address) way) move {
	w := find(s.Target, c.Address)
	m := move{
		target: s.Target, about: about(s, c), why: w.why, off: c.Activation == inventory.ActivationPowerOff,
		what: oneLine(fmt.Sprintf("%s %s: %s", s.Target.Kind, s.Target.Name, c.Key())),
	}
	if m.why != "" {
		return m
	}
	m.read, m.before, m.after = w.read, w.text(c.Before), w.text(c.After)
	m.apply = []string{w.write(c.After)}
	for _, a := range c.Inverse.Write {
		back := find(s.Target, a.Address)
		if back.why != "" {
			m.why = "undo: " + back.why
			return m
		}
		m.undo = append(m.undo, back.write(a.Value))
		if a.Key() == c.Key() {
			m.back = back.text(a.Value)
		}
	}
	return m
}

// about returns notes on a change that its command does not show.
func about(s *tuning.Step, c *tuning.Change) []string {
	var rules []string
	for _, cause := range c.Causes {
		if !slices.Contains(rules, cause.Rule) {
			rules = append(rules, cause.Rule)
		}
	}
	lines := []string{
		fmt.Sprintf("step %d: %s %s (%s)", s.ID, s.Target.Kind, s.Target.Name, s.Target.Path),
		fmt.Sprintf("%s: %s -> %s, for %s", c.Key(), shown(c.Before), shown(c.After), strings.Join(rules, ", ")),
		"needs: " + string(c.Activation),
	}
	if s.Deferred != "" {
		lines = append(lines, "deferred: "+s.Deferred)
	}
	if s.Owner != "" {
		lines = append(lines, fmt.Sprintf("owner: %s; the change belongs in %s", s.Owner, s.Place))
	}
	if c.Inverse.Kind == inventory.InverseNone {
		lines = append(lines, "cannot be undone: "+c.Inverse.About)
	}
	for i, l := range lines {
		lines[i] = oneLine(l)
	}
	return lines
}

func shown(v value) string {
	if isAbsent(v) {
		return "unset"
	}
	return fmt.Sprintf("%q", textOf(v))
}

// oneLine makes untrusted text safe for a comment or a message: no line breaks or control characters.
func oneLine(s string) string { return iostreams.Sanitize(s) }

// heading describes a script in a comment at its beginning.
func heading(plan *tuning.Plan, tool string) []string {
	return []string{
		oneLine(fmt.Sprintf("A vperf plan for %s as a script for %s.", plan.Server.Name, tool)),
		fmt.Sprintf("Values read %s; digest %s.", plan.Made.UTC().Format(time.RFC3339), oneLine(plan.Digest)),
		"Each change is made only if the current value is the one in the plan, and is read back.",
	}
}
