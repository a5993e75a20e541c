package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/remedy"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// changeOptions select the changes and their targets. The plan and apply commands share them.
type changeOptions struct {
	selection

	Source   sourceOptions
	Params   []string // RULE.PARAM=VALUE
	Severity string   // "" is the default
	Waivers  waiverOptions
}

func (o *changeOptions) addFlags(c *cobra.Command, f *Factory) {
	o.Source.addWritingFlags(c, true)
	_ = c.Flags().MarkHidden("from") // it is there to be refused with words
	o.selection.addFlags(c, f)
	o.Waivers.addFlags(c)
	c.Flags().StringArrayVar(&o.Params, "set", nil, "set a rule parameter: `RULE.PARAM=VALUE`; may be repeated")
	c.Flags().StringVar(&o.Severity, "severity", "", "skip findings below this `SEVERITY` (default medium; rules named with --rule: info)")
	completeWords(c, map[string][]string{"severity": stringsOf(advice.Severities())})
	config.OnlyTyped(c.Flags(), "from", "cluster", "vm", "rule", "category", "rules", "set", "severity", "profile", "no-waivers")
	config.OwnName(c.Flags(), "severity")
	completeFlag(c, "set", completeParams(f))
	completeTargets(c, &o.Source)
}

func (o *changeOptions) check() error {
	if len(o.Source.From) > 0 {
		return errors.New("--from: a plan needs the current values of a server, and a snapshot has old ones; " + o.Source.printed("audit") + " checks them")
	}
	if o.Severity != "" {
		if _, err := advice.ParseSeverity(o.Severity); err != nil {
			return fmt.Errorf("--severity: %w", err)
		}
	}
	for _, p := range o.Params {
		if _, _, err := splitParam(p); err != nil {
			return err
		}
	}
	return errors.Join(o.Source.checkOne(), o.selection.check(), o.Waivers.check())
}

// splitParam takes RULE.PARAM=VALUE apart; names of rules have no dots.
func splitParam(s string) (name [2]string, value string, err error) {
	left, value, given := strings.Cut(s, "=")
	rule, param, dotted := strings.Cut(left, ".")
	if !given || !dotted || rule == "" || param == "" {
		return name, "", fmt.Errorf("--set %s: write RULE.PARAM=VALUE, as in --set numa-io.threshold=40", s)
	}
	return [2]string{rule, param}, value, nil
}

// request builds the audit request of a plan without contacting the server.
func (o *changeOptions) request(f *Factory) (audit.Request, error) {
	library, err := f.Library(o.RuleFiles, false)
	if err != nil {
		return audit.Request{}, err
	}
	for _, p := range o.Params {
		name, value, err := splitParam(p)
		if err == nil {
			err = library.Set(name[0], name[1], value)
		}
		if err != nil {
			return audit.Request{}, err
		}
	}
	r, err := o.selection.request(library, o.Source.command)
	if err != nil {
		return r, err
	}
	r.Waivers, err = o.Waivers.load(library, f.Today())
	return r, err
}

// asked returns the limits of the plan. Named rules include all their findings, whatever their severity.
func (o *changeOptions) asked() remedy.Request {
	a := remedy.Request{Rules: o.Rules, Severity: advice.Severity(o.Severity)}
	if o.Severity == "" && len(o.Rules) == 0 {
		a.Severity = leastSeverity
	}
	return a
}

// leastSeverity is that of the mildest findings that an unnamed plan is for.
const leastSeverity = advice.Medium

// findings audits the targets that the options select.
func (o *changeOptions) findings(ctx context.Context, f *Factory, s *changeServer, r audit.Request) (*audit.Audit, error) {
	r.Options.Waiting = pending(f, s.server)
	a, err := audit.Run(ctx, s.source, r)
	if err != nil {
		return nil, err
	}
	for _, w := range a.Result.Warnings {
		fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Sanitize(w))
	}
	for _, finding := range a.Result.Findings {
		if finding.Pending != "" {
			fmt.Fprintln(f.IO.Err, iostreams.Sanitize(fmt.Sprintf("%s on %s is already written and pending: %s", finding.Rule.ID, finding.Object.Name, finding.Pending)))
		}
	}
	return a, nil
}

