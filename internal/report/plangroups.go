package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// groupSteps groups changes of several objects that are skipped for the same reason.
func groupSteps(all []tuning.Skipped) [][]tuning.Skipped {
	var by collect.ByKey[string, []tuning.Skipped]
	for _, l := range all {
		key := strings.Join(append(slices.Clone(l.Rules), l.Address.Key(), l.Address.Label, l.Why), "\x00")
		if l.Refused {
			key += "\x00refused"
		}
		g := by.At(key)
		*g = append(*g, l)
	}
	return by.Values()
}

// targetNames returns the distinct names of the skipped targets.
func targetNames(all []tuning.Skipped) []string {
	return once(all, func(l tuning.Skipped) []string { return []string{l.Target.Name} })
}

// rulesWithSkipped returns the distinct rules that ask for the skipped changes.
func rulesWithSkipped(all []tuning.Skipped) []string {
	return once(all, func(l tuning.Skipped) []string { return l.Rules })
}

// once returns the distinct words that of returns for the skipped changes.
func once(all []tuning.Skipped, of func(tuning.Skipped) []string) []string {
	var words collect.Distinct
	for _, l := range all {
		for _, w := range of(l) {
			words.Add(w)
		}
	}
	return words.Words
}

// rulesAsking returns the distinct rules that ask for a change, with the devices of the target that failed them.
func rulesAsking(of tuning.Target, c *tuning.Change) []string {
	var ids []string
	on := map[string][]string{}
	for _, cause := range c.Causes {
		if !slices.Contains(ids, cause.Rule) {
			ids = append(ids, cause.Rule)
		}
		object := strings.TrimPrefix(cause.Object, of.Path+"/")
		if object != "" && object != cause.Rule && !slices.Contains(on[cause.Rule], object) {
			on[cause.Rule] = append(on[cause.Rule], object)
		}
	}
	for i, id := range ids {
		if on[id] != nil {
			ids[i] += " on " + join(on[id])
		}
	}
	return ids
}

// causesOf returns the causes of all changes, one per rule.
func causesOf(plan *tuning.Plan) []tuning.Cause {
	var all []tuning.Cause
	for _, s := range plan.Steps {
		for _, c := range s.Changes {
			for _, cause := range c.Causes {
				if !slices.ContainsFunc(all, func(o tuning.Cause) bool { return o.Rule == cause.Rule }) {
					all = append(all, cause)
				}
			}
		}
	}
	return all
}

// planSummary counts changes by their requirements, and the skipped changes.
func planSummary(plan *tuning.Plan) string {
	by := map[inventory.Activation]int{}
	changes, deferred, refused := 0, 0, 0
	for _, s := range plan.Steps {
		changes += len(s.Changes)
		if s.Deferred != "" {
			deferred += len(s.Changes)
		}
		for _, c := range s.Changes {
			by[c.Activation]++
		}
	}
	for _, l := range plan.Skipped {
		if l.Refused {
			refused++
		}
	}
	var parts []string
	for _, a := range inventory.Activations() {
		if by[a] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[a], a))
		}
	}
	text := "nothing to change"
	if changes > 0 {
		text = fmt.Sprintf("%s in %s (%s)", plural.Count(changes, "change"), plural.Count(len(plan.Steps), "step"), strings.Join(parts, ", "))
	}
	if deferred > 0 {
		text += fmt.Sprintf(", %d deferred", deferred)
	}
	return fmt.Sprintf("%s; %d refused, %d skipped", text, refused, len(plan.Skipped)-refused)
}

// Extent counts the objects and settings that a plan changes.
func Extent(plan *tuning.Plan) string {
	changes := 0
	kinds := map[inventory.Scope]map[string]bool{}
	for _, s := range plan.Steps {
		changes += len(s.Changes)
		if kinds[s.Target.Kind] == nil {
			kinds[s.Target.Kind] = map[string]bool{}
		}
		kinds[s.Target.Kind][s.Target.Key()] = true
	}
	if changes == 0 {
		return "nothing to change"
	}
	var parts []string
	for _, kind := range []inventory.Scope{
		inventory.ScopeHost, inventory.ScopeVM, inventory.ScopeCluster, inventory.ScopePool, inventory.ScopeSwitch, inventory.ScopeDatastore,
	} {
		if n := len(kinds[kind]); n > 0 {
			parts = append(parts, plural.Count(n, wording.TargetKind(kind)))
		}
	}
	return plural.Count(changes, "change") + " to " + strings.Join(parts, ", ")
}
