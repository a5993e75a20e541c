package page

import (
	"bytes"
	"html"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/require"
	xhtml "golang.org/x/net/html"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/report/page/sheet"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

func written(t testing.TB, a view.Advice) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, view.New(a)))
	return b.String()
}

// has checks for text; a failed require.Contains would print the whole page.
func has(page, text string) bool { return strings.Contains(page, text) }

// evil is a hostile VM name.
const evil = "</title></style></script><script>window.hurt='a'</script><svg/onload=window.hurt='b'>\"'`=><img src=x onerror=window.hurt='c'>\x00\x1b[31m\n\u202egnp.\u2066{{.}}]]>-->&#60;b&#62;&amp;\xff"

// poison gives every text that servers, captures, journals and rules of users may bring a hostile tail.
func poison(a *view.Advice) {
	seen := map[uintptr]bool{}
	poisonValue(reflect.ValueOf(a).Elem(), seen)
	a.Snapshot.Link() // ids were changed alike
}

func poisonValue(v reflect.Value, seen map[uintptr]bool) {
	switch p := v.Interface().(type) {
	case *esxtop.Metric, *inventory.SettingKind: // ours, and shared
		return
	case *advice.Rule: // shared by all samples
		v.Set(reflect.ValueOf(poisoned(p, seen)))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		poisonValue(v.Elem(), seen)
	case reflect.Interface:
		if s, ok := reflect.TypeAssert[string](v); ok && v.CanSet() {
			v.Set(reflect.ValueOf(s + evil))
		} else if !v.IsNil() {
			poisonValue(v.Elem(), seen)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			poisonValue(v.Index(i), seen)
		}
	case reflect.Struct:
		poisonStruct(v, seen)
	case reflect.Map:
		poisonMap(v, seen)
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() {
			v.SetString(v.String() + evil)
		}
	}
}

func poisonStruct(v reflect.Value, seen map[uintptr]bool) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		return
	}
	for _, f := range v.Fields() {
		if !f.CanSet() && f.CanAddr() {
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem() // facts keep their values to themselves
		}
		poisonValue(f, seen)
	}
}

// poisonMap poisons values: keys are words of ours.
func poisonMap(v reflect.Value, seen map[uintptr]bool) {
	for _, k := range v.MapKeys() {
		c := reflect.New(v.Type().Elem()).Elem()
		c.Set(v.MapIndex(k))
		poisonValue(c, seen)
		v.SetMapIndex(k, c)
	}
}

var copies = map[*advice.Rule]*advice.Rule{}

// poisoned returns a copy of a rule with the same id, because users cannot choose ids freely.
func poisoned(r *advice.Rule, seen map[uintptr]bool) *advice.Rule {
	if r == nil || copies[r] != nil {
		return copies[r]
	}
	c := *r
	c.Sources, c.Benefit, c.Params = slices.Clone(r.Sources), slices.Clone(r.Benefit), nil
	copies[r], copies[&c] = &c, &c
	poisonStruct(reflect.ValueOf(&c).Elem(), seen)
	c.ID = r.ID
	return &c
}

func TestReport(t *testing.T) {
	golden.Equal(t, "testdata/small.html", []byte(written(t, sampleReport(2, 5))))
}

func TestReportOfNothing(t *testing.T) {
	page := written(t, view.Advice{})
	require.True(t, has(page, "Nothing was checked"), "not on the page")
	wellFormed(t, page)
}

// TestHostileNames appends hostile text to every untrusted text: it stays text, and control characters are shown as escapes.
func TestHostileNames(t *testing.T) {
	a := sampleReport(3, 14)
	poison(&a)
	page := written(t, a)
	require.Greater(t, strings.Count(page, "&lt;script&gt;"), 300, "the test would see nothing")
	require.Equal(t, 1, strings.Count(page, "<script"))
	require.Equal(t, 1, strings.Count(page, "<style"))
	require.True(t, utf8.ValidString(page))
	for _, r := range page {
		if r != '\n' {
			require.False(t, unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp), "%U is on the page", r)
		}
	}
	require.False(t, has(page, "ZgotmplZ"), "on the page")
	wellFormed(t, page)
}

// TestPolicyAllowsWhatIsThere: a style or script with another hash would be none in a browser.
func TestPolicyAllowsWhatIsThere(t *testing.T) {
	page := written(t, sampleReport(2, 5))
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	require.Len(t, policy, 2)
	rules := html.UnescapeString(policy[1])
	require.True(t, strings.HasPrefix(rules, "default-src 'none';"))
	for _, what := range []string{"style", "script"} {
		embedded := regexp.MustCompile(`(?s)<`+what+`>(.*?)</`+what+`>`).FindAllStringSubmatch(page, -1)
		require.Len(t, embedded, 1)
		require.NotEmpty(t, embedded[0][1])
		require.Contains(t, rules, what+"-src '"+sheet.Hash(embedded[0][1])+"'")
	}
	require.NotContains(t, sheet.CSS+script, "\r")
}

// TestNothingFromElsewhere looks for content that a browser would fetch or run.
func TestNothingFromElsewhere(t *testing.T) {
	page := written(t, sampleReport(3, 14))
	for _, never := range []string{"<img", "<link", "<iframe", "<base", "<form", `<[a-z][^>]* (src|style|on[a-z]+|xlink:href)=`, "javascript:", "@import", `url\(`, `href="[^#]`} {
		require.False(t, regexp.MustCompile("(?i)"+never).MatchString(page), never)
	}
}

// wellFormed reads the page as browsers do: ids are there once, links lead to one of them, tables have captions and heads with a
// scope, drawings a name, and headings skip no level.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	z := xhtml.NewTokenizer(strings.NewReader(page))
	ids, links := map[string]bool{}, map[string]bool{}
	var open []string
	level := 0
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			require.ErrorIs(t, z.Err(), io.EOF)
			break
		}
		token := z.Token()
		switch kind {
		case xhtml.EndTagToken:
			require.NotEmpty(t, open, "</%s> ends nothing", token.Data)
			require.Equal(t, open[len(open)-1], token.Data)
			open = open[:len(open)-1]
			continue
		case xhtml.StartTagToken:
			if !slices.Contains([]string{"meta", "br", "input"}, token.Data) {
				open = append(open, token.Data)
			}
		case xhtml.SelfClosingTagToken:
		default:
			continue
		}
		has := map[string]string{}
		for _, a := range token.Attr {
			has[a.Key] = a.Val
		}
		if id, ok := has["id"]; ok {
			require.False(t, ids[id], "two things have the id %q", id)
			require.Regexp(t, `^[a-z0-9-]+$`, id)
			ids[id] = true
		}
		if to, ok := has["href"]; ok {
			links[strings.TrimPrefix(to, "#")] = true
		}
		switch {
		case len(token.Data) == 2 && token.Data[0] == 'h' && token.Data[1] >= '1' && token.Data[1] <= '6':
			require.LessOrEqual(t, int(token.Data[1]-'0'), level+1, "a heading skips a level")
			level = int(token.Data[1] - '0')
		case token.Data == "th":
			require.Contains(t, []string{"col", "row"}, has["scope"])
		case token.Data == "svg":
			require.True(t, has["aria-hidden"] == "true" || has["role"] == "img" && has["aria-label"] != "", "a drawing without a name: %v", token)
		}
	}
	require.Empty(t, open)
	for to := range links {
		require.True(t, ids[to], "#%s is nowhere", to)
	}
	require.Equal(t, strings.Count(page, "<table"), strings.Count(page, "<caption"))
}
