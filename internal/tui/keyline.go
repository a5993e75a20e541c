package tui

import (
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// hint is a key and its effect at the moment.
type hint struct{ key, does string }

// hints are the keys of the moment, the most useful first.
func (m *model) hints() []hint {
	if m.prompt != nil {
		return []hint{{"enter", "apply"}, {"esc", "cancel"}, {"ctrl+u", "clear"}}
	}
	list := []hint{{"enter", "explain"}}
	if m.replay != nil {
		list = append(list, hint{"space", m.playWord()}, hint{". ,", "step"}, hint{":", "go to"})
	}
	list = append(list, m.drillHints()...)
	list = append(list, hint{"/", "filter"}, hint{panelLetters(), "panel"}, hint{"=", "sort"})
	if ofVMs(m.panel().Object) {
		list = append(list, hint{"V", m.rowsWord()})
	}
	return append(list, hint{"P", m.holdWord()}, hint{"s", "delay"}, hint{"f", "fields"})
}

// drillHints are the keys that go down to the objects below a row, and back up.
func (m *model) drillHints() (list []hint) {
	l, _, ok := m.under()
	if ok && len(m.panel().Expand) > 0 {
		word := expandWords[m.panel().Key]
		if !l.onTop() || m.expanded[l.key()] {
			word = "collapse"
		}
		list = append(list, hint{"e", word})
	}
	switch {
	case m.filter != "":
		list = append(list, hint{"esc", "drop filter"})
	case m.only != "":
		list = append(list, hint{"esc", "hosts"})
	case len(m.shown().hosts) > 1:
		list = append(list, hint{"H", "hosts"})
	}
	return list
}

var expandWords = map[byte]string{'c': "vCPUs", 'd': "paths", 'u': "worlds", 'v': "disks"}

func (m *model) playWord() string {
	if m.playing {
		return "pause"
	}
	return "play"
}

func (m *model) rowsWord() string {
	if m.set.VMsOnly {
		return "all rows"
	}
	return "VMs only"
}

func (m *model) holdWord() string {
	if m.held != nil {
		return "continue"
	}
	return "hold"
}

// keyLine shows as many hints as fit. Help and quit always do.
func keyLine(hints []hint, width int, st style) string {
	last := []hint{{"h", "help"}, {"q", "quit"}}
	room := width - hintsWidth(last)
	var fit []hint
	for _, h := range hints {
		if w := hintsWidth([]hint{h}); w <= room {
			fit, room = append(fit, h), room-w
		}
	}
	var b strings.Builder
	for _, h := range append(fit, last...) {
		b.WriteString(" " + st.bold(h.key) + " " + h.does + " ")
	}
	return b.String()
}

func hintsWidth(hints []hint) (w int) {
	for _, h := range hints {
		w += cells(h.key) + cells(h.does) + 3
	}
	return w
}

// panelLetters are the keys of all panels.
func panelLetters() string {
	var b strings.Builder
	for _, p := range esxtop.Panels() {
		b.WriteByte(p.Key)
	}
	return b.String()
}
