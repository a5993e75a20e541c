package tuning

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// show is a value for people.
func show(f value) string {
	v, state, reason := f.Get()
	switch {
	case state == inventory.StateAbsent:
		return "not set"
	case state == inventory.StateUnread:
		return "unread (" + reason + ")"
	case v.Text == "" || strings.TrimSpace(v.Text) != v.Text:
		return strconv.Quote(v.Text)
	}
	return v.Text
}

// sentence says what a move does.
func (m *move) sentence() string {
	var parts []string
	for _, t := range m.turns {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", t.Key(), show(t.from), show(t.to[0])))
	}
	verb := "changing "
	if m.back {
		verb = "changing back "
	}
	return verb + strings.Join(parts, ", ") + " on " + m.target.Name
}

// post leaves a trace on the object. That it cannot is no failure, and said once.
func (w *work) post(ctx context.Context, m move) error {
	var rules []string
	for _, t := range m.turns {
		rules = append(rules, t.rules...)
	}
	slices.Sort(rules)
	text := []string{fmt.Sprintf("vperf run %s: %s (rule %s)", w.run.ID, m.sentence(), strings.Join(slices.Compact(rules), ", "))}
	for _, why := range []string{w.terms.Reason, w.terms.Ticket} {
		if why != "" {
			text = append(text, why)
		}
	}
	err := w.estate.Events.Post(ctx, m.target, strings.Join(text, "; "))
	if err == nil || w.muted {
		return nil
	}
	w.muted = true
	return w.warn(m.step, m.target, "no event was left on %s: %v; of other objects this is not said again", m.target.Name, err)
}
