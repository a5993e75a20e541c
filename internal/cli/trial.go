package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/trialreport"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func newTrial(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "trial",
		Short: "Measure what a change brings on your own hosts",
		Long: `A trial repeats the experiment behind a rule on your own hosts: it switches the
change on and off in random order, measures both states, says what the change
brings here and how sure that is, and restores the old values.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTrialPlan(f), newTrialRun(f), newTrialResume(f), newTrialList(f), newTrialShow(f), newTrialReport(f))
	return c
}

// trialPlanOptions are the options of `vperf trial plan`.
type trialPlanOptions struct {
	trialOptions

	Output outputs
}

func newTrialPlan(f *Factory) *cobra.Command {
	o := &trialPlanOptions{Output: outputs{offered: trialFormats()}}
	c := &cobra.Command{
		Use:   "plan HOST... --rule RULE",
		Short: "Show what a trial could measure, and how long it takes",
		Long: `Reads the last hour of samples and shows what a trial of a rule would measure:
the outcomes, how noisy they are, how long it takes to see an effect on 1, 2, 4
and 8 hosts, what is switched, and the guards. It changes nothing.

If the setting cannot be switched on and off, it explains why, and which design
is possible instead.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, rule or config, 10 there is
nothing to switch, 130 interrupted.`,
		Example: `  vperf trial plan --demo host01 --rule numa-io
  vperf trial plan host01 host02 --rule power-policy --min-effect 3%
  vperf trial plan host01 --rule rss`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runTrialPlan(c, f, o, args)
		},
	}
	o.addTrialFlags(c, f)
	o.Output.addFlag(c)
	return c
}

func runTrialPlan(c *cobra.Command, f *Factory, o *trialPlanOptions, args []string) error {
	request, err := o.load(f, c)
	if err != nil {
		return err
	}
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	p, err := o.input(c.Context(), f, request, args)
	if err != nil {
		return err
	}
	return sinks.write(f, planIs(p))
}

// input reads what the trial could measure on the hosts. It changes nothing.
func (o *trialPlanOptions) input(ctx context.Context, f *Factory, request audit.Request, hosts []string) (none trialreport.PlanInput, err error) {
	if o.how.Design == inventory.DesignNone || o.how.Design == inventory.DesignRandomised {
		return trialreport.PlanInput{Rule: o.rule.ID, How: o.how, Manual: o.manual(), Outcomes: o.outcomes, Hosts: hosts, Params: o.neededParams(), Conditions: trials.Conditions{Source: f.typed.Server}}, nil
	}
	o.replay()
	s, err := o.Source.connect(ctx, f)
	if err != nil {
		return none, err
	}
	defer s.close()
	prepared, plan, err := o.prepare(ctx, f, s, request)
	if err != nil {
		return none, err
	}
	if prepared == nil {
		return none, nothingToSwitch(o.rule.ID, plan)
	}
	defer prepared.Close(ctx)
	return trialPlan(prepared), nil
}

func planIs(p trialreport.PlanInput) render {
	return func(format format, w io.Writer, t report.Terminal) error {
		switch format.name {
		case "json":
			return trialreport.PlanJSON(w, p)
		case "md":
			return trialreport.Plan(p, true).Markdown(w)
		}
		return t.Show(w, trialreport.Plan(p, false))
	}
}

func newTrialList(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list",
		Short: "List trials, newest first",
		Long: `Lists the trials that were made from this machine, newest first: id, time, rule,
hosts, verdict and measured effect. It does not contact a server.

Exit status: 0 done, 1 a journal cannot be read, 2 wrong usage.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := listTrials()
			if err != nil {
				return err
			}
			if output == "json" {
				return trialreport.ListJSON(f.IO.Out, all)
			}
			return terminal(f).Show(f.IO.Out, trialreport.List(all, f.typed))
		},
	}
	textOrData(f, c, &output, "table")
	return c
}

// listTrials is all trials, the newest first.
func listTrials() ([]*trials.Recorded, error) {
	runs, err := listRuns()
	if err != nil {
		return nil, err
	}
	return trials.All(runs)
}

