package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/rulefiles"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// lintOptions are the options of `vperf rules lint`.
type lintOptions struct {
	Paths  []string
	Strict bool
	Output string
}

func newRulesLint(f *Factory) *cobra.Command {
	o := new(lintOptions)
	c := &cobra.Command{
		Use:   "lint FILE|FOLDER...",
		Short: "Check rule files: structure, names and types",
		Long: `Checks rule files without running their examples. It lists all mistakes as
file:line:column: message, so that editors can jump to them. Missing parts that
a rule should have are warnings: evidence, trade-off, benefit (or a statement
that none was measured), sources, and an example of each outcome.

In a copy of vperf's own rules, all files are checked, as parts of one library:
rules, vendors and articles. Warnings are those of the given files.

Exit status: 0 no mistakes, 1 a file cannot be read, 2 a rule is wrong, or has
warnings with --strict.`,
		Example: `  vperf rules lint ./my-rules
  vperf rules lint --strict -o json my-rule.yaml`,
		Args: someArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Paths = args
			err := runRulesLint(f, o)
			if errors.Is(err, rulefiles.ErrNoRules) {
				return usage(err, c)
			}
			return err
		},
	}
	c.Flags().BoolVar(&o.Strict, "strict", false, "exit with status 2 for warnings, too")
	textOrData(f, c, &o.Output, "text")
	config.OwnName(c.Flags(), "strict")
	return c
}

func runRulesLint(f *Factory, o *lintOptions) error {
	checked, err := rulefiles.Lint(f.Library, o.Paths)
	if err != nil {
		return err
	}
	l := report.Lint{Mistakes: checked.Mistakes, Warnings: checked.Warnings}
	write := report.LintText
	if o.Output == "json" {
		write = report.LintJSON
	}
	if err := write(f.IO.Out, l); err != nil {
		return err
	}
	switch mistakes, warnings := len(l.Mistakes), len(l.Warnings); {
	case mistakes > 0:
		return &lintError{why: inRules(mistakes)}
	case warnings > 0 && o.Strict:
		return &lintError{why: plural.Count(warnings, "warning") + " (--strict)"}
	case o.Output == "text":
		fmt.Fprintf(f.IO.Out, "%s: no mistakes, %s\n", checked.Number, plural.Count(warnings, "warning"))
	}
	return nil
}

func inRules(mistakes int) string { return plural.Count(mistakes, "mistake") + " in rules" }

// testOptions are the options of `vperf rules test`.
type testOptions struct {
	Paths   []string
	Mutants bool
}

func newRulesTest(f *Factory) *cobra.Command {
	o := new(testOptions)
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER...]",
		Short: "Check rules and run their examples",
		Long: `Checks rules and evaluates all their examples. Without an argument it tests the
rules of vperf; files or folders are tested, too. Mistakes are listed as
file:line:column: message.

--mutants also tests the examples: it changes each comparison, number, text, &&,
|| and ! of applies and want in turn, in the given files or else in the rules of
vperf. It lists the changes that no example detects; such a rule needs another
example.

Exit status: 0 all examples pass, 1 a file cannot be read, 2 a rule or an
example is wrong.`,
		Example: `  vperf rules test
  vperf rules test ./my-rules
  vperf rules test --mutants my-rule.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			o.Paths = args
			return runRulesTest(c.Context(), f, o)
		},
	}
	c.Flags().BoolVar(&o.Mutants, "mutants", false, "list changes of the rules that no example detects")
	return c
}

func runRulesTest(ctx context.Context, f *Factory, o *testOptions) error {
	set, err := compileAll(f, o.Paths)
	if err != nil {
		return err
	}
	examples, err := ruletool.RunExamples(ctx, set)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Out, "%s, %s: all results are as expected\n", plural.Count(len(set.Rules()), "rule"), plural.Count(examples, "example"))
	if !o.Mutants {
		return nil
	}
	chosen := func(r *advice.Rule) bool { return len(o.Paths) == 0 || rulefiles.Given(r, o.Paths) }
	made, survivors, err := ruletool.Mutants(ctx, set, chosen)
	if err != nil {
		return err
	}
	if len(survivors) > 0 {
		fmt.Fprintln(f.IO.Out, iostreams.Printable(strictyaml.Errors(survivors)))
	}
	fmt.Fprintf(f.IO.Out, "%s, %d not detected\n", plural.Count(made, "change"), len(survivors))
	return nil
}

// compileAll loads our rules and those of the paths, and compiles every one.
func compileAll(f *Factory, paths []string) (*advice.Ruleset, error) {
	library, err := f.Library(paths, true)
	if err != nil {
		return nil, err
	}
	return library.Select(advice.Selection{Diagnoses: true})
}
