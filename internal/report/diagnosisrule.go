package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// looksAt says which objects a rule is held against, for the guide.
func looksAt(r *advice.Rule) string {
	if len(r.Explains) == 0 {
		return "Looks at each " + judgedObjects(r, scopeName)
	}
	links := make([]string, len(r.Explains))
	for i, id := range r.Explains {
		links[i] = linkTo(id)
	}
	said := fmt.Sprintf("Looks at each %s where %s found something", scopeName(r.Scope), or(links))
	switch {
	case r.Verdict == advice.VerdictHarmless:
		said += "; what it explains is harmless"
	case r.At != r.Scope:
		said += "; the cause lies at its " + scopeName(r.At)
	}
	return said
}

// judgedObjects names the objects that a rule judges, where name gives the word for a kind of object.
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

// atTerminal says the same without links.
func atTerminal(r *advice.Rule) string {
	if len(r.Explains) == 0 {
		return "looks at each " + judgedObjects(r, func(s inventory.Scope) string { return string(s) })
	}
	said := fmt.Sprintf("looks at each %s where %s found something", r.Scope, or(r.Explains))
	switch {
	case r.Verdict == advice.VerdictHarmless:
		said += "; what it explains is harmless"
	case r.At != r.Scope:
		said += fmt.Sprintf("; the cause lies at its %s", r.At)
	}
	return said
}

// or joins words of which one is enough.
func or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func asIs(id string) string { return id }

// cures are what takes the cause of a diagnosis away; name writes the id of a rule.
func cures(r *advice.Rule, name func(id string) string) []string {
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
		items = append(items, fmt.Sprintf("The remedy is what %s proposes.", or(ids)))
	}
	switch {
	case r.Verdict == advice.VerdictHarmless && len(items) == 0:
		items = append(items, "Nothing: all is well.")
	case r.Effort != "":
		items = append(items, fmt.Sprintf("Effort: %s.", r.Effort))
	}
	if r.Only {
		items = append(items, "Without this diagnosis nobody is advised to make the change.")
	}
	if ids := slices.Clone(r.Follows); len(ids) > 0 {
		for i, id := range ids {
			ids[i] = name(id)
		}
		items = append(items, fmt.Sprintf("A consequence of %s, where that is proven there too.", or(ids)))
	}
	return items
}
