package advice

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// Selection selects rules of a library. The zero value selects all except diagnoses. Selecting a diagnosis also selects
// its symptoms and the rules it refers to.
type Selection struct {
	// Diagnoses selects diagnoses too; otherwise they are selected only by their id.
	Diagnoses  bool
	Rules      []string   // ids, or shell patterns of ids, such as numa-*
	Categories []Category // any of them
	Scopes     []inventory.Scope
}

// Select compiles the selected rules. It returns all mistakes in their expressions together, as RuleErrors.
func (l *Library) Select(s Selection) (*Ruleset, error) {
	for _, id := range s.Rules {
		if err := l.checkID(id, s.Diagnoses); err != nil {
			return nil, err
		}
	}
	picked := l.withReferred(slices.DeleteFunc(l.Rules(), func(r *Rule) bool { return !s.picks(r) }))
	set := &Ruleset{rules: make([]*compiled, len(picked))}
	problems := make([]strictyaml.Errors, len(picked))
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, r := range picked { // compiling takes most of the time of a short command
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			set.rules[i], problems[i] = compile(r)
		})
	}
	all.Wait()
	bad := slices.Concat(problems...)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set.linkNeeds()
	return set, nil
}

// checkID returns an error if id is neither a rule's id nor a pattern that matches one.
func (l *Library) checkID(id string, diagnoses bool) error {
	if slices.Contains(l.IDs(), id) {
		return nil
	}
	if !inventory.IsPattern(id) {
		return &UnknownRuleError{id, inventory.Near(id, l.IDs())}
	}
	if _, bad := inventory.MatchPattern(id, ""); bad != nil {
		return fmt.Errorf("%q as a pattern of rules: %w", id, bad)
	}
	if !slices.ContainsFunc(l.Rules(), func(r *Rule) bool { return (len(r.Explains) == 0 || diagnoses) && matchesID(id, r) }) {
		return &UnknownRuleError{ID: id}
	}
	return nil
}

func matchesID(pattern string, r *Rule) bool {
	matches, _ := inventory.MatchPattern(pattern, r.ID) // checkID has refused bad patterns
	return matches
}

// withReferred adds the symptoms that diagnoses explain and the rules that they refer to: diagnoses have no effect
// without them.
func (l *Library) withReferred(picked []*Rule) []*Rule {
	wanted := map[string]bool{}
	for _, r := range picked {
		wanted[r.ID] = true
		if len(r.Explains) == 0 {
			continue
		}
		for _, id := range slices.Concat(r.Explains, r.refers()) {
			wanted[id] = true
		}
	}
	return slices.DeleteFunc(l.Rules(), func(r *Rule) bool { return !wanted[r.ID] })
}

func (s Selection) picks(r *Rule) bool {
	named := slices.Contains(s.Rules, r.ID)
	matched := slices.ContainsFunc(s.Rules, func(pattern string) bool { return inventory.IsPattern(pattern) && matchesID(pattern, r) })
	return (len(s.Rules) == 0 || named || matched) && (len(r.Explains) == 0 || s.Diagnoses || named) &&
		(len(s.Categories) == 0 || slices.Contains(s.Categories, r.Category)) &&
		(len(s.Scopes) == 0 || slices.Contains(s.Scopes, r.Scope))
}

// linkNeeds adds the facts that connect objects to those that diagnoses refer to.
func (s *Ruleset) linkNeeds() {
	rules := make(map[string]*Rule, len(s.rules))
	for _, r := range s.rules {
		rules[r.ID] = r.Rule
	}
	for _, r := range s.rules {
		if len(r.Explains) > 0 {
			addDiagnosisNeeds(&r.needs, r.Rule, rules)
		}
	}
}

// managedNeeds returns the facts that show whether a provider administers the objects of the rules.
func (s *Ruleset) managedNeeds() (n inventory.Needs) {
	for _, r := range s.rules {
		if r.aboutSettings() {
			n.AddFact("Host.cloud", "Host.cloudEvidence")
			n.AddFact(managedScopes[r.Scope]...)
		}
	}
	return n
}

// addMarkNeeds adds tags, attributes or both for the objects of the rules.
func (s *Ruleset) addMarkNeeds(n *inventory.Needs, marks ...string) {
	for _, r := range s.rules {
		for _, m := range marks {
			n.AddFact(mark.TaggedTypes[r.Scope] + "." + m)
		}
	}
}

// bootNeeds returns the facts that show whether pending changes have come into force.
func (s *Ruleset) bootNeeds(waiting []Waiting) inventory.Needs {
	var n inventory.Needs
	for _, w := range waiting {
		if !slices.ContainsFunc(s.rules, func(r *compiled) bool { return r.ID == w.Rule }) {
			continue
		}
		switch w.Kind {
		case inventory.ScopeHost:
			n.AddFact("Host.bootTime")
		case inventory.ScopeVM:
			n.AddFact("VM.bootTime")
		}
	}
	return n
}

// profileNeeds returns the facts that profileOf reads.
func profileNeeds() inventory.Needs {
	var n inventory.Needs
	n.AddFact("Host.pnics", "PNIC.linkMbps", "PNIC.uplink", "Host.vsan", "Host.cores", "Host.numaNodes",
		"VM.hostId", "VM.latencySensitivity", "VM.vcpus")
	return n
}

// Reads maps a rule id to the facts that the rule reads, without the facts of the automatic profile.
func (s *Ruleset) Reads() map[string]inventory.Needs {
	reads := make(map[string]inventory.Needs, len(s.rules))
	for _, r := range s.rules {
		reads[r.ID] = r.needs
	}
	return reads
}

// Needs returns the facts that the rules and the choice of profiles read.
func (s *Ruleset) Needs(o Options) inventory.Needs {
	var n inventory.Needs
	n.Add(profileNeeds())
	n.Add(s.managedNeeds())
	n.AddFact("Host.version", "VCenter.version") // releases newer than the tables are reported
	n.Add(s.bootNeeds(o.Waiting))
	if o.Profile == "" {
		s.addMarkNeeds(&n, mark.FactTags, mark.FactAttributes)
		if n.Any("Host." + mark.FactTags) { // a host has its cluster's profile
			n.AddFact("Host.clusterId", "Cluster."+mark.FactTags, "Cluster."+mark.FactAttributes)
		}
	}
	for _, r := range s.rules {
		n.Add(r.needs)
		for _, key := range r.options { // a release that no table describes is judged by the host's own defaults
			n.AddOptionBounds(key)
		}
	}
	return n
}

// Live lists the live counters that the rules read, each once.
func (s *Ruleset) Live() []string {
	var all []Expr
	for _, r := range s.rules {
		all = append(append(all, r.Want, r.Lost), r.expressions()...)
		for _, m := range r.Remedy {
			all = append(all, m.When, m.Each, m.To)
		}
	}
	return liveIn(all...)
}
