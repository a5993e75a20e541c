package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// selection is what is judged and by which rules; every command that judges has its flags.
type selection struct {
	Targets    inventory.Targets
	Rules      []string
	Categories []string
	RuleFiles  []string
	Profile    string
	Include    includeVMs
}

func (s *selection) addFlags(c *cobra.Command, f *Factory) {
	flags := c.Flags()
	flags.StringSliceVar(&s.Targets.Clusters, "cluster", nil, "the hosts of these `CLUSTERS`")
	flags.StringSliceVar(&s.Targets.VMs, "vm", nil, "these `VMS` alone, by the rules for VMs")
	flags.StringSliceVarP(&s.Rules, "rule", "r", nil, "only these `RULES`")
	flags.StringSliceVar(&s.Categories, "category", nil, "only rules of these `CATEGORIES`")
	flags.StringArrayVar(&s.RuleFiles, "rules", nil, "add rules of your own from a `FILE` or folder")
	flags.StringVar(&s.Profile, "profile", "", "judge every object as this `PROFILE` (default: each object's own)")
	s.Include.addFlag(c)
	completeWords(c, map[string][]string{"category": stringsOf(findingCategories()), "profile": stringsOf(advice.Profiles())})
	completeFlag(c, "rule", completeRules(f, func(r *advice.Rule) bool { return len(r.Explains) == 0 })) // hosts would take a call to a server, so they are left to the user
}

func (s *selection) check() error {
	if err := s.Include.check(); err != nil {
		return err
	}
	if s.Profile != "" {
		if _, err := advice.ParseProfile(s.Profile); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
	}
	if slices.Contains(s.Categories, string(advice.CategoryDiagnosis)) {
		return errors.New("--category: diagnoses explain what counters show, and lead to no findings of their own: vperf advise holds them")
	}
	return allOf("category", s.Categories, findingCategories())
}

// findingCategories are those whose rules lead to findings.
func findingCategories() []advice.Category {
	return slices.DeleteFunc(slices.Clone(advice.Categories()), func(c advice.Category) bool { return c == advice.CategoryDiagnosis })
}

// noDiagnoses refuses diagnoses by name: an audit without findings would look as if the cause had been ruled out.
func (s *selection) noDiagnoses(library *advice.Library) error {
	for _, r := range library.Rules() {
		if len(r.Explains) == 0 || !slices.Contains(s.Rules, r.ID) {
			continue
		}
		others := slices.Concat(r.Fixes, r.Explains)
		return fmt.Errorf("--rule: %s is a diagnosis, which vperf advise holds; name what goes with it: %s", r.ID, strings.Join(others, ", "))
	}
	return nil
}

// request is what an audit of the selection goes by but the facts, and what people accept.
func (s *selection) request(library *advice.Library, help *cobra.Command) (audit.Request, error) {
	r := audit.Request{Targets: s.Targets, Options: advice.Options{Profile: advice.Profile(s.Profile)}}
	if err := s.noDiagnoses(library); err != nil {
		return r, usage(err, help)
	}
	var err error
	if r.Rules, err = s.ruleset(library); err != nil {
		return r, err
	}
	r.Options.Include = s.Include.states(len(s.Targets.VMs) > 0)
	if s.Profile == "" {
		if r.Options.Assignments, err = config.Profiles(); err != nil {
			return r, usage(err, help)
		}
	}
	return r, nil
}

func (s *selection) ruleset(library *advice.Library) (*advice.Ruleset, error) {
	var categories []advice.Category
	for _, c := range s.Categories {
		categories = append(categories, advice.Category(c))
	}
	picked := advice.Selection{Rules: s.Rules, Categories: categories}
	if len(s.Targets.VMs) > 0 {
		picked.Scopes = []inventory.Scope{inventory.ScopeVM, inventory.ScopeVNIC, inventory.ScopeVDisk}
	}
	return library.Select(picked)
}
