package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/advice"
)

// testOptions is what `vperf rules test` was asked for.
type testOptions struct {
	Paths   []string
	Mutants bool
}

func newRulesTest(f *Factory) *cobra.Command {
	o := new(testOptions)
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER...]",
		Short: "Check rules and run the examples they carry",
		Long: `Checks the shape, the words and the types of rules and evaluates every example
they carry. Without an argument it tests vperf's own rules; with files or folders,
those too. Mistakes are listed as file:line:column: message.

With --mutants it also tests the examples: every comparison, number, text, &&, || and
! of applies and want is changed in turn, of the files given or else of vperf's own
rules. A change that no example notices is listed where it stands; another example
would find it.

Exit status: 0 all as it says, 1 a file cannot be read, 2 a rule or an example is
wrong.`,
		Example: `  vperf rules test
  vperf rules test ./my-rules
  vperf rules test --mutants my-rule.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Paths = args
			return runRulesTest(c.Context(), f, o)
		},
	}
	c.Flags().BoolVar(&o.Mutants, "mutants", false, "list changes of the rules that no example notices")
	return c
}

func runRulesTest(ctx context.Context, f *Factory, o *testOptions) error {
	set, err := compileAll(f, o.Paths)
	if err != nil {
		return err
	}
	examples, err := set.Prove(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "%s, %s: all come out as they say\n", counted(len(set.Rules()), "rule"), counted(examples, "example"))
	if !o.Mutants {
		return nil
	}
	made, survivors, err := set.Mutants(ctx, func(r *advice.Rule) bool { return r.FromUser() == (len(o.Paths) > 0) })
	if err != nil {
		return err
	}
	if len(survivors) > 0 {
		fmt.Fprintln(f.IO.Out, iostreams.Printable(advice.RuleErrors(survivors)))
	}
	fmt.Fprintf(f.IO.Out, "%s, %d not noticed\n", counted(made, "change"), len(survivors))
	return nil
}
