package esxtop

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// complaints collects the errors in a text: the first one as text, the others as a number.
type complaints struct {
	first string
	more  int
}

// add adds an error in a line, counted from 1; 0 is the text as a whole.
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

// err returns nil if there are no errors; else its text ends with what was read nevertheless.
func (c *complaints) err(doing, read string) error {
	switch {
	case c.first == "":
		return nil
	case c.more > 0:
		return fmt.Errorf("%s: %s (and %d more of such); %s", doing, c.first, c.more, read)
	}
	return fmt.Errorf("%s: %s; %s", doing, c.first, read)
}

// quoted quotes a piece of a text of any content and length.
func quoted(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}

// lines returns the lines of a text with their numbers from 1, without line ends of any system and without the NUL that
// some releases write at the end.
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
