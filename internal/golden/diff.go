package golden

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

const (
	context = 2  // equal lines shown on either side of a change
	most    = 20 // changed lines shown a side: enough to see what happened
)

// diff shows the one region in which the texts differ, from the first to the last different line. It is not a minimal diff:
// review a rewritten golden file with version control tools.
func diff(want, got []byte) string {
	a, b := lines(want), lines(got)
	head := commonPrefix(a, b)
	tail := commonSuffix(a[head:], b[head:])

	var out strings.Builder
	fmt.Fprintf(&out, "@@ line %d @@\n", head+1)
	show(&out, "  ", a[max(0, head-context):head])
	show(&out, "- ", a[head:len(a)-tail])
	show(&out, "+ ", b[head:len(b)-tail])
	show(&out, "  ", a[len(a)-tail:min(len(a), len(a)-tail+context)])
	return out.String()
}

// lines keeps the line ends, so that a missing last newline or a stray carriage return is visible as a difference.
func lines(text []byte) []string {
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

func commonPrefix(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func show(out *strings.Builder, mark string, lines []string) {
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(out, "%s… %d more\n", mark, len(lines)-most)
			return
		}
		text, ended := strings.CutSuffix(line, "\n")
		fmt.Fprint(out, mark, visible(text), "\n")
		if !ended {
			fmt.Fprint(out, `\ no newline at the end`, "\n")
		}
	}
}

// visible quotes a line with characters that would control a terminal.
func visible(line string) string {
	if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		return strconv.Quote(line)
	}
	return line
}
