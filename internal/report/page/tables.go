package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// efficiencyTables are the derived figures: a table a kind of object, a row an object, a column a figure.
type efficiencyTables struct {
	Tables []efficiencyTable
	About  []named // what each figure means
	From   []from  // what each was worked out of
}

type efficiencyTable struct {
	Kind    string
	Columns []efficiencyColumn
	Rows    []efficiencyRow
}

// from is what figures of an object were worked out of.
type from struct {
	At    object
	Terms []named
}

type efficiencyColumn struct{ Title, Unit, About string }

type efficiencyRow struct {
	At    object
	Cells []efficiencyCell
}

type efficiencyCell struct {
	Text string
	Sort string // what to sort by
	Why  string // there is none
}

// mostColumns is how many figures fit beside each other; a kind with more has several tables.
const mostColumns = 7

func (s *show) efficiency() efficiencyTables {
	var out efficiencyTables
	var by collect.ByKey[inventory.Scope, []efficiency.Figure]
	for _, f := range s.Efficiency {
		of := by.At(f.Object.Kind)
		*of = append(*of, f)
		if f.About != "" {
			out.About = collect.AddOnce(out.About, named{prose(f.Title), prose(f.About)})
		}
	}
	for _, k := range by.Keys {
		of := *by.At(k)
		if t := s.efficiencyOf(wording.PageKind(k), of).filled(); len(t.Rows) > 0 {
			out.Tables = append(out.Tables, t.split()...)
		}
		out.From = append(out.From, s.efficiencyFrom(of)...)
	}
	return out
}

func (s *show) efficiencyOf(kind string, figures []efficiency.Figure) efficiencyTable {
	t := efficiencyTable{Kind: kind}
	at, rows := map[string]int{}, map[key]int{}
	for _, f := range figures {
		if _, ok := at[f.ID]; !ok {
			at[f.ID] = len(t.Columns)
			t.Columns = append(t.Columns, efficiencyColumn{prose(f.Title), clean(f.Unit), prose(f.About)})
		}
		if k := keyOf(f.Object); !hasKey(rows, k) {
			rows[k] = len(t.Rows)
			t.Rows = append(t.Rows, efficiencyRow{At: s.object(f.Object)})
		}
	}
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Repeat([]efficiencyCell{{Text: dash}}, len(t.Columns))
	}
	for _, f := range figures {
		t.Rows[rows[keyOf(f.Object)]].Cells[at[f.ID]] = efficiencyCellOf(f.Value)
	}
	return t
}

func hasKey(m map[key]int, k key) bool { _, ok := m[k]; return ok }

// dash stands where there was nothing to measure.
const dash = "–"

