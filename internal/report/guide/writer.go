package guide

import (
	"fmt"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// writer writes the guide on one sheet, or on one sheet per category.
type writer struct {
	*sheet // the current sheet

	sheets   []*sheet
	rules    []*advice.Rule
	articles []*advice.Article
	reads    map[string]inventory.Needs // the facts that each rule reads
	facts    map[string]fact
}

func newWriter(l *advice.Library, origins map[string][]string) (*writer, error) {
	set, err := l.Select(advice.Selection{Diagnoses: true})
	if err != nil {
		return nil, fmt.Errorf("compiling the rules of the guide: %w", err)
	}
	facts, err := readFacts(origins)
	if err != nil {
		return nil, err
	}
	g := &writer{rules: l.Rules(), articles: l.Articles(), reads: set.Reads(), facts: facts}
	g.begin(&sheet{path: Front})
	return g, nil
}

// begin switches to another sheet.
func (g *writer) begin(s *sheet) {
	g.sheet = s
	g.sheets = append(g.sheets, s)
}

// Front is the page of the guide that links to the others.
const Front = "best-practices.md"
