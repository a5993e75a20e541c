package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// selection selects the objects to judge and the rules. Every command that judges has its flags.
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
	flags.StringSliceVar(&s.Targets.Clusters, "cluster", nil, "only the hosts of these `CLUSTERS`")
	flags.StringSliceVar(&s.Targets.VMs, "vm", nil, "only these `VMS`, checked by the rules for VMs")
	flags.StringSliceVarP(&s.Rules, "rule", "r", nil, "only these `RULES`")
	flags.StringSliceVar(&s.Categories, "category", nil, "only rules of these `CATEGORIES`")
	addRuleFiles(c, &s.RuleFiles)
	flags.StringVar(&s.Profile, "profile", "", "use this `PROFILE` for all objects (default: the profile of each object)")
	s.Include.addFlag(c)
	completeWords(c, map[string][]string{"category": stringsOf(findingCategories()), "profile": stringsOf(advice.Profiles())})
	completeFlag(c, "rule", completeRules(f, func(r *advice.Rule) bool { return len(r.Explains) == 0 })) // completing hosts needs a call to a server
}

func (s *selection) check() error {
	if err := s.Include.check(); err != nil {
		return err
	}
	if err := checkProfile(s.Profile); err != nil {
		return err
	}
	if slices.Contains(s.Categories, string(advice.CategoryDiagnosis)) {
		return errors.New("--category: diagnoses explain counters and have no findings of their own: use the command advise")
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
		return fmt.Errorf("--rule: %s is a diagnosis, which only the command advise evaluates; name its symptoms and fixes instead: %s", r.ID, strings.Join(others, ", "))
	}
	return nil
}

// request builds the audit request of the selection, without facts and accepted findings.
func (s *selection) request(library *advice.Library, help *cobra.Command) (audit.Request, error) {
	r := audit.Request{Targets: s.Targets, Options: advice.Options{Profile: advice.Profile(s.Profile)}}
	if err := s.noDiagnoses(library); err != nil {
		return r, usage(err, help)
	}
	var err error
	if r.Options.OptionTable, err = optionTable(); err != nil {
		return r, err
	}
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

// includeVMs is the flag for VMs that do not run, which most rules skip.
type includeVMs []string

func (o *includeVMs) addFlag(c *cobra.Command) {
	c.Flags().StringSliceVar((*[]string)(o), "include-vms", nil,
		"also check VMs in these `STATES` by every rule: off, templates")
	completeWords(c, map[string][]string{"include-vms": stringsOf(advice.VMStates())})
}

func (o includeVMs) check() error {
	for _, word := range o {
		if _, err := advice.ParseVMState(word); err != nil {
			return fmt.Errorf("--include-vms: %w", err)
		}
	}
	return nil
}

// states returns the VM states that the flag includes. A VM that the user names is included whatever its state.
func (o includeVMs) states(named bool) []advice.VMState {
	if named {
		return advice.VMStates()
	}
	states := make([]advice.VMState, len(o))
	for i, word := range o {
		states[i] = advice.VMState(word)
	}
	return states
}

// waiversFile is where waivers are looked for unless a flag names another file.
const waiversFile = ".vperf-waivers.yaml"

// waiverOptions say which waivers count; every command that judges has them.
type waiverOptions struct {
	Waivers   string
	NoWaivers bool
}

func (o *waiverOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Waivers, "waivers", "", "read waivers from this `FILE` (default "+waiversFile+", if it exists)")
	f.BoolVar(&o.NoWaivers, "no-waivers", false, "ignore the waivers of files and custom attributes")
}

func (o *waiverOptions) check() error {
	if o.NoWaivers && o.Waivers != "" {
		return errors.New("--waivers and --no-waivers cannot be used together")
	}
	return nil
}

// load reads the waivers of the file, beside which those count that objects carry; nil waives nothing.
func (o *waiverOptions) load(l *advice.Library, today advice.Date) (*advice.Waivers, error) {
	if o.NoWaivers {
		return nil, nil //nolint:nilnil // an audit without waivers is no mistake
	}
	w := l.Waivers(today)
	w.Hint("vperf rules list shows them")
	path := cmp.Or(o.Waivers, waiversFile)
	text, err := userfile.Waivers.Read(path)
	switch {
	case o.Waivers == "" && errors.Is(err, fs.ErrNotExist):
		return w, nil
	case err != nil:
		return nil, fileError("reading waivers: %w", err)
	}
	return w, w.Parse(path, text)
}

// acceptance holds the findings that an audit accepts: waivers and a baseline.
type acceptance struct {
	waiverOptions

	Baseline      string
	WriteBaseline string
}

func (a *acceptance) addFlags(c *cobra.Command) {
	a.waiverOptions.addFlags(c)
	f := c.Flags()
	f.StringVar(&a.Baseline, "baseline", "", "show and count only findings that are not in this baseline `FILE`")
	f.StringVar(&a.WriteBaseline, "write-baseline", "", "save the current findings as a baseline to this `FILE`")
}

func (a *acceptance) check(others outputs) error {
	if err := a.waiverOptions.check(); err != nil {
		return err
	}
	if a.WriteBaseline == iostreams.Stdout {
		return errors.New("--write-baseline needs a file: standard output has the result of the audit")
	}
	for _, out := range others.chosen() {
		if place := (output{file: a.WriteBaseline}).place(); a.WriteBaseline != "" && out.place() == place {
			return fmt.Errorf("%s and the baseline would both go to %s", out.format.name, a.WriteBaseline)
		}
	}
	return nil
}

// baseline returns the baseline to compare findings with; nil means that all findings are new.
func (a *acceptance) baseline(ctx context.Context) (*advice.Baseline, error) {
	if a.Baseline == "" {
		return nil, nil //nolint:nilnil // an audit without a baseline is no mistake
	}
	f, err := userfile.Open(a.Baseline)
	if err != nil {
		return nil, fileError("reading baseline: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := advice.LoadBaseline(userfile.Watched(ctx, userfile.Text(userfile.Baseline.Bound(f))))
	if err != nil {
		return nil, fileError("%s: %w", a.Baseline, err)
	}
	return b, nil
}

// open makes sure that a baseline can be written; nil where none is asked for.
func (a *acceptance) open() (*iostreams.Destination, error) {
	if a.WriteBaseline == "" {
		return nil, nil //nolint:nilnil // nothing to write is no mistake
	}
	to, err := iostreams.OpenDestination(a.WriteBaseline, nil)
	if err != nil {
		return nil, a.failed(err)
	}
	return to, nil
}

func (a *acceptance) save(to *iostreams.Destination, r *advice.Result) error {
	if to == nil {
		return nil
	}
	if err := to.Save(func(w io.Writer) error { return advice.NewBaseline(r).Save(iostreams.JSONWriter(w)) }); err != nil {
		return a.failed(err)
	}
	return nil
}

func (a *acceptance) failed(err error) error {
	return fmt.Errorf("writing the baseline to %s: %w", a.WriteBaseline, err)
}

// addRuleFiles adds the flag for rules of the user's own.
func addRuleFiles(c *cobra.Command, files *[]string) {
	c.Flags().StringArrayVar(files, "rules", nil, "also load your own rules from this `FILE` or folder")
}

// checkProfile refuses a word that is no profile; none is each object's own.
func checkProfile(word string) error {
	if word == "" {
		return nil
	}
	if _, err := advice.ParseProfile(word); err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	return nil
}
