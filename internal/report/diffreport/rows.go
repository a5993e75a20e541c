// Package diffreport writes the difference of two states as a table, Markdown and JSON, and as rows for other pages.
package diffreport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
)

// Section is one kind of changes. Its texts are not escaped for any format.
type Section struct {
	Title string
	Count int // changes, also those beyond the last row
	Rows  []Row
	More  int // rows that are not listed

	at map[string]int // of rows, by all but their objects
}

// Row is one change of one or several objects.
type Row struct {
	Kind    inventory.Scope
	Objects []string
	What    string // the setting, or the device
	Change  string // from and to
	By      []string
	Note    string
}

// Who returns the kind and names of the objects, shortened.
func (r *Row) Who(whole bool) string {
	if whole {
		return wording.Kind(r.Kind) + " " + strings.Join(r.Objects, ", ")
	}
	return wording.Kind(r.Kind) + " " + wording.SomeNames(r.Objects)
}

// mostRows is the length of a section unless the whole list is requested. Settings are always complete.
const mostRows = 20

var sectionTitles = map[inventory.Role]string{
	inventory.RoleSetting: "Settings", inventory.RolePlatform: "Hardware and versions", inventory.RolePlacement: "Placement", inventory.RoleState: "State",
}

// Sections returns the changes by role, then the objects that came, went, or have another name.
func Sections(d *diff.Diff, whole bool) (all []Section) {
	for _, role := range []inventory.Role{inventory.RoleSetting, inventory.RolePlatform, inventory.RolePlacement, inventory.RoleState} {
		s := Section{Title: sectionTitles[role]}
		for i := range d.Changes {
			if c := &d.Changes[i]; c.Role == role {
				s.Count++
				s.add(changeRow(c))
			}
		}
		all = append(all, s)
	}
	objects := Section{Title: "Objects", Count: len(d.Came) + len(d.Went) + len(d.Renamed)}
	for i := range d.Came {
		objects.add(objectRow(&d.Came[i], "new"))
	}
	for i := range d.Went {
		objects.add(objectRow(&d.Went[i], "gone"))
	}
	for _, r := range d.Renamed {
		objects.Rows = append(objects.Rows, Row{Kind: r.Object.Kind, Objects: []string{r.To}, Change: "renamed from " + r.From})
	}
	all = append(all, objects)
	all = slices.DeleteFunc(all, func(s Section) bool { return s.Count == 0 })
	for i := range all {
		if s := &all[i]; !whole && s.Title != sectionTitles[inventory.RoleSetting] && len(s.Rows) > mostRows+1 {
			s.More, s.Rows = len(s.Rows)-mostRows, s.Rows[:mostRows]
		}
	}
	return all
}

