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

// Library is a list of rules with a valid structure. Select compiles their expressions.
type Library struct {
	rules    []*Rule    // sorted by id
	articles []*Article // sorted by id
	whole    bool       // the rule id of every file is known

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

// Set sets a parameter of a rule to the user's value, parsed as the type of the rule's own value. It affects later
// calls of Select.
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
		return &ParamValueError{Rule: rule, Param: param, Text: text, Want: want, Example: p.Value, Limited: r.limits(param)}
	}
	p.Value, p.Given = value, true
	r.Params = maps.Clone(r.Params) // earlier selections keep the rule unchanged
	r.Params[param] = p
	l.rules = slices.Clone(l.rules)
	l.rules[i] = &r
	return nil
}

// parseParam parses a text as the type of a parameter's own value; if that fails, want describes the type.
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

// UnknownParamError reports a parameter that a rule does not have.
type UnknownParamError struct {
	Rule, Param string
	Params      []string // the rule's parameters
}

// Error suggests a similar parameter of the rule.
func (e *UnknownParamError) Error() string {
	s := fmt.Sprintf("rule %s has no parameter %q", e.Rule, e.Param)
	if len(e.Params) == 0 {
		return s + ": it has no parameters"
	}
	return s + inventory.DidYouMean(e.Param, e.Params)
}

// ParamValueError reports an invalid value of a parameter.
type ParamValueError struct {
	Rule, Param, Text string
	Want              string // the valid values, in words
	Example           any    // the rule's own value
	Limited           bool   // objects may accept less than that: the rule takes their most instead, but only of its own value
}

// Error describes the valid values.
func (e *ParamValueError) Error() string {
	return fmt.Sprintf("%s.%s is %s, not %q", e.Rule, e.Param, e.Want, e.Text)
}

// UnknownRuleError reports that no rule has this id.
type UnknownRuleError struct {
	ID   string
	Near []string
}

// Error names the id and similar ones.
func (e *UnknownRuleError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("no rule %q", e.ID)
	}
	return fmt.Sprintf("no rule %q; near ones: %s", e.ID, strings.Join(e.Near, ", "))
}

// Articles lists the articles by id.
func (l *Library) Articles() []*Article { return slices.Clone(l.articles) }

// figure looks up ARTICLE/FIGURE; it returns nil if there is none.
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
