package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vperf/vperf/pkg/esxtop"
)

// model is the program: its options, the actions of the user, and the resulting screen.
type model struct {
	ctx  context.Context
	opts Options
	set  Settings

	width, height int
	now           *fleet // all rounds received
	held          *fleet // the frames on screen while the user holds them; nil: the latest
	all, table    *table
	histories     []*panelHistory // of the panels visited last; the first is of the one shown
	expanded      map[lineKey]bool
	filter        string

	at      int     // of the row under the cursor
	key     lineKey // of that row
	column  int     // of the column under the cursor
	label   string  // of that column
	topRow  int     // the first one shown
	leftCol int     // the first column shown that scrolls

	only     string          // the one host that is shown; empty: all
	valued   map[string]bool // columns that had a value once, by panel and label
	fleeting int             // rounds for which the message stays; 0: until the next key
	told     map[byte]bool   // panels whose missing columns were announced
	layout   layout          // of the last screen, for the mouse

	page    page    // it hides the table; nil: the table is shown
	prompt  *prompt // an open question to the user
	message string  // shown until the next key

	replay  esxtop.Seeker // nil: the source is live
	playing bool
	turn    int  // of the replay: ticks of an earlier one mean nothing
	reading bool // a round is awaited
	wanted  *int // which one to read after that
	ended   bool // there is no next one
	known   place
	ticking bool // the age of a late host is counted
	awaited int  // rounds that may bring the requested objects
	moved   bool // the user has chosen a row
	err     error

	after func(time.Duration, tea.Msg) tea.Cmd // the clock
}

// panelHistory is kept for some panels, so that a look at another one does not forget the last minutes.
type panelHistory struct {
	panel byte
	*history
}

const keptHistories = 3

// Messages of the program to itself.
type (
	roundMsg struct {
		round *esxtop.Round
		err   error
		place place
	}
	playMsg struct{ turn int }
	ageMsg  struct{}

	redrawMsg struct{} // the screen has had another size for a moment
)

// place is the state of a source after a round. It is read together with the round: a source need not answer while it reads.
type place struct {
	about       esxtop.About
	next, total int // of a replay
}

func (m *model) place() (p place) {
	p.about = m.opts.Source.About()
	if m.replay != nil {
		p.next, p.total = m.replay.Position()
	}
	return p
}

func newModel(ctx context.Context, o Options) *model {
	m := &model{ctx: ctx, opts: o, set: o.Settings, filter: o.Filter, message: clean(o.Message), width: 80, height: 24, now: newFleet(), expanded: map[lineKey]bool{},
		valued: map[string]bool{}, told: map[byte]bool{}, after: after}
	m.replay, _ = o.Source.(esxtop.Seeker)
	m.playing = m.replay != nil
	m.known = m.place()
	m.rebuild()
	return m
}

