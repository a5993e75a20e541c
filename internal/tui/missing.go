package tui

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// announceMissing reports once per panel which columns have no values in the source, and why.
func (m *model) announceMissing() {
	key := m.table.panel.Key
	if m.told[key] || len(m.table.missing) == 0 || m.shown().past {
		return
	}
	m.told[key] = true
	if m.message == "" {
		m.message, m.fleeting = missingText(m.table.missing, m.origin(), 3), fleetingRounds
	}
}

// fleetingRounds is the number of rounds for which a message stays that was not caused by a key.
const fleetingRounds = 3

// forget removes such a message.
func (m *model) forget() {
	if m.fleeting > 0 {
		if m.fleeting--; m.fleeting == 0 {
			m.message = ""
		}
	}
}

// origin returns the source of the values on the screen.
func (m *model) origin() esxtop.Origin {
	for _, f := range m.scene().list() {
		return f.Origin
	}
	return m.known.about.Origin
}

// missingText names hidden columns, at most some of them, and why they are hidden.
func missingText(columns []string, origin esxtop.Origin, most int) string {
	names := strings.Join(columns[:min(len(columns), most)], ", ")
	if n := len(columns) - most; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	return "Hidden: " + names + "; " + missingWhy(origin)
}

// missingHelp names all hidden columns. The samples before the start come from the PerformanceManager, whatever the source is.
func (m *model) missingHelp() string {
	names := m.table.missing
	if m.shown().past && m.origin() != m.known.about.Origin {
		return "Hidden: " + strings.Join(names, ", ") + "; the history does not have them, the next sample can"
	}
	return missingText(names, m.origin(), len(names))
}

func missingWhy(origin esxtop.Origin) string {
	switch origin {
	case esxtop.Performance:
		return "the PerformanceManager does not have them, --source esxtop does"
	case esxtop.Capture:
		return "the capture does not have them"
	}
	return "the host reports no values"
}
