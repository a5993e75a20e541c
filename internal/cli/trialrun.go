package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/trialreport"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// trialRunOptions are the options of `vperf trial run`.
type trialRunOptions struct {
	trialOptions

	Approval approvalOptions
	Limit    changeLimit
	Keep     bool
	Output   outputs
}

func newTrialRun(f *Factory) *cobra.Command {
	o := &trialRunOptions{Output: outputs{offered: trialFormats()}}
	c := &cobra.Command{
		Use:   "run HOST... --rule RULE",
		Short: "Measure what a change brings on your own hosts",
		Long: `Switches the change of one rule on and off, in blocks of minutes and in random
order, measures both states, and reports what the change brings on these hosts
and how sure that is. Each switch is recorded in a journal before it is made,
and read back.

Blocks with a vMotion, a snapshot, lost samples or a new alarm do not count.
Guards end the trial if it harms somebody: ready time, co-stop, dropped packets,
latency, swapping, and the limits that you give with --guard. The trial ends
early when the answer is clear.

At the end the old values are restored, also after Ctrl-C and after a failure;
only a third Ctrl-C ends vperf without that.
Only if the verdict is keep, and you say --keep or type yes, the change stays;
never after a guard, an event, Ctrl-C or a failure ended the trial.
After a crash, vperf rollback RUN restores the old values.

With --demo the trial runs on the built-in fleet, in fast forward.

Exit status: 0 the change is kept, or the old values are restored after an
answer, 1 vperf failed, 2 wrong usage, rule or config, 3 the change makes it
worse, or a guard or an event ended the trial, 4 undecided or interrupted, 5
failed, the old values are restored, 6 failed, not all old values are restored,
8 another run is active, 10 declined or refused, 130 interrupted before there
was a block. With 3 and 4 the old values are restored.`,
		Example: `  vperf trial run --demo host01 --rule numa-io --yes
  vperf trial run host01 host02 --rule numa-io --outcome cpu-per-gbit --for 3h
  vperf trial run host01 --rule power-policy --guard 'vm.cpu.ready<5%' --keep`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := errors.Join(o.check(), o.Approval.check()); err != nil {
				return usage(err, c)
			}
			if o.Targets.Everything() {
				return usage(errors.New("a trial changes settings: name its hosts, --vm or --cluster"), c)
			}
			return runTrial(c, f, o)
		},
	}
	o.addTrialFlags(c, f)
	o.Approval.addFlags(c)
	for _, name := range []string{"allow", "batch", "window"} { // nothing in a trial needs them
		_ = c.Flags().MarkHidden(name)
	}
	o.Limit.addFlags(c)
	c.Flags().BoolVar(&o.Keep, "keep", false, "leave the change in force if the verdict is keep and nothing stopped the trial")
	config.OnlyTyped(c.Flags(), "keep")
	config.OwnName(c.Flags(), "keep")
	o.Output.addFlag(c)
	return c
}

func trialFormats() []format {
	return []format{{name: "table"}, {name: "json"}, {name: "yaml"}, {name: "md"}}
}

func runTrial(c *cobra.Command, f *Factory, o *trialRunOptions) error {
	ctx := c.Context()
	request, err := o.load(f, c)
	if err != nil {
		return err
	}
	if err := cannotSwitch(f.typed, &o.trialOptions); err != nil {
		return err
	}
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	o.replay()
	a, err := openTrial(ctx, f, o)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.settle(ctx); err != nil {
		return err
	}
	prepared, plan, err := o.prepare(ctx, f, a.changeServer, request)
	if err != nil {
		return err
	}
	if prepared == nil {
		if err := a.runs.InProgress(a.estate.Server, o.rule.ID); err != nil {
			return err // its change is why there is nothing to switch
		}
		return nothingToSwitch(o.rule.ID, plan)
	}
	defer prepared.Close(ctx)
	if prepared.Design() == inventory.DesignRandomised {
		return o.draw(f, a, prepared, sinks)
	}
	if err := o.agreed(ctx, f, a, prepared, plan); err != nil {
		return err
	}
	return o.run(ctx, f, a, prepared, sinks)
}

