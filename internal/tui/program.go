package tui

import (
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
)

// redrawAfter is the delay before a screen of a new size is drawn once more: at the next frame at the earliest. The renderer draws the
// columns that a wider screen has gained, but then takes them for empty, so that their content would never be erased.
const redrawAfter = 3 * time.Second / (2 * framesPerSecond)

// Init asks for the first round.
func (m *model) Init() tea.Cmd {
	m.ask()
	return m.read()
}

// Update handles a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
		return m, m.after(redrawAfter, redrawMsg{})
	case redrawMsg:
		return m, tea.ClearScreen
	case tea.KeyPressMsg:
		return m, m.press(msg.String(), msg.Text)
	case tea.MouseWheelMsg:
		m.wheel(msg.Button)
	case tea.MouseClickMsg:
		return m, m.click(tea.Mouse(msg))
	case roundMsg:
		return m, m.receive(msg)
	case playMsg:
		if m.playing && msg.turn == m.turn {
			return m, m.read()
		}
	case ageMsg:
		m.ticking = false
		return m, m.tick()
	}
	return m, nil
}

// View is the screen.
func (m *model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	return v
}

// receive adds a round and waits for the next one.
func (m *model) receive(msg roundMsg) tea.Cmd {
	m.reading = false
	if m.wanted != nil {
		n := *m.wanted
		m.wanted = nil
		return m.seek(n)
	}
	switch {
	case errors.Is(msg.err, io.EOF):
		m.ended, m.playing = true, false
		m.message = "this was the last sample"
		return nil
	case msg.err != nil:
		m.err = msg.err
		return tea.Quit
	}
	m.known, m.awaited = msg.place, max(m.awaited-1, 0)
	newer := m.now.add(msg.round)
	m.forget()
	if m.held == nil {
		m.rebuild()
	}
	if newer {
		m.remember(msg.round.Time)
	}
	return tea.Batch(m.onward(), m.tick())
}

// onward continues after a round: with the next one if the source is live, with a pause in a replay.
func (m *model) onward() tea.Cmd {
	if m.replay == nil {
		return m.read()
	}
	if !m.playing {
		return nil
	}
	m.turn++
	return m.after(m.pace(), playMsg{m.turn})
}

// tick makes ages grow while a host is late.
func (m *model) tick() tea.Cmd {
	if m.ticking || len(m.now.late) == 0 || m.replay != nil {
		return nil
	}
	m.ticking = true
	return m.after(time.Second, ageMsg{})
}
