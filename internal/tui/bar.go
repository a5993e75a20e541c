package tui

import (
	"fmt"
	"strconv"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/esxtop"
)

// bar is the line that names the panel, the order of its rows, their restrictions, and the source. The most important part comes
// first: a narrow screen has no room for the last ones.
func (m *model) bar(st style) string {
	parts := []string{m.title()}
	if m.replay != nil {
		parts = append(parts, m.position())
	}
	if m.held != nil {
		parts = append(parts, "HELD since "+clock(m.held)+", P continues")
	}
	if m.shown().past {
		parts = append(parts, "HISTORY of "+clock(m.shown()))
	}
	if m.filter != "" {
		parts = append(parts, fmt.Sprintf("filter %q: %s", clean(m.filter), plural(m.table.matching, "row")))
	} else {
		parts = append(parts, plural(m.table.matching, "row"))
	}
	if n := len(m.table.missing); n > 0 {
		parts = append(parts, plural(n, "column")+" without values (h)")
	}
	parts = append(parts, m.sourceText())
	return st.reverse(pad(" "+fitting(parts, " | ", m.width-1), m.width, true))
}

// fitting joins the first parts that fit, so that a narrow screen drops whole parts. The first one is always there.
func fitting(parts []string, between string, width int) string {
	line := parts[0]
	for _, part := range parts[1:] {
		if cells(line)+cells(between)+cells(part) > width {
			break
		}
		line += between + part
	}
	return line
}

func clock(fl *fleet) string { return fl.time.UTC().Format("3:04:05pm") }

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return strconv.Itoa(n) + " " + word
}

// title is the panel and the order of its rows: CPU of VMs by %USED ▼.
func (m *model) title() string {
	what := m.panel().Title
	switch vms := m.set.VMsOnly && ofVMs(m.panel().Object); {
	case vms && m.only != "":
		what += " of VMs on " + clean(m.only)
	case m.only != "":
		what += " on " + clean(m.only)
	case vms:
		what += " of VMs"
	}
	return what + " by " + m.table.sortText()
}

// sourceText returns the source of the values, as sourceLine does, but without the reason, which help shows.
func (m *model) sourceText() string {
	about := m.known.about
	text := about.Origin.String()
	if about.Interval > 0 {
		text += ", every " + iostreams.Brief(about.Interval)
	}
	if about.Origin == esxtop.Capture && len(about.Hosts) == 1 {
		text = clean(about.Hosts[0]) + ": " + text
	}
	return text
}
