package advice

import (
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
func (f file) in(e Expr, line, column int, message string) Problem {
	n := e.node
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
