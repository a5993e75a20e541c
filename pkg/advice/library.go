package advice

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// Library is rules that were read and whose shape is right; their expressions are compiled by Select.
type Library struct {
	rules    []*Rule    // sorted by id
	articles []*Article // sorted by id
	whole    bool       // no file was too wrong to know which rule it has

	vendors vendor.List
}

// Rules lists the rules by id.
func (l *Library) Rules() []*Rule { return slices.Clone(l.rules) }

// IDs lists the rules' ids.
func (l *Library) IDs() []string {
	ids := make([]string, len(l.rules))
	for i, r := range l.rules {
		ids[i] = r.ID
	}
	return ids
}

// Set gives a parameter of a rule the user's value, read as the type that the rule's own value has. It counts for what is
// selected afterwards.
func (l *Library) Set(rule, param, text string) error {
	i := slices.Index(l.IDs(), rule)
	if i < 0 {
		return &UnknownRuleError{rule, inventory.Near(rule, l.IDs())}
	}
	r := *l.rules[i]
	p, ok := r.Params[param]
	if !ok {
		return &UnknownParamError{rule, param, r.ParamNames()}
	}
	value, want := parseParam(p.Value, text)
	if want != "" {
		return &ParamValueError{Rule: rule, Param: param, Text: text, Want: want, Example: p.Value}
	}
	p.Value, p.Given = value, true
	r.Params = maps.Clone(r.Params) // who selected before keeps the rule as it was
	r.Params[param] = p
	l.rules = slices.Clone(l.rules)
	l.rules[i] = &r
	return nil
}

// parseParam reads a text as the type of a parameter's own value; want says what was wanted where it is none.
func parseParam(own any, text string) (value any, want string) {
	switch own.(type) {
	case int:
		if n, err := strconv.Atoi(text); err == nil {
			return n, ""
		}
		return nil, "a whole number"
	case float64:
		if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x, ""
		}
		return nil, "a number"
	case bool:
		switch text {
		case "true", "false":
			return text == "true", ""
		}
		return nil, "true or false"
	}
	return text, ""
}

// UnknownParamError names a parameter that a rule does not have.
type UnknownParamError struct {
	Rule, Param string
	Params      []string // those that it has
}

// Error names the probable one of the parameters there are.
func (e *UnknownParamError) Error() string {
	s := fmt.Sprintf("rule %s has no parameter %q", e.Rule, e.Param)
	if len(e.Params) == 0 {
		return s + ": nothing of it can be set"
	}
	return s + inventory.DidYouMean(e.Param, e.Params)
}

// ParamValueError is a value that a parameter cannot have.
type ParamValueError struct {
	Rule, Param, Text string
	Want              string // what it must be, in words
	Example           any    // the rule's own value
}

// Error says what was wanted.
func (e *ParamValueError) Error() string {
	return fmt.Sprintf("%s.%s is %s, not %q", e.Rule, e.Param, e.Want, e.Text)
}

// UnknownRuleError names a rule that no library has.
type UnknownRuleError struct {
	ID   string
	Near []string
}

// Error names the rule and near ones.
func (e *UnknownRuleError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("no rule %q", e.ID)
	}
	return fmt.Sprintf("no rule %q; near ones: %s", e.ID, strings.Join(e.Near, ", "))
}

// Articles lists the articles by id.
func (l *Library) Articles() []*Article { return slices.Clone(l.articles) }

// figure looks up ARTICLE/FIGURE; it returns nil where there is none.
func (l *Library) figure(id string) (*Article, *Figure) {
	of, name, _ := strings.Cut(id, "/")
	for _, a := range l.articles {
		for i := range a.Figures {
			if a.ID == of && a.Figures[i].ID == name {
				return a, &a.Figures[i]
			}
		}
	}
	return nil, nil
}

func (l *Library) figureIDs() []string {
	var ids []string
	for _, a := range l.articles {
		for _, f := range a.Figures {
			ids = append(ids, a.ID+"/"+f.ID)
		}
	}
	return ids
}
