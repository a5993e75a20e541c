package config

import (
	"errors"
	"fmt"
	"strings"
)

// shellOnly are characters that mean something to a shell, which is not there to understand them.
const shellOnly = "|&;<>()*"

// words is a command line being taken apart.
type words struct {
	done  []string
	word  strings.Builder
	begun bool // a word may be empty: ''
	plain bool // nothing of it was quoted
	quote rune // the open quote, or 0
}

// splitWords takes a command line apart as a shell does: blanks separate words, quotes and backslashes keep them
// together. What only a shell could do is refused, not handed to the program as text. Its errors continue a sentence
// about the command, and quote nothing of it.
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
		return nil, errors.New("ends inside quotes or behind a backslash: close them")
	}
	w.end()
	if len(w.done) == 0 || w.done[0] == "" {
		return nil, errors.New("is empty: want a program and its arguments")
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
		return fmt.Errorf("has %c outside single quotes, but no shell runs it: put it in single quotes, or write sh -c '…'", r)
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

// escape adds what stood behind a backslash. In double quotes it keeps its meaning only before what it could protect.
func (w *words) escape(r rune) {
	if w.quote == '"' && !strings.ContainsRune("\"\\$`", r) {
		w.word.WriteRune('\\')
	}
	w.word.WriteRune(r)
	w.begun, w.plain = true, false
}

// end closes a word, if one has begun.
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
