package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

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
	return report.RulesTable(f.IO.Out, rules, report.Terminal{Width: f.IO.Width(), Style: f.IO.StyleOut()})
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
