package advice

import (
	"runtime"
	"slices"
	"sync"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// Selection picks rules of a library. The zero value picks all but diagnoses. What a diagnosis refers to, its symptoms and
// the rules it asks for, is picked along with it.
type Selection struct {
	// Diagnoses picks the rules that explain symptoms too; else they are picked only by name.
	Diagnoses  bool
	Rules      []string   // ids
	Categories []Category // any of them
	Scopes     []inventory.Scope
}

// Ruleset is compiled rules, ready to be held against a snapshot.
type Ruleset struct {
	rules []*compiled
}

// Select compiles the rules picked. Mistakes in their expressions are returned together, as RuleErrors.
func (l *Library) Select(s Selection) (*Ruleset, error) {
	for _, id := range s.Rules {
		if !slices.Contains(l.IDs(), id) {
			return nil, &UnknownRuleError{id, inventory.Near(id, l.IDs())}
		}
	}
	picked := l.withReferred(slices.DeleteFunc(l.Rules(), func(r *Rule) bool { return !s.picks(r) }))
	set := &Ruleset{rules: make([]*compiled, len(picked))}
	problems := make([]strictyaml.Errors, len(picked))
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, r := range picked { // compiling is most of what a short command does
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

// withReferred adds the symptoms that diagnoses explain and the rules that they ask for: without those nothing would ever
// be explained.
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
	return (len(s.Rules) == 0 || named) && (len(r.Explains) == 0 || s.Diagnoses || named) &&
		(len(s.Categories) == 0 || slices.Contains(s.Categories, r.Category)) &&
		(len(s.Scopes) == 0 || slices.Contains(s.Scopes, r.Scope))
}

// linkNeeds adds what ties objects to those that diagnoses ask about.
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

// Rules lists the rules by id.
func (s *Ruleset) Rules() []*Rule {
	rules := make([]*Rule, len(s.rules))
	for i, c := range s.rules {
		rules[i] = c.Rule
	}
	return rules
}
