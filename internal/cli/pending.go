package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/tuning"
)

// earlierWaiting returns waiting changes of earlier runs: those that findings are pending for, and those that the outcome found
// already made. It asks the server, because the event they wait for may have happened.
func (a *applying) earlierWaiting(ctx context.Context, findings []advice.Finding, o *tuning.Outcome) ([]report.Waiting, error) {
	pending, err := a.runs.Pending(a.server)
	if err != nil {
		return nil, err
	}
	looked := map[string]*tuning.Outcome{}
	var all []report.Waiting
	for _, p := range pending {
		if p.Run == o.Run || !a.isPendingFor(p, findings) && !alreadyMade(p, o) {
			continue
		}
		if looked[p.Run] == nil {
			if looked[p.Run], err = tuning.Verify(ctx, a.estate, a.runs, p.Run); err != nil {
				return nil, err
			}
		}
		for _, r := range looked[p.Run].Results {
			if r.Waits != "" && settingKey(&r) == p.Target.Key()+" "+p.Key() {
				all = append(all, report.Waiting{Run: p.Run, Result: r})
			}
		}
	}
	return all, nil
}

// isPendingFor reports a value that one of the findings is pending for.
func (a *applying) isPendingFor(p tuning.Waiting, findings []advice.Finding) bool {
	return slices.ContainsFunc(causesWaiting(a.runs, a.server, p), func(w advice.Waiting) bool {
		return slices.ContainsFunc(findings, func(f advice.Finding) bool {
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

// pendingAfter is the error of a run that something has to follow; nil is that all is done.
func pendingAfter(o *tuning.Outcome, earlier []report.Waiting) error {
	undone, waits := 0, 0
	for i := range o.Results {
		switch r := &o.Results[i]; {
		case r.State == tuning.StateDeferred, r.State == tuning.StateUntouched:
			undone++
		case r.Waits != "":
			waits++
		}
	}
	e := new(pendingError)
	if undone > 0 {
		e.why = append(e.why, plural.Count(undone, "change")+" not made yet: see above for the missing requirements, then run vperf apply again")
	}
	if waits > 0 {
		e.why = append(e.why, notInForce(waits, " "+o.Run))
	}
	if len(earlier) > 0 {
		e.why = append(e.why, notInForce(len(earlier), ""))
	}
	if e.why == nil {
		return nil
	}
	return e
}

// notUndoneError is the error of a rollback that left something; nil is that it did not.
func notUndoneError(o *tuning.Outcome) error {
	there, waits := 0, 0
	for i := range o.Results {
		switch r := &o.Results[i]; {
		case mayHaveWritten(r) && r.State != tuning.StateUndone:
			there++
		case r.Waits != "":
			waits++
		}
	}
	e := new(pendingError)
	if there > 0 {
		e.why = append(e.why, plural.Count(there, "change")+" not undone: see above for the reasons")
	}
	if waits > 0 {
		e.why = append(e.why, fmt.Sprintf("%s undone but still in effect: see above for the required steps; vperf history verify %s checks again", plural.Count(waits, "change"), o.Run))
	}
	if e.why == nil {
		return nil
	}
	return e
}

func notInForce(n int, run string) string {
	return plural.Count(n, "change") + " not in effect yet: see above for the required steps; vperf history verify" + run + " checks again"
}

// waiting returns the values written to servers that may not be in force yet, according to the journals of this machine.
// Unreadable journals do not prevent an audit.
func waiting(f *Factory, servers ...tuning.Server) []advice.Waiting {
	all, err := pendingOn(servers)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "vperf: warning: cannot read which changes are pending: %s\n", iostreams.Sanitize(err.Error()))
	}
	return all
}

func pendingOn(servers []tuning.Server) ([]advice.Waiting, error) {
	dir, err := runsDir()
	if err != nil {
		return nil, err
	}
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
			all = append(all, causesWaiting(runs, s, p)...)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

// causesWaiting returns one entry for each finding that requested the waiting value p. A reverted value that waits has no
// such finding.
func causesWaiting(runs *tuning.Runs, s tuning.Server, p tuning.Waiting) []advice.Waiting {
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