// measuredHere is what trials found, the newest first, if wanted accepts their server. Journals that cannot be read are no
// reason to give no advice.
func measuredHere(streams *iostreams.IO, wanted func(tuning.Server) bool) []view.MeasuredHere {
	all, err := listTrials()
	if err != nil {
		fmt.Fprintf(streams.Err, "vperf: warning: what was measured here is not shown: %s\n", iostreams.Sanitize(err.Error()))
	}
	var found []view.MeasuredHere
	for _, t := range all {
		if wanted(t.Run.Server) && !t.Waiting() {
			found = append(found, trialreport.MeasuredHere(t))
		}
	}
	return found
}

// serverOf accepts the servers of a snapshot.
func serverOf(s *inventory.Snapshot) func(tuning.Server) bool {
	return func(server tuning.Server) bool {
		return slices.ContainsFunc(s.VCenters, func(v *inventory.VCenter) bool { return v.Name == server.Name })
	}
}

func newTrialShow(f *Factory) *cobra.Command {
	o := outputs{offered: trialFormats()}
	c := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show the result of a trial (default: the last)",
		Long: `Shows the result of one trial: verdict, effect with its interval, each host,
dropped pairs with the reasons, the conditions, and the command that repeats it.
-o json has everything, the raw samples too. It does not contact a server.

RUN is an id from vperf trial list, or the unique beginning of one.

Exit status: 0 done, 1 the journal cannot be read, 2 wrong usage or no such run.`,
		Example: "  vperf trial show\n  vperf trial show 20261120-2215 -o json",
		Args:    atMostOneArg("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := chooseTrial(args)
			if err != nil {
				return err
			}
			sinks, err := o.open(f.IO.Out)
			if err != nil {
				return err
			}
			defer sinks.discard()
			return sinks.write(f, trialIn(t))
		},
	}
	o.addFlag(c)
	c.ValidArgsFunction = completeRuns
	return c
}

// trialIn writes a trial.
func trialIn(t *trials.Recorded) render {
	return func(format format, w io.Writer, terminal report.Terminal) error {
		switch format.name {
		case "json":
			return trialreport.JSON(w, t)
		case "md":
			return trialreport.Result(t, true).Markdown(w)
		}
		return terminal.Show(w, trialreport.Result(t, false))
	}
}

// chooseTrial is the trial that is named, or the newest.
func chooseTrial(args []string) (*trials.Recorded, error) {
	all, err := listRuns()
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		run, err := pickRun(all, args[0])
		if err != nil {
			return nil, err
		}
		return trials.Load(run)
	}
	for _, run := range all {
		if trials.IsTrial(run) {
			return trials.Load(run)
		}
	}
	return nil, &usageError{err: errors.New("there is no trial yet"), help: "vperf trial run --help"}
}

func newTrialReport(f *Factory) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report [RUN] --out FILE",
		Short: "Write the page of a trial as one HTML file",
		Long: `Writes the report of one trial (default: the last) as one HTML file that needs
no network: question, design, schedule, both states, estimate, every block, the
conditions, and the command that repeats it.

Exit status: 0 done, 1 vperf failed, 2 wrong usage or no such run.`,
		Example: "  vperf trial report 20261120-2215 --out trial.html",
		Args:    atMostOneArg("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usage(errors.New("--out is missing: name the file, as in --out trial.html"), c)
			}
			t, err := chooseTrial(args)
			if err != nil {
				return err
			}
			if t.Waiting() {
				return usage(fmt.Errorf("run %s has drawn a lot that is not judged yet, so there is nothing to report: %s", t.Run.ID, typed.Source{Server: t.Conditions.Source}.Command("trial", "resume", t.Run.ID)), c)
			}
			return saveFile(f.IO, "the report", out, func(w io.Writer) error { return trialreport.Page(w, t) })
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the page to this `FILE` (- is standard output)")
	config.OnlyTyped(c.Flags(), "out")
	c.ValidArgsFunction = completeRuns
	return c
}