// add adds a row, or the object of the row to one with the same change.
func (s *Section) add(r Row) {
	key := strings.Join(append([]string{string(r.Kind), r.What, r.Change, r.Note}, r.By...), "\x00")
	if i, ok := s.at[key]; ok {
		s.Rows[i].Objects = append(s.Rows[i].Objects, r.Objects...)
		return
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	s.at[key] = len(s.Rows)
	s.Rows = append(s.Rows, r)
}

func changeRow(c *diff.Change) Row {
	r := Row{Kind: c.Object.Kind, Objects: []string{c.Object.Name}, What: what(c), Change: changeText(c), By: authors(c.Run, c.Events), Note: c.Note}
	if c.Object.Kind == inventory.ScopeVCenter {
		r.Objects = []string{c.Object.VCenter}
	}
	return r
}

func objectRow(o *diff.Object, word string) Row {
	if o.Host != "" {
		word += ", on " + o.Host
	}
	return Row{Kind: o.Kind, Objects: []string{o.Name}, Change: word, By: authors(nil, o.Events), Note: o.Note}
}

// what names the setting or device that changed.
func what(c *diff.Change) string {
	name := factName(c.Fact)
	isDevice := c.Kind == diff.Added || c.Kind == diff.Removed
	switch {
	case c.Fact == "Host.options" || c.Fact == "VM.vmx" || c.Fact == "Host.kernelSettings":
		name = c.Key
	case c.Key != "" && isDevice:
		name = "" // the object or part names it
	case c.Key != "":
		name += " " + c.Key
	}
	return strings.TrimSpace(c.Part + " " + name)
}

// factName returns a fact in words: "memory limit" for VM.memoryLimitMB.
func factName(fact string) string {
	_, name, _ := strings.Cut(fact, ".")
	for _, id := range []string{"Ids", "Id"} { // names are shown instead of ids
		name = strings.TrimSuffix(name, id)
	}
	words, _ := wording.Name(name)
	return words
}

func changeText(c *diff.Change) string {
	set := c.Fact == "Host.options" || c.Fact == "VM.vmx" || c.Fact == "Host.kernelSettings" || strings.HasSuffix(c.Fact, ".attributes")
	switch {
	case c.Kind == diff.Added && !set:
		if c.Object.Kind != c.Owner().Kind || c.Part != "" {
			return "added"
		}
		return "added " + text(c, c.To, nil)
	case c.Kind == diff.Removed && !set:
		return text(c, c.From, nil) + " removed"
	}
	return text(c, c.From, c.FromNames) + " → " + text(c, c.To, c.ToNames)
}

func text(c *diff.Change, f inventory.Fact[any], names []string) string {
	v, known := f.Value()
	switch {
	case !known && c.Fact == "Host.options":
		return "default"
	case !known && (c.Kind == diff.Added || c.Kind == diff.Removed):
		return "unset"
	case !known:
		return "absent"
	case names != nil:
		return cmp.Or(strings.Join(names, ", "), "none")
	}
	_, name, _ := strings.Cut(c.Fact, ".")
	_, unit := wording.Name(name)
	return valueText(v, name, unit)
}

func valueText(v any, name, unit string) string {
	switch x := v.(type) {
	case string:
		return cmp.Or(x, `""`)
	case []string:
		return cmp.Or(strings.Join(x, ", "), "none")
	case []int64:
		return cmp.Or(strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", ", "), "[]"), "none")
	case int64:
		if x == inventory.NoLimit && strings.Contains(strings.ToLower(name), "limit") {
			return "no limit"
		}
		return wording.WithUnit(strconv.FormatInt(x, 10), unit)
	case time.Time:
		return x.UTC().Format("2006-01-02 15:04Z")
	case bool, float64, inventory.Version:
		return fmt.Sprint(x)
	}
	compact, err := json.Marshal(v)
	if err != nil {
		return "a list"
	}
	const longest = 80
	if s := string(compact); len(s) <= longest {
		return s
	}
	return string([]rune(string(compact))[:longest/2]) + "…"
}

// authors returns who made a change, as far as it is known.
func authors(r *diff.Run, events []diff.Event) (all []string) {
	if r != nil {
		s := fmt.Sprintf("vperf run %s by %s, %s", r.ID, r.User, minute(r.When))
		if len(r.Rules) > 0 {
			s += " (" + strings.Join(r.Rules, ", ") + ")"
		}
		if r.Since {
			s += "; changed again since"
		}
		all = append(all, s)
	}
	return append(all, eventTexts(events)...)
}

// mostEvents is the number of events that are listed for a change.
const mostEvents = 3

// eventTexts returns the newest events about an object. They do not prove who made the change.
func eventTexts(events []diff.Event) (all []string) {
	shown := events
	if len(shown) > mostEvents {
		shown = shown[len(shown)-mostEvents:]
		all = append(all, plural.Count(len(events)-mostEvents, "earlier event")+" of the object")
	}
	for _, e := range shown {
		all = append(all, fmt.Sprintf("event %s by %s, %s: %s", e.Class, cmp.Or(e.User, "an unnamed user"), minute(e.When), wording.OneLine(e.Text)))
	}
	return all
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04Z") }

// sideText describes one side.
func sideText(s diff.Side) string {
	text := cmp.Or(s.Name, s.Source)
	if s.Kind != "" {
		text = s.Kind + " " + text
	}
	return text + ", " + wording.Taken(s.TakenAt)
}
