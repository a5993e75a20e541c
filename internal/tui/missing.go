package tui

import (
	"fmt"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// announceMissing says once per panel which columns the source has no values for, and why.
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

// fleetingRounds is for how many rounds a message stays that no key has called for.
const fleetingRounds = 3

// forget takes such a message away.
func (m *model) forget() {
	if m.fleeting > 0 {
		if m.fleeting--; m.fleeting == 0 {
			m.message = ""
		}
	}
}

// origin is where the values on the screen come from.
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

func missingWhy(origin esxtop.Origin) string {
	switch origin {
	case esxtop.Performance:
		return "the PerformanceManager does not have them, --source esxtop does"
	case esxtop.Capture:
		return "the capture does not have them"
	}
	return "the host reports no values"
}