// plan computes the changes that fix the findings, from live values.
func (o *changeOptions) plan(ctx context.Context, f *Factory, s *changeServer, a *audit.Audit) (*tuning.Plan, error) {
	p := f.IO.StartProgress("reading current settings")
	defer p.Done()
	proposals, left := remedy.Propose(a.Result, a.Snapshot, o.asked())
	return tuning.NewPlan(ctx, s.estate.Settings, s.server, proposals, time.Now(), left...)
}

// completeParams offers the parameters of rules.
func completeParams(f *Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		library, err := f.Library(nil, false)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var found []cobra.Completion
		for _, r := range library.Rules() {
			for _, p := range r.ParamNames() {
				found = append(found, cobra.CompletionWithDesc(r.ID+"."+p+"=", r.Params[p].About))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// wholeScope rejects changes to the whole inventory unless the user asked for them.
func (o *changeOptions) wholeScope(s *inventory.Snapshot) error {
	hosts := 0
	for _, v := range s.VCenters {
		hosts += len(v.Hosts)
	}
	if !o.Targets.Everything() || hosts <= 1 {
		return nil
	}
	return &tuning.RefusedError{Why: []string{fmt.Sprintf(
		"without a target, the change covers all %d hosts of %s and their VMs: name hosts, --cluster or --vm, or add --all", hosts, s.Source)}}
}

// refusedByPolicy returns the error of a plan in which policy refuses every requested change. The plan, already printed, has
// the reasons.
func refusedByPolicy(plan *tuning.Plan) error {
	refused := slices.ContainsFunc(plan.Skipped, func(l tuning.Skipped) bool { return l.Refused })
	if !plan.Empty() || !refused {
		return nil
	}
	return &tuning.RefusedError{Why: []string{"no change is possible: vperf refuses the requested changes for the reasons above"}}
}

// addFull adds the flag that lists every change and every skipped change.
func addFull(c *cobra.Command, full *bool) {
	c.Flags().BoolVar(full, "full", false, "list each change, all benefits and all skipped changes")
}

// changeServer is a server that can be changed.
type changeServer struct {
	source  *source.Server
	estate  tuning.Estate
	server  tuning.Server
	account string
}

// close logs out.
func (c *changeServer) close() { c.source.Close() }

// connect logs in to the one server that changes are for.
func (o *sourceOptions) connect(ctx context.Context, f *Factory) (*changeServer, error) {
	o.one = true
	opened, err := o.open(ctx, f)
	if err != nil {
		return nil, err
	}
	s, ok := opened.(*source.Server)
	if !ok {
		opened.Close()
		return nil, fmt.Errorf("%T cannot be changed", opened)
	}
	c := &changeServer{source: s, account: s.Account}
	if err := c.identify(ctx, s.Session); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// identify identifies the server and passes it the protected objects of the config file.
func (c *changeServer) identify(ctx context.Context, s *session.Session) error {
	protected, err := config.Protected()
	if err != nil {
		return err
	}
	c.estate = change.Estate(s, protected...)
	c.server, err = change.Server(ctx, s)
	c.estate.Server = c.server
	return err
}

// checkOne rejects source options that do not work with a command that changes settings.
func (o *sourceOptions) checkOne() error {
	if o.AllContexts || len(o.Contexts) > 1 {
		return errOneServer
	}
	return o.check()
}

// checkWritable rejects the demo fleet: it ends with the command, and the change would be lost.
func (o *sourceOptions) checkWritable(tryIt string) error {
	if o.Demo {
		return fmt.Errorf("--demo is read-only: its fleet ends with the command. To start a fleet that keeps changes, type\n"+
			"  eval \"$(vperf sim --background)\"\n  %s\nand to stop it, eval \"$(vperf sim --stop)\"", tryIt)
	}
	return o.checkOne()
}

// connectToWrite is connect for commands that write. It refuses to guess which of two servers is meant, and prints the server
// before any request changes it.
func (o *sourceOptions) connectToWrite(ctx context.Context, f *Factory) (*changeServer, error) {
	o.writes = true
	c, err := o.connect(ctx, f)
	if err == nil {
		fmt.Fprintf(f.IO.Err, "server: %s\n", iostreams.Sanitize(wording.Server(c.server)))
	}
	return c, err
}
