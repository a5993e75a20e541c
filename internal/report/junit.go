package report

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
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
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`

	owner inventory.Ref
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
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

// JUnit writes the audit for CI systems: one suite per host, one case per rule and object. It needs the passes too, because
// JUnit readers count them.
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
	suites := map[inventory.Ref]*junitSuite{}
	for _, f := range a.Result.Findings {
		owner := junitOwner(f)
		s := suites[owner]
		if s == nil {
			s = newSuite(a, owner)
			suites[owner] = s
			out.Suites = append(out.Suites, s)
		}
		s.add(f)
		out.count(f)
	}
	slices.SortFunc(out.Suites, compareSuites)
	return out
}

// junitOwner returns the host of a finding, or the vCenter if the host is unknown.
func junitOwner(f *advice.Finding) inventory.Ref {
	if f.Host != (inventory.Ref{}) {
		return f.Host
	}
	return inventory.Ref{Kind: inventory.ScopeVCenter, Name: f.Object.VCenter, VCenter: f.Object.VCenter, Path: "/"}
}

// compareSuites sorts a vCenter before its hosts.
func compareSuites(a, b *junitSuite) int {
	return cmp.Or(strings.Compare(a.owner.VCenter, b.owner.VCenter), strings.Compare(a.owner.Path, b.owner.Path),
		strings.Compare(a.owner.ID, b.owner.ID))
}

func newSuite(a Audit, owner inventory.Ref) *junitSuite {
	return &junitSuite{
		Name: wording.Clean(owner.Name), junitCounts: junitCounts{Time: noTime},
		Timestamp: a.TakenAt.UTC().Format("2006-01-02T15:04:05"), // the format has no zone
		Properties: []junitProperty{
			{"kind", string(owner.Kind)}, {"vcenter", wording.Clean(owner.VCenter)}, {"path", wording.Clean(owner.Path)}, {"id", wording.Clean(owner.ID)},
		},
		owner: owner,
	}
}

func (s *junitSuite) add(f *advice.Finding) {
	s.count(f)
	c := junitCase{
		Name:  f.Rule.ID + " " + wording.Clean(cmp.Or(f.Object.Path, f.Object.Name)), // paths are unique, names are not
		Class: "vperf." + string(f.Rule.Category) + "." + f.Rule.ID, Time: noTime,
	}
	switch {
	case f.Known(): // a failure would break the build, which the baseline must prevent
		c.Skipped = &junitResult{Message: "known: it is in the baseline"}
	case f.Outcome == advice.Pass:
	case f.Outcome == advice.Fail:
		c.Failure = &junitResult{Message: f.Rule.Title, Type: string(f.Severity), Text: failureText(f)}
	case f.Outcome == advice.Unknown:
		c.Error = &junitResult{Message: whyText(f), Type: string(f.Outcome), Text: strings.Join(gapTexts(f), "\n")}
	default:
		c.Skipped = &junitResult{Message: skipText(f)}
	}
	s.Cases = append(s.Cases, c)
}

func (c *junitCounts) count(f *advice.Finding) {
	c.Tests++
	switch {
	case f.Known():
		c.Skipped++
	case f.Outcome == advice.Pass:
	case f.Outcome == advice.Fail:
		c.Failures++
	case f.Outcome == advice.Unknown:
		c.Errors++
	default:
		c.Skipped++
	}
}

// failureText returns the text that CI systems show first, one line per statement.
func failureText(f *advice.Finding) string {
	lines := []string{fmt.Sprintf("%s %s: %s", f.Object.Kind, wording.Clean(f.Object.Name), evidence(f))}
	if waits := wording.PendingText(f); waits != "" {
		lines = append(lines, waits)
	}
	for _, c := range f.Remedies {
		lines = append(lines, "fix: "+wording.Remedy(f, c))
	}
	for _, n := range noteTexts(f) {
		lines = append(lines, "note: "+n)
	}
	if more := wording.Docs(f.Rule); more != "" {
		lines = append(lines, "more: "+more)
	}
	return strings.Join(lines, "\n")
}

func skipText(f *advice.Finding) string {
	if why := whyText(f); why != "" {
		return string(f.Outcome) + ": " + why
	}
	return string(f.Outcome)
}
