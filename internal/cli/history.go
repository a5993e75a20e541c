package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/tuning"
)

func newHistory(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "history",
		Short: "Show what vperf has changed from this machine",
		Long: `Shows the journals of vperf apply and vperf rollback on this machine: what was
changed, by whom, when, why, and the result.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newHistoryList(f), newHistoryShow(f), newHistoryVerify(f), newHistoryEffect(f), newHistorySetAside())
	return c
}

func newHistoryList(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Long: `Lists runs, newest first: id, time, server, user, rules, result, and the number
of changes by state. It does not contact a server.

Exit status: 0 done, 1 a journal cannot be read, 2 wrong usage.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := listRuns()
			if err != nil {
				return err
			}
			if output == "json" {
				return report.HistoryJSON(f.IO.Out, all)
			}
			return terminal(f).Show(f.IO.Out, report.History(all, f.typed))
		},
	}
	textOrData(f, c, &output, "table")
	return c
}

func newHistoryShow(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show one run (default: the last)",
		Long: `Shows one run: user, time, machine, reason, each change with its result, pending
changes, and whether the hosts have saved their configuration since. It does not
contact a server.

RUN is an id from vperf history list, or the unique beginning of one. The
default is the newest run on any server.

Exit status: 0 done, 1 the journal cannot be read, 2 wrong usage or no such run.`,
		Example: "  vperf history show\n  vperf history show 20261120-2215",
		Args:    atMostOneArg("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := listRuns()
			if err != nil {
				return err
			}
			run, err := chooseRun(all, args)
			if err != nil {
				return err
			}
			if output == "json" {
				return report.RunJSON(f.IO.Out, run)
			}
			return terminal(f).Show(f.IO.Out, report.Run(run))
		},
	}
	textOrData(f, c, &output, "table")
	c.ValidArgsFunction = completeRuns
	return c
}

// verifyOptions are the options of `vperf history verify`.
type verifyOptions struct {
	Source sourceOptions
	Run    string
	Output string
}

func newHistoryVerify(f *Factory) *cobra.Command {
	o := new(verifyOptions)
	c := &cobra.Command{
		Use:   "verify [RUN]",
		Short: "Check that changed settings still have their new values",
		Long: `Reads the settings that a run has changed and reports which still have their new
values, which pending changes took effect, which are still pending, and which
were changed by others since. Without a RUN it checks all runs on this server
that are not in progress.
It also completes the journals of interrupted runs. If VPERF_URL, the context
and GOVC_URL name different servers, it refuses to run: choose one with
--context or --url.

Exit status: 0 all settings have their new values, 1 vperf failed, 2 wrong usage
or config, 3 a setting was changed since, 4 a setting could not be read or the
journal of a run is damaged, 8 the
named run is in progress, 9 a change is pending, 130 interrupted.`,
		Example: "  vperf history verify\n  vperf history verify 20261120-2215",
		Args:    atMostOneArg("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Run = args[0]
			}
			if err := o.Source.checkWritable("vperf history verify"); err != nil {
				return usage(err, c)
			}
			return runVerify(c.Context(), f, o)
		},
	}
	o.Source.addWritingFlags(c, false)
	textOrData(f, c, &o.Output, "table")
	c.ValidArgsFunction = completeRuns
	return c
}

func runVerify(ctx context.Context, f *Factory, o *verifyOptions) error {
	s, err := o.Source.connectToWrite(ctx, f)
	if err != nil {
		return err
	}
	a, err := openJournals(f, s, tuning.Options{User: whoRuns(s.account), Version: thisVersion().Version}, false)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.settle(ctx); err != nil {
		return err
	}
	p := f.IO.StartProgress("reading the changed settings")
	all, err := a.verify(ctx, o.Run)
	p.Done()
	if err != nil {
		return err
	}
	if o.Output == "json" {
		err = report.VerifiedJSON(f.IO.Out, a.server, all)
	} else {
		err = terminal(f).Show(f.IO.Out, report.Verified(all))
	}
	if err != nil {
		return err
	}
	if err := verdictOn(all); err != nil || a.unchecked == 0 {
		return err
	}
	return &undecidedError{why: plural.Count(a.unchecked, "damaged run") + " not checked: see above for the commands"}
}

// verify checks one run, or all runs of this server. If several runs changed a setting, the newest gives its expected
// value.
func (a *applying) verify(ctx context.Context, id string) ([]*tuning.Outcome, error) {
	if id != "" {
		run, err := findRun(id)
		if err != nil {
			return nil, err
		}
		o, err := tuning.Verify(ctx, a.estate, a.runs, run.ID)
		if run.Damaged && o != nil {
			fmt.Fprintf(a.io.Err, "vperf: warning: %s\n", iostreams.Sanitize(err.Error()))
			a.unchecked, err = 1, nil
			for i := range o.Results {
				if o.Results[i].State == tuning.StateUntouched {
					o.Results[i].State, o.Results[i].Why = tuning.StateUnread, "its records may be lost"
				}
			}
		}
		if err != nil {
			return nil, err
		}
		return []*tuning.Outcome{newest(o, run, map[string]bool{})}, nil
	}
	runs, err := a.runs.List()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var all []*tuning.Outcome
	for _, run := range runs {
		unread := run.Broken != "" && !run.Unbegun && !run.Aside // Verify says why
		if run.Server.UUID != a.server.UUID || !run.Damaged && !unread && !wroteNew(run, seen) {
			continue
		}
		if run.Damaged { // settle has named it; older runs do not say what its settings should be
			for i := range run.Results {
				seen[settingKey(&run.Results[i])] = true
			}
			if !run.Aside {
				a.unchecked++
			}
			continue
		}
		o, err := tuning.Verify(ctx, a.estate, a.runs, run.ID)
		if locked, ok := errors.AsType[*tuning.LockedError](err); ok {
			fmt.Fprintf(a.io.Err, "run %s is in progress, and its settings were not checked: %s\n", iostreams.Sanitize(run.ID), iostreams.Sanitize(locked.By))
			newest(&tuning.Outcome{Results: run.Results}, run, seen) // older runs do not say what its settings should be
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, newest(o, run, seen))
	}
	return all, nil
}

