package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
)

func newRules(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List, check and test rules",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRulesList(f, nil), newRulesLint(f, nil), newRulesTest(f, nil))
	return c
}

// listOptions is what `vperf rules list` was asked for.
type listOptions struct {
	Files      []string
	Categories []string
	Scopes     []string
	Profile    string
	Output     string
}

func newRulesList(f *Factory, run func(context.Context, *Factory, *listOptions) error) *cobra.Command {
	o := new(listOptions)
	if run == nil {
		run = runRulesList
	}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules",
		Long: `Lists the rules by category: id, what they look at, what they find.

Exit status: 0 done, 2 wrong usage or rule.`,
		Example: `  vperf rules list
  vperf rules list --category numa -o json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return run(c.Context(), f, o)
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&o.Files, "rules", nil, "add rules of your own from a `FILE` or folder")
	flags.StringSliceVar(&o.Categories, "category", nil, "only these `CATEGORIES`")
	flags.StringSliceVar(&o.Scopes, "scope", nil, "only rules that look at these `SCOPES`")
	flags.StringVar(&o.Profile, "profile", "", "only rules that say something of this `PROFILE`")
	flags.StringVarP(&o.Output, "output", "o", "table", "`FORMAT`: table or json")
	return c
}

func (o *listOptions) check() error {
	for _, c := range o.Categories {
		if err := oneOf("category", c, advice.Categories()); err != nil {
			return fmt.Errorf("--category: %w", err)
		}
	}
	for _, s := range o.Scopes {
		if err := oneOf("scope", s, advice.Scopes()); err != nil {
			return fmt.Errorf("--scope: %w", err)
		}
	}
	if o.Profile != "" {
		if _, err := advice.ParseProfile(o.Profile); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
	}
	return oneOf("format", o.Output, []string{"table", "json"})
}

func runRulesList(_ context.Context, f *Factory, o *listOptions) error {
	library, err := f.Library(o.Files, false)
	if err != nil {
		return err
	}
	rules := slices.DeleteFunc(library.Rules(), func(r *advice.Rule) bool { return !o.picks(r) })
	if o.Output == "json" {
		return report.RulesJSON(f.IO.Out, rules)
	}
	return report.RulesTable(f.IO.Out, rules, report.Terminal{Width: f.IO.Width(), Style: f.IO.StyleOut()})
}

func (o *listOptions) picks(r *advice.Rule) bool {
	_, named := r.Profiles[advice.Profile(o.Profile)]
	return (len(o.Categories) == 0 || slices.Contains(o.Categories, string(r.Category))) &&
		(len(o.Scopes) == 0 || slices.Contains(o.Scopes, string(r.Scope))) &&
		(o.Profile == "" || named)
}

func newRulesLint(f *Factory, run func(*Factory, []string) error) *cobra.Command {
	if run == nil {
		run = runRulesLint
	}
	return &cobra.Command{
		Use:   "lint FILE|FOLDER...",
		Short: "Check the shape, the words and the types of rules",
		Long: `Checks rule files without running their examples. Mistakes are listed as
file:line:column: message, so that editors can jump to them.

Exit status: 0 no mistakes, 1 a file cannot be read, 2 a rule is wrong.`,
		Example: `  vperf rules lint ./my-rules`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return run(f, args) },
	}
}

func runRulesLint(f *Factory, paths []string) error {
	set, err := compileAll(f, paths)
	if err != nil {
		return err
	}
	own, err := compileAll(f, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "%s: no mistakes\n", counted(len(set.Rules())-len(own.Rules()), "rule"))
	return nil
}

func newRulesTest(f *Factory, run func(context.Context, *Factory, []string) error) *cobra.Command {
	if run == nil {
		run = runRulesTest
	}
	return &cobra.Command{
		Use:   "test [FILE|FOLDER...]",
		Short: "Check rules and run the examples they carry",
		Long: `Checks the shape, the words and the types of rules and evaluates every example
they carry. Without an argument it tests vperf's own rules; with files or folders,
those too. Mistakes are listed as file:line:column: message.

Exit status: 0 all as it says, 1 a file cannot be read, 2 a rule or an example is
wrong.`,
		Example: `  vperf rules test
  vperf rules test ./my-rules`,
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), f, args) },
	}
}

func runRulesTest(ctx context.Context, f *Factory, paths []string) error {
	set, err := compileAll(f, paths)
	if err != nil {
		return err
	}
	examples, err := set.Prove(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "%s, %s: all come out as they say\n", counted(len(set.Rules()), "rule"), counted(examples, "example"))
	return nil
}

// compileAll loads our rules and those of the paths, and compiles every one.
func compileAll(f *Factory, paths []string) (*advice.Ruleset, error) {
	library, err := f.Library(paths, true)
	if err != nil {
		return nil, err
	}
	return library.Select(advice.Selection{})
}
