package tui

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/vperf/vperf/pkg/esxtop"
)

// press handles a key.
func (m *model) press(key, text string) tea.Cmd {
	m.message, m.fleeting = "", 0
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case key == "ctrl+z":
		return tea.Suspend
	case m.prompt != nil:
		return m.answer(key, text)
	case m.page != nil:
		var cmd tea.Cmd
		m.page, cmd = m.page.press(m, key)
		return cmd
	case m.move(key):
		m.moved = true
		m.settle()
		return nil
	case len(key) == 1 && esxtop.PanelOf(key[0]) != nil:
		return m.visit(key[0])
	}
	if cmd, done := m.travel(key); done {
		return cmd
	}
	if id, ok := m.sortKey(key); ok {
		m.sort(Sort{Metric: id})
		return nil
	}
	return m.command(key)
}

func (m *model) sortKey(key string) (id string, ok bool) {
	if len(key) != 1 {
		return "", false
	}
	id, ok = m.panel().Sorts[key[0]]
	return id, ok
}

// command is for keys that neither move nor sort.
func (m *model) command(key string) tea.Cmd {
	if m.question(key) {
		return nil
	}
	switch key {
	case "q":
		return tea.Quit
	case "space", "ctrl+l":
		return tea.ClearScreen
	case "enter":
		m.page = m.explain()
	case "H":
		m.page = m.hosts()
	case "P":
		m.hold()
	case "h", "?":
		m.page = m.help()
	case "f", "F":
		m.page = fieldPage{}
	case "o", "O":
		m.page = fieldPage{moves: true}
	case "V":
		m.set.VMsOnly = !m.set.VMsOnly
		m.rebuild()
	case "e", "6":
		return m.expand()
	case "=":
		m.sortHere()
	case "W":
		m.save()
	case "esc":
		m.back()
	default:
		m.message = fmt.Sprintf("no key %s here; h lists the keys", clean(key))
	}
	return nil
}

// question opens the prompt for keys that ask the user for a value.
func (m *model) question(key string) bool {
	switch key {
	case "s":
		m.askFor(fmt.Sprintf("Delay in seconds (now %s)", m.delay()), m.setDelay)
	case "#":
		m.askFor(fmt.Sprintf("Maximum number of rows, 0 for all (now %d)", m.set.Rows), m.setNumber(&m.set.Rows, 0, 1_000_000))
	case "L":
		m.askFor(fmt.Sprintf("Width of NAME, 0 for the default (now %d)", m.set.NameWidth), m.setNumber(&m.set.NameWidth, 0, 128))
	case "/":
		m.askFor("Filter by name or host", m.setFilter)
		m.prompt.text = m.filter
	default:
		return false
	}
	return true
}

// move moves the cursor.
func (m *model) move(key string) bool {
	page := max(m.room()-1, 1)
	switch key {
	case "up", "8":
		m.at--
	case "down", "2":
		m.at++
	case "left":
		m.column--
	case "right":
		m.column++
	case "pgup", "ctrl+b":
		m.at -= page
	case "pgdown", "ctrl+f":
		m.at += page
	case "home":
		m.at = 0
	case "end":
		m.at = len(m.table.rows) - 1
	default:
		return false
	}
	return true
}

// travel is for keys that move through a capture.
func (m *model) travel(key string) (tea.Cmd, bool) {
	if m.replay == nil {
		return nil, false
	}
	next := m.known.next
	to := 0
	switch key {
	case "space", "P":
		m.playing = !m.playing
		if m.playing {
			return m.read(), true
		}
		return nil, true
	case ".":
		to = next
	case ",":
		to = next - 2
	case "]":
		to = next + 9
	case "[":
		to = next - 11
	case "g":
	case "G":
		to = last
	case ":":
		m.askFor("Go to sample number or time of day", m.jump)
		return nil, true
	default:
		return nil, false
	}
	m.playing = false
	if key == "." && m.ended {
		m.message = "this was the last sample"
		return nil, true
	}
	return m.seek(to), true
}

var clockForms = []string{"15:04:05", "15:04", "3:04:05pm", "3:04pm"}

