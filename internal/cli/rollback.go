package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/tuning"
)

// rollbackOptions are the options of `vperf rollback`.
type rollbackOptions struct {
	Source   sourceOptions
	Approval approvalOptions
	Run      string
	Last     bool
	Output   outputs
}

func newRollback(f *Factory) *cobra.Command {
	o := &rollbackOptions{Output: outputs{offered: []format{{name: "table"}, {name: "json"}, {name: "yaml"}}}}
	c := &cobra.Command{
		Use:   "rollback RUN|--last",
		Short: "Undo the changes of a run",
		Long: `Undoes the changes of a run of vperf apply, newest first. It shows the changes
and asks for confirmation; scripts confirm with --yes. Settings that were
changed after the run are skipped and listed. An interrupted rollback can be
repeated.

If the journal of the run is damaged, rollback compares the plan with the server
instead, lists what still has the intended value, and restores these values as
a run of its own.

RUN is an id from vperf history list, or the unique beginning of one. --last
selects the newest run on this server that changed something. If VPERF_URL, the
context and GOVC_URL name different servers, rollback refuses to run: choose one
with --context or --url.

Exit status: 0 done or nothing to do, 1 vperf failed, 2 wrong usage or config,
5 failed, all changes undone, 6 failed, not all changes undone, or something of
a damaged run is left, 8 another run is
active, 9 done, some changes are pending or skipped, 10 declined or refused,
130 interrupted.`,
		Example: `  vperf rollback --last
  vperf rollback 20261120-2215 --reason "no faster" --ticket CHG-1207`,
		Args: atMostOneArg("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Run = args[0]
			}
			if err := o.check(c); err != nil {
				return usage(err, c)
			}
			return runRollback(c.Context(), f, o)
		},
	}
	o.Source.addWritingFlags(c, false)
	o.Approval.addFlags(c)
	c.Flags().BoolVar(&o.Last, "last", false, "undo the newest run on this server that changed something")
	config.OnlyTyped(c.Flags(), "last")
	o.Output.addFlag(c)
	c.ValidArgsFunction = completeRuns
	return c
}

func (o *rollbackOptions) check(c *cobra.Command) error {
	switch {
	case o.Run == "" && !o.Last:
		return fmt.Errorf("RUN is missing: %s; vperf history list shows all runs", usageOf(c))
	case o.Run != "" && o.Last:
		return errors.New("RUN and --last cannot be used together")
	}
	return errors.Join(o.Source.checkWritable("vperf rollback --last"), o.Approval.check())
}

func runRollback(ctx context.Context, f *Factory, o *rollbackOptions) error {
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	s, err := o.Source.connectToWrite(ctx, f)
	if err != nil {
		return err
	}
	options, err := o.Approval.options(f, s.account)
	if err != nil {
		s.close()
		return err
	}
	a, err := openJournals(f, s, options, o.Approval.Yes)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.settle(ctx); err != nil {
		return err
	}
	run, err := o.choose(a)
	if err != nil {
		return err
	}
	unrecorded, err := tuning.Unrecorded(ctx, a.estate, a.runs, run, time.Now())
	if err != nil {
		return err
	}
	if unrecorded || run.Damaged || run.Unbegun {
		return a.restore(ctx, f, sinks, run)
	}
	outcome, err := a.rollback(ctx, run)
	if outcome != nil {
		outcome.Warnings = newWarnings(outcome, run)
	}
	if err = reportOutcome(f, sinks, a.server, outcome, nil, err); err == nil {
		return stillPending(waiting.AfterRollback(f.typed, outcome))
	}
	return err
}

// newWarnings are those that the run had not had before.
func newWarnings(o *tuning.Outcome, run *tuning.Run) []string {
	return slices.DeleteFunc(slices.Clone(o.Warnings), func(w string) bool { return slices.Contains(run.Warnings, w) })
}

// choose finds the run. --last looks only at those of this server.
func (o *rollbackOptions) choose(a *applying) (*tuning.Run, error) {
	if !o.Last {
		return findRun(o.Run)
	}
	run, err := a.runs.Last(a.server)
	if err != nil {
		return nil, err
	}
	if run == nil {
		return nil, fmt.Errorf("no run has changed anything on %s from this machine; vperf history list shows all runs", a.server.Name)
	}
	return run, nil
}

// rollback shows the changes to revert, asks for confirmation, and reverts them.
func (a *applying) rollback(ctx context.Context, run *tuning.Run) (*tuning.Outcome, error) {
	if run.Server.UUID != a.server.UUID {
		return nil, &tuning.RefusedError{Why: []string{fmt.Sprintf("run %s was made on %s (%s), but the current server is %s (%s)",
			run.ID, run.Server.Name, run.Server.UUID, a.server.Name, a.server.UUID)}}
	}
	if run.Broken != "" { // its results may lack changes, so Rollback refuses it with the reason
		return tuning.Rollback(ctx, a.estate, a.runs, run.ID, a.options)
	}
	changes, n := report.Rollback(run)
	if err := onErr(a.f).Show(a.io.Err, changes); err != nil {
		return nil, err
	}
	if n == 0 {
		return new(tuning.Outcome), nil
	}
	if err := a.confirm(ctx, rollbackRestarts(run, a.options), "Undo "+plural.Count(n, "change")); err != nil {
		return nil, err
	}
	return tuning.Rollback(ctx, a.estate, a.runs, run.ID, a.options)
}

// confirm asks whether to do something now, with the outages that it may cause. --yes answers the question.
func (a *applying) confirm(ctx context.Context, outages restartList, question string) error {
	if err := windowOpen(a.options); err != nil {
		return err
	}
	outages.print(a.io)
	if a.yes {
		return nil
	}
	return ask(ctx, a.io, question+wording.On(a.server)+outages.text()+"?")
}
