package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
)

// faultColumn is a command of the matrix.
type faultColumn struct {
	name string
	args []string
	at   map[faultPhase]callAt
	run  func(t *testing.T, c faultCell) (word string)
	// facts are the results in an output of a command that reads: what it says about what.
	facts func(t *testing.T, output string) map[string]string

	live   bool // its results depend on counters, and these on the time
	others bool // with fewer facts it may have results that it does not have otherwise: another cause of the same symptom

	whole func(t *testing.T, c *faultColumn) map[string]string // the facts without a fault, once
}

// callAt says which calls of a command meet a fault.
type callAt struct {
	method      string
	from, times int
}

// readColumn is a command that reads.
func readColumn(name, args string, own callAt, facts func(*testing.T, string) map[string]string) faultColumn {
	var once sync.Once
	var found map[string]string
	return faultColumn{
		name: name, args: strings.Fields(args), run: readsThrough, facts: facts,
		at: map[faultPhase]callAt{
			connecting: {"RetrieveServiceContent", 1, 0}, oneRead: {"RetrievePropertiesEx", 2, 1}, allReads: {"RetrievePropertiesEx", 2, 0}, acting: own,
		},
		whole: func(t *testing.T, c *faultColumn) map[string]string {
			t.Helper()
			once.Do(func() {
				fleet, err := sharedFaultFleet()
				require.NoError(t, err)
				r := readFrom(t, faultCell{column: c}, fleet, nil)
				require.Zero(t, r.code, r.stderr)
				found = c.facts(t, r.stdout)
				require.NotEmpty(t, found)
			})
			return found
		},
	}
}

// readFrom runs a command that reads, through a fault if there is one. It returns the file that the command saved as its output.
func readFrom(t *testing.T, c faultCell, fleet *simfleet.Fleet, fault *faulty.Fault) faultRun {
	t.Helper()
	s := newFaultStage(t, fleet, faulty.Hooks{})
	if fault != nil {
		s.env = append(s.env, shortCalls+"="+c.limit(), shortWaits+"="+c.waits())
		s.proxy.Inject(*fault)
	}
	args, file := c.column.args, filepath.Join(s.state, "saved")
	if args[len(args)-1] == "--out" {
		args = append(slices.Clip(args), file)
	}
	r := s.bounded(t, args...)
	r.hits = s.proxy.Hits()
	s.clean(t, r, fleet.Password())
	if saved, err := os.ReadFile(filepath.Clean(file)); err == nil {
		require.Empty(t, r.stdout)
		r.stdout = string(saved)
	}
	return r
}

// readsThrough runs a command that reads through a fault. What it shows is what it shows without one, or less, and then it says why.
func readsThrough(t *testing.T, c faultCell) string {
	t.Helper()
	if c.phase == meanwhile {
		return readsAround(t, c)
	}
	whole := c.column.whole(t, c.column)
	fleet, err := sharedFaultFleet()
	require.NoError(t, err)
	fault := c.fault()
	r := readFrom(t, c, fleet, &fault)
	require.Positive(t, r.hits, "no call met the fault:\n%s", r.stderr)
	require.Contains(t, []int{exitClean, exitFailed, exitIncomplete, exitRefused}, r.code, r.stderr)
	if r.code == exitRefused {
		require.Equal(t, "plan", c.column.name)
		require.Regexp(t, c.row.says, r.text())
		return fmt.Sprintf("refuses %d", r.code)
	}
	if r.code != exitClean {
		require.Empty(t, r.stdout)
		require.Contains(t, r.stderr, "vperf: ")
		require.True(t, names(r.stderr, "127.0.0.1:", "vcenter.demo.local"), "the server is named:\n%s", r.stderr)
		require.Regexp(t, c.row.says, r.stderr)
		return fmt.Sprintf("ends %d", r.code)
	}
	facts := c.column.facts(t, r.stdout)
	less := 0
	for key, is := range whole {
		if got, there := facts[key]; !there || got == unknownFact && is != unknownFact {
			less++
		} else if is != got {
			t.Errorf("%s is %s instead of %s", key, got, is)
		}
	}
	for key, got := range facts {
		if _, there := whole[key]; !there && got != unknownFact && !c.column.others {
			t.Errorf("%s is %s only with the fault", key, got)
		}
	}
	if less > 0 {
		require.Regexp(t, c.row.says, r.text(), "it says why")
		t.Logf("%d of %d results are missing or unknown", less, len(whole))
	}
	switch {
	case c.row.kind == faulty.Restarts && c.phase == acting:
		return "either 0" // it depends on the calls that are under way
	case less == 0:
		return "whole 0"
	}
	return "part 0"
}

// unknownFact is a result that the command could not have.
const unknownFact = "unknown"

// auditFacts are the outcomes of rules.
func auditFacts(t *testing.T, output string) map[string]string {
	t.Helper()
	all, err := auditFindings([]byte(output))
	require.NoError(t, err)
	facts := map[string]string{}
	for _, f := range all {
		facts[f.Rule+" of "+f.Object.ID] = f.Outcome
	}
	return facts
}

// adviceFacts are the recommendations.
func adviceFacts(t *testing.T, output string) map[string]string {
	t.Helper()
	var advised struct {
		Recommendations []struct {
			ID, Verdict string
			Objects     []struct{ Object struct{ ID string } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(output), &advised))
	facts := map[string]string{}
	for _, r := range advised.Recommendations {
		for _, o := range r.Objects {
			facts[r.ID+" of "+o.Object.ID] = r.Verdict
		}
	}
	return facts
}

// topFacts are the rows of tables.
func topFacts(t *testing.T, output string) map[string]string {
	t.Helper()
	facts := map[string]string{}
	for line := range strings.Lines(output) {
		facts[strings.TrimSpace(line)] = "shown"
	}
	return facts
}

// planFacts are the changes.
func planFacts(t *testing.T, output string) map[string]string {
	t.Helper()
	var plan struct {
		Steps []struct {
			Target  struct{ ID, Name string }
			Changes []struct {
				Setting       string
				Before, After any
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(output), &plan))
	facts := map[string]string{}
	for _, s := range plan.Steps {
		for _, c := range s.Changes {
			facts[s.Target.Name+" "+c.Setting] = fmt.Sprint(c.Before, " → ", c.After)
		}
	}
	return facts
}

// snapshotFacts are all values, by their place; unread ones are unknown.
func snapshotFacts(t *testing.T, output string) map[string]string {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal([]byte(output), &all))
	facts := map[string]string{}
	addFacts(facts, "", all)
	for key := range facts {
		if strings.HasSuffix(key, "/takenAt") || strings.HasSuffix(key, "/unread") { // the time, and why something was not read
			delete(facts, key)
		}
	}
	return facts
}

func addFacts(facts map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, unread := v["$unread"]; unread {
			facts[at] = unknownFact
			return
		}
		for key, inner := range v {
			addFacts(facts, at+"/"+key, inner)
		}
	case []any:
		for i, inner := range v {
			addFacts(facts, fmt.Sprintf("%s/%s", at, elementName(i, inner)), inner)
		}
	default:
		facts[at] = fmt.Sprint(v)
	}
}

// elementName is what an element of a list is known by, whatever its place.
func elementName(i int, v any) string {
	if of, is := v.(map[string]any); is {
		for _, key := range []string{"id", "device", "key"} {
			if id, has := of[key].(string); has {
				return id
			}
		}
	}
	return strconv.Itoa(i)
}
