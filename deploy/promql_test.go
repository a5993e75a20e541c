package deploy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// promtool parses every expression; these patterns only find names.
var (
	quoted   = regexp.MustCompile(`"[^"]*"|\[[^]]*\]`)
	listOf   = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)`)
	word     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
	exponent = regexp.MustCompile(`^e\d+$`)
	matchers = regexp.MustCompile(`\{[^}]*\}`)
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})`)
	matched  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"`)
	copied   = regexp.MustCompile(`"(\w+)", "[^"]*", "(\w*)", "[^"]*"\)`)
	language = strings.Fields("sum max min avg count topk rate increase by without on ignoring group_left group_right and or unless label_replace " +
		"avg_over_time max_over_time time clamp_min vector bool")
)

// metricsIn returns the metric names in an expression, in order.
func metricsIn(expr string) []string {
	expr = matchers.ReplaceAllString(quoted.ReplaceAllString(expr, ""), "")
	expr = listOf.ReplaceAllString(expr, "$1")
	var names []string
	for _, w := range word.FindAllString(expr, -1) {
		if !slices.Contains(language, w) && !exponent.MatchString(w) {
			names = append(names, w)
		}
	}
	return names
}

// use is a label in an expression: in the selector of a metric, or of any metric if metric is empty.
type use struct {
	label, metric string
	offset        int
}

// labelsIn returns the labels that an expression selects, groups and copies by, and the labels that it creates.
func labelsIn(expr string) (used []use, made []string) {
	for _, m := range selector.FindAllStringSubmatchIndex(expr, -1) {
		for _, label := range matched.FindAllStringSubmatch(expr[m[4]:m[5]], -1) {
			used = append(used, use{label[1], expr[m[2]:m[3]], m[0]})
		}
	}
	for _, m := range listOf.FindAllStringSubmatchIndex(expr, -1) {
		if expr[m[2]:m[3]] == "without" {
			continue // a label that is not there need not go
		}
		for _, label := range word.FindAllString(expr[m[4]:m[5]], -1) {
			used = append(used, use{label: label, offset: m[0]})
		}
	}
	for _, m := range copied.FindAllStringSubmatchIndex(expr, -1) {
		made = append(made, expr[m[2]:m[3]])
		if from := expr[m[4]:m[5]]; from != "" {
			used = append(used, use{label: from, offset: m[0]})
		}
	}
	return used, made
}

func TestMetricsIn(t *testing.T) {
	require.Equal(t, []string{"a:b:c", "up", "esxi_x_total"}, metricsIn(
		`sum by (job, vm) (a:b:c{host=~"$host",x="{{y}}"}) / on (moid) group_left (z) up > 1e6 and rate(esxi_x_total{a="b"}[$__rate_interval]) * 2`))
}

func TestLabelsIn(t *testing.T) {
	used, made := labelsIn(`sum by (job, vm) (a{host=~"$host",x!="y"}) / on (moid) label_replace(up, "to", "$1", "from", "(.+)")`)
	require.Equal(t, []use{{"host", "a", 18}, {"x", "a", 18}, {"job", "", 4}, {"vm", "", 4}, {"moid", "", 45}, {"from", "", 73}}, used)
	require.Equal(t, []string{"to"}, made)
}