// filled leaves out columns and rows of dashes alone. What was not read stays.
func (t efficiencyTable) filled() efficiencyTable {
	says := func(c efficiencyCell) bool { return c.Text != dash }
	out, kept := efficiencyTable{Kind: t.Kind}, make([]bool, len(t.Columns))
	for i, c := range t.Columns {
		if kept[i] = slices.ContainsFunc(t.Rows, func(r efficiencyRow) bool { return says(r.Cells[i]) }); kept[i] {
			out.Columns = append(out.Columns, c)
		}
	}
	for _, r := range t.Rows {
		if !slices.ContainsFunc(r.Cells, says) {
			continue
		}
		row := efficiencyRow{At: r.At}
		for i, c := range r.Cells {
			if kept[i] {
				row.Cells = append(row.Cells, c)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// split gives tables that are no wider than a page.
func (t efficiencyTable) split() []efficiencyTable {
	if len(t.Columns) <= mostColumns {
		return []efficiencyTable{t}
	}
	parts := (len(t.Columns) + mostColumns - 1) / mostColumns
	each := (len(t.Columns) + parts - 1) / parts
	var out []efficiencyTable
	for from := 0; from < len(t.Columns); from += each {
		to := min(from+each, len(t.Columns))
		part := efficiencyTable{Kind: t.Kind, Columns: t.Columns[from:to]}
		for _, r := range t.Rows {
			part.Rows = append(part.Rows, efficiencyRow{At: r.At, Cells: r.Cells[from:to]})
		}
		out = append(out, part)
	}
	return out
}

func (s *show) efficiencyFrom(figures []efficiency.Figure) []from {
	var by collect.ByKey[key, from]
	for _, f := range figures {
		if len(f.From) > 0 {
			x := by.At(keyOf(f.Object))
			x.At, x.Terms = s.object(f.Object), append(x.Terms, named{prose(f.Title), prose(strings.Join(f.From, "; "))})
		}
	}
	return by.Values()
}

func efficiencyCellOf(f inventory.Fact[float64]) efficiencyCell {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return efficiencyCell{Text: figure(v), Sort: strconv.FormatFloat(v, 'g', -1, 64)}
	case inventory.StateAbsent:
		return efficiencyCell{Text: dash, Why: "there was nothing to measure"}
	}
	return efficiencyCell{Text: "?", Why: clean(cmp.Or(reason, "not read"))}
}

// spotTable is the worst instances of each counter.
type spotTable struct{ Rows []spot }

type spot struct {
	Metric, About       string
	Object, Host        string
	Worst, Mean         string
	WorstSort, MeanSort string
	At                  string
	Beyond              string
	Longest             string
	LongestSort         string
}

func (s *show) spots() spotTable {
	var t spotTable
	for _, x := range s.Spots {
		r := spot{
			Object: clean(x.Object), Host: clean(x.Host), At: s.clock(x.At), Longest: lasted(x.Longest), LongestSort: figure(x.Longest.Seconds()),
			Beyond:    whole(x.Beyond) + " of " + whole(x.Samples),
			WorstSort: strconv.FormatFloat(x.Worst, 'g', -1, 64), MeanSort: strconv.FormatFloat(x.Mean, 'g', -1, 64),
		}
		if x.Longest <= 0 {
			r.Longest = "–"
		}
		unit := ""
		if x.Metric != nil {
			unit, r.Metric, r.About = string(x.Metric.Unit), clean(cmp.Or(x.Metric.Column, x.Metric.ID)), clean(x.Metric.ID)+": "+prose(x.Metric.About)
		}
		r.Worst, r.Mean = measured(x.Worst, unit), measured(x.Mean, unit)
		t.Rows = append(t.Rows, r)
	}
	return t
}

// changeList is the runs that changed the servers.
type changeList struct {
	Runs []run
	More string
}

type run struct {
	ID, When, Who, Server, Result, Why, Reason, Plan, Broken string
	Rows                                                     []change
	More                                                     string
	Open                                                     bool
}

type change struct {
	Target, Setting, From, To, State, Class, Why, Rules string
}

// How much of the history is shown.
const (
	mostRuns    = 20
	mostChanges = 40
)

func (s *show) changes() changeList {
	var list changeList
	shown, more := first(s.Changes, s.limit(mostRuns))
	for i, r := range shown {
		list.Runs = append(list.Runs, s.run(r, i == 0))
	}
	if more > 0 {
		list.More = whole(more) + " older runs: vperf history lists them"
	}
	return list
}

func (s *show) run(r *tuning.Run, open bool) run {
	x := run{
		ID: clean(r.ID), When: moment(r.Began), Who: clean(r.User), Server: clean(r.Server.Name), Result: clean(cmp.Or(r.Result, "cut short")),
		Why: prose(r.Why), Plan: clean(r.Digest), Broken: prose(r.Broken), Open: open,
	}
	var why []string
	for _, w := range []string{r.Reason, r.Ticket} {
		if w != "" {
			why = append(why, prose(w))
		}
	}
	x.Reason = strings.Join(why, ", ")
	shown, more := first(r.Results, s.limit(mostChanges))
	for _, c := range shown {
		x.Rows = append(x.Rows, changeOf(c))
	}
	if more > 0 {
		x.More = whole(more) + " more: vperf history " + clean(r.ID) + " lists them"
	}
	return x
}

func changeOf(c tuning.Result) change {
	x := change{
		Target: clean(c.Target.Name), Setting: clean(c.Setting), From: setting(c.Before), To: setting(c.After),
		State: clean(string(c.State)), Class: stateClass(c.State), Why: prose(c.Why), Rules: clean(strings.Join(c.Rules, ", ")),
	}
	if device := cmp.Or(c.Label, c.Device); device != "" {
		x.Setting += " of " + clean(device)
	}
	if c.State == tuning.StateUndone {
		x.From, x.To = x.To, x.From
	}
	if words := takesWords[c.Waits]; words != "" {
		x.State += ", " + words
	}
	return x
}

func stateClass(s tuning.State) string {
	switch s {
	case tuning.StateDone, tuning.StateProven, tuning.StateSame, tuning.StateUndone:
		return "good"
	case tuning.StateFailed, tuning.StateWrong, tuning.StateForeign, tuning.StateDrifted, tuning.StateGone:
		return "bad"
	}
	return "warn"
}

// unreadList is what could not be read, by reason.
type unreadList struct {
	Sentence string // for the summary, "" where all was read
	Reasons  []unreadReason
	More     string
}

type unreadReason struct {
	Reason, Facts, Objects, Count string
}

const mostReasons = 60

func (s *show) unread() unreadList {
	type lacking struct{ facts, objects collect.Distinct }
	var by collect.ByKey[string, lacking]
	for _, g := range s.Result.Unread {
		l := by.At(g.Reason)
		l.facts.Add(clean(g.Fact))
		l.objects.Add(wording.PageKind(g.Object.Kind) + " " + clean(g.Object.Name))
	}
	all := collect.Each(by, func(reason string, l *lacking) unreadReason {
		return unreadReason{
			Reason: prose(cmp.Or(reason, "not read")), Facts: someOf(l.facts.Words, 6), Objects: someOf(l.objects.Words, 4), Count: whole(len(l.objects.Words)),
		}
	})
	list := unreadList{Sentence: s.unreadSentence(len(all))}
	shown, more := first(all, s.limit(mostReasons))
	if list.Reasons = shown; more > 0 {
		list.More = whole(more) + " more reasons: vperf audit -o json lists them"
	}
	return list
}

func (s *show) unreadSentence(reasons int) string {
	blind, unknown := len(s.Result.Blind), s.Result.Counts[advice.Unknown]
	switch {
	case blind > 0:
		return counted(blind, "object") + plural.Form(blind, " was", " were") + " not read at all, and " + counted(unknown, "check") + " could not be made"
	case unknown > 0:
		return counted(unknown, "check") + " could not be made"
	case reasons > 0:
		return "Some facts could not be read"
	}
	return ""
}
