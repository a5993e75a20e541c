package config

import (
	"errors"
	"fmt"
	"strings"
)

// shellOnly are characters with a meaning in a shell, which is not used here.
const shellOnly = "|&;<>()*"

// words is the state of splitting a command line.
type words struct {
	done  []string
	word  strings.Builder
	begun bool // a word may be empty: ''
	plain bool // it contains no quotes
	quote rune // the open quote, or 0
}

// splitWords splits a command line like a shell: blanks separate words, quotes and backslashes keep them together. It
// refuses shell syntax instead of passing it to the program as text. Its errors are for use after a text about the
// command, and contain no part of it.
func splitWords(line string) ([]string, error) {
	w := words{plain: true}
	escaped := false
	for _, r := range line {
		if escaped {
			w.escape(r)
			escaped = false
			continue
		}
		if r == '\\' && w.quote != '\'' {
			escaped = true
			continue
		}
		if err := w.add(r); err != nil {
			return nil, err
		}
	}
	if escaped || w.quote != 0 {
		return nil, errors.New("ends inside quotes or after a backslash: close the quotes or remove the backslash")
	}
	w.end()
	if len(w.done) == 0 || w.done[0] == "" {
		return nil, errors.New("is empty: write a program and its arguments")
	}
	return w.done, nil
}

func (w *words) add(r rune) error {
	switch {
	case w.quote != 0 && r == w.quote:
		w.quote = 0
	case w.quote == '\'':
		w.word.WriteRune(r)
	case strings.ContainsRune("`$", r), w.quote == 0 && strings.ContainsRune(shellOnly, r):
		return fmt.Errorf("has %c outside single quotes, but vperf uses no shell: put it in single quotes, or write sh -c '…'", r)
	case w.quote != 0:
		w.word.WriteRune(r)
	case r == '\'', r == '"':
		w.quote, w.begun, w.plain = r, true, false
	case r == ' ', r == '\t', r == '\n':
		w.end()
	default:
		w.word.WriteRune(r)
		w.begun = true
	}
	return nil
}

// escape adds a character after a backslash. In double quotes, the backslash remains unless it protects the character.
func (w *words) escape(r rune) {
	if w.quote == '"' && !strings.ContainsRune("\"\\$`", r) {
		w.word.WriteRune('\\')
	}
	w.word.WriteRune(r)
	w.begun, w.plain = true, false
}

// end ends a word, if one has begun.
func (w *words) end() {
	word := w.word.String()
	if w.plain {
		word = expandHome(word)
	}
	if w.begun {
		w.done = append(w.done, word)
	}
	w.word.Reset()
	w.begun, w.plain = false, true
}
