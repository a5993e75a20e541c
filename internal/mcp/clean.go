package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vperf/vperf/internal/iostreams"
)

// The longest texts, in bytes.
const (
	longestString = 400  // in an answer
	longestName   = 120  // of an object
	longestError  = 2000 // of an error
)

// clean makes a text that others wrote harmless in one line: control characters, line breaks, characters that change the direction of
// writing and invisible ones (with which text can be hidden from people) become spaces or are removed. It cuts what is longer than most
// bytes.
func clean(s string, most int) string {
	return cut(strings.Join(strings.Fields(visible(s, false)), " "), most)
}

// cleanLines is clean for texts of several lines.
func cleanLines(s string, most int) string { return cut(visible(s, true), most) }

// cleanError is cleanLines for an error. It is no JSON, which would escape the brackets of markup.
func cleanError(s string) string {
	return cleanLines(strings.NewReplacer("<", "‹", ">", "›").Replace(s), longestError)
}

func visible(s string, lines bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && lines:
			return r
		case unicode.IsSpace(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case iostreams.ControlsText(r):
			return -1
		case r == utf8.RuneError, unicode.IsPrint(r):
			return r // of bytes that are not UTF-8, Map makes the replacement character
		}
		return -1
	}, s)
}

// cut shortens a text to at most so many bytes, at a character.
func cut(s string, most int) string {
	const mark = "…"
	if len(s) <= most {
		return s
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// cleanJSON returns a value as JSON whose strings are all clean. Every answer goes through it, so that no tool can forget a name.
func cleanJSON(v any) (json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var out bytes.Buffer
	if err := cleanTokens(decoder, &out); err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	return out.Bytes(), nil
}

// cleanTokens copies one value. It keeps the order of fields: the first are the most important ones.
func cleanTokens(from *json.Decoder, to *bytes.Buffer) error {
	token, err := from.Token()
	if err != nil {
		return err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return writeToken(token, to)
	}
	to.WriteRune(rune(open))
	for first := true; from.More(); first = false {
		if !first {
			to.WriteByte(',')
		}
		if open == '{' {
			key, err := from.Token()
			if err != nil {
				return err
			}
			if err := writeToken(key, to); err != nil {
				return err
			}
			to.WriteByte(':')
		}
		if err := cleanTokens(from, to); err != nil {
			return err
		}
	}
	end, err := from.Token()
	if err != nil {
		return err
	}
	fmt.Fprint(to, end)
	return nil
}

func writeToken(token json.Token, to *bytes.Buffer) error {
	if s, ok := token.(string); ok {
		token = clean(s, longestString)
	}
	raw, err := json.Marshal(token)
	to.Write(raw)
	return err
}
