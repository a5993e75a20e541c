package report

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
)

// junitReport is the JUnit form, as CI systems read it. encoding/xml escapes markup and replaces characters that XML cannot
// hold.
type junitReport struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Time    string       `xml:"time,attr"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Skipped *junitResult `xml:"skipped"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// noTime is the duration of a test case: vperf measures none, but some readers refuse a case without a time.
const noTime = "0"

// JUnit writes the audit for CI systems: a suite for each category and a case for each rule. A case names the first objects and counts
// the others, because a case for each object would be more than CI systems take.
func JUnit(w io.Writer, a Audit) error {
	b := bufio.NewWriter(w)
	b.WriteString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	err := e.Encode(toJUnit(a))
	b.WriteByte('\n')
	if err := errors.Join(err, b.Flush()); err != nil {
		return fmt.Errorf("writing the audit as JUnit: %w", err)
	}
	return nil
}

func toJUnit(a Audit) junitReport {
	out := junitReport{Name: "vperf audit", junitCounts: junitCounts{Time: noTime}}
	by := map[*advice.Rule][]*advice.Finding{}
	for _, f := range a.Result.Findings {
		by[f.Rule] = append(by[f.Rule], f)
	}
	for _, category := range advice.Categories() {
		suite := &junitSuite{
			Name: string(category), junitCounts: junitCounts{Time: noTime},
			Timestamp: a.TakenAt.UTC().Format("2006-01-02T15:04:05"), // the format has no zone
		}
		for _, id := range slices.Sorted(maps.Keys(a.Result.Rules)) {
			n := a.Result.Rules[id]
			if n.Rule.Category != category || n.Checked > n.Pass+n.Skipped && len(by[n.Rule]) == 0 { // its findings are not to be shown
				continue
			}
			suite.add(n, by[n.Rule])
		}
		if len(suite.Cases) > 0 {
			out.Suites = append(out.Suites, suite)
			out.add(suite.junitCounts)
		}
	}
	return out
}

func (c *junitCounts) add(o junitCounts) {
	c.Tests, c.Failures, c.Errors, c.Skipped = c.Tests+o.Tests, c.Failures+o.Failures, c.Errors+o.Errors, c.Skipped+o.Skipped
}

// add adds the case of a rule. The worst outcome of its objects decides: failed, unknown, to be checked manually, waived or known,
// passed, not applicable.
func (s *junitSuite) add(n *advice.RuleCount, all []*advice.Finding) {
	c := junitCase{Name: n.Rule.ID + ": " + wording.Clean(n.Rule.Title), Class: "vperf." + string(n.Rule.Category), Time: noTime}
	of := func(is func(*advice.Finding) bool) []*advice.Finding {
		return slices.DeleteFunc(slices.Clone(all), func(f *advice.Finding) bool { return !is(f) })
	}
	failed := of(func(f *advice.Finding) bool { return f.Outcome == advice.Fail && !f.Known() })
	unknown := of(func(f *advice.Finding) bool { return f.Outcome == advice.Unknown })
	rest := of(func(f *advice.Finding) bool {
		return f.Known() || f.Outcome == advice.Manual || f.Outcome == advice.Waived
	})
	s.Tests++
	switch {
	case len(failed) > 0:
		s.Failures++
		lines := firstObjects(failed, failureText)
		if len(unknown) > 0 {
			lines = append(lines, "unknown: "+objectCount(unknown))
		}
		if len(rest) > 0 {
			lines = append(lines, skipText(rest))
		}
		if more := wording.Docs(n.Rule); more != "" {
			lines = append(lines, "more: "+more)
		}
		c.Failure = &junitResult{Message: objectCount(failed) + ": " + wording.Clean(n.Rule.Title), Type: string(worstOf(failed)), Text: strings.Join(lines, "\n")}
	case len(unknown) > 0:
		s.Errors++
		lines := firstObjects(unknown, whyText)
		if len(rest) > 0 {
			lines = append(lines, skipText(rest))
		}
		c.Error = &junitResult{Message: "unknown: " + objectCount(unknown), Type: string(advice.Unknown), Text: strings.Join(lines, "\n")}
	case len(rest) > 0:
		s.Skipped++
		c.Skipped = &junitResult{Message: skipText(rest)}
	case n.Checked == n.Skipped:
		s.Skipped++
		c.Skipped = &junitResult{Message: string(advice.NotApplicable)}
	}
	s.Cases = append(s.Cases, c)
}

// mostListed is the number of objects that a folded result names; it counts the others.
const mostListed = 20

// firstObjects returns a line for each of the first objects, one with the number of the others, and the notes of these objects, each
// once.
func firstObjects(all []*advice.Finding, text func(*advice.Finding) string) []string {
	var lines, about []string
	for _, f := range all[:min(len(all), mostListed)] {
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Object.Kind, wording.Clean(f.Object.Name), text(f)))
		for _, n := range noteTexts(f) {
			about = collect.AddOnce(about, "note: "+n)
		}
	}
	if more := len(all) - mostListed; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return append(lines, about...)
}

// objectCount counts the objects of findings of one rule.
func objectCount(all []*advice.Finding) string {
	return plural.Count(len(all), wording.CountedKind(all[0].Object.Kind))
}

// worstOf returns the worst severity of findings.
func worstOf(all []*advice.Finding) advice.Severity {
	worst := all[0].Severity
	for _, f := range all {
		if f.Severity.AtLeast(worst) {
			worst = f.Severity
		}
	}
	return worst
}

// failureText returns the evidence of a failure and its fixes in one line.
func failureText(f *advice.Finding) string {
	parts := []string{evidence(f), wording.PendingText(f)}
	if len(f.Remedies) > 0 {
		parts = append(parts, "fix: "+fixText(f))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// skipText counts findings that do not fail a build by outcome and reason. A failure in the baseline must not.
func skipText(all []*advice.Finding) string {
	type key struct{ what, why string }
	var by collect.ByKey[key, []*advice.Finding]
	for _, f := range all {
		k := key{string(f.Outcome), whyText(f)}
		if f.Known() {
			k = key{"known", "in the baseline"}
		}
		group := by.At(k)
		*group = append(*group, f)
	}
	return listed("; ", collect.Each(by, func(k key, of *[]*advice.Finding) string { return k.what + ": " + objectCount(*of) + ": " + k.why }))
}

// listed joins the first texts and counts the others.
func listed(separator string, all []string) string {
	if more := len(all) - mostListed; more > 0 {
		all = append(all[:mostListed:mostListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, separator)
}
