package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/script"
	"github.com/vperf/vperf/pkg/tuning"
)

// planOptions are the options of `vperf plan`.
type planOptions struct {
	changeOptions

	Full   bool
	Output outputs
}

func newPlan(f *Factory) *cobra.Command {
	o := &planOptions{Output: outputs{offered: planFormats()}}
	c := &cobra.Command{
		Use:   "plan [HOST...]",
		Short: "Show what apply would change",
		Long: `Shows what vperf apply would change: object, setting, old and new value, when
the change takes effect, the reason, the risk and the undo. It also lists the
skipped changes with their reasons. All values are read from the server now.

-o json=FILE saves the plan for vperf apply --plan FILE, which refuses it if a
value has changed since. -o govc, esxcli and powercli write the plan as a script
for sites where vperf may not write; the script checks each value first and can
undo itself.

Without --rule a plan contains only changes that take effect live, can be undone
exactly, restore a documented default and fix a finding of severity medium or
worse (--severity). Other rules must be named with --rule; some also need a
value from you: --set RULE.PARAM=VALUE. vperf explain RULE says which.

Equal changes of several objects share a line, and long lists of skipped changes
are counted. --full, -o json and -o md list each.

Exit status: 0 done, 1 vperf failed, 2 wrong usage, rule or config, or two rules
need different values, 10 nothing can be changed and some changes are refused,
130 interrupted.`,
		Example: `  vperf plan host01 --rule numa-io
  vperf plan --category memory --severity low
  vperf plan --cluster lowlat --profile latency -o table -o json=plan.json
  vperf plan host01 --rule rss --set rss.options=4,4
  vperf plan host01 --rule lro -o govc=fix.sh && sh fix.sh apply
  vperf plan --demo host01 --rule numa-io`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Targets.Hosts = hostArgs(args)
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runPlan(c.Context(), f, o)
		},
	}
	o.addFlags(c, f)
	addFull(c, &o.Full)
	o.Output.addFlag(c)
	return c
}

func planFormats() []format {
	return []format{{name: "table"}, {name: "json"}, {name: "yaml"}, {name: "md"}, {name: "govc"}, {name: "esxcli"}, {name: "powercli"}}
}

// planIn writes a plan.
func planIn(p *tuning.Plan, full bool) render {
	return func(f format, w io.Writer, t report.Terminal) error {
		switch f.name {
		case "json":
			return p.Save(w)
		case "table":
			return t.Show(w, report.Plan(p, full, t))
		case "md":
			return report.Plan(p, true, report.Terminal{Typed: t.Typed}).Markdown(w)
		}
		return map[string]func(io.Writer, *tuning.Plan) error{
			"govc": script.Govc, "esxcli": script.ESXCLI, "powercli": script.PowerCLI,
		}[f.name](w, p)
	}
}

func runPlan(ctx context.Context, f *Factory, o *planOptions) error {
	request, err := o.request(f)
	if err != nil {
		return err
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
	a, err := o.findings(ctx, f, s, request)
	if err != nil {
		return err
	}
	p, err := o.plan(ctx, f, s, a)
	if err != nil {
		return fmt.Errorf("planning: %w", err)
	}
	if err := sinks.write(f, planIn(p, o.Full)); err != nil && !iostreams.IsBrokenPipe(err) {
		return err
	}
	return refusedByPolicy(p)
}
