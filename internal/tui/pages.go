package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// textPage is text that scrolls.
type textPage struct {
	text  []string
	first int
}

func (p textPage) lines(m *model) []string {
	room := max(m.height-1, 1)
	var wrapped []string
	for _, l := range p.text {
		wrapped = append(wrapped, wrap(l, m.width)...)
	}
	first := min(p.first, max(len(wrapped)-room, 0))
	shown := append([]string(nil), wrapped[first:min(first+room, len(wrapped))]...)
	for len(shown) < room {
		shown = append(shown, "")
	}
	hint := "any key: back"
	if len(wrapped) > room {
		hint = fmt.Sprintf("lines %d to %d of %d; arrows, pages: more; other keys: back", first+1, min(first+room, len(wrapped)), len(wrapped))
	}
	return append(shown, hint)
}

func (p textPage) press(m *model, key string) (page, tea.Cmd) {
	room := max(m.height-1, 1)
	switch key {
	case "down", "2":
		p.first++
	case "up", "8":
		p.first--
	case "pgdown", "space":
		p.first += room
	case "pgup":
		p.first -= room
	default:
		return nil, nil
	}
	most := 0
	for _, l := range p.text {
		most += len(wrap(l, m.width))
	}
	p.first = max(min(p.first, most-room), 0)
	return p, nil
}

const hanging = 11 // where the text of an explanation begins

// wrap breaks a line at blanks.
func wrap(s string, width int) []string {
	if cells(s) <= width || width < 2*hanging {
		return []string{s}
	}
	indent := strings.Repeat(" ", hanging)
	var lines []string
	for cells(s) > width {
		at := 0
		for i, r := range s {
			if cells(s[:i]) > width {
				break
			}
			if r == ' ' && i > hanging {
				at = i
			}
		}
		if at == 0 {
			return append(lines, s)
		}
		lines = append(lines, s[:at])
		s = indent + strings.TrimLeft(s[at:], " ")
	}
	return append(lines, s)
}

// fieldPage is where fields are chosen and ordered.
type fieldPage struct{ moves bool }

func (p fieldPage) lines(m *model) []string {
	panel := m.panel()
	order := m.set.Fields[panel.Key]
	lines := []string{"Current Field order: " + order, ""}
	for i := range len(order) {
		f := panel.Field(order[i])
		mark := " "
		if order[i] == f.Letter {
			mark = "*"
		}
		lines = append(lines, fmt.Sprintf("%s %c: %s", mark, f.Letter, f.Title))
	}
	hint := fmt.Sprintf("Toggle fields with %c-%c, any other key to return", 'a', 'a'+len(order)-1)
	if p.moves {
		hint = "Upper case letter moves a field left, lower case right, any other key to return"
	}
	if over := len(lines) + 2 - m.height; over > 0 { // a field that is not shown can still be typed
		lines = lines[:max(len(lines)-over, 1)]
	}
	return append(lines, "", hint)
}

func (p fieldPage) press(m *model, key string) (page, tea.Cmd) {
	panel := m.panel()
	if len(key) != 1 || panel.Field(key[0]) == nil {
		return nil, nil
	}
	order := m.set.Fields[panel.Key]
	switch {
	case !p.moves:
		order = toggle(order, key[0])
	case key[0]&0x20 == 0:
		order = shift(order, key[0], -1)
	default:
		order = shift(order, key[0], 1)
	}
	m.set.Fields[panel.Key] = order
	m.rebuild()
	return p, m.ask()
}
