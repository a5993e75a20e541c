package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/pkg/advice"
)

func newRules(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "Work with the rule library",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRulesTest(f, nil))
	return c
}

func newRulesTest(f *Factory, run func(context.Context, *Factory, []string) error) *cobra.Command {
	if run == nil {
		run = runRulesTest
	}
	return &cobra.Command{
		Use:   "test [FILE or FOLDER...]",
		Short: "Check rules and run the examples they carry",
		Long: `Checks the shape, the words and the types of rules and evaluates every example
they carry. Without an argument it tests vperf's own rules; with files or folders,
those too. Mistakes are listed as file:line:column: message.

Exit status: 0 all as it says, 2 a rule or an example is wrong.`,
		Example: `  vperf rules test
  vperf rules test ./my-rules`,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), f, args) },
	}
}

func runRulesTest(ctx context.Context, f *Factory, paths []string) error {
	library, err := f.Library(paths)
	if err != nil {
		return err
	}
	set, err := library.Select(advice.Selection{})
	if err != nil {
		return err
	}
	examples, err := set.Prove(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "%d rules, %d examples: all come out as they say\n", len(set.Rules()), examples)
	return nil
}
