package esxtop

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// complaints gathers what was wrong with a text: the first one in words, the others by number.
type complaints struct {
	first string
	more  int
}

// add notes what is wrong with a line, counted from 1; 0 is the text as a whole.
func (c *complaints) add(line int, what string) {
	switch {
	case c.first != "":
		c.more++
	case line > 0:
		c.first = fmt.Sprintf("line %d: %s", line, what)
	default:
		c.first = what
	}
}

func (c *complaints) any() bool { return c.first != "" }

// err is nil where there is nothing to complain about; else it ends with what was read nevertheless.
func (c *complaints) err(doing, read string) error {
	switch {
	case c.first == "":
		return nil
	case c.more > 0:
		return fmt.Errorf("%s: %s (and %d more of such); %s", doing, c.first, c.more, read)
	}
	return fmt.Errorf("%s: %s; %s", doing, c.first, read)
}

// quoted shows a piece of a text that may be anything, and of any length.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}

// lines gives the lines of a text and their numbers from 1, without ends of any system and without the NUL that some
// releases end a text with.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for n := 1; text != ""; n++ {
			line, rest, _ := strings.Cut(text, "\n")
			if !yield(n, strings.TrimRight(line, "\r\x00")) {
				return
			}
			text = rest
		}
	}
}
