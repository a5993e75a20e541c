package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/trial"
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
			if errors.Is(err, errNoRules) {
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
	checked, l, err := lint(f, o.Paths)
	if err != nil {
		return err
	}
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
		fmt.Fprintf(f.IO.Out, "%s: no mistakes, %s\n", checked, plural.Count(warnings, "warning"))
	}
	return nil
}

func inRules(mistakes int) string { return plural.Count(mistakes, "mistake") + " in rules" }

// lint reads the rules of the paths beside our own, whose ids are taken, and compiles them. It describes the number of files.
func lint(f *Factory, paths []string) (checked string, l report.Lint, err error) {
	outcomes, files, bad := givenOutcomes(paths)
	library, err := f.Library(paths, false)
	if err == nil {
		var ownRules []*advice.Rule
		var others int
		if ownRules, others, err = given(library, paths); err == nil {
			checked, l.Warnings, err = plural.Count(len(ownRules), "rule"), missingFields(ownRules), compiles(library, ownRules)
		}
		if others -= files; others > 0 {
			checked += " and " + plural.Count(others, "file") + " of vendors and articles"
		}
		if files > 0 {
			checked += " and " + plural.Count(outcomes, "outcome") + " of trials"
		}
	}
	var failed error
	for _, err := range []error{err, bad} {
		if mistakes, ok := errors.AsType[strictyaml.Errors](err); ok {
			l.Mistakes = append(l.Mistakes, mistakes...)
		} else {
			failed = cmp.Or(failed, err)
		}
	}
	return checked, l, failed
}

// givenOutcomes reads the outcomes of trials in folders of the paths, which are vperf's own tree. It returns their number, the number of
// their files, and their mistakes.
func givenOutcomes(paths []string) (outcomes, files int, err error) {
	for _, p := range paths {
		tree := ownTree(p)
		folder := filepath.Join(tree, "outcomes")
		if tree == "" || !isIn(folder, p) && !isIn(p, folder) {
			continue
		}
		library, bad := trial.Load(os.DirFS(folder))
		if mistakes, ok := errors.AsType[strictyaml.Errors](bad); ok {
			for i := range mistakes {
				mistakes[i].File = filepath.Join(folder, mistakes[i].File)
			}
		}
		if bad != nil {
			return 0, 0, bad
		}
		given := ruleFiles([]string{p})
		if isIn(folder, p) {
			given = ruleFiles([]string{folder})
		}
		files += given
		outcomes += min(given, len(library.Outcomes))
	}
	return outcomes, files, nil
}

func missingFields(rules []*advice.Rule) []strictyaml.Problem {
	var all []strictyaml.Problem
	for _, r := range rules {
		all = append(all, ruletool.Missing(r)...)
	}
	return all
}

// compiles returns the mistakes in the expressions of some rules.
func compiles(library *advice.Library, rules []*advice.Rule) error {
	var s advice.Selection
	for _, r := range rules {
		s.Rules = append(s.Rules, r.ID)
	}
	_, err := library.Select(s)
	return err
}

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
	chosen := func(r *advice.Rule) bool { return len(o.Paths) == 0 || isGiven(r, o.Paths) }
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

// given returns the rules in files of the paths, and the number of other files there: vendors, and articles of vperf's own tree. There
// has to be one of either.
func given(library *advice.Library, paths []string) (ownRules []*advice.Rule, others int, err error) {
	for _, r := range library.Rules() {
		if isGiven(r, paths) {
			ownRules = append(ownRules, r)
		}
	}
	if files := ruleFiles(paths); files > len(ownRules) {
		others = files - len(ownRules)
	}
	if len(ownRules) == 0 && !slices.ContainsFunc(paths, func(p string) bool { return ownTree(p) != "" }) {
		return nil, 0, errNoRules
	}
	return ownRules, others, nil
}

// isGiven reports whether a rule was read from a file of the paths.
func isGiven(r *advice.Rule, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		// The files of built-in rules are in the program, with names that files here may have, too.
		return (r.FromUser() || ownTree(p) != "") && isIn(r.File(), p)
	})
}

// isIn reports whether a file is a path or in it.
func isIn(file, path string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	inside, err := filepath.Rel(path, file)
	return err == nil && filepath.IsLocal(inside)
}

// ruleFiles counts the files of the paths that are rules, vendors or articles. Unreadable folders were reported before.
func ruleFiles(paths []string) int {
	files := map[string]bool{}
	for _, p := range paths {
		_ = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(name) == ".yaml" {
				if file, err := filepath.Abs(name); err == nil {
					files[file] = true
				}
			}
			return nil
		})
	}
	return len(files)
}

var errNoRules = errors.New("there is no rule: rule files end in .yaml")
