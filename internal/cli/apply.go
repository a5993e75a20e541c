package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/tuning"
)

// applyOptions are the options of `vperf apply`.
type applyOptions struct {
	changeOptions

	Approval      approvalOptions
	Limit         changeLimit
	PlanFile      string
	All           bool
	OverrideOwner bool
	Irreversible  bool
	OnError       string
	Full          bool
	Output        outputs
}

// Values of --on-error.
const (
	onErrorStop     = "stop"
	onErrorRollback = "rollback"
)

func newApply(f *Factory) *cobra.Command {
	o := &applyOptions{Output: outputs{offered: []format{{name: "table"}, {name: "json"}, {name: "yaml"}}}}
	c := &cobra.Command{
		Use:   "apply [HOST...]",
		Short: "Apply fixes, verify them, and record how to undo them",
		Long: `Applies the changes that vperf plan shows. It prints the server and the plan,
then asks for confirmation. Scripts confirm with --yes, which covers one host
and ten VMs unless --max-hosts and --max-vms are higher. To change the whole
server, give --all instead of a HOST, --cluster or --vm. Without --rule vperf
applies only changes that are safe without a decision: see vperf plan --help.

If VPERF_URL, the context and GOVC_URL name different servers, apply refuses to
run: choose one with --context or --url.

vperf records each change in a journal, makes it only if the current value is
the one in the plan, and reads it back. It changes one object first and the
others in batches, and checks the health of the hosts in between. The first
failure ends the run. vperf rollback undoes a run.

vperf shuts down VMs, enters maintenance mode and reboots hosts only with
--allow power-cycle and --allow host-reboot. Without them, changes that need
these steps stay pending and are listed. Ctrl-C finishes the current step, then
stops.

Exit status: 0 done or nothing to do, 1 vperf failed, 2 wrong usage, rule or
config, 5 failed, all changes undone, 6 failed, not all changes undone, 7 a
value changed after the plan was made; nothing was written, 8 another run is
active, 9 done, some changes are pending, 10 declined or refused, 130
interrupted.`,
		Example: `  vperf apply host01 --rule numa-io
  vperf apply host01 --rule numa-io --set numa-io.threshold=40 --reason "slow trades" --ticket CHG-1207
  vperf apply --plan plan.json --window 22:00-04:00
  vperf apply --cluster lowlat --rule power-policy --yes --max-hosts 3
  vperf apply host01 --rule rss --set rss.options=4,4 --allow host-reboot`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runApply(c.Context(), f, o)
		},
	}
	o.addFlags(c, f)
	return c
}

func (o *applyOptions) addFlags(c *cobra.Command, f *Factory) {
	o.changeOptions.addFlags(c, f)
	o.Approval.addFlags(c)
	o.Limit.addFlags(c)
	flags := c.Flags()
	flags.StringVar(&o.PlanFile, "plan", "", "apply the changes of this plan `FILE` (- is standard input)")
	flags.BoolVar(&o.All, "all", false, "change all hosts and VMs of the server (needed if no target is given)")
	flags.BoolVar(&o.OverrideOwner, "override-owner", false, "override settings that a profile or manager owns (it may revert them), or that may be owned or protected because that was not read")
	flags.BoolVar(&o.Irreversible, "accept-irreversible", false, "apply changes that cannot be undone")
	flags.StringVar(&o.OnError, "on-error", onErrorStop, "`ACTION` when a step fails: stop or rollback")
	config.OnlyTyped(flags, "plan", "all", "override-owner", "accept-irreversible")
	config.OwnName(flags, "plan", "all")
	addFull(c, &o.Full)
	o.Output.addFlag(c)
	completeWords(c, map[string][]string{"on-error": {onErrorRollback, onErrorStop}})
}

