package ruletool

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/internal/examplefleet"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// RunExamples evaluates every example of the rules and returns the ones that fail, as RuleErrors at the example's position.
// It also returns the number of examples.
func RunExamples(ctx context.Context, set *advice.Ruleset) (examples int, err error) {
	var bad strictyaml.Errors
	for _, p := range set.Probes() {
		for i := range p.Rule().Examples {
			e := &p.Rule().Examples[i]
			if err := ctx.Err(); err != nil {
				return examples, err
			}
			examples++
			if message := runExample(p, e); message != "" {
				bad = append(bad, p.Rule().Mistake(fmt.Sprintf("example %q: %s", e.Name, message), "examples", i, "facts"))
			}
		}
	}
	return examples, bad.Err()
}

// runExample returns the error in an example, or "".
func runExample(p *advice.Probe, e *advice.Example) string {
	fleet, err := examplefleet.Build(&e.Facts)
	if err != nil {
		return err.Error()
	}
	return runExampleOn(p, fleet, e)
}

// runExampleOn returns the error in an example whose fleet is built, or "".
func runExampleOn(p *advice.Probe, fleet *inventory.Snapshot, e *advice.Example) string {
	f, err := p.Judge(fleet, e.Profile, e.Findings)
	switch {
	case err != nil:
		return err.Error()
	case f.Outcome != e.Expect:
		return fmt.Sprintf("expected %s, got %s%s", e.Expect, f.Outcome, becauseOf(f))
	case e.Severity != "" && f.Severity != e.Severity:
		return fmt.Sprintf("expected severity %s, got %s for profile %s", e.Severity, f.Severity, f.Profile)
	}
	return checkRemedies(e, f)
}

func becauseOf(f advice.Finding) string {
	if len(f.Gaps) > 0 {
		return fmt.Sprintf(": %s of %s is unread (%s)", f.Gaps[0].Fact, f.Gaps[0].Object.Name, f.Gaps[0].Reason)
	}
	if f.Reason != "" {
		return ": " + f.Reason
	}
	return ""
}

func checkRemedies(e *advice.Example, f advice.Finding) string {
	have, consent := map[string]string{}, map[string]inventory.Consent{}
	for _, c := range f.Remedies {
		if v, ok := c.To.Value(); ok {
			have[c.Setting.String()] = v.Text
		}
		consent[c.Setting.String()] = c.Consent
	}
	for _, address := range slices.Sorted(maps.Keys(e.Consent)) {
		if got := consent[address]; got != e.Consent[address] {
			return fmt.Sprintf("expected consent %s for %s, got %q", e.Consent[address], address, got)
		}
	}
	for _, address := range slices.Sorted(maps.Keys(have)) {
		if _, expected := e.To[address]; e.To != nil && !expected {
			return fmt.Sprintf("expected no remedy that sets %s, got one to %s", address, have[address])
		}
	}
	for _, address := range slices.Sorted(maps.Keys(e.To)) {
		if got, ok := have[address]; !ok {
			return fmt.Sprintf("expected a remedy that sets %s to %s, but there is none", address, e.To[address])
		} else if got != e.To[address] {
			return fmt.Sprintf("expected %s to be set to %s, not to %s", address, e.To[address], got)
		}
	}
	return ""
}
