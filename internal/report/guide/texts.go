package guide

import (
	"embed"
	"strings"
)

// texts are written by hand: how to read the guide, an introduction to each category, and the founding articles.
//
//go:embed *.md founding.yaml
var texts embed.FS

// handText is a text written by hand: its first line is a heading, the rest its body.
type handText struct{ title, body string }

// hand is one of the hand-written texts; the zero value where there is none.
func hand(name string) handText {
	b, err := texts.ReadFile(name + ".md")
	if err != nil {
		return handText{}
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	return handText{strings.TrimPrefix(first, "# "), strings.TrimSpace(rest)}
}
