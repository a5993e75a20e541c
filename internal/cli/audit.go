package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// auditOptions are the options of `vperf audit`.
type auditOptions struct {
	selection

	Source          sourceOptions
	Accept          acceptance
	For             time.Duration
	Severity        string
	FailOn          string
	Strict          bool
	AllowIncomplete bool
	Keep            bool
	Details         bool
	All             bool
	Output          outputs
}

const auditHelp = `Reads hosts and VMs and checks them against the rules. A terminal shows
a summary and the ten worst rules; a pipe or a file gets one line for each
finding. --details shows every finding with its evidence, notes and fixes.

HOST is an inventory name, DNS name, short name, IP address or id, or a shell
pattern; commas separate several. The default is all hosts of the server. Data
that could not be read makes a result unknown, never a pass.

Most rules skip powered-off VMs and templates; --include-vms checks them by all
rules, and a VM named with --vm is always checked. If many objects fail a rule,
the table counts them; --all lists each.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, rule, waiver or config, 3
findings at or above --fail-on, 4 incomplete (with --strict: any unknown result;
with --fail-on: an object that could not be read at all, or a rule of that
severity that is unknown for more than a tenth of its objects), 130 interrupted.

Waivers accept findings until a date. They are entries of .vperf-waivers.yaml in
the working directory, or an object's custom attribute vperf.waive. Waived
findings are listed and do not count for --fail-on; they return when the waiver
ends. A baseline records the findings of one day: with --baseline only new
findings are shown and count for --fail-on.

Severity depends on the profile of an object: its custom attribute or tag
vperf.profile (hosts inherit that of their cluster), else the first matching
pattern under profiles in the config file, else the profile that its
configuration suggests.

-o prometheus=FILE writes the number of findings by rule for the textfile
collector of node_exporter, which reads only files named *.prom. The file is
replaced at once.

--keep also stores the facts as a dated snapshot for vperf diff --since; it
reads all facts, which takes some more calls, and needs the whole server.

--for evaluates rules over counters, too: it measures up to 4 hosts for that
time, and uses the samples of the last hour for more hosts.`

func newAudit(f *Factory) *cobra.Command {
	o := &auditOptions{Output: outputs{offered: auditFormats()}}
	c := &cobra.Command{
		Use:   "audit [HOST...]",
		Short: "Check hosts and VMs against the performance rules",
		Long:  auditHelp,
		Example: `  vperf audit --demo
  vperf audit --demo host01 -o json
  GOVC_URL=https://vcenter.example.com vperf audit host01 --fail-on high
  vperf audit --from fleet.json --rule numa-io
  vperf audit --from rvtools.xlsx
  vperf audit --demo -o table -o junit=audit.xml -o md=audit.md
  vperf audit host01 --for 5m
  vperf audit -o prometheus=/var/lib/prometheus/node-exporter/vperf.prom
  vperf audit --write-baseline known.json
  vperf audit --baseline known.json --fail-on medium
  vperf audit --keep`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runAudit(c.Context(), f, o)
		},
	}
	o.addFlags(c, f)
	return c
}

func (o *auditOptions) addFlags(c *cobra.Command, factory *Factory) {
	o.Source.addFlags(c, true)
	o.Source.addRealtimeFlag(c)
	o.selection.addFlags(c, factory)
	o.Accept.addFlags(c)
	f := c.Flags()
	f.DurationVar(&o.For, "for", 0, "also evaluate rules over counters, measured for this `DURATION`, such as 5m")
	f.StringVar(&o.Severity, "severity", "", "show only findings of this `SEVERITY` or worse")
	f.StringVar(&o.FailOn, "fail-on", "", "exit with status 3 if a finding has this `SEVERITY` or worse")
	f.BoolVar(&o.Strict, "strict", false, "exit with status 4 if any result is unknown")
	f.BoolVar(&o.AllowIncomplete, "allow-incomplete", false, "do not exit with status 4 for data that could not be read")
	f.BoolVar(&o.Keep, "keep", false, "also store a dated snapshot for vperf diff --since")
	f.BoolVar(&o.Details, "details", false, "show every finding with its evidence, notes and fixes")
	f.BoolVar(&o.All, "all", false, "also show passed and not applicable checks, and whole lists")
	completeWords(c, map[string][]string{"severity": stringsOf(advice.Severities()), "fail-on": stringsOf(advice.Severities())})
	o.Output.addFlag(c)
	completeTargets(c, &o.Source)
}

func (o *auditOptions) check() error {
	if err := o.Source.check(); err != nil {
		return err
	}
	if err := checkFor(o.For, o.Source.file()); err != nil {
		return err
	}
	for flag, word := range map[string]string{"--fail-on": o.FailOn, "--severity": o.Severity} {
		if word == "" {
			continue
		}
		if _, err := advice.ParseSeverity(word); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
	}
	if err := o.checkKeep(); err != nil {
		return err
	}
	if err := o.selection.check(); err != nil {
		return err
	}
	return o.Accept.check(o.Output)
}

