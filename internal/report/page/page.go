// Package page writes the report: one HTML file that needs no network and no script.
//
// All data comes from servers, where others choose the names, so it is not trusted: all text goes through clean and is escaped by
// html/template, ids and links are numbers that vperf assigns, and the page's own policy lets a browser load and run only the
// style and script in the file.
package page

import (
	"bufio"
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/vperf/vperf/internal/report/page/sheet"
	"github.com/vperf/vperf/internal/report/view"
)

var (
	//go:embed page.js
	script string
	//go:embed parts/*.html
	partFiles embed.FS

	pageTemplate = template.Must(template.New("page.html").ParseFS(partFiles, "parts/*.html"))
)

// Write writes the report of a view. It has no other input and reads no clock: the same view makes the same page.
func Write(w io.Writer, v *view.View) error {
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, newDocument(v)); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// document is the whole content of the page as text: templates contain no logic of their own.
type document struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Head       head
	Since      since
	Summary    summary
	Todos      todos
	Findings   findings
	Topology   topology
	Efficiency efficiencyTables
	Counters   counters
	Spots      spotTable
	Changes    changeList
	Trials     trialList
	Unread     unreadList
	About      about
}

func newDocument(v *view.View) document {
	s := newShow(v)
	d := document{
		Style: template.CSS(sheet.CSS), Script: template.JS(script), Policy: sheet.Policy(sheet.CSS, script), //nolint:gosec // both are ours
		Head: s.head(), Since: s.since(), Todos: s.todos(), Findings: s.findings(), Efficiency: s.efficiency(),
		Counters: s.counters(), Spots: s.spots(), Changes: s.changes(), Trials: s.trials(), Unread: s.unread(), About: s.about(),
	}
	d.Topology = s.topology(d.Findings)
	d.Summary = s.summary(d.Todos, d.Unread)
	return d
}
