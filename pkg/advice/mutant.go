package advice

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"cel.dev/cel-go/cel"

	"github.com/vperf/vperf/pkg/inventory"
)

// Mutants changes every comparison, literal, &&, || and ! of every applies, want and because of the rules picked, one at a
// time. A
// change that an example notices, because it no longer comes out as it says, is caught; the others are returned as
// survivors, where they stand: the examples prove less than they seem to. Changes that do not compile are not counted.
func (s *Ruleset) Mutants(ctx context.Context, picks func(*Rule) bool) (made int, survivors []Problem, err error) {
	for _, r := range s.rules {
		if !picks(r.Rule) {
			continue
		}
		n, silent, err := r.mutants(ctx)
		made, survivors = made+n, append(survivors, silent...)
		if err != nil {
			return made, survivors, err
		}
	}
	return made, survivors, nil
}

// mutants changes one rule. What was not changed is compiled already, and the fleets of examples are built once.
func (r *compiled) mutants(ctx context.Context) (made int, survivors []Problem, err error) {
	c, err := newCompiler(r.Rule)
	if err != nil {
		return 0, nil, err
	}
	fleets := make([]*inventory.Snapshot, len(r.Examples))
	for i := range r.Examples {
		if fleets[i], err = r.Examples[i].snapshot(); err != nil {
			return 0, nil, fmt.Errorf("%s, example %q: %w", r.ID, r.Examples[i].Name, err)
		}
	}
	for _, m := range mutantsOf(r.Rule) {
		if err := ctx.Err(); err != nil {
			return made, survivors, err
		}
		changed := c.mutate(r, m)
		if changed == nil {
			continue
		}
		made++
		if !changed.noticed(ctx, fleets) {
			survivors = append(survivors, m.at)
		}
	}
	return made, survivors, nil
}

// mutate is a compiled rule with one expression changed; nil where that does not compile.
func (c *compiler) mutate(r *compiled, m mutant) *compiled {
	c.bad = nil
	program := c.condition(*m.of(m.rule))
	if len(c.bad) > 0 {
		return nil
	}
	changed := *r
	changed.Rule = m.rule
	*m.program(&changed) = program
	return &changed
}

// noticed reports whether an example does not come out as it says.
func (r *compiled) noticed(ctx context.Context, fleets []*inventory.Snapshot) bool {
	for i := range r.Examples {
		if r.proveOn(ctx, fleets[i], &r.Examples[i]) != "" {
			return true
		}
	}
	return false
}

// mutant is a rule with one thing changed, and where.
type mutant struct {
	judgement

	rule *Rule
	at   Problem
}

// judgement is an expression that decides, and its program.
type judgement struct {
	name    string
	of      func(*Rule) *Expr
	program func(*compiled) *cel.Program
}

var judgements = []judgement{
	{"applies", func(r *Rule) *Expr { return &r.Applies }, func(c *compiled) *cel.Program { return &c.applies }},
	{"want", func(r *Rule) *Expr { return &r.Want }, func(c *compiled) *cel.Program { return &c.want }},
	{"because", func(r *Rule) *Expr { return &r.Because }, func(c *compiled) *cel.Program { return &c.because }},
}

// mutantsOf changes one thing in one expression at a time.
func mutantsOf(r *Rule) []mutant {
	var out []mutant
	for _, e := range judgements {
		for _, c := range mutations(e.of(r).Source) {
			changed := *r
			e.of(&changed).Source = c.result
			line, column := c.place()
			out = append(out, mutant{e, &changed, r.file.in(e.of(r).node, line, column,
				fmt.Sprintf("%s of %s: no example notices %s instead of %s", e.name, r.ID, orNothing(c.to), c.from))})
		}
	}
	return out
}

func orNothing(token string) string {
	if token == "" {
		return "nothing"
	}
	return token
}

// mutation is one change of an expression.
type mutation struct {
	source, result string
	offset         int // in bytes
	from, to       string
}

// place is where the change is, as CEL counts: lines from 1, columns from 0.
func (m mutation) place() (line, column int) { return placeIn(m.source, m.offset) }

// celToken matches what can be changed; strings come first, so that nothing inside them is.
var celToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&&|\|\||==|!=|<=|>=|<|>|!|\b\d+\b|\btrue\b|\bfalse\b`)

func mutations(source string) []mutation {
	var out []mutation
	for _, at := range celToken.FindAllStringIndex(source, -1) {
		token := source[at[0]:at[1]]
		for _, other := range others(token) {
			out = append(out, mutation{source, source[:at[0]] + other + source[at[1]:], at[0], token, other})
		}
	}
	return out
}

// others are what a token is changed into.
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