// after sends a message when some time has passed.
func after(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// ask requests the objects of the screen from the source. A replay reads the current sample again if they are missing.
func (m *model) ask() tea.Cmd {
	r := request(m.panel(), m.set, len(m.expanded) > 0)
	if m.replay == nil && m.known.about.Origin == esxtop.Service {
		r.Objects |= near(m.set)
	}
	m.opts.Source.Configure(r)
	if m.replay == nil && m.lacks(r.Objects) {
		m.awaited = 2 // the round that is under way may have been asked before
	}
	if m.replay == nil || m.known.next == 0 || !m.lacks(r.Objects) {
		return nil
	}
	return m.seek(m.known.next - 1)
}

// near are the objects of panels that are one key away. The Esxtop service sends them anyway, so that they are there at once.
// Interrupts and power states are excluded: they are large and rarely viewed.
func near(s Settings) (o esxtop.Objects) {
	for _, p := range esxtop.Panels() {
		if p.Key != 'i' && p.Key != 'p' {
			o |= p.Needs(s.shown(p), false)
		}
	}
	return o
}

// lacks reports whether objects are missing from a shown frame.
func (m *model) lacks(objects esxtop.Objects) bool {
	for _, f := range m.shown().list() {
		for o := range esxtop.NumObjects {
			if objects.Has(o) && !f.Has(o) {
				return true
			}
		}
	}
	return false
}

func (m *model) panel() *esxtop.Panel { return esxtop.PanelOf(m.set.Panel) }

// shown returns the fleet on the screen.
func (m *model) shown() *fleet {
	if m.held != nil {
		return m.held
	}
	return m.now
}

// scene is the part of the fleet that the user looks at: all hosts, or one.
func (m *model) scene() *fleet {
	if m.only == "" {
		return m.shown()
	}
	return m.shown().only(m.only)
}

// read waits for the next round. One is awaited at a time.
func (m *model) read() tea.Cmd {
	if m.reading || m.ended {
		return nil
	}
	m.reading = true
	return m.next
}

func (m *model) next() tea.Msg {
	round, err := m.opts.Source.Next(m.ctx)
	return roundMsg{round, err, m.place()}
}

// seek reads another round than the next one.
func (m *model) seek(n int) tea.Cmd {
	n = max(n, 0)
	m.ended = false
	if m.reading {
		m.wanted = &n
		return nil
	}
	m.reading = true
	return func() tea.Msg {
		if err := m.replay.Seek(n); err != nil {
			return roundMsg{err: err}
		}
		return m.next()
	}
}

// seekTime reads on from the start until a round is not before a time.
func (m *model) seekTime(at time.Time) tea.Cmd {
	if m.reading {
		m.message = "wait: a sample is being read"
		return nil
	}
	m.reading, m.ended = true, false
	return func() tea.Msg {
		if err := m.replay.Seek(0); err != nil {
			return roundMsg{err: err}
		}
		var last roundMsg
		for {
			msg := m.next().(roundMsg)
			if msg.err != nil && last.round != nil && errors.Is(msg.err, io.EOF) {
				return last // before the time asked for, but there is no later one
			}
			if msg.err != nil || !msg.round.Time.Before(at) {
				return msg
			}
			last = msg
		}
	}
}

// pace returns how long a sample of a replay stays on the screen.
func (m *model) pace() time.Duration {
	if m.set.Delay > 0 {
		return m.set.Delay
	}
	return time.Second
}

// remember records the figures of a round, even if the screen is frozen.
func (m *model) remember(at time.Time) {
	all := m.all
	if m.held != nil {
		all = collect(m.now, m.set)
	}
	var below []line
	if m.held == nil {
		for _, l := range m.table.rows {
			if !l.onTop() {
				below = append(below, l)
			}
		}
	}
	h := m.history(all)
	if m.replay == nil {
		at = h.onward(at)
	}
	h.add(all, below, at)
}

// history is that of the panel shown, a new one where its columns changed.
func (m *model) history(t *table) *history {
	i := 0
	for i < len(m.histories) && m.histories[i].panel != t.panel.Key {
		i++
	}
	var h *panelHistory
	if i < len(m.histories) {
		h = m.histories[i]
		m.histories = append(m.histories[:i], m.histories[i+1:]...)
	}
	if h == nil || !h.fits(t) {
		h = &panelHistory{t.panel.Key, newHistory(t, m.known.about.Interval)}
	}
	m.histories = append([]*panelHistory{h}, m.histories...)
	m.histories = m.histories[:min(len(m.histories), keptHistories)]
	return h.history
}

// position returns the position of a replay.
func (m *model) position() string {
	next, total := m.known.next, m.known.total
	state := "paused"
	if m.playing {
		state = "playing"
	}
	if total < 0 {
		return fmt.Sprintf("sample %d, %s", next, state)
	}
	return fmt.Sprintf("sample %d of %d, %s", next, total, state)
}

// last is larger than any round number: seeking it returns the last round.
const last = math.MaxInt

// page is a screen that hides the table until a key closes it.
type page interface {
	lines(m *model) []string
	press(m *model, key string) (page, tea.Cmd) // no page: back to the table
}

// prompt is a question to the user.
type prompt struct {
	label string
	text  string
	done  func(text string) (tea.Cmd, error)
}