// jump goes to a sample by number or by time. A time of day is one of the day on the screen.
func (m *model) jump(text string) (tea.Cmd, error) {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 {
			return nil, errors.New("the first sample is 1")
		}
		m.playing = false
		return m.seek(n - 1), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	for _, form := range clockForms {
		if err == nil {
			break
		}
		if at, err = time.Parse(form, strings.ToLower(text)); err == nil {
			day := m.now.time.UTC()
			at = time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%q is neither a number nor a time; type 12 or 10:49:17", clean(text))
	}
	m.playing = false
	return m.seekTime(at), nil
}

func (m *model) visit(panel byte) tea.Cmd {
	if m.set.Panel == panel {
		return nil
	}
	m.set.Panel = panel
	clear(m.expanded)
	m.at, m.topRow, m.leftCol, m.label, m.key, m.moved = 0, 0, 0, "", lineKey{}, false
	m.rebuild()
	return m.ask()
}

// back removes restrictions of the rows: the filter, then the choice of a host.
func (m *model) back() {
	switch {
	case m.filter != "":
		m.filter = ""
	case m.only != "":
		m.page = m.hosts()
	}
	m.rebuild()
}

// hold freezes the screen; rounds still come in.
func (m *model) hold() {
	if m.held == nil {
		m.held = m.now.still()
		return
	}
	m.held = nil
	m.rebuild()
}

func (m *model) expand() tea.Cmd {
	l, _, ok := m.under()
	switch {
	case !ok:
		return nil
	case len(m.panel().Expand) == 0:
		m.message = "rows of this panel cannot be expanded"
		return nil
	case !l.onTop():
		l = line{frame: l.frame, row: l.owner, owner: l.owner, index: l.index}
		m.key = l.key()
	}
	m.moved = true
	key := l.key()
	if m.expanded[key] {
		delete(m.expanded, key)
	} else {
		m.expanded[key] = true
	}
	m.rebuild()
	if o := m.panel().Expand[0]; m.expanded[key] && m.replay == nil && !l.frame.Has(o) {
		m.message, m.fleeting = "requested; it comes with the next sample if the source has it", 2
	}
	return m.ask()
}

func (m *model) sort(by Sort) {
	m.set.Sorts[m.set.Panel] = by
	m.rebuild()
}

// sortHere sorts by the column under the cursor, and the other way round when it was already.
func (m *model) sortHere() {
	_, c, ok := m.under()
	if !ok {
		return
	}
	by := Sort{Attribute: c.Attribute, Child: c.child}
	if c.Metric != nil {
		by.Metric = c.Metric.ID
	}
	if m.set.Sorts[m.set.Panel] == by {
		by.Reversed = true
	}
	m.sort(by)
}

func (m *model) save() {
	if m.opts.Save == nil {
		m.message = "settings cannot be saved here"
		return
	}
	where, err := m.opts.Save(m.set)
	if err != nil {
		m.message = "saving settings failed: " + clean(err.Error())
		return
	}
	m.message = "settings saved in " + clean(where)
}

func (m *model) askFor(label string, done func(string) (tea.Cmd, error)) {
	m.prompt = &prompt{label: label, done: done}
}

// answer takes a key into the answer.
func (m *model) answer(key, text string) tea.Cmd {
	p := m.prompt
	switch key {
	case "esc":
		m.prompt = nil
	case "enter":
		m.prompt = nil
		cmd, err := p.done(strings.TrimSpace(p.text))
		if err != nil {
			m.message = err.Error()
		}
		return cmd
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	case "ctrl+u":
		p.text = ""
	default:
		if len(p.text) < 200 {
			p.text += text
		}
	}
	return nil
}

func (m *model) delay() time.Duration {
	if m.replay != nil {
		return m.pace()
	}
	return m.known.about.Interval
}

func (m *model) setDelay(text string) (tea.Cmd, error) {
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64)
	if err != nil || math.IsNaN(seconds) || seconds <= 0 || seconds > 3600 {
		return nil, fmt.Errorf("%q is not a delay; type seconds, up to 3600", clean(text))
	}
	m.set.Delay = max(time.Duration(seconds*float64(time.Second)), 100*time.Millisecond)
	return m.ask(), nil
}

func (m *model) setNumber(into *int, low, high int) func(string) (tea.Cmd, error) {
	return func(text string) (tea.Cmd, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return nil, fmt.Errorf("%q is not a number from %d to %d", clean(text), low, high)
		}
		*into = n
		m.rebuild()
		return nil, nil
	}
}

func (m *model) setFilter(text string) (tea.Cmd, error) {
	m.filter = text
	m.rebuild()
	return nil, nil
}
