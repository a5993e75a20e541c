package diffreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
)

// Document returns a difference. If whole, no list is shortened.
func Document(d *diff.Diff, whole bool) doc.Document {
	all := []doc.Block{doc.Title("What changed"), doc.Fields(doc.F("old", sideText(d.Old)), doc.F("new", sideText(d.New)), doc.Lines("note", d.Notes...))}
	if d.Empty() {
		all = append(all, doc.Group(doc.P(doc.Bold("nothing changed"))))
	}
	for _, s := range Sections(d, whole) {
		all = append(all, s.block(whole))
	}
	all = append(all, headed("Findings", FindingCounts(&d.Findings), findings(&d.Findings, whole)...))
	if t := counters(d); len(t.Rows) > 0 {
		all = append(all, headed("Counters", CounterNote, t.Block()))
	}
	if lines := uncomparedTexts(d, whole); len(lines) > 0 {
		all = append(all, headed("Could not be compared", plainCount(d), doc.Items(lines...)...))
	}
	return doc.Of(all...)
}

func headed(title, count string, under ...doc.Block) doc.Block {
	return doc.Part(doc.T(doc.Bold(title), ": "+count), under...)
}

func (s *Section) block(whole bool) doc.Block {
	rows := collect.Map(s.Rows, func(r Row) doc.Block {
		return doc.Item(doc.Apart(r.Who(whole), r.What, doc.Bold(r.Change)), doc.Items(append(r.By, r.Note)...)...)
	})
	if s.More > 0 {
		rows = append(rows, doc.Item(doc.T(fmt.Sprintf("and %d more; --all lists them", s.More))))
	}
	return headed(s.Title, strconv.Itoa(s.Count), rows...)
}

func findings(f *diff.Findings, whole bool) (all []doc.Block) {
	rows := findingRows(f, whole)
	for i, r := range rows {
		if !whole && i > mostRows {
			return append(all, doc.Item(doc.T(fmt.Sprintf("and %d more rules; --all lists them", len(rows)-i))))
		}
		names := wording.SomeNames(r.Objects)
		if whole {
			names = strings.Join(r.Objects, ", ")
		}
		why := ""
		if r.Why != "" {
			why = " (" + r.Why + ")"
		}
		all = append(all, doc.Item(doc.Apart(doc.T(doc.S(markStyles[r.Mark], r.Mark), " ", strings.ToUpper(string(r.Severity))), doc.Bold(r.Rule), r.Title),
			doc.Item(doc.T(wording.Kind(r.Kind), " ", names, why))))
	}
	return all
}

var markStyles = map[string]doc.Style{"NEW": doc.Bad, "GONE": doc.Good, "UNCLEAR": doc.Warn}

// plainCount counts the facts and objects that could not be compared.
func plainCount(d *diff.Diff) string {
	facts, objects := 0, map[string]bool{}
	for _, u := range d.Uncompared {
		facts += max(1, len(u.Facts))
		objects[u.Object.VCenter+" "+u.Object.ID] = true
	}
	return fmt.Sprintf("%d facts of %d objects", facts, len(objects))
}
