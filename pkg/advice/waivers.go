package advice

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/inventory"
)

// WaiverSchema is the version of the format of waiver files.
const WaiverSchema = "vperf.waivers/v1"

// Waiver accepts the failed findings of rules on some objects until a day, for a reason.
type Waiver struct {
	Rule   string `yaml:"rule" json:"-"`   // id, or a pattern of ids such as numa-*
	Object string `yaml:"object" json:"-"` // pattern of names or inventory paths of the object or its owner
	Tag    string `yaml:"tag" json:"-"`    // pattern of tags as CATEGORY/NAME
	Reason string `yaml:"reason" json:"reason"`
	Owner  string `yaml:"owner" json:"owner,omitempty"` // contact; may be empty
	Until  Date   `yaml:"until" json:"until"`           // the last day on which it applies
	From   string `yaml:"-" json:"from"`                // its source

	rules mark.Glob
	pick  mark.Pick
}

// ready compiles the patterns.
func (x Waiver) ready() Waiver {
	x.rules = mark.NewGlob(x.Rule)
	x.pick.Name, x.pick.Tag = mark.NewGlob(x.Object), mark.NewGlob(x.Tag)
	return x
}

// String describes the waiver for messages.
func (x *Waiver) String() string {
	return fmt.Sprintf("the waiver of %s for %s (%s)", x.Rule, x.pick, x.From)
}

// accepted returns the reason of a waived finding.
func (x *Waiver) accepted() string {
	s := "accepted until " + string(x.Until)
	if x.Owner != "" {
		s += " by " + x.Owner
	}
	return s + ": " + strictyaml.OneLine(x.Reason)
}

// Date is a calendar day as YYYY-MM-DD, so that earlier days compare as less. It has no time zone: it begins at the
// reader's local midnight.
type Date string

// DateOf returns the day of a time, in its own time zone.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// parseDate parses a date.
func parseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%q is not a date: write YYYY-MM-DD, such as 2027-01-31", s)
	}
	return DateOf(t), nil
}

// waiveMark is the custom attribute that contains an object's own waivers.
const waiveMark = "vperf.waive"

var waiveForm = regexp.MustCompile(`(?is)^(\S+)\s+until\s+(\S+)\s+(.+)$`)

// attributeWaivers returns the waivers in an object's custom attribute, and adds its mistakes to the complaints.
func (w *Waivers) attributeWaivers(b mark.Tagged, wrong *mark.Complaints) (list []Waiver) {
	text, _ := mark.Attribute(b, waiveMark)
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		x, err := w.parsePart(part)
		if err != nil {
			wrong.Add(fmt.Sprintf("custom attribute %s has the waiver %q, which is not valid: %v", waiveMark, part, err), b)
			continue
		}
		x.pick.On = b
		list = append(list, x)
	}
	return list
}

func (w *Waivers) parsePart(text string) (Waiver, error) {
	m := waiveForm.FindStringSubmatch(text)
	if m == nil {
		return Waiver{}, errors.New("write RULE until YYYY-MM-DD REASON; separate several with semicolons")
	}
	until, err := parseDate(m[2])
	if err != nil {
		return Waiver{}, err
	}
	if err := w.knows(m[1]); err != nil {
		return Waiver{}, err
	}
	return Waiver{Rule: m[1], Reason: m[3], Until: until, From: "custom attribute " + waiveMark}.ready(), nil
}

// waiverFile is a file of waivers.
type waiverFile struct {
	Schema  string   `yaml:"schema"` // optional; WaiverSchema
	Waivers []Waiver `yaml:"waivers"`
}

// Waivers are temporarily accepted failed findings: waivers from files, and from the custom attribute vperf.waive of
// objects.
type Waivers struct {
	today Date
	ids   []string // of all rules
	hint  string   // the end of messages about unknown rules
	list  []Waiver
}

// Waivers returns an empty list of waivers, to which Apply adds those in custom attributes; today decides which have
// ended.
func (l *Library) Waivers(today Date) *Waivers { return &Waivers{today: today, ids: l.IDs()} }

// Hint sets the end of messages about unknown rules: where a user finds the ids of rules.
func (w *Waivers) Hint(text string) { w.hint = "; " + text }

// Parse adds the waivers of a file. It returns all mistakes together, as RuleErrors.
func (w *Waivers) Parse(name string, text []byte) error {
	f := strictyaml.NewFile(name, text)
	var all waiverFile
	root, bad := f.Decode(&all)
	if root != nil {
		bad = append(bad, w.check(f, root, all)...)
	}
	if err := bad.Err(); err != nil {
		return err
	}
	for i, n := range strictyaml.Child(root, "waivers").Content {
		x := all.Waivers[i]
		x.From = fmt.Sprintf("%s:%d", name, n.Line)
		w.list = append(w.list, x.ready())
	}
	return nil
}

// check checks the fields of a file.
func (w *Waivers) check(f strictyaml.File, root *yaml.Node, all waiverFile) strictyaml.Errors {
	c := strictyaml.Fields{File: f, Node: root, Of: reflect.TypeFor[waiverFile]()}
	c.Word("schema", all.Schema == "" || all.Schema == WaiverSchema, WaiverSchema)
	list := strictyaml.Child(root, "waivers")
	if list == nil {
		c.Add(nil, "field waivers is missing: a list of accepted findings with reason and end date")
		return c.Bad
	}
	for i, n := range list.Content {
		if i < len(all.Waivers) && n.Kind == yaml.MappingNode {
			c.Bad = append(c.Bad, w.checkEntry(f, n, &all.Waivers[i])...)
		}
	}
	return c.Bad
}

func (w *Waivers) checkEntry(f strictyaml.File, n *yaml.Node, x *Waiver) strictyaml.Errors {
	c := strictyaml.Fields{File: f, Node: n, Of: reflect.TypeFor[Waiver]()}
	c.Word("rule", x.Rule != "", "a rule's id, or a pattern of ids such as numa-*")
	if err := w.knows(x.Rule); x.Rule != "" && err != nil {
		c.Add(strictyaml.Child(n, "rule"), err.Error())
	}
	if x.Tag == "" {
		c.Word("object", x.Object != "", "a pattern of names or inventory paths (* is every object), or tag: CATEGORY/NAME")
	}
	c.Word("reason", strings.TrimSpace(x.Reason) != "", "the reason for the waiver")
	c.Word("until", x.Until != "", "the last day of the waiver, such as 2027-01-31")
	if _, err := parseDate(string(x.Until)); x.Until != "" && err != nil {
		c.Add(strictyaml.Child(n, "until"), "until "+err.Error())
	}
	return c.Bad
}

// knows returns an error for an unknown rule: otherwise a waiver without effect would be noticed too late.
func (w *Waivers) knows(rule string) error {
	g := mark.NewGlob(rule)
	for _, id := range w.ids {
		if g.Matches(id) {
			return nil
		}
	}
	if !g.Exact() {
		return fmt.Errorf("no rule id matches %q%s", rule, w.hint)
	}
	return fmt.Errorf("no rule %q%s%s", rule, inventory.DidYouMean(rule, w.ids), w.hint)
}
