package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
)

// auditOptions is what `vperf audit` was asked for.
type auditOptions struct {
	Source          sourceOptions
	Targets         []string
	Rules           []string
	Categories      []string
	RuleFiles       []string
	Profile         string
	FailOn          string
	Strict          bool
	AllowIncomplete bool
	All             bool
	Output          string
}

func newAudit(f *Factory, run func(context.Context, *Factory, *auditOptions) error) *cobra.Command {
	o := new(auditOptions)
	if run == nil {
		run = runAudit
	}
	c := &cobra.Command{
		Use:   "audit [HOST...]",
		Short: "Say what is wrong with hosts and their VMs",
		Long: `Reads hosts and their VMs and judges them by the rules.

A HOST is an inventory name, a DNS name, a short name, an IP address or an id;
none means everything the server has. Findings come worst first. What could not
be read is unknown, never a pass.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, rule or config,
3 findings at or above --fail-on, 4 incomplete (with --strict any unknown; with
--fail-on an object wholly unread or a rule unknown on over a tenth of its
objects), 130 interrupted.`,
		Example: `  vperf audit --demo
  vperf audit --demo host01 -o json
  GOVC_URL=https://vcenter.example.com vperf audit host01 --fail-on high
  vperf audit --from fleet.json --rule numa-io`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets = args
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return run(c.Context(), f, o)
		},
	}
	o.addFlags(c)
	return c
}

func (o *auditOptions) addFlags(c *cobra.Command) {
	o.Source.addFlags(c, true)
	f := c.Flags()
	f.StringSliceVarP(&o.Rules, "rule", "r", nil, "only these `RULES`")
	f.StringSliceVar(&o.Categories, "category", nil, "only rules of these `CATEGORIES`")
	f.StringArrayVar(&o.RuleFiles, "rules", nil, "add rules of your own from a `FILE` or folder")
	f.StringVar(&o.Profile, "profile", "", "judge every object as this `PROFILE` (default: what its configuration speaks for)")
	f.StringVar(&o.FailOn, "fail-on", "", "exit 3 when a finding has this `SEVERITY` or worse")
	f.BoolVar(&o.Strict, "strict", false, "exit 4 when anything is unknown")
	f.BoolVar(&o.AllowIncomplete, "allow-incomplete", false, "do not exit 4 for what could not be read")
	f.BoolVar(&o.All, "all", false, "show passes and not-applicables too")
	f.StringVarP(&o.Output, "output", "o", "table", "`FORMAT`: table or json")
}

func (o *auditOptions) check() error {
	if err := o.Source.check(); err != nil {
		return err
	}
	if o.FailOn != "" {
		if _, err := advice.ParseSeverity(o.FailOn); err != nil {
			return fmt.Errorf("--fail-on: %w", err)
		}
	}
	if o.Profile != "" {
		if _, err := advice.ParseProfile(o.Profile); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
	}
	for _, c := range o.Categories {
		if !slices.Contains(advice.Categories(), advice.Category(c)) {
			return fmt.Errorf("--category: no category %q; there are %s", c, join(advice.Categories()))
		}
	}
	if !slices.Contains([]string{"table", "json"}, o.Output) {
		return fmt.Errorf("--output: no format %q; there are table, json", o.Output)
	}
	return nil
}

func runAudit(ctx context.Context, f *Factory, o *auditOptions) error {
	rules, err := o.rules(f)
	if err != nil {
		return err
	}
	source, err := o.Source.open(ctx, f)
	if err != nil {
		return err
	}
	defer source.close()
	a, err := audit.Run(ctx, source, audit.Request{
		Targets: o.Targets, Rules: rules, Options: advice.Options{Profile: advice.Profile(o.Profile), All: o.All},
	})
	if err != nil {
		return err
	}
	if err := o.render(f, a); err != nil {
		return err
	}
	return o.verdict(a.Result)
}

func (o *auditOptions) rules(f *Factory) (*advice.Ruleset, error) {
	library, err := f.Library(o.RuleFiles)
	if err != nil {
		return nil, err
	}
	var categories []advice.Category
	for _, c := range o.Categories {
		categories = append(categories, advice.Category(c))
	}
	return library.Select(advice.Selection{Rules: o.Rules, Categories: categories})
}

func (o *auditOptions) render(f *Factory, a *audit.Audit) error {
	data := report.Audit{
		Source: a.Snapshot.Source, TakenAt: a.Snapshot.TakenAt(), Profile: advice.Profile(o.Profile), Result: a.Result,
	}
	if o.Output == "json" {
		return report.JSON(f.IO.Out, data)
	}
	return report.Table(f.IO.Out, data, report.Terminal{Width: f.IO.Width(), Style: f.IO.StyleOut()})
}

// verdict turns the result into the gate's answer: findings beat incompleteness.
func (o *auditOptions) verdict(r *advice.Result) error {
	if o.FailOn != "" && r.Worst(advice.Severity(o.FailOn)) {
		return &findingsError{advice.Severity(o.FailOn)}
	}
	if o.AllowIncomplete {
		return nil
	}
	if why := r.Incomplete(); o.FailOn != "" && len(why) > 0 {
		return &incompleteError{why}
	}
	if n := r.Counts[advice.Unknown]; o.Strict && n > 0 {
		return &incompleteError{[]string{fmt.Sprintf("%d outcomes are unknown (--strict)", n)}}
	}
	return nil
}

func join[T ~string](words []T) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return strings.Join(all, ", ")
}
