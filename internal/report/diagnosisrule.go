package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// judgedObjects names the objects that a rule checks; name returns the word for a kind of object.
func judgedObjects(r *advice.Rule, name func(inventory.Scope) string) string {
	word := name(r.Scope)
	skips := r.Skips()
	if len(skips) == 0 {
		return word
	}
	if r.Scope != inventory.ScopeVM {
		word += " of a " + name(inventory.ScopeVM)
	}
	switch {
	case len(skips) == len(advice.VMStates()):
		return word + " that runs"
	case skips[0] == advice.VMTemplate:
		return word + " that is no template"
	}
	return word + " that runs or is a template"
}

// EvaluatedOn says which objects a rule is evaluated against; scope and rule write the kind of an object and the id of a rule.
func EvaluatedOn(r *advice.Rule, scope func(inventory.Scope) string, rule func(id string) string) string {
	if len(r.Explains) == 0 {
		return "looks at each " + judgedObjects(r, scope)
	}
	text := fmt.Sprintf("looks at each %s where %s found something", scope(r.Scope), or(collect.Map(r.Explains, rule)))
	switch {
	case r.Verdict == advice.VerdictHarmless:
		text += "; its symptoms are harmless"
	case r.At != r.Scope:
		text += "; the cause lies at its " + scope(r.At)
	}
	return text
}

// atTerminal returns the text of EvaluatedOn without links.
func atTerminal(r *advice.Rule) string {
	return EvaluatedOn(r, func(s inventory.Scope) string { return string(s) }, asIs)
}

// or joins alternatives.
func or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func asIs(id string) string { return id }

// Remedies lists the rules and actions that remove the cause of a diagnosis; name formats the id of a rule.
func Remedies(r *advice.Rule, name func(id string) string) []string {
	if len(r.Explains) == 0 {
		return nil
	}
	var items []string
	if r.Action != "" {
		items = append(items, r.Action)
	}
	ids := slices.Clone(r.Fixes)
	for i, id := range ids {
		ids[i] = name(id)
	}
	if len(ids) > 0 {
		items = append(items, fmt.Sprintf("The fix is that of %s.", or(ids)))
	}
	switch {
	case r.Verdict == advice.VerdictHarmless && len(items) == 0:
		items = append(items, "Nothing: all is well.")
	case r.Effort != "":
		items = append(items, fmt.Sprintf("Effort: %s.", r.Effort))
	}
	if r.Only {
		items = append(items, "vperf recommends the change only with this diagnosis.")
	}
	if ids := slices.Clone(r.Follows); len(ids) > 0 {
		for i, id := range ids {
			ids[i] = name(id)
		}
		items = append(items, fmt.Sprintf("A consequence of %s, where that is proven there too.", or(ids)))
	}
	return items
}
