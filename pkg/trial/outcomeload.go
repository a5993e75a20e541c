package trial

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// Library holds outcomes and guards, as read from files.
type Library struct {
	Outcomes []Outcome // by id
	Guards   []Guard   // in the order of their file
}

// guardFile is the file of a library that has guards instead of an outcome.
const guardFile = "guards.yaml"

// Load reads all *.yaml files of a folder: guards.yaml has the list `guards`, every other file is one outcome. It
// reports every mistake with file, line and column, as [strictyaml.Errors].
func Load(fsys fs.FS) (*Library, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing outcomes: %w", err)
	}
	l := &Library{}
	var bad strictyaml.Errors
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("reading outcome %s: %w", name, err)
		}
		if name == guardFile {
			guards, problems := parseGuards(name, text)
			l.Guards, bad = guards, append(bad, problems...)
			continue
		}
		o, problems := parseOutcome(name, text)
		l.Outcomes, bad = append(l.Outcomes, o), append(bad, problems...)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return l, nil
}

// For returns the outcomes that name a rule, the best one first and the others in the order of their ids.
func (l *Library) For(rule string) (list []Outcome) {
	for _, o := range l.Outcomes {
		if slices.Contains(o.Rules, rule) {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b Outcome) int {
		return cmp.Compare(b.rank(rule), a.rank(rule))
	})
	return list
}

// rank is 1 if the outcome is the best one for the rule, and -1 if it shows that the change took effect.
func (o *Outcome) rank(rule string) int {
	switch {
	case slices.Contains(o.First, rule):
		return 1
	case o.shows(rule):
		return -1
	}
	return 0
}

func (o *Outcome) shows(rule string) bool { return slices.Contains(o.Shows, rule) }

// Outcome returns the outcome with an id, or nil.
func (l *Library) Outcome(id string) *Outcome {
	for i := range l.Outcomes {
		if l.Outcomes[i].ID == id {
			return &l.Outcomes[i]
		}
	}
	return nil
}

var vmObjects = []esxtop.Object{esxtop.Group, esxtop.World, esxtop.DiskVM, esxtop.VDisk, esxtop.Port}

// unitObjects holds the kinds of units, and the objects that have rows for them; nil: all.
var unitObjects = map[inventory.Scope][]esxtop.Object{
	inventory.ScopeHost:    nil,
	inventory.ScopeCluster: nil,
	inventory.ScopeSwitch:  nil,
	inventory.ScopeVM:      vmObjects,
	inventory.ScopePool:    vmObjects,
	inventory.ScopeLUN:     {esxtop.Device},
}

func parseOutcome(name string, text []byte) (o Outcome, bad strictyaml.Errors) {
	file := strictyaml.NewFile(name, text)
	root, bad := file.Decode(&o)
	if root == nil {
		return o, bad
	}
	c := &strictyaml.Fields{File: file, Node: root, Of: reflect.TypeFor[Outcome](), Bad: bad}
	c.Word("id", strictyaml.ID.MatchString(o.ID) && o.ID+".yaml" == path.Base(name), "the file's name, in kebab case")
	c.Word("title", o.Title != "", "what it is called")
	c.Word("unit", o.Unit != "", "the unit of the value that people see")
	c.Word("better", o.Better == Down || o.Better == Up, "down or up")
	c.Word("form", slices.Contains([]Form{Ratio, Difference, Log1p}, o.Form), "ratio, difference or log1p")
	c.Word("timeConstant", o.TimeConstant > 0, "the time in which the effect settles, as 20s")
	c.Word("effectVaries", o.EffectVaries >= 0 && o.EffectVaries <= mostVaried, "a standard deviation as a fraction of the effect, from 0 to 0.7")
	c.Word("counters", o.Counters == "" || o.Counters == countersEsxtop, countersEsxtop+", if it needs the Esxtop service")
	c.Word("about", o.About != "", "what it says, and when to choose it")
	c.Word("source", o.Source != "", "where this outcome comes from")
	if len(o.Cost) == 0 {
		c.Missing("cost", "the counters that are compared")
	}
	if o.Form == Ratio && len(o.Work) == 0 {
		c.Missing("work", "the unit of work that the cost is divided by")
	}
	for _, field := range []struct {
		name string
		list []Term
	}{{"cost", o.Cost}, {"work", o.Work}} {
		nodes := strictyaml.Child(root, field.name)
		for i, t := range field.list {
			checkTerm(c, nodes.Content[i], t, o.Counters, o.Scopes)
		}
	}
	for i, rule := range o.First {
		if !slices.Contains(o.Rules, rule) {
			c.Add(strictyaml.Child(root, "first").Content[i], fmt.Sprintf("rule %s is not in rules: first has those whose best outcome it is", rule))
		}
	}
	for i, rule := range o.Shows {
		if !slices.Contains(o.Rules, rule) {
			c.Add(strictyaml.Child(root, "shows").Content[i], fmt.Sprintf("rule %s is not in rules: shows has those whose change must move it", rule))
		}
	}
	c.Word("moves", len(o.Shows) == 0 && o.Moves == "" || len(o.Shows) > 0 && (o.Moves == Up || o.Moves == Down), "with shows: up or down, as the change moves it")
	checkScopes(c, o.Scopes)
	return o, c.Bad
}