// openTrial connects to the server that is changed.
func openTrial(ctx context.Context, f *Factory, o *trialRunOptions) (*applying, error) {
	s, err := o.Source.connectToWrite(ctx, f)
	if err != nil {
		return nil, err
	}
	options, err := o.Approval.options(f, s.account)
	if err != nil {
		s.close()
		return nil, err
	}
	options.Now = s.source.Clock().Now // the journal has the time of the samples
	options.OnProgress = nil           // a switch is no news: the trial's own lines say what happens
	return openJournals(f, s, options, o.Approval.Yes)
}

// cannotSwitch returns why a trial cannot switch the setting, and which trial is possible.
func cannotSwitch(from typed.Source, o *trialOptions) error {
	switch o.how.Design {
	case inventory.DesignSwitchback, inventory.DesignSlowSwitchback:
		return nil
	case inventory.DesignRandomised: // a lot is drawn
		if o.manual() {
			return &tuning.RefusedError{Why: []string{fmt.Sprintf("the change of %s cannot be switched on and off. %s", o.rule.ID, o.how.Reason)}}
		}
		if o.Source.Demo {
			return &tuning.RefusedError{Why: []string{
				"a randomised trial takes days, and the demo fleet ends with the command. " + o.how.Reason,
				from.Command("trial", "plan", "HOST", "--rule", o.rule.ID) + " explains the design",
			}}
		}
		return nil
	}
	return &tuning.RefusedError{Why: []string{fmt.Sprintf("no trial can measure the change of %s. %s", o.rule.ID, o.how.Reason)}}
}

// agreed shows what is switched and how long it takes, and asks for consent.
func (o *trialRunOptions) agreed(ctx context.Context, f *Factory, a *applying, p *trials.Prepared, plan *tuning.Plan) error {
	shown := trialPlan(p)
	shown.Started = true
	if err := onErr(f).Show(f.IO.Err, trialreport.Plan(shown, false)); err != nil {
		return err
	}
	if o.Approval.Yes {
		return o.Limit.check(plan)
	}
	return ask(ctx, f.IO, fmt.Sprintf("Switch %s%s back and forth for at most %s?", report.Extent(plan), wording.On(a.server), iostreams.Brief(p.Lasts())))
}

func trialPlan(p *trials.Prepared) trialreport.PlanInput {
	return trialreport.PlanInput{Registration: p.Registration, Conditions: p.Conditions, Prospects: p.Prospects, Lasts: p.Lasts()}
}

// run makes the trial and reports its result.
func (o *trialRunOptions) run(ctx context.Context, f *Factory, a *applying, p *trials.Prepared, sinks sinks) error {
	screen := f.IO.StartScreen()
	defer holdSignals(func() {
		fmt.Fprintln(f.IO.Err, "vperf: restoring the old values; press Ctrl-C again to end without that")
	})()
	live := trialreport.NewLive(p.Registration)
	finished, err := p.Run(ctx, a.estate, a.runs, a.options, func(progress trial.Progress) {
		live.Take(progress)
		if screen.Shown() {
			screen.Draw(live.Lines(screen.Width(), onErr(f).Style))
			return
		}
		if line := trialreport.LiveLine(p.Registration, progress); line != "" {
			fmt.Fprintln(f.IO.Err, line)
		}
	}, func(r *trial.Result) bool {
		screen.Done()
		return o.keeps(ctx, f, a, r, p)
	})
	screen.Done()
	if finished == nil || finished.Result == nil {
		return err
	}
	recorded, loadErr := loadTrial(a.runs, finished.Run)
	if loadErr != nil {
		return errors.Join(err, loadErr)
	}
	failed := sinks.write(f, trialIn(recorded))
	if failed != nil && !iostreams.IsBrokenPipe(failed) {
		err = errors.Join(err, failed)
	}
	if err != nil {
		return err
	}
	return trialVerdict(finished)
}

