package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/docs/schema"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/guide"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/inventory"
)

func newRules(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List, write, check and test rules",
		Long: `Rules are YAML files, one rule per file, with reasons, sources and examples that
test it. --rules FILE or FOLDER adds your own rules to those of vperf.`,
		Example: `  vperf rules new my-rule --scope vm --out my-rule.yaml
  vperf rules lint my-rule.yaml
  vperf rules test my-rule.yaml
  vperf audit --demo --rules my-rule.yaml --rule my-rule`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRulesList(f), newRulesNew(f), newRulesLint(f), newRulesTest(f), newRulesSchema(f), newRulesDocs(f), newRulesTables(f))
	return c
}

// listOptions are the options of `vperf rules list`.
type listOptions struct {
	Files       []string
	Categories  []string
	Scopes      []string
	Profile     string
	Activations []string
	Manual      bool
	Output      string
}

func newRulesList(f *Factory) *cobra.Command {
	o := new(listOptions)
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rules",
		Long: `Lists the rules by category: id, scope and title. -o json adds severities,
fixes, parameters and the file of each rule. New fields may be added; names
never change.

Exit status: 0 done, 1 a file cannot be read, 2 wrong usage or rule.`,
		Example: `  vperf rules list
  vperf rules list --category numa -o json
  vperf rules list --activation live          fixes that need no restart
  vperf rules list --manual                   rules that need manual review
  vperf rules list --rules ./my-rules --scope vm,vnic`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runRulesList(c.Context(), f, o)
		},
	}
	flags := c.Flags()
	addRuleFiles(c, &o.Files)
	flags.StringSliceVar(&o.Categories, "category", nil, "only these `CATEGORIES`")
	flags.StringSliceVar(&o.Scopes, "scope", nil, "only rules of these `SCOPES`")
	flags.StringVar(&o.Profile, "profile", "", "only rules that mention this `PROFILE`")
	flags.StringSliceVar(&o.Activations, "activation", nil, "only rules with a fix that needs one of these `ACTIVATIONS`")
	flags.BoolVar(&o.Manual, "manual", false, "only rules that need manual review")
	textOrData(f, c, &o.Output, "table")
	config.OwnName(flags, "category", "scope", "profile")
	completeWords(c, map[string][]string{
		"category": stringsOf(advice.Categories()), "scope": stringsOf(advice.Scopes()), "profile": stringsOf(advice.Profiles()),
		"activation": stringsOf(inventory.Activations()),
	})
	return c
}

func (o *listOptions) check() error {
	if err := allOf("category", o.Categories, advice.Categories()); err != nil {
		return err
	}
	if err := allOf("scope", o.Scopes, advice.Scopes()); err != nil {
		return err
	}
	if err := allOf("activation", o.Activations, inventory.Activations()); err != nil {
		return err
	}
	return checkProfile(o.Profile)
}

