package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// notShown is the page of the rules that the demo fleet cannot make fail.
const notShown = "../../docs/demo.md"

func library(t *testing.T) []*advice.Rule {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	return l.Rules()
}

// cannotFail is why no fact of the fleet makes a rule fail, or "".
func cannotFail(r *advice.Rule) string {
	switch {
	case r.Manual != "":
		return "only a person can look"
	case len(r.Live()) > 0:
		return "live counters: " + strings.Join(r.Live(), ", ")
	}
	return ""
}

func TestRulesThatTheDemoCannotShow(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What the demo fleet does not show\n\n" +
		"Every rule fails for an object of the demo fleet and passes, or does not apply, for another: `vperf audit --demo --all`.\n" +
		"These are the others. `vperf explain RULE` says how to look.\n\n| rule | why |\n|---|---|\n")
	for _, r := range library(t) {
		if why := cannotFail(r); why != "" {
			fmt.Fprintf(&b, "| [%s](best-practices.md#%s) | %s |\n", r.ID, r.ID, why)
		}
	}
	golden.Equal(t, notShown, []byte(b.String()))
}

// showsAllRules FILE holds the findings of an audit with --all against the library: each rule fails for one object and not for
// another, or is on the page of those that cannot.
func showsAllRules(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shown FILE")
	}
	var audit struct {
		Findings []struct {
			Rule    string         `json:"rule"`
			Outcome advice.Outcome `json:"outcome"`
		} `json:"findings"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &audit))
	outcomes := map[string][]advice.Outcome{}
	for _, f := range audit.Findings {
		outcomes[f.Rule] = append(outcomes[f.Rule], f.Outcome)
	}
	page, err := os.ReadFile(notShown)
	ts.Check(err)
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	ts.Check(err)
	var missing []string
	for _, r := range l.Rules() {
		if strings.Contains(string(page), "| ["+r.ID+"](") {
			continue
		}
		have := outcomes[r.ID]
		if !slices.Contains(have, advice.Fail) {
			missing = append(missing, r.ID+" fails for no object")
		}
		one := r.Scope == inventory.ScopeVCenter // the fleet has one vCenter
		if !one && !slices.Contains(have, advice.Pass) && !slices.Contains(have, advice.NotApplicable) {
			missing = append(missing, r.ID+" has no object that it passes or does not apply to")
		}
	}
	if len(missing) > 0 {
		ts.Fatalf("the demo fleet does not show all rules:\n%s", strings.Join(missing, "\n"))
	}
}