// mostVaried is an effect that 6 pairs can just find, however large it is.
const mostVaried = .7

const countersEsxtop = "esxtop"

const unitKinds = "host, vm, pool, lun, cluster or switch"

func checkScopes(c *strictyaml.Fields, scopes []inventory.Scope) {
	if len(scopes) == 0 {
		c.Missing("scopes", "the kinds of units that have it: "+unitKinds)
	}
	for i, s := range scopes {
		if _, ok := unitObjects[s]; !ok {
			c.Add(strictyaml.Child(c.Node, "scopes").Content[i], fmt.Sprintf("scope %q: want "+unitKinds, s))
		}
	}
}

// checkTerm reports a term that the catalogue does not have, that the counters do not provide, or that a unit has no
// rows of.
func checkTerm(c *strictyaml.Fields, n *yaml.Node, t Term, counters string, scopes []inventory.Scope) {
	b, err := t.bind()
	if err != nil {
		c.Add(n, err.Error())
		return
	}
	for _, m := range []*esxtop.Metric{b.metric, b.weight, b.needs} {
		if m != nil && counters == "" && m.Feeder(b.object) != esxtop.Performance {
			c.Add(n, fmt.Sprintf("the PerformanceManager does not have %s of a %s: set counters: %s", m.ID, t.Object, countersEsxtop))
		}
	}
	switch {
	case !slices.Contains([]Fold{Sum, Mean, Max, Min}, b.Fold):
		c.Add(strictyaml.Child(n, "fold"), fmt.Sprintf("fold %q: want sum, mean, max or min", t.Fold))
	case !slices.Contains([]Only{EveryRow, Uplinks, VMRows}, t.Only):
		c.Add(strictyaml.Child(n, "only"), fmt.Sprintf("only %q: want uplinks or vms", t.Only))
	case t.Only == Uplinks && b.object != esxtop.Port:
		c.Add(strictyaml.Child(n, "only"), "only ports can be uplinks")
	case t.PerVCPU && b.object != esxtop.Group:
		c.Add(strictyaml.Child(n, "perVCPU"), "only a group has vCPUs")
	case (t.Needs == "") != (t.AtLeast == 0):
		c.Add(n, "needs and atLeast go together")
	case t.Scale < 0:
		c.Add(strictyaml.Child(n, "scale"), "a scale is above 0")
	}
	for _, s := range scopes {
		if objects := unitObjects[s]; objects != nil && !slices.Contains(objects, b.object) {
			c.Add(n, fmt.Sprintf("a %s has no rows of %s", s, strings.ReplaceAll(t.Object, "-", " ")))
		}
	}
}

// guardList is the structure of guards.yaml.
type guardList struct {
	Guards []Guard `yaml:"guards"`
}

func parseGuards(name string, text []byte) ([]Guard, strictyaml.Errors) {
	file, list := strictyaml.NewFile(name, text), guardList{}
	root, bad := file.Decode(&list)
	nodes := strictyaml.Child(root, "guards")
	if nodes == nil || len(nodes.Content) != len(list.Guards) {
		return nil, append(bad, file.At(root, "field guards is missing: the list of guards"))
	}
	seen := map[string]bool{}
	for i, g := range list.Guards {
		c := &strictyaml.Fields{File: file, Node: nodes.Content[i], Of: reflect.TypeFor[Guard]()}
		if c.Node.Kind != yaml.MappingNode {
			continue
		}
		c.Word("id", strictyaml.ID.MatchString(g.ID) && !seen[g.ID], strictyaml.WantedID+", once")
		c.Word("title", g.Title != "", "what it is called")
		c.Word("unit", g.Unit != "", "the unit of its counter")
		if term := strictyaml.Child(c.Node, "term"); term == nil {
			c.Missing("term", "the counter")
		} else {
			checkTerm(c, term, g.Term, "", nil)
		}
		seen[g.ID] = true
		bad = append(bad, c.Bad...)
	}
	return list.Guards, bad
}
