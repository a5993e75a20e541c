package advice

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// file is the text of a rule file, kept for the positions of its expressions.
type file struct {
	name  string
	lines []string
}

func newFile(name string, text []byte) file {
	return file{name, strings.Split(string(text), "\n")}
}

// at is a problem at a node.
func (f file) at(n *yaml.Node, message string) Problem {
	if n == nil {
		return Problem{f.name, 1, 1, message}
	}
	return Problem{f.name, n.Line, n.Column, message}
}

// in is a problem inside an expression, where CEL counts lines from 1 and columns from 0 of the expression's own text.
func (f file) in(n *yaml.Node, line, column int, message string) Problem {
	if n.Style&yaml.LiteralStyle == 0 {
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			column++
		}
		return Problem{f.name, n.Line, n.Column + column, message}
	}
	// A literal block starts on the line after its indicator, indented as its first line is.
	return Problem{f.name, n.Line + line, f.indent(n.Line) + column + 1, message}
}

func (f file) indent(line int) int {
	if line >= len(f.lines) {
		return 0
	}
	text := f.lines[line] // lines count from 0 here: this is the one after the indicator
	return len(text) - len(strings.TrimLeft(text, " "))
}

// oneLine undoes the line breaks that keep files readable.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var lineOf = regexp.MustCompile(`line (\d+): (.*)`)

// syntax finds the line in YAML's own message, which has no column.
func (f file) syntax(err error) Problem {
	p := Problem{f.name, 1, 1, strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := lineOf.FindStringSubmatch(p.Message); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Message = m[2]
	}
	return p
}

// idForm is the form of the ids of rules and vendors.
var idForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$|^[a-z][a-z0-9]*$`)

// wantedID describes such an id.
const wantedID = "an id in kebab case, as numa-io"

// scalar is a text and where it stands.
type scalar struct {
	Text string
	Node *yaml.Node
}

// UnmarshalYAML keeps the position of the text.
func (s *scalar) UnmarshalYAML(n *yaml.Node) error {
	s.Text, s.Node = n.Value, n
	return nil
}
