package guide

import (
	"embed"
	"strings"
)

// texts holds the handwritten texts: how to read the guide, an introduction to each category, and the founding articles.
//
//go:embed *.md founding.yaml
var texts embed.FS

// handText is a handwritten text: its first line is a heading, the rest its body.
type handText struct{ title, body string }

// hand returns a handwritten text, or the zero value if it does not exist.
func hand(name string) handText {
	b, err := texts.ReadFile(name + ".md")
	if err != nil {
		return handText{}
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	return handText{strings.TrimPrefix(first, "# "), strings.TrimSpace(rest)}
}
