package tui

import (
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Settings are the settings that a user may change and save: those of esxtop's configuration file, and a few more.
type Settings struct {
	Panel     byte            // its key; 0 is c
	Delay     time.Duration   // between rounds; 0: as the source has it
	Fields    map[byte]string // by panel, as the configuration file writes them: the place is the order, a capital is shown
	Sorts     map[byte]Sort   // by panel; none: by id
	VMsOnly   bool
	NameWidth int  // of the column NAME; 0: esxtop's
	Rows      int  // of the table at most; 0: as many as fit
	byLoad    bool // panels without a Sort show the busiest rows first
}

// Sort is the order of a panel's rows.
type Sort struct {
	Metric    string           // its id; empty: by name or id
	Child     string           // of a metric with a column for each child: which one
	Attribute esxtop.Attribute // their name; none: by their ids
	Reversed  bool             // the lowest figure first, or the last name
}

// normal returns the settings with esxtop's defaults for missing and invalid ones.
func (s Settings) normal() Settings {
	if esxtop.PanelOf(s.Panel) == nil {
		s.Panel = 'c'
	}
	fields, sorts := s.Fields, s.Sorts
	s.Fields, s.Sorts = map[byte]string{}, map[byte]Sort{}
	for _, p := range esxtop.Panels() {
		s.Fields[p.Key] = fieldString(p, fields[p.Key])
		if sort, ok := sorts[p.Key]; ok {
			s.Sorts[p.Key] = sort
		}
	}
	s.NameWidth, s.Rows, s.Delay = max(s.NameWidth, 0), max(s.Rows, 0), max(s.Delay, 0)
	return s
}

// fieldString keeps the valid letters of a field string, each once, and appends missing ones: files of other releases have more fields
// or fewer.
func fieldString(p *esxtop.Panel, s string) string {
	if s == "" {
		return p.DefaultFields()
	}
	var b strings.Builder
	for i := range len(s) {
		if p.Field(s[i]) != nil && !hasField(b.String(), s[i]) {
			b.WriteByte(s[i])
		}
	}
	for _, f := range p.Fields {
		if !hasField(b.String(), f.Letter) {
			b.WriteByte(f.Letter | 0x20)
		}
	}
	return b.String()
}

func hasField(s string, letter byte) bool {
	return strings.IndexByte(strings.ToLower(s), letter|0x20) >= 0
}

// toggle shows a field or hides it.
func toggle(s string, letter byte) string {
	i := strings.IndexByte(strings.ToLower(s), letter|0x20)
	if i < 0 {
		return s
	}
	return s[:i] + string(s[i]^0x20) + s[i+1:]
}

// shift moves a field one place.
func shift(s string, letter byte, by int) string {
	i := strings.IndexByte(strings.ToLower(s), letter|0x20)
	j := i + by
	if i < 0 || j < 0 || j >= len(s) {
		return s
	}
	b := []byte(s)
	b[i], b[j] = b[j], b[i]
	return string(b)
}

// shown are the columns of a panel that are on, in their order.
func (s Settings) shown(p *esxtop.Panel) []esxtop.Column {
	var columns []esxtop.Column
	order := s.Fields[p.Key]
	for i := range len(order) {
		if f := p.Field(order[i]); f != nil && order[i] == f.Letter {
			columns = append(columns, f.Columns...)
		}
	}
	return columns
}
