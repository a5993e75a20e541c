// Package waiting knows the changes of runs that are not made or not in force yet.
package waiting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/tuning"
)

// Changing is a server that is being changed, and the journals.
type Changing struct {
	Estate tuning.Estate
	Server tuning.Server
	Runs   *tuning.Runs
}

// Value is a value of a run that waits for an event.
type Value struct {
	Run    string
	Result tuning.Result
}

// Earlier returns waiting changes of earlier runs: those that findings are pending for, and those that the outcome found
// already made. It asks the server, because the event they wait for may have happened.
func (c Changing) Earlier(ctx context.Context, findings []*advice.Finding, o *tuning.Outcome) ([]Value, error) {
	pending, err := c.Runs.Pending(c.Server)
	if err != nil {
		return nil, err
	}
	looked := map[string]*tuning.Outcome{}
	var all []Value
	for _, p := range pending {
		if p.Run == o.Run || !c.isPendingFor(p, findings) && !alreadyMade(p, o) {
			continue
		}
		if looked[p.Run] == nil {
			if looked[p.Run], err = tuning.Verify(ctx, c.Estate, c.Runs, p.Run); err != nil {
				return nil, err
			}
		}
		for _, r := range looked[p.Run].Results {
			if r.Waits != "" && settingKey(&r) == p.Target.Key()+" "+p.Key() {
				all = append(all, Value{Run: p.Run, Result: r})
			}
		}
	}
	return all, nil
}

// isPendingFor reports a value that one of the findings is pending for.
func (c Changing) isPendingFor(p tuning.Waiting, findings []*advice.Finding) bool {
	return slices.ContainsFunc(causes(c.Runs, c.Server, p), func(w advice.Waiting) bool {
		return slices.ContainsFunc(findings, func(f *advice.Finding) bool {
			return f.Pending != "" && f.Rule.ID == w.Rule && (f.Object.Path == w.Object || w.Object == "" && f.Object.ID == w.ID)
		})
	})
}

// alreadyMade reports a value that the outcome found to be there already.
func alreadyMade(p tuning.Waiting, o *tuning.Outcome) bool {
	return slices.ContainsFunc(o.Results, func(r tuning.Result) bool {
		return r.State == tuning.StateSame && settingKey(&r) == p.Target.Key()+" "+p.Key()
	})
}

// AfterApply says what has to follow a run on a source, and the earlier runs of some values; nothing is that all is done.
func AfterApply(from typed.Source, o *tuning.Outcome, earlier int) (why []string) {
	undone, waits := 0, 0
	for i := range o.Results {
		switch r := &o.Results[i]; {
		case r.State == tuning.StateDeferred, r.State == tuning.StateUntouched:
			undone++
		case r.Waits != "":
			waits++
		}
	}
	if undone > 0 {
		why = append(why, plural.Count(undone, "change")+" not made yet: see above for the missing requirements, then run "+from.Command("apply")+" again")
	}
	if waits > 0 {
		why = append(why, notInForce(waits, from.Command("history", "verify", o.Run)))
	}
	if earlier > 0 {
		why = append(why, notInForce(earlier, from.Command("history", "verify")))
	}
	return why
}

// AfterRollback says what a rollback on a source left; nothing is that all is undone.
func AfterRollback(from typed.Source, o *tuning.Outcome) (why []string) {
	there, waits := 0, 0
	for i := range o.Results {
		switch r := &o.Results[i]; {
		case MayHaveWritten(r) && r.State != tuning.StateUndone:
			there++
		case r.Waits != "":
			waits++
		}
	}
	if there > 0 {
		why = append(why, plural.Count(there, "change")+" not undone: see above for the reasons")
	}
	if waits > 0 {
		why = append(why, fmt.Sprintf("%s undone but still in effect: see above for the required steps; %s checks again", plural.Count(waits, "change"), from.Command("history", "verify", o.Run)))
	}
	return why
}

func notInForce(n int, check string) string {
	return plural.Count(n, "change") + " not in effect yet: see above for the required steps; " + check + " checks again"
}

// On returns the values written to servers that may not be in force yet, according to the journals of a folder.
func On(dir string, servers []tuning.Server) ([]advice.Waiting, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no changes were made from this machine; do not create folders
	}
	runs, err := tuning.OpenRuns(dir)
	if err != nil {
		return nil, err
	}
	var all []advice.Waiting
	for _, s := range servers {
		pending, failed := runs.Pending(s)
		for _, p := range pending {
			all = append(all, causes(runs, s, p)...)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

// causes returns one entry for each finding that requested the waiting value p. A reverted value that waits has no
// such finding.
func causes(runs *tuning.Runs, s tuning.Server, p tuning.Waiting) []advice.Waiting {
	if p.Undone {
		return nil
	}
	w := advice.Waiting{
		VCenter: s.Name, Kind: p.Target.Kind, ID: p.Target.ID, Path: p.Target.Path, Activation: p.Activation, Since: p.Since, Booted: p.Booted, Run: p.Run,
	}
	var all []advice.Waiting
	for _, c := range causesIn(runs, p) {
		w.Rule, w.Object = c.Rule, c.Object
		all = append(all, w)
	}
	return all
}

// causesIn are the causes that a run's plan names for a value.
func causesIn(runs *tuning.Runs, p tuning.Waiting) []tuning.Cause {
	run, err := runs.Get(p.Run)
	if err != nil || run.Plan == nil {
		return nil
	}
	var causes []tuning.Cause
	for _, step := range run.Plan.Steps {
		for _, c := range step.Changes {
			if step.Target.Key() == p.Target.Key() && c.Key() == p.Key() {
				causes = append(causes, c.Causes...)
			}
		}
	}
	return causes
}

// MayHaveWritten reports a change that left something on the server, or may have.
func MayHaveWritten(r *tuning.Result) bool {
	switch r.State {
	case tuning.StateUntouched, tuning.StateSame, tuning.StateDeferred, tuning.StateFailed:
		return false
	}
	return true
}

func settingKey(r *tuning.Result) string { return r.Target.Key() + " " + r.Key() }
