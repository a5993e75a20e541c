package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

func newExplain(f *Factory) *cobra.Command {
	var files []string
	c := &cobra.Command{
		Use:   "explain RULE",
		Short: "Explain a rule: why it matters, its measured benefit, and the fix",
		Long: `Explains one rule: why it matters, the measured benefit and its conditions, how
vperf checks it, the fix and its effort, the trade-off, the options by release,
and the sources.

Exit status: 0 done, 2 no such rule.`,
		Example: "  vperf explain numa-io",
		Args:    oneRule,
		RunE:    func(c *cobra.Command, args []string) error { return runExplain(c.Context(), f, files, args[0]) },
	}
	addRuleFiles(c, &files)
	c.ValidArgsFunction = completeRules(f, func(*advice.Rule) bool { return true })
	return c
}

// oneRule wants one id, and says where to find it.
func oneRule(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("explain takes one rule: vperf rules list shows their ids")
	}
	return nil
}

func runExplain(_ context.Context, f *Factory, files []string, id string) error {
	library, err := f.Library(files, false)
	if err != nil {
		return err
	}
	rules := library.Rules()
	i := slices.IndexFunc(rules, func(r *advice.Rule) bool { return r.ID == id })
	if i < 0 {
		return &advice.UnknownRuleError{ID: id, Near: inventory.Near(id, library.IDs())}
	}
	here := slices.DeleteFunc(measuredHere(f.IO, func(s tuning.Server) bool { return !s.Sandbox }), func(m view.MeasuredHere) bool { return m.Rule != id })
	return terminal(f).Show(f.IO.Out, report.Explain(rules[i], here...))
}