// checkKeep refuses to keep a part of a server: everything else would be missing from it.
func (o *auditOptions) checkKeep() error {
	switch {
	case o.Keep && len(o.Source.From) > 0:
		return errors.New("--keep and --from cannot be used together: a snapshot of the live server is kept")
	case o.Keep && !o.Targets.Everything():
		return errors.New("--keep needs the whole server: leave out HOST, --cluster and --vm, or save the part: " + o.Source.printed("snapshot", "--out", "FILE"))
	}
	return nil
}

// Garbage in percent of the live heap. While rules are compiled there is little to keep, and facts take more memory later. Afterwards
// auditGarbage takes a tenth off the memory of an audit of 40,000 VMs, and adds a sixth to its CPU time.
const (
	compilingGarbage = 150
	auditGarbage     = 50
)

func runAudit(ctx context.Context, f *Factory, o *auditOptions) error {
	collectAt(compilingGarbage)
	request, err := o.request(ctx, f)
	if err != nil {
		return err
	}
	collectAt(auditGarbage)
	sinks, err := o.Output.open(f.IO.Out)
	if err != nil {
		return err
	}
	defer sinks.discard()
	baseline, err := o.Accept.open()
	if err != nil {
		return err
	}
	defer baseline.Discard()
	o.Source.replayLast(o.For)
	from, err := o.Source.open(ctx, f)
	if err != nil {
		return err
	}
	defer from.Close()
	if !o.Source.Demo { // its fleet is a new one each time
		request.Options.Waiting = pending(f, from.Servers(ctx)...)
	}
	a, err := audit.Run(ctx, from, request)
	if err != nil {
		return err
	}
	if err := o.Accept.save(baseline, a.Result); err != nil {
		return err
	}
	if o.Keep {
		if err := keep(ctx, f.IO, a.Snapshot, from); err != nil {
			return err
		}
	}
	// A reader that went away does not open the gate: the verdict counts.
	if err := sinks.write(f, auditIn(o.data(ctx, a), o.view())); err != nil && !iostreams.IsBrokenPipe(err) {
		return err
	}
	for _, w := range a.Result.Warnings {
		fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Sanitize(w))
	}
	return o.verdict(a.Result)
}

// request builds the audit request: everything except the facts. It reports mistakes before any server is contacted.
func (o *auditOptions) request(ctx context.Context, f *Factory) (audit.Request, error) {
	library, err := f.Library(o.RuleFiles, false)
	if err != nil {
		return audit.Request{}, err
	}
	r, err := o.selection.request(library, o.Source.command)
	if err != nil {
		return r, err
	}
	r.For, r.Everything, r.ResultOnly = o.For, o.Keep, true
	r.Options.Rest = o.All
	if r.Waivers, err = o.Accept.load(library, f.Today()); err != nil {
		return r, err
	}
	r.Baseline, err = o.Accept.baseline(ctx)
	return r, err
}

func (o *auditOptions) data(ctx context.Context, a *audit.Audit) report.Audit {
	data := report.Audit{
		Source: a.Snapshot.Source, TakenAt: a.Snapshot.TakenAt(), Profile: advice.Profile(o.Profile), Result: a.Result, Whole: o.All,
	}
	if o.All {
		data.Rest = a.Result.Rest(ctx)
	}
	if o.Severity != "" {
		return data.AtLeast(advice.Severity(o.Severity))
	}
	return data
}

// view says how much to show: on a terminal the overview, unless the user asks for more or names rules; in a pipe lines.
func (o *auditOptions) view() auditView {
	return auditView{
		all:      o.All,
		details:  o.Details,
		overview: !o.All && !o.Details && len(o.Rules) == 0 && len(o.Categories) == 0 && o.Severity == "",
	}
}

// verdict turns the result into the gate's answer: findings beat incompleteness.
func (o *auditOptions) verdict(r *advice.Result) error {
	if o.FailOn != "" && r.Worst(advice.Severity(o.FailOn)) {
		return &findingsError{atLeast: advice.Severity(o.FailOn), new: r.Baseline != nil}
	}
	if o.AllowIncomplete {
		return nil
	}
	if o.FailOn != "" {
		if why := r.Incomplete(advice.Severity(o.FailOn)); len(why) > 0 {
			return &incompleteError{why: why}
		}
	}
	for _, g := range r.UnreadObjects {
		if _, planned := inventory.PlannedAbsence(g.Reason); o.Strict && !planned && r.Counts[advice.Unknown] == 0 { // rules evaluated no object of it
			return &incompleteError{why: []string{string(g.Object.Kind) + " " + g.Object.Name + " was not read: " + g.Reason + " (--strict)"}}
		}
	}
	if n := r.Counts[advice.Unknown] - r.Planned(); o.Strict && n > 0 {
		return &incompleteError{why: []string{fmt.Sprintf("%d outcomes are unknown (--strict)", n)}}
	}
	return nil
}