func (o *applyOptions) check() error {
	if err := o.Source.checkWritable("vperf apply host01 --rule numa-io"); err != nil {
		return err
	}
	if err := errors.Join(o.changeOptions.check(), o.Approval.check()); err != nil {
		return err
	}
	if o.PlanFile != "" && (!o.Targets.Everything() || o.All || len(o.Rules)+len(o.Categories)+len(o.RuleFiles)+len(o.Params) > 0 || o.Profile != "" || o.Severity != "") {
		return errors.New("--plan already names the changes and their targets: remove hosts, rules, categories, --severity, --profile and --set")
	}
	if err := oneOf("way", o.OnError, []string{onErrorRollback, onErrorStop}); err != nil {
		return fmt.Errorf("--on-error: %w", err)
	}
	if o.Limit.Hosts < 0 || o.Limit.VMs < 0 {
		return errors.New("--max-hosts and --max-vms must be 0 or more")
	}
	return nil
}

func (o *applyOptions) options(f *Factory, account string) (tuning.Options, error) {
	t, err := o.Approval.options(f, account)
	t.Hints.OverrideOwner, t.Hints.AcceptIrreversible = "--override-owner writes it anyway", "--accept-irreversible writes it anyway"
	t.OverrideOwner, t.AcceptIrreversible, t.RollbackOnError = o.OverrideOwner, o.Irreversible, o.OnError == onErrorRollback
	return t, err
}

func runApply(ctx context.Context, f *Factory, o *applyOptions) error {
	find, err := o.finder(ctx, f)
	if err != nil {
		return err
	}
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	a, err := beginApply(ctx, f, o)
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.settle(ctx); err != nil {
		return err
	}
	plan, findings, err := find(ctx, a.changeServer)
	if err != nil {
		return err
	}
	if err := onErr(f).Show(f.IO.Err, report.Plan(plan, o.Full, onErr(f))); err != nil {
		return err
	}
	if err := o.confirm(ctx, f, plan, a); err != nil {
		return err
	}
	outcome := new(tuning.Outcome)
	if !plan.Empty() {
		outcome, err = a.apply(ctx, plan)
	}
	var earlier []report.Waiting
	if err == nil {
		earlier, err = a.earlier(ctx, findings, outcome)
	}
	if err = reportOutcome(f, sinks, a.server, outcome, earlier, err); err == nil {
		return stillPending(waiting.AfterApply(f.typed, outcome, len(earlier)))
	}
	return err
}

// planFinder finds a plan, and the findings that it was made of.
type planFinder func(context.Context, *changeServer) (*tuning.Plan, []*advice.Finding, error)

// finder returns a function that reads the plan from a file or computes it. It reports errors in the file or in rules before
// any server is contacted.
func (o *applyOptions) finder(ctx context.Context, f *Factory) (planFinder, error) {
	if o.PlanFile != "" {
		plan, err := loadPlan(ctx, f.IO, o.PlanFile)
		return func(context.Context, *changeServer) (*tuning.Plan, []*advice.Finding, error) { return plan, nil, nil }, err
	}
	request, err := o.request(f)
	return func(ctx context.Context, s *changeServer) (*tuning.Plan, []*advice.Finding, error) {
		a, err := o.findings(ctx, f, s, request)
		if err != nil {
			return nil, nil, err
		}
		if err := o.wholeScope(a.Snapshot); err != nil && !o.All {
			return nil, nil, err
		}
		plan, err := o.plan(ctx, f, s, a)
		return plan, a.Result.Findings, err
	}, err
}

