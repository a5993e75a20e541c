package advice

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"

	"github.com/vperf/vperf/pkg/advice/internal/memo"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// part is one of the conditions that a diagnosis joins with &&.
type part struct {
	text     string
	program  *memo.Program
	rules    []string
	evidence []int // indexes of the rule's evidence that reads only facts that the condition reads
}

// partsOf returns a function that compiles the conditions of a diagnosis at its first call. Only causes that are ruled
// out need it.
func partsOf(r *Rule, env *cel.Env, b *memo.Budget) func() []part {
	return sync.OnceValue(func() []part {
		var all []part
		for _, text := range conjuncts(r.Because.Source) {
			tree, issues := env.Compile(text)
			if issues.Err() != nil {
				return nil // the whole expression compiles, but this part alone does not: ignore the parts
			}
			p, err := env.Program(tree)
			if err != nil {
				return nil
			}
			x := part{text: text, program: memo.NewProgram(p, tree, b)}
			for _, m := range askedRule.FindAllStringSubmatch(text, -1) {
				x.rules = append(x.rules, m[1])
			}
			of := readIn(text)
			for i, e := range r.Evidence {
				if reads := readIn(e.Expr.Source); len(reads) > 0 && !slices.ContainsFunc(reads, func(s string) bool { return !slices.Contains(of, s) }) {
					x.evidence = append(x.evidence, i)
				}
			}
			all = append(all, x)
		}
		return all
	})
}

var (
	askedRule = regexp.MustCompile(`\bfindings\["([^"]+)"\]`)
	readName  = regexp.MustCompile(`\b[a-z]+\.(?:(?:live|vmx|option)\("[^"]+"\)|[a-zA-Z]+)`)
)

// readIn returns the facts and counters that an expression reads.
func readIn(source string) []string {
	return slices.DeleteFunc(readName.FindAllString(source, -1), func(s string) bool { return strings.HasPrefix(s, "params.") })
}

// conjuncts splits an expression at each && outside all brackets, and puts each part on one line. An expression that is
// joined in another way is one condition.
func conjuncts(source string) []string {
	var all []string
	depth, from := 0, 0
	quote := rune(0)
	for i, c := range source {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case depth > 0:
		case c == '?' || strings.HasPrefix(source[i:], "||"):
			return []string{strictyaml.OneLine(source)}
		case strings.HasPrefix(source[i:], "&&"):
			all, from = append(all, strictyaml.OneLine(source[from:i])), i+2
		}
	}
	return append(all, strictyaml.OneLine(source[from:]))
}
