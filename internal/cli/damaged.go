package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/tuning"
)

// nameDamaged names the damaged runs of the server that are not set aside.
func (a *applying) nameDamaged() error {
	all, err := a.runs.List()
	for _, run := range all {
		if run.Damaged && !run.Aside && run.Server.UUID == a.server.UUID {
			fmt.Fprintf(a.io.Err, "vperf: warning: damaged journal: %s%s\n", iostreams.Sanitize(run.Broken), damagedHint(run.ID))
		}
	}
	return err
}

// damagedHint returns the commands for a damaged run.
func damagedHint(run string) string {
	run = iostreams.Sanitize(run)
	return fmt.Sprintf("; vperf rollback %s compares its plan with the server, vperf history set-aside %s ends this warning", run, run)
}

// restore compares a run whose journal does not tell what was done with the server, and restores by value what the user confirms. It returns
// an error until nothing of the run is left.
func (a *applying) restore(ctx context.Context, f *Factory, s sinks, run *tuning.Run) error {
	r, err := tuning.Compare(ctx, a.estate, a.runs, run.ID, time.Now())
	if err != nil {
		return err
	}
	if err := report.Remains(a.io.Err, r, onErr(a.io)); err != nil {
		return err
	}
	restored := new(tuning.Outcome)
	if !r.Plan.Empty() {
		if restored, err = a.restorePlan(ctx, r); restored == nil {
			return err
		}
		if failed := report.Outcome(a.io.Err, restored, onErr(a.io)); failed != nil {
			return errors.Join(err, failed)
		}
		again, failed := tuning.Compare(ctx, a.estate, a.runs, run.ID, time.Now())
		if failed != nil {
			return errors.Join(err, failed)
		}
		r = again
	}
	if left, more := r.Left(); err != nil || left > 0 || more {
		err = &tuning.FailedError{Err: errors.Join(err, fmt.Errorf("%s of run %s may still be on %s: see above for the reasons", plural.Count(left, "change"), run.ID, a.server.Name))}
	} else if run.Damaged {
		err = a.runs.SetAside(run.ID, a.options)
	}
	if err == nil {
		fmt.Fprintf(a.io.Err, "nothing of run %s is left%s\n", iostreams.Sanitize(run.ID), wording.On(a.server))
	}
	outcome := &tuning.Outcome{Run: run.ID, Results: r.Results, Warnings: r.Doubts}
	if err = reportOutcome(f, s, a.server, outcome, nil, err); err == nil {
		return stillPending(waiting.AfterApply(restored, 0))
	}
	return err
}

// restorePlan makes the changes that restore values, if the user confirms them.
func (a *applying) restorePlan(ctx context.Context, r *tuning.Remains) (*tuning.Outcome, error) {
	if err := report.Plan(a.io.Err, r.Plan, false, onErr(a.io)); err != nil {
		return nil, err
	}
	if err := windowOpen(a.options); err != nil {
		return nil, err
	}
	outages := restartsOf(r.Plan, a.options)
	outages.print(a.io)
	if !a.yes {
		if err := ask(ctx, a.io, "Restore the old values with "+report.Extent(r.Plan)+wording.On(a.server)+outages.text()+"?"); err != nil {
			return nil, err
		}
	}
	return r.Restore(ctx, a.estate, a.runs, a.options)
}

func newHistorySetAside() *cobra.Command {
	c := &cobra.Command{
		Use:   "set-aside RUN",
		Short: "Stop warnings about a run whose journal is damaged",
		Long: `Marks a run whose journal is damaged: other runs no longer name it, and if it had
not ended, it no longer stops them. No file is deleted or moved. It does not
contact a server: vperf rollback RUN shows what of the run is left there, also
after this.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or no such run, 8 the run is
in progress, 10 the journal is whole.`,
		Example: "  vperf history set-aside 20261120-2215",
		Args:    oneRun("vperf history list"),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := openRuns()
			if err != nil {
				return err
			}
			run, err := findRun(runs, args[0])
			if err != nil {
				return err
			}
			return runs.SetAside(run.ID, tuning.Options{User: whoRuns("no server")})
		},
	}
	c.ValidArgsFunction = completeRuns
	return c
}