func loadPlan(ctx context.Context, streams *iostreams.IO, path string) (*tuning.Plan, error) {
	in := userfile.Stream(ctx, streams.In)
	if path != iostreams.Stdout {
		file, err := userfile.Open(path)
		if err != nil {
			return nil, fileError("reading the plan: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	plan, err := tuning.LoadPlan(userfile.Watched(ctx, userfile.Text(userfile.Plan.Bound(in))))
	if path == iostreams.Stdout {
		path = "standard input"
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return plan, nil
}

// confirm reports whether policy and the user permit the changes. An empty plan needs no confirmation.
func (o *applyOptions) confirm(ctx context.Context, f *Factory, plan *tuning.Plan, a *applying) error {
	if plan.Empty() {
		return refusedByPolicy(plan)
	}
	if err := windowOpen(a.options); err != nil { // before anybody is asked in vain
		return err
	}
	outages := restartsOf(plan, a.options)
	outages.print(f.IO)
	if o.Approval.Yes {
		return o.Limit.check(plan)
	}
	return ask(ctx, f.IO, "Apply "+report.Extent(plan)+wording.On(a.server)+outages.text()+"?")
}

func beginApply(ctx context.Context, f *Factory, o *applyOptions) (*applying, error) {
	s, err := o.Source.connectToWrite(ctx, f)
	if err != nil {
		return nil, err
	}
	options, err := o.options(f, s.account)
	if err != nil {
		s.close()
		return nil, err
	}
	return openJournals(f, s, options, o.Approval.Yes)
}

// apply makes the changes. If a step fails, it offers a rollback to a user at a terminal.
func (a *applying) apply(ctx context.Context, plan *tuning.Plan) (*tuning.Outcome, error) {
	outcome, err := tuning.Apply(ctx, a.estate, a.runs, plan, a.options)
	failed, ok := errors.AsType[*tuning.FailedError](err)
	if !ok || failed.Undone || outcome == nil || outcome.Run == "" || ctx.Err() != nil || a.options.RollbackOnError {
		return outcome, err
	}
	if a.yes || !a.io.InTTY() {
		fmt.Fprintf(a.io.Err, "completed changes remain; to undo them: %s\n", a.f.typed.Command("rollback", outcome.Run))
		return outcome, err
	}
	fmt.Fprintf(a.io.Err, "vperf: %s\n", iostreams.Printable(err))
	if ask(ctx, a.io, "Undo the completed changes"+wording.On(a.server)+"?") != nil {
		return outcome, err
	}
	back, undoErr := tuning.Rollback(ctx, a.estate, a.runs, outcome.Run, a.options)
	return cmp.Or(back, outcome), &tuning.FailedError{Err: errors.Join(failed.Err, undoErr), Undone: undoErr == nil && back != nil && undone(back)}
}

// undone reports whether all changes of a run are reverted.
func undone(o *tuning.Outcome) bool {
	return o.Count(tuning.StateUndone, tuning.StateUntouched, tuning.StateSame, tuning.StateDeferred, tuning.StateFailed) == len(o.Results)
}

// earlier are changes of earlier runs that wait, and concern the same findings or values.
func (a *applying) earlier(ctx context.Context, findings []*advice.Finding, outcome *tuning.Outcome) (all []report.Waiting, err error) {
	values, err := waiting.Changing{Estate: a.estate, Server: a.server, Runs: a.runs}.Earlier(ctx, findings, outcome)
	for _, v := range values {
		all = append(all, report.Waiting(v))
	}
	return all, err
}

// reportOutcome reports the outcome of a run, failed or not, and the changes of earlier runs that still wait.
func reportOutcome(f *Factory, s sinks, server tuning.Server, outcome *tuning.Outcome, earlier []report.Waiting, err error) error {
	if outcome == nil {
		return err
	}
	say := func(format format, w io.Writer, t report.Terminal) error {
		switch {
		case format.name == "json":
			return report.OutcomeJSON(w, server, outcome, earlier...)
		case len(outcome.Results)+len(earlier) == 0:
			_, err := fmt.Fprintln(w, "nothing to do")
			return err
		}
		return t.Show(w, report.Outcome(outcome, f.typed, earlier...))
	}
	if failed := s.write(f, say); failed != nil && !iostreams.IsBrokenPipe(failed) {
		err = errors.Join(err, failed)
	}
	return err
}
