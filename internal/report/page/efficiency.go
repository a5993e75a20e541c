package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/inventory"
)

// efficiencyTables are the derived figures: a table a kind of object, a row an object, a column a figure.
type efficiencyTables struct {
	Gist   string
	Open   bool
	Tables []efficiencyTable
	About  []named // meaning of each figure
	From   []from  // inputs of each figure
}

type efficiencyTable struct {
	Kind    string
	Columns []efficiencyColumn
	Rows    []efficiencyRow
}

// from holds the inputs of an object's figures.
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
	Text  string
	Sort  string // what to sort by
	Why   string // there is none
	Class string // bad below zero
}

// mostColumns is how many figures fit beside each other; a kind with more has several tables.
const mostColumns = 7

// openRows is how long the tables of a section may be that is open from the start.
const openRows = 12

func (s *show) efficiency() efficiencyTables {
	var out efficiencyTables
	rows := 0
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
			rows += len(t.Rows)
		}
		out.From = append(out.From, s.efficiencyFrom(of)...)
	}
	out.Gist, out.Open = "headroom, throughput and power of "+counted(rows, "object"), rows <= openRows
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

// dash marks a value that does not exist.
const dash = "–"

// filled omits columns and rows that contain only dashes. It keeps unread values.
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
		return efficiencyCell{Text: figure(v), Sort: strconv.FormatFloat(v, 'g', -1, 64), Class: signClass(f)}
	case inventory.StateAbsent:
		return efficiencyCell{Text: dash, Why: "nothing to measure"}
	}
	return efficiencyCell{Text: "?", Why: clean(cmp.Or(reason, "not read"))}
}
