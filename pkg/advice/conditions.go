package advice

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// part is one of the conditions that a diagnosis joins with &&.
type part struct {
	text     string
	program  cel.Program
	rules    []string
	evidence []int // of the rule, that reads nothing else than the condition does
}

// partsOf compiles the conditions of a diagnosis, once and only where a cause was ruled out.
func partsOf(r *Rule, env *cel.Env) func() []part {
	return sync.OnceValue(func() []part {
		var all []part
		for _, text := range conjuncts(r.Because.Source) {
			tree, issues := env.Compile(text)
			if issues.Err() != nil {
				return nil // it was compiled as a whole: a part that is none of its own says nothing
			}
			p, err := env.Program(tree)
			if err != nil {
				return nil
			}
			x := part{text: text, program: p}
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

// readIn are the facts and counters that an expression reads of objects.
func readIn(source string) []string {
	return slices.DeleteFunc(readName.FindAllString(source, -1), func(s string) bool { return strings.HasPrefix(s, "params.") })
}

// conjuncts are the conditions that an expression joins with && outside of all brackets, each on one line; what is joined in
// another way is one condition.
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
