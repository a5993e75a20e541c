package script

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// quoted quotes a word for a POSIX shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shell is a script for sh.
type shell struct {
	strings.Builder

	moves []move
	guard func(m *move) string // a command that says whether a change is for here and now; "" is always
}

// prelude has the functions that every change of the script uses.
//
//go:embed prelude.sh
var prelude string

func (s *shell) comment(lines ...string) {
	for _, l := range lines {
		s.WriteString("# " + l + "\n")
	}
}

// functions writes how each change is read, made and undone.
func (s *shell) functions() {
	for i := range s.moves {
		m := &s.moves[i]
		s.WriteByte('\n')
		s.comment(m.about...)
		if m.why != "" {
			s.comment("NOT IN THIS SCRIPT: " + oneLine(m.why))
			continue
		}
		fmt.Fprintf(s, "read_%d() { %s; }\n", i+1, m.read)
		fmt.Fprintf(s, "apply_%d() { %s; }\n", i+1, strings.Join(m.apply, " && "))
		if len(m.undo) > 0 {
			fmt.Fprintf(s, "undo_%d() { %s; }\n", i+1, strings.Join(m.undo, " && "))
		}
	}
}

// run writes the actions for each argument of the script.
func (s *shell) run(ready string) {
	s.WriteString("\ncase \"${1:-}\" in\napply)\n  moved() { stop \"$*; make a new plan\"; }\n" + ready)
	for i := range s.moves {
		s.call(i, "apply", s.moves[i].before, s.moves[i].after)
	}
	s.WriteString("  ;;\nundo)\n  moved() { say \"$*; skipped\"; left=1; }\n" + ready)
	for i := range slices.Backward(s.moves) {
		s.call(i, "undo", s.moves[i].after, s.moves[i].back)
	}
	s.WriteString("  ;;\n*)\n  say \"usage: sh $0 apply|undo\"\n  exit 2\n  ;;\nesac\nsay \"changes checked: $changes\"\n")
}

func (s *shell) call(i int, verb, from, to string) {
	m := &s.moves[i]
	switch {
	case m.why != "":
		fmt.Fprintf(s, "  say %s\n", quoted("not in this script: "+m.what))
		return
	case verb == "undo" && len(m.undo) == 0:
		fmt.Fprintf(s, "  say %s\n", quoted("cannot be undone: "+m.what))
		return
	}
	call := fmt.Sprintf("change %s %s %s read_%d %s_%d", quoted(m.what), quoted(from), quoted(to), i+1, verb, i+1)
	if guard := s.guard(m); guard != "" {
		call = fmt.Sprintf("if %s; then %s; fi", guard, call)
	}
	s.WriteString("  " + call + "\n")
}

func (s *shell) writeTo(w io.Writer, tool string) error {
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("writing the plan as a script for %s: %w", tool, err)
	}
	return nil
}

// words quotes all words of a command.
func words(all ...string) string {
	quotedWords := make([]string, len(all))
	for i, w := range all {
		quotedWords[i] = quoted(w)
	}
	return strings.Join(quotedWords, " ")
}

// piped passes the output of a command to a filter, and fails if the command does: a pipe would hide its exit status.
func piped(command, filter string) string {
	return fmt.Sprintf("found=$(%s) && printf '%%s\\n' \"$found\" | %s", command, filter)
}

// esxcliWay is how esxcli, or govc's way to it, does what belongs to a host. prefix is the command; field picks a field of
// its answer, whose name is written differently by both.
type esxcliWay struct {
	prefix string
	field  func(name string) string
}

func (e esxcliWay) run(args ...string) string { return e.prefix + " " + words(args...) }

func (e esxcliWay) option(path string, number bool) way {
	flag, field := "-s", "String Value"
	if number {
		flag, field = "-i", "Int Value"
	}
	return way{
		read: piped(e.run("system", "settings", "advanced", "list", "-o", path), e.field(field)),
		write: func(v value) string {
			return e.run("system", "settings", "advanced", "set", "-o", path, flag, textOf(v))
		},
	}
}

// policyNamed returns a power policy by its long name.
func policyNamed(w way) way {
	set := w.write
	w.show = func(v value) string { return policyNames[textOf(v)] }
	w.write = func(v value) string { return set(inventory.Known(inventory.StringValue(policyNames[textOf(v)]))) }
	return w
}

// policyNames maps short names of power policies to those of esxcli.
var policyNames = map[string]string{"static": "High Performance", "dynamic": "Balanced", "low": "Low Power", "custom": "Custom"}

func (e esxcliWay) outstanding(device string) way {
	return way{
		read:  piped(e.run("storage", "core", "device", "list", "-d", device), e.field("No of outstanding IOs with competing worlds")),
		write: func(v value) string { return e.run("storage", "core", "device", "set", "-d", device, "-O", textOf(v)) },
	}
}
