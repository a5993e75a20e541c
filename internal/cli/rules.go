package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/pkg/advice"
)

func newRules(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List, write, check and test rules",
		Long: `Rules are YAML files: one rule a file, with its reasons, its sources and examples
that prove it. Those of your own are judged by like vperf's: --rules FILE or FOLDER.`,
		Example: `  vperf rules new my-rule --scope vm --out my-rule.yaml
  vperf rules lint my-rule.yaml
  vperf rules test my-rule.yaml
  vperf audit --demo --rules my-rule.yaml --rule my-rule`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRulesList(f), newRulesNew(f), newRulesLint(f), newRulesTest(f), newRulesSchema(f), newRulesDocs(f))
	return c
}

// compileAll loads our rules and those of the paths, and compiles every one.
func compileAll(f *Factory, paths []string) (*advice.Ruleset, error) {
	library, err := f.Library(paths, true)
	if err != nil {
		return nil, err
	}
	return library.Select(advice.Selection{Diagnoses: true})
}

// own are the rules that are not vperf's, of which there has to be one.
func own(library *advice.Library) ([]*advice.Rule, error) {
	var mine []*advice.Rule
	for _, r := range library.Rules() {
		if r.FromUser() {
			mine = append(mine, r)
		}
	}
	if len(mine) == 0 {
		return nil, errNoRules
	}
	return mine, nil
}

var errNoRules = errors.New("there is no rule: rules are files that end in .yaml")
