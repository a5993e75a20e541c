package advice

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/rules"
)

// leastCaught is the share of mutants that the examples of the library have to catch.
const leastCaught = 0.90

// TestExamplesCatchMutants changes every comparison, literal, &&, || and ! of every applies and want in turn. A mutant is
// caught when an example of its rule no longer comes out as it says; survivors are listed.
func TestExamplesCatchMutants(t *testing.T) {
	l, err := Load(Source{FS: rules.FS})
	require.NoError(t, err)
	made, caught := 0, 0
	var survivors []string
	for _, r := range l.Rules() {
		for _, m := range mutantsOf(r) {
			c, bad := compile(m.rule)
			if len(bad) > 0 {
				continue // it does not even compile
			}
			made++
			if m.dies(t, c) {
				caught++
			} else {
				survivors = append(survivors, r.ID+": "+m.what)
			}
		}
	}
	t.Logf("%d mutants, %d caught (%.1f %%); survivors:\n%s", made, caught, 100*float64(caught)/float64(made), strings.Join(survivors, "\n"))
	require.Greater(t, made, 250)
	require.GreaterOrEqual(t, float64(caught)/float64(made), leastCaught)
}

type mutant struct {
	rule *Rule
	what string
}

func (m mutant) dies(t *testing.T, c *compiled) bool {
	t.Helper()
	for i := range c.Examples {
		if c.prove(t.Context(), &c.Examples[i]) != "" {
			return true
		}
	}
	return false
}

// mutantsOf changes one thing in one expression at a time.
func mutantsOf(r *Rule) []mutant {
	var out []mutant
	for name, e := range map[string]func(*Rule) *Expr{
		"applies": func(r *Rule) *Expr { return &r.Applies },
		"want":    func(r *Rule) *Expr { return &r.Want },
	} {
		for _, source := range mutations(e(r).Source) {
			changed := *r
			e(&changed).Source = source
			out = append(out, mutant{&changed, name + ": " + oneLine(source)})
		}
	}
	return out
}

// celToken matches what can be changed; strings come first, so that nothing inside them is.
var celToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&&|\|\||==|!=|<=|>=|<|>|!|\b\d+\b|\btrue\b|\bfalse\b`)

func mutations(source string) []string {
	var out []string
	for _, at := range celToken.FindAllStringIndex(source, -1) {
		for _, other := range others(source[at[0]:at[1]]) {
			out = append(out, source[:at[0]]+other+source[at[1]:])
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