// keeps reports whether the change stays in force after the verdict keep.
func (o *trialRunOptions) keeps(ctx context.Context, f *Factory, a *applying, r *trial.Result, p *trials.Prepared) bool {
	if o.Keep {
		return true
	}
	if o.Approval.Yes || !f.IO.InTTY() || ctx.Err() != nil {
		return false
	}
	fmt.Fprintln(f.IO.Err, trialreport.Sentence(p.Registration, r))
	return ask(ctx, f.IO, "Leave the change in force"+wording.On(a.server)+"?") == nil
}

// trialVerdict returns the error that sets the exit code.
func trialVerdict(f *trials.Finished) error {
	switch r := f.Result; {
	case len(r.Trips) > 0:
		return &worseError{why: "a guard ended the trial: " + iostreams.Sanitize(r.Trips[0].Text)}
	case r.Verdict == trial.Worse:
		return &worseError{why: "the change makes it worse"}
	case r.Stop == trial.StopInterrupted:
		return &undecidedError{why: "the trial was interrupted"}
	case r.Verdict == trial.Undecided, r.Verdict == trial.Observed:
		return &undecidedError{why: "the trial is undecided"}
	}
	return nil
}

func loadTrial(runs *tuning.Runs, id string) (*trials.Recorded, error) {
	run, err := runs.Get(id)
	if err != nil {
		return nil, err
	}
	return trials.Load(run)
}

// draw registers the lot of a randomised trial, and prints what to do.
func (o *trialRunOptions) draw(f *Factory, a *applying, p *trials.Prepared, sinks sinks) error {
	id, err := p.Draw(a.estate, a.runs, a.options)
	if err != nil {
		return err
	}
	drawn, err := loadTrial(a.runs, id)
	if err != nil {
		return err
	}
	return sinks.write(f, trialIn(drawn))
}

// resumeOptions are the options of `vperf trial resume`.
type resumeOptions struct {
	Source sourceOptions
	Output outputs
}

func newTrialResume(f *Factory) *cobra.Command {
	o := &resumeOptions{Output: outputs{offered: trialFormats()}}
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Judge a randomised trial after its days are over",
		Long: `Judges a trial that drew by lot which hosts get a change: it checks that exactly
these hosts have it, reads the server's rollups of the whole days before the lot
and of the last ones, and compares how both groups changed. It changes no
setting.

With fewer than 8 hosts the result is observed, not proven.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or config, or no such run, 3
the change makes it worse, 4 undecided, observed, or the days are not over, 10 a
host is not as the lot says, 130 interrupted.`,
		Example: "  vperf trial resume 20261120-2215",
		Args:    oneRun("vperf trial list"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.Source.checkWritable("vperf trial resume RUN"); err != nil {
				return usage(err, c)
			}
			return runResume(c, f, o, args[0])
		},
	}
	o.Source.addWritingFlags(c, false)
	o.Output.addFlag(c)
	c.ValidArgsFunction = completeRuns
	return c
}

func runResume(c *cobra.Command, f *Factory, o *resumeOptions, id string) error {
	ctx := c.Context()
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	s, err := o.Source.connectToWrite(ctx, f)
	if err != nil {
		return err
	}
	a, err := openJournals(f, s, tuning.Options{User: whoRuns(s.account), Version: thisVersion().Version}, false)
	if err != nil {
		return err
	}
	defer a.close()
	run, err := findRun(id)
	if err != nil {
		return err
	}
	if run.Server.UUID != a.server.UUID {
		return usage(fmt.Errorf("run %s was made on %s, not on %s", run.ID, wording.Server(run.Server), wording.Server(a.server)), c)
	}
	t, err := trials.Resume(ctx, s.source, a.estate, a.runs, a.options, run)
	if early := (*trials.TooEarlyError)(nil); errors.As(err, &early) {
		return &undecidedError{why: err.Error()}
	}
	if err != nil {
		return err
	}
	if err := sinks.write(f, trialIn(t)); err != nil {
		return err
	}
	return trialVerdict(&trials.Finished{Run: run.ID, Result: t.Result})
}
