package strictyaml

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is the text of a rule file. It is kept to compute the positions of expressions.
type File struct {
	Name string
	text string
}

// NewFile returns a File with a name and text.
func NewFile(name string, text []byte) File { return File{name, string(text)} }

// At returns a problem at a node.
func (f File) At(n *yaml.Node, message string) Problem {
	if n == nil {
		return Problem{f.Name, 1, 1, message}
	}
	return Problem{f.Name, n.Line, n.Column, message}
}

// InExpr returns a problem inside an expression, where CEL counts lines from 1 and columns from 0 of the expression's
// own text.
func (f File) InExpr(n *yaml.Node, line, column int, message string) Problem {
	if n.Style&yaml.LiteralStyle == 0 {
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			column++
		}
		return Problem{f.Name, n.Line, n.Column + column, message}
	}
	// A literal block starts on the line after its indicator, with the indentation of its first line.
	return Problem{f.Name, n.Line + line, f.indent(n.Line) + column + 1, message}
}

func (f File) indent(line int) int {
	lines := strings.Split(f.text, "\n")
	if line >= len(lines) {
		return 0
	}
	text := lines[line] // lines count from 0 here: this is the one after the indicator
	return len(text) - len(strings.TrimLeft(text, " "))
}

// OneLine joins the lines of a text.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var lineOf = regexp.MustCompile(`line (\d+): (.*)`)

// syntax takes the line from YAML's own message, which has no column.
func (f File) syntax(err error) Problem {
	p := Problem{f.Name, 1, 1, strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := lineOf.FindStringSubmatch(p.Message); m != nil {
		p.Line, _ = strconv.Atoi(m[1])
		p.Message = m[2]
	}
	return p
}

// ID matches the ids of rules and vendors.
var ID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$|^[a-z][a-z0-9]*$`)

// WantedID describes such an id.
const WantedID = "an id in kebab case, such as numa-io"

// Scalar is a text with its position.
type Scalar struct {
	Text string
	Node *yaml.Node
}

// UnmarshalYAML keeps the position of the text.
func (s *Scalar) UnmarshalYAML(n *yaml.Node) error {
	s.Text, s.Node = n.Value, n
	return nil
}
