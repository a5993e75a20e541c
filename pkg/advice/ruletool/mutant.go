package ruletool

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/internal/examplefleet"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// Mutants changes every comparison, literal, &&, || and ! in applies, want and because of the selected rules, one at a
// time. A change is caught if an example then fails; the others are returned as survivors with their positions: the
// examples do not cover them. Changes that do not compile are not counted.
func Mutants(ctx context.Context, set *advice.Ruleset, picks func(*advice.Rule) bool) (made int, survivors []strictyaml.Problem, err error) {
	for _, p := range set.Probes() {
		if !picks(p.Rule()) {
			continue
		}
		n, silent, err := mutants(ctx, p)
		made, survivors = made+n, append(survivors, silent...)
		if err != nil {
			return made, survivors, err
		}
	}
	return made, survivors, nil
}

// mutants changes one rule. It builds the fleets of the rule's examples once.
func mutants(ctx context.Context, p *advice.Probe) (made int, survivors []strictyaml.Problem, err error) {
	r := p.Rule()
	fleets := make([]*inventory.Snapshot, len(r.Examples))
	for i := range r.Examples {
		if fleets[i], err = examplefleet.Build(&r.Examples[i].Facts); err != nil {
			return 0, nil, fmt.Errorf("%s, example %q: %w", r.ID, r.Examples[i].Name, err)
		}
	}
	for _, c := range advice.Conditions() {
		e := r.Condition(c)
		for _, m := range mutations(e.Source) {
			if err := ctx.Err(); err != nil {
				return made, survivors, err
			}
			changed := p.With(c, m.result)
			if changed == nil {
				continue
			}
			made++
			if !anyExampleFails(changed, fleets) {
				survivors = append(survivors, r.MistakeIn(e, m.offset,
					fmt.Sprintf("%s of %s: no example detects %s instead of %s", c, r.ID, orNothing(m.to), m.from)))
			}
		}
	}
	return made, survivors, nil
}

// anyExampleFails reports whether an example fails.
func anyExampleFails(p *advice.Probe, fleets []*inventory.Snapshot) bool {
	for i := range fleets {
		if runExampleOn(p, fleets[i], &p.Rule().Examples[i]) != "" {
			return true
		}
	}
	return false
}

func orNothing(token string) string {
	if token == "" {
		return "nothing"
	}
	return token
}

// mutation is one change of an expression.
type mutation struct {
	result   string // the expression with the change
	offset   int    // in bytes
	from, to string
}

// celToken matches tokens that can be changed; strings come first, so that tokens inside them do not match.
var celToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&&|\|\||==|!=|<=|>=|<|>|!|\b\d+\b|\btrue\b|\bfalse\b`)

func mutations(source string) []mutation {
	var out []mutation
	for _, at := range celToken.FindAllStringIndex(source, -1) {
		token := source[at[0]:at[1]]
		for _, other := range others(token) {
			out = append(out, mutation{source[:at[0]] + other + source[at[1]:], at[0], token, other})
		}
	}
	return out
}

// others returns the replacements for a token.
func others(token string) []string {
	switch token {
	case "&&":
		return []string{"||"}
	case "||":
		return []string{"&&"}
	case "==":
		return []string{"!="}
	case "!=":
		return []string{"=="}
	case "<", ">":
		return []string{token + "="}
	case "<=", ">=":
		return []string{token[:1]}
	case "!":
		return []string{""}
	case "true":
		return []string{"false"}
	case "false":
		return []string{"true"}
	}
	if n, err := strconv.Atoi(token); err == nil {
		return []string{strconv.Itoa(n + 1), strconv.Itoa(n - 1)}
	}
	return []string{token[:1] + "zz" + token[1:]}
}