// allOf refuses a flag's words that are none of a list; the flag is called as they are.
func allOf[T ~string](flag string, words []string, all []T) error {
	for _, w := range words {
		if err := oneOf(flag, w, all); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return nil
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
	return terminal(f).Show(f.IO.Out, report.Rules(rules))
}

func (o *listOptions) picks(r *advice.Rule) bool {
	_, named := r.Profiles[advice.Profile(o.Profile)]
	takes := func(m advice.Remedy) bool { return slices.Contains(o.Activations, string(m.Activation)) }
	return (len(o.Categories) == 0 || slices.Contains(o.Categories, string(r.Category))) &&
		(len(o.Scopes) == 0 || slices.Contains(o.Scopes, string(r.Scope))) &&
		(len(o.Activations) == 0 || slices.ContainsFunc(r.Remedy, takes)) &&
		(o.Profile == "" || named) &&
		(!o.Manual || r.Manual != "")
}

// newRuleOptions are the options of `vperf rules new`.
type newRuleOptions struct {
	ID       string
	Category string
	Scope    string
	Out      string
}

func newRulesNew(f *Factory) *cobra.Command {
	o := new(newRuleOptions)
	c := &cobra.Command{
		Use:   "new ID",
		Short: "Write a new rule from a template",
		Long: `Writes a small working rule for a scope, as a start for your own. It does not
overwrite files.

Exit status: 0 done, 1 the file exists or cannot be written, 2 wrong usage, or
the id of a rule of vperf.`,
		Example: `  vperf rules new owner-tag --scope vm --out owner-tag.yaml
  vperf rules new slow-uplink --scope pnic --category network`,
		Args: oneArg("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			o.ID = args[0]
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return asUsage(runRulesNew(c.Context(), f, o), c)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := c.Flags()
	flags.StringVar(&o.Scope, "scope", string(inventory.ScopeHost), "`SCOPE`: the kind of object that the rule checks")
	flags.StringVar(&o.Category, "category", "", "`CATEGORY` of the rule (default: the usual one of the scope)")
	flags.StringVar(&o.Out, "out", iostreams.Stdout, "write to `FILE`, which must not exist (- is standard output)")
	config.OwnName(flags, "category", "scope", "out")
	completeWords(c, map[string][]string{"scope": stringsOf(advice.Scopes()), "category": stringsOf(advice.Categories())})
	return c
}

func (o *newRuleOptions) check() error {
	if err := advice.CheckID(o.ID); err != nil {
		return err
	}
	if err := allOf("scope", []string{o.Scope}, advice.Scopes()); err != nil {
		return err
	}
	if o.Category != "" {
		if err := allOf("category", []string{o.Category}, advice.Categories()); err != nil {
			return err
		}
	}
	if o.Out != iostreams.Stdout && filepath.Ext(o.Out) != ".yaml" {
		return fmt.Errorf("--out %s: rules are files that end in .yaml", o.Out)
	}
	return nil
}

func runRulesNew(_ context.Context, f *Factory, o *newRuleOptions) error {
	library, err := f.Library(nil, false)
	if err != nil {
		return err
	}
	if slices.Contains(library.IDs(), o.ID) {
		return mistake(fmt.Errorf("%s is a built-in rule of vperf: choose another id (vperf explain %s shows what it does)", o.ID, o.ID))
	}
	text, err := ruletool.Starter(o.ID, advice.Category(o.Category), inventory.Scope(o.Scope))
	if none, ok := errors.AsType[*ruletool.NoStarterError](err); ok {
		return mistake(fmt.Errorf("%w; begin with --scope %s", err, strings.Join(stringsOf(none.Others()), " or --scope ")))
	}
	if err != nil {
		return mistake(err)
	}
	text = starterHead(advice.Category(o.Category)) + text
	if o.Out == iostreams.Stdout {
		fmt.Fprint(f.IO.Out, text)
		return nil
	}
	if err := writeNew(o.Out, text); err != nil {
		return fmt.Errorf("writing the rule to %s: %w", o.Out, err)
	}
	fmt.Fprintf(f.IO.Err, "wrote %s; check it with vperf rules lint %s\n", o.Out, o.Out)
	return nil
}

// starterHead returns the comment at the top of a new rule. It begins with the marker of yaml-language-server.
func starterHead(category advice.Category) string {
	use := "vperf audit --rules FILE checks it."
	if category == advice.CategoryDiagnosis {
		use = "vperf advise --rules FILE uses it."
	}
	return `# yaml-language-server: $schema=rule.schema.json
# Editors check and complete this file by that schema: vperf rules schema --out rule.schema.json puts it beside this file.
# vperf rules lint FILE checks the rule, vperf rules test FILE runs its examples, ` + use + "\n"
}

// writeNew writes a new file. It fails if the file exists, to protect the user's work.
func writeNew(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return errors.New("it already exists")
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// docsOptions are the options of `vperf rules docs`.
type docsOptions struct {
	Files []string
	Out   string
}

func newRulesDocs(f *Factory) *cobra.Command {
	o := new(docsOptions)
	c := &cobra.Command{
		Use:   "docs",
		Short: "Print the guide that is generated from the rules",
		Long: `Prints the guide to best practices as Markdown: each rule with its reasons,
measured benefit, check and fix. Your own rules (--rules) are included.

Exit status: 0 done, 1 a file cannot be read or written, 2 wrong usage or rule.`,
		Example: `  vperf rules docs --out best-practices.md
  vperf rules docs --rules ./my-rules --out ours.md`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runRulesDocs(c.Context(), f, o)
		},
	}
	flags := c.Flags()
	addRuleFiles(c, &o.Files)
	flags.StringVar(&o.Out, "out", iostreams.Stdout, "write to `FILE` (- is standard output)")
	config.OwnName(flags, "out")
	return c
}

func runRulesDocs(_ context.Context, f *Factory, o *docsOptions) error {
	library, err := f.Library(o.Files, false)
	if err != nil {
		return err
	}
	return save(f, "the guide", o.Out, func(w io.Writer) error { return guide.Write(w, library, read.Origins()) })
}

func newRulesSchema(f *Factory) *cobra.Command {
	out := iostreams.Stdout
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of rule files, for editors",
		Long: `Prints the JSON Schema (draft 2020-12) of rule files. An editor with
yaml-language-server checks and completes a rule whose first line names it:

  # yaml-language-server: $schema=rule.schema.json

Exit status: 0 done, 1 the file cannot be written.`,
		Example: `  vperf rules schema --out rule.schema.json`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return save(f, "the schema of rules", out, func(w io.Writer) error {
				_, err := w.Write(schema.Rule)
				return err
			})
		},
	}
	c.Flags().StringVar(&out, "out", iostreams.Stdout, "write to `FILE` (- is standard output)")
	config.OwnName(c.Flags(), "out")
	return c
}

// save writes a text to a file, or to standard output.
func save(f *Factory, what, path string, write func(io.Writer) error) error {
	to, err := iostreams.OpenDestination(path, f.IO.Out)
	if err == nil {
		defer to.Discard()
		err = to.Save(write)
	}
	if err != nil {
		return fmt.Errorf("writing %s to %s: %w", what, path, err)
	}
	return nil
}
