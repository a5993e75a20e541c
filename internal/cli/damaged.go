package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/tuning"
)

// nameDamaged names the damaged runs of the server that are not set aside.
func (a *applying) nameDamaged() error {
	all, err := a.runs.List()
	for _, run := range all {
		if run.Damaged && !run.Aside && run.Server.UUID == a.server.UUID {
			fmt.Fprintln(a.io.Err, iostreams.Sanitize(fmt.Sprintf("vperf: warning: damaged journal: %s; %s compares its plan with the server, %s ends this warning", run.Broken, a.f.typed.Command("rollback", run.ID), a.f.typed.Command("history", "set-aside", run.ID))))
		}
	}
	return err
}

// restore compares a run whose journal does not tell what was done with the server, and restores by value what the user confirms. It returns
// an error until nothing of the run is left.
func (a *applying) restore(ctx context.Context, f *Factory, s sinks, run *tuning.Run) error {
	fmt.Fprintf(a.io.Err, "%s; comparing its plan with the server\n", iostreams.Sanitize(cmp.Or(run.Broken, "run "+run.ID+" was interrupted, and the server has more of its changes than its journal knows: records are lost")))
	r, err := tuning.Compare(ctx, a.estate, a.runs, run.ID, time.Now())
	if err != nil {
		return err
	}
	restored := new(tuning.Outcome)
	if !r.Plan.Empty() {
		if err := errors.Join(onErr(f).Show(a.io.Err, report.Outcome(&r.Outcome, f.typed)), onErr(f).Show(a.io.Err, report.Plan(r.Plan, false, onErr(f)))); err != nil {
			return err
		}
		if err := a.confirm(ctx, restartsOf(r.Plan, a.options), "Restore the old values with "+report.Extent(r.Plan)); err != nil {
			return err
		}
		if restored, err = r.Restore(ctx, a.estate, a.runs, a.options); restored == nil {
			return err
		}
		again, failed := tuning.Compare(ctx, a.estate, a.runs, run.ID, time.Now())
		if failed = errors.Join(onErr(f).Show(a.io.Err, report.Outcome(restored, f.typed)), failed); failed != nil {
			return errors.Join(err, failed)
		}
		r = again
	}
	switch left := r.Left(); {
	case r.Lost && left == 0:
		err = &tuning.FailedError{Err: errors.Join(err, fmt.Errorf("what run %s left on %s cannot be determined, because its plan and its journal are damaged: check what it may have changed there", run.ID, a.server.Name))}
	case err != nil || left > 0:
		err = &tuning.FailedError{Err: errors.Join(err, fmt.Errorf("%s of run %s may still be on %s: see above for the reasons", plural.Count(left, "change"), run.ID, a.server.Name))}
	case len(r.Warnings) > 0 && run.Broken != "" && !run.Aside:
		err = &pendingError{why: []string{"all values are restored, but see the warnings above; when they are settled: " + f.typed.Command("history", "set-aside", run.ID)}}
	case run.Damaged:
		err = a.runs.SetAside(run.ID, a.options)
	}
	if err = reportOutcome(f, s, a.server, &r.Outcome, nil, err); err == nil {
		return stillPending(waiting.AfterApply(f.typed, restored, 0))
	}
	return err
}

// runsWith opens the journals that have a run: those of simulated servers, or the others. A damaged run may not know its server.
func runsWith(id string) (*tuning.Runs, error) {
	dir, err := runsDir(true)
	if err != nil {
		return nil, err
	}
	_, err = os.Stat(filepath.Join(dir, id))
	return openRuns(err == nil)
}

func newHistorySetAside() *cobra.Command {
	c := &cobra.Command{
		Use:   "set-aside RUN",
		Short: "Stop warnings about a run whose journal is damaged",
		Long: `Marks a run whose journal is damaged: other runs no longer name it, and if it
had not ended, it no longer stops them. No file is deleted or moved. It does not
contact a server: vperf rollback RUN shows what of the run is left there, also
after this.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or no such run, 8 the run is
in progress, 10 the journal is whole.`,
		Example: "  vperf history set-aside 20261120-2215",
		Args:    oneRun("vperf history list"),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := findRun(args[0])
			if err != nil {
				return err
			}
			runs, err := runsWith(run.ID)
			if err != nil {
				return err
			}
			return runs.SetAside(run.ID, tuning.Options{User: whoRuns("no server")})
		},
	}
	c.ValidArgsFunction = completeRuns
	return c
}
