package advice

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Mutants changes every comparison, literal, &&, || and ! of every applies and want of the rules picked, one at a time. A
// change that an example notices, because it no longer comes out as it says, is caught; the others are returned as
// survivors, where they stand: the examples prove less than they seem to. Changes that do not compile are not counted.
func (s *Ruleset) Mutants(ctx context.Context, picks func(*Rule) bool) (made int, survivors []Problem, err error) {
	for _, r := range s.rules {
		if !picks(r.Rule) {
			continue
		}
		for _, m := range mutantsOf(r.Rule) {
			if err := ctx.Err(); err != nil {
				return made, survivors, err
			}
			c, bad := compile(m.rule)
			if len(bad) > 0 {
				continue
			}
			made++
			if !c.noticed(ctx) {
				survivors = append(survivors, m.at)
			}
		}
	}
	return made, survivors, nil
}

// noticed reports whether an example does not come out as it says.
func (r *compiled) noticed(ctx context.Context) bool {
	return slices.ContainsFunc(r.Examples, func(e Example) bool { return r.prove(ctx, &e) != "" })
}

// mutant is a rule with one thing changed, and where.
type mutant struct {
	rule *Rule
	at   Problem
}

// mutantsOf changes one thing in one expression at a time.
func mutantsOf(r *Rule) []mutant {
	var out []mutant
	for _, e := range []struct {
		name string
		of   func(*Rule) *Expr
	}{
		{"applies", func(r *Rule) *Expr { return &r.Applies }},
		{"want", func(r *Rule) *Expr { return &r.Want }},
	} {
		for _, c := range mutations(e.of(r).Source) {
			changed := *r
			e.of(&changed).Source = c.result
			line, column := c.place()
			out = append(out, mutant{&changed, r.file.in(*e.of(r), line, column,
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
func (m mutation) place() (line, column int) {
	before := m.source[:m.offset]
	return 1 + strings.Count(before, "\n"), len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

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