// wroteNew reports a run that changed a setting which no newer run has changed.
func wroteNew(run *tuning.Run, seen map[string]bool) bool {
	for i := range run.Results {
		if r := &run.Results[i]; waiting.MayHaveWritten(r) && !seen[settingKey(r)] {
			return true
		}
	}
	return false
}

// newest keeps the results that no newer run has replaced.
func newest(o *tuning.Outcome, run *tuning.Run, seen map[string]bool) *tuning.Outcome {
	kept := &tuning.Outcome{Run: o.Run, Stopped: o.Stopped, Warnings: newWarnings(o, run)}
	for i := range o.Results {
		r := &o.Results[i]
		if waiting.MayHaveWritten(r) && !seen[settingKey(r)] {
			seen[settingKey(r)] = true
			kept.Results = append(kept.Results, *r)
		}
	}
	return kept
}

// verdictOn returns the error that sets the exit code: drift takes precedence over unread settings, and those over waiting
// changes.
func verdictOn(all []*tuning.Outcome) error {
	drifted, unread, waits := 0, 0, 0
	for _, o := range all {
		drifted += o.Count(tuning.StateDrifted, tuning.StateGone, tuning.StateForeign, tuning.StateWrong)
		unread += o.Count(tuning.StateUnread, tuning.StateDoing, tuning.StateUndoing)
		for _, r := range o.Results {
			if r.Waits != "" || r.State == tuning.StateUndoDeferred {
				waits++
			}
		}
	}
	switch {
	case drifted > 0:
		return &driftError{changes: drifted}
	case unread > 0:
		return &incompleteError{why: []string{plural.Count(unread, "change") + " could not be read"}}
	case waits > 0:
		return &pendingError{why: []string{plural.Count(waits, "change") + " not in effect yet: see above for the required steps"}}
	}
	return nil
}

// effectOptions are the options of `vperf history effect`.
type effectOptions struct {
	Source  sourceOptions
	Outcome string
	For     time.Duration
	Output  outputs
}

func newHistoryEffect(f *Factory) *cobra.Command {
	o := &effectOptions{Output: outputs{offered: trialFormats()}}
	c := &cobra.Command{
		Use:   "effect RUN",
		Short: "Compare the time before a run's changes with the time after",
		Long: `Compares the time before the changes of a run with the time after them: it reads
the samples that hosts keep for an hour, or for longer periods the rollups that
the server keeps, and shows the difference of each outcome.

This is before/after, not a proof: load, time of day and everything else that
changed are in the difference too. vperf trial run measures the change itself.

Which rollups a vCenter keeps depends on its statistics level. A standalone host
keeps rollups of 5 minutes only. If a counter is not collected, the command says
at which level it is.

Exit status: 0 done, 1 vperf failed or there are too few samples, 2 wrong usage
or config, or no such run, 130 interrupted.`,
		Example: "  vperf history effect 20261120-2215\n  vperf history effect 20261120-2215 --outcome cpu-per-gbit --for 24h",
		Args:    oneRun("vperf history list"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.Source.checkWritable("vperf history effect RUN"); err != nil {
				return usage(err, c)
			}
			if o.For < 0 {
				return usage(errors.New("--for is a duration above 0, such as 1h"), c)
			}
			return runEffect(c, f, o, args[0])
		},
	}
	o.Source.addWritingFlags(c, false)
	c.Flags().StringVar(&o.Outcome, "outcome", "", "`OUTCOME` to compare first (default: the rule's first that was collected)")
	c.Flags().DurationVar(&o.For, "for", 0, "`DURATION` of each period (default: as long as possible, at most 24h)")
	config.OnlyTyped(c.Flags(), "outcome", "for")
	config.OwnName(c.Flags(), "for")
	o.Output.addFlag(c)
	c.ValidArgsFunction = completeRuns
	return c
}

func runEffect(c *cobra.Command, f *Factory, o *effectOptions, id string) error {
	ctx := c.Context()
	all, err := listRuns()
	if err != nil {
		return err
	}
	run, err := pickRun(all, id)
	if err != nil {
		return err
	}
	outcomes, err := trials.OutcomesOf(run, o.Outcome)
	if err != nil {
		return usage(flagged(err), c)
	}
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	s, err := o.Source.connect(ctx, f)
	if err != nil {
		return err
	}
	defer s.close()
	if run.Server.UUID != s.server.UUID {
		return usage(fmt.Errorf("run %s was made on %s, not on %s", run.ID, wording.Server(run.Server), wording.Server(s.server)), c)
	}
	p := f.IO.StartProgress("reading samples")
	t, err := trials.Effect(ctx, s.source, run, trials.EffectAsk{
		Outcomes: outcomes, Named: o.Outcome != "", For: o.For, Simulated: s.server.Sandbox,
	})
	p.Done()
	if err != nil {
		return err
	}
	return sinks.write(f, trialIn(t))
}

func settingKey(r *tuning.Result) string { return r.Target.Key() + " " + r.Key() }
