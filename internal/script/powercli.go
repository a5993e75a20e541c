package script

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// psQuoted quotes a text for PowerShell. PowerShell also accepts four typographic quotes as single ones, and old
// versions read a file in the system's code page, so characters other than plain ASCII are written as codes.
func psQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'':
			b.WriteString("''")
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, "' + [char]%d + '", unit)
			}
		}
	}
	b.WriteByte('\'')
	if s = b.String(); strings.Contains(s, " + ") && strings.Contains(s, "[char]") {
		return "(" + s + ")"
	}
	return s
}

// psLine makes untrusted text safe for a comment: one line, and plain ASCII.
func psLine(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		if r <= '~' {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// psPrelude has the functions that the changes use.
//
//go:embed prelude.ps1
var psPrelude string

// PowerCLI writes a plan as a PowerShell script for PowerCLI. Objects are identified by their ids, and their UUIDs are
// checked.
func PowerCLI(w io.Writer, plan *tuning.Plan) error {
	var b strings.Builder
	comment := func(lines ...string) {
		for _, l := range lines {
			b.WriteString("# " + psLine(l) + "\n")
		}
	}
	comment(heading(plan, "PowerCLI, connected with Connect-VIServer")...)
	comment("usage: ./FILE          makes the changes", "       ./FILE -Undo    undoes them, newest first")
	b.WriteString(psPrelude)
	b.WriteString("\n" + psIdentities(plan))
	all := moves(plan, wayOf("PowerCLI scripts of vperf cannot set %s", func(k tools) ways { return k.powercli }))
	b.WriteString("\nif (-not $Undo) {\n")
	for i := range all {
		comment(all[i].about...)
		b.WriteString(psCall(&all[i], false))
	}
	b.WriteString("} else {\n")
	for i := range slices.Backward(all) {
		b.WriteString(psCall(&all[i], true))
	}
	b.WriteString("}\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the plan as a script for powercli: %w", err)
	}
	return nil
}

func psIdentities(plan *tuning.Plan) string {
	var b strings.Builder
	b.WriteString("$server = (Get-View ServiceInstance).Content.About.InstanceUuid # an ESXi host has none; its hardware UUID is checked instead\n")
	fmt.Fprintf(&b, "if ($server) { Confirm-Identity 'the server' $server %s }\n", psQuoted(plan.Server.UUID))
	seen := map[string]bool{}
	for _, s := range plan.Steps {
		property := map[inventory.Scope]string{inventory.ScopeHost: "Hardware.SystemInfo.Uuid", inventory.ScopeVM: "Config.InstanceUuid"}[s.Target.Kind]
		if s.Target.UUID == "" || property == "" || seen[s.Target.Key()] {
			continue
		}
		seen[s.Target.Key()] = true
		fmt.Fprintf(&b, "Confirm-Identity %s (Get-View -Id %s).%s %s\n", psQuoted(oneLine(s.Target.Name)), psID(s.Target), property, psQuoted(s.Target.UUID))
	}
	return b.String()
}

func psID(t tuning.Target) string { return psQuoted(managedTypes[t.Kind] + "-" + t.ID) }

func psCall(m *move, undo bool) string {
	from, to, write := m.before, m.after, m.apply
	if undo {
		from, to, write = m.after, m.back, m.undo
	}
	switch {
	case m.why != "":
		return fmt.Sprintf("  Write-Host %s\n", psQuoted("not in this script: "+m.what+": "+oneLine(m.why)))
	case len(write) == 0:
		return fmt.Sprintf("  Write-Host %s\n", psQuoted("cannot be undone: "+m.what))
	}
	call := fmt.Sprintf("Edit-Setting %s %s %s { %s } { %s }", psQuoted(m.what), psQuoted(from), psQuoted(to), m.read, strings.Join(write, "; "))
	if m.off {
		call = fmt.Sprintf("if (Test-Off %s) { %s }", psID(m.target), call)
	}
	return "  " + call + "\n"
}

// psCast is a value in the type that it was read in.
func psCast(v value) string {
	known, _ := v.Value()
	switch known.Type {
	case inventory.TypeBool:
		if on, _ := known.Bool(); on {
			return "$true"
		}
		return "$false"
	case inventory.TypeInt, inventory.TypeLong:
		if n, ok := known.Int(); ok {
			return fmt.Sprintf("([%s]%d)", map[inventory.ValueType]string{inventory.TypeInt: "int", inventory.TypeLong: "long"}[known.Type], n)
		}
	}
	return psQuoted(known.Text)
}

func psOption(t tuning.Target, _, key string) way {
	option := fmt.Sprintf("Get-VMHost -Id %s | Get-AdvancedSetting -Name %s", psID(t), psQuoted(key))
	return way{
		read:  fmt.Sprintf("(%s).Value", option),
		write: func(v value) string { return option + " | Set-AdvancedSetting -Confirm:$false -Value " + psCast(v) },
	}
}

// psField is a property of a view, its meaning if the server omits it, and a format of the command that sets it, with
// the target's id, the device, the key and the value as it was read, as text, or as a list of numbers.
type psField struct{ read, none, write string }

func (f psField) way(t tuning.Target, device, key string) way {
	of := []string{"{id}", psID(t), "{device}", psQuoted(device), "{key}", psQuoted(key)}
	return way{
		read: strings.NewReplacer(of...).Replace(f.read),
		write: func(v value) string {
			return strings.NewReplacer(append(of, "{value}", psCast(v), "{text}", psQuoted(textOf(v)), "{list}", psList(v))...).Replace(f.write)
		},
		show: func(v value) string {
			if isAbsent(v) {
				return f.none
			}
			return textOf(v)
		},
	}
}

// psList is a list of numbers; anything else has no place in one.
func psList(v value) string {
	var numbers []string
	for word := range strings.FieldsSeq(textOf(v)) {
		if n, err := strconv.Atoi(word); err == nil {
			numbers = append(numbers, strconv.Itoa(n))
		}
	}
	return "([int[]]@(" + strings.Join(numbers, ", ") + "))"
}
