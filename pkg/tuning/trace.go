package tuning

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// formatFact formats a value for display.
func formatFact(f value) string {
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

// sentence describes an operation.
func (m *operation) sentence() string {
	var parts []string
	for _, t := range m.edits {
		parts = append(parts, fmt.Sprintf("%s from %s to %s", t.Key(), formatFact(t.from), formatFact(t.to[0])))
	}
	verb := "changing "
	if m.rollback {
		verb = "changing back "
	}
	return verb + strings.Join(parts, ", ") + " on " + m.target.Name
}

// post puts an event on the move's object. If that fails, it warns once per run and returns nil.
func (w *work) post(ctx context.Context, m operation) error { return w.postText(ctx, &m, m.sentence()) }

// postText puts an event with the given sentence on the move's object, as post does.
func (w *work) postText(ctx context.Context, m *operation, sentence string) error {
	var rules []string
	for _, t := range m.edits {
		rules = append(rules, t.rules...)
	}
	slices.Sort(rules)
	text := []string{fmt.Sprintf("vperf run %s: %s (rule %s)", w.run.ID, sentence, strings.Join(slices.Compact(rules), ", "))}
	for _, why := range []string{w.options.Reason, w.options.Ticket} {
		if why != "" {
			text = append(text, why)
		}
	}
	err := w.estate.Events.Post(ctx, m.target, strings.Join(text, "; "))
	if err == nil || w.muted {
		return nil
	}
	w.muted = true
	return w.warn(m.step, m.target, "could not post an event on %s: %v; further failures are not reported", m.target.Name, err)
}
