package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/vperf/vperf/internal/iostreams"
)

// YAML writes a JSON document as YAML and keeps the order of its fields. It translates token by token: the document as a tree would
// take a hundred times its size.
func YAML(w io.Writer, document io.Reader) error {
	y := &yamlWriter{in: jsontext.NewDecoder(document, jsontext.AllowDuplicateNames(true)), w: bufio.NewWriter(w), words: map[string]string{}}
	if err := y.value(0, "", false); err != nil {
		return fmt.Errorf("writing YAML: %w", err)
	}
	return y.w.Flush()
}

type yamlWriter struct {
	in    *jsontext.Decoder
	w     *bufio.Writer
	words map[string]string // short texts as YAML: most are repeated
}

// value writes the next value. first is what precedes it on its line: nothing at the beginning, or the space after a key or a dash.
func (y *yamlWriter) value(indent int, first string, dash bool) error {
	token, err := y.in.ReadToken()
	if err != nil {
		return err
	}
	text := token.String() // a number as it was written
	switch kind := token.Kind(); kind {
	case '{', '[':
		end := kind + 2 // the closing brace or bracket
		if y.in.PeekKind() != end {
			return y.items(kind, indent, first, dash)
		}
		text = string([]byte{byte(kind), byte(end)})
		if _, err := y.in.ReadToken(); err != nil {
			return err
		}
	case '"':
		if text, err = y.text(text, indent); err != nil {
			return err
		}
	}
	y.w.WriteString(first + text + "\n")
	return nil
}

// items writes the items of an object or list on lines of their own. The first one follows a dash on its line.
func (y *yamlWriter) items(kind jsontext.Kind, indent int, first string, dash bool) error {
	switch {
	case dash:
		y.w.WriteString(first)
	case first != "":
		y.w.WriteByte('\n')
	}
	for n := 0; y.in.PeekKind() != kind+2; n++ {
		if n > 0 || !dash {
			y.w.WriteString(strings.Repeat(" ", indent))
		}
		if err := y.item(kind, indent); err != nil {
			return err
		}
	}
	_, err := y.in.ReadToken()
	return err
}

func (y *yamlWriter) item(kind jsontext.Kind, indent int) error {
	if kind == '[' {
		y.w.WriteByte('-')
		return y.value(indent+2, " ", true)
	}
	key, err := y.in.ReadToken()
	if err != nil {
		return err
	}
	text, err := y.text(key.String(), indent)
	if err != nil {
		return err
	}
	y.w.WriteString(text + ":")
	return y.value(indent+2, " ", false)
}

// longestWord is the longest text that is kept in words, and mostWords is how many are.
const (
	longestWord = 64
	mostWords   = 10_000
)

// text returns a text as YAML: quoted where it would be read as another type, or where it controls a terminal, and in lines if it has
// several.
func (y *yamlWriter) text(s string, indent int) (string, error) {
	if plainName.MatchString(s) {
		return s, nil
	}
	if word, known := y.words[s]; known {
		return word, nil
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if oldBools[strings.ToLower(s)] || strings.ContainsFunc(s, iostreams.ControlsText) {
		n.Style = yaml.DoubleQuotedStyle
	}
	text, err := yaml.Marshal(&n)
	if err != nil {
		return "", err
	}
	out := iostreams.EscapeControls(strings.TrimSuffix(string(text), "\n"))
	if strings.Contains(out, "\n") { // its lines are indented by 4
		return strings.ReplaceAll(out, "\n    ", "\n"+strings.Repeat(" ", indent)), nil
	}
	if len(s) <= longestWord && len(y.words) < mostWords {
		y.words[strings.Clone(s)] = out
	}
	return out, nil
}

// plainName matches names and paths that are the same in YAML: no word of this length is another type.
var plainName = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9./_-]{5,}$`)

// oldBools lists texts that YAML 1.1 readers take for true or false.
var oldBools = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true}
