package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/columns"
	"github.com/vperf/vperf/internal/report/wording"
)

// DoctorJSON writes a report of vperf doctor as JSON, with the schema docs/schema/vperf.doctor-v1.schema.json.
func DoctorJSON(w io.Writer, r doctor.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// Doctor writes a report of vperf doctor for a terminal: one line for each check, and below it what to do about those that are not ok.
func Doctor(w io.Writer, r doctor.Report, t Terminal) error {
	p := &doctorPage{page: page{w: bufio.NewWriter(w), term: t}}
	p.title("This machine")
	p.results(r.Machine)
	for _, s := range r.Servers {
		p.server(s)
	}
	p.w.WriteByte('\n')
	p.line(0, "%s", verdict(r, t.Style))
	return finish(p.w, "the report")
}

// doctorPage writes a report.
type doctorPage struct {
	page
	shown map[string]bool // missing privileges with their objects
}

func (p *doctorPage) title(text string) { p.line(0, "%s", p.term.Style.Bold(wording.Clean(text))) }

func (p *doctorPage) server(s doctor.Server) {
	p.w.WriteByte('\n')
	p.shown = map[string]bool{}
	name := s.Name
	if s.Context != "" && s.Context != s.Name {
		name += " (context " + s.Context + ")"
	}
	p.title(name)
	p.results(s.Checks)
	p.w.WriteByte('\n')
	p.title("Commands")
	var list []doctor.Command
	for _, c := range s.Commands {
		c.ID = doctor.CommandTitle(c.ID)
		list = append(list, c)
	}
	p.commands(list)
	p.grants(s.Grants)
}

// results writes one line for each result, in columns.
func (p *doctorPage) results(list []doctor.Result) {
	var all []doctor.Command
	for _, r := range list {
		all = append(all, doctor.Command{Result: r})
	}
	p.commands(all)
}

// commands writes results, each followed by its missing privileges.
func (p *doctorPage) commands(list []doctor.Command) {
	list = withoutBlocked(list)
	wide, cause := 0, ""
	for _, r := range list {
		wide = max(wide, columns.Width(doctor.Title(r.ID)))
	}
	for _, r := range list {
		title := doctor.Title(r.ID)
		text := statusWord(p.term.Style, r.Status) + "  " + title + strings.Repeat(" ", wide-columns.Width(title)) + "  " + wording.Clean(r.Text)
		under := objectIndent + statusWidth + len("  ") + wide + len("  ")
		p.hanging(objectIndent, under, "%s", text)
		switch {
		case r.Cause == "" || r.Status == doctor.OK:
		case r.Cause == cause:
			p.line(under, "for the same reason")
		default:
			p.line(under, "%s", wording.Clean(r.Cause))
			cause = r.Cause
		}
		p.missing(under, r.Missing)
		for _, line := range r.Try {
			p.hanging(under, under+len("> "), "%s", p.term.Style.Dim(">")+" "+wording.Clean(line))
		}
	}
}

// withoutBlocked combines results that are so because of one check in one.
func withoutBlocked(list []doctor.Command) (shorter []doctor.Command) {
	blocked, last := 0, doctor.Command{}
	for _, r := range list {
		if r.BlockedBy == "" {
			shorter = append(shorter, r)
			continue
		}
		blocked, last = blocked+1, r
	}
	switch {
	case blocked == 0:
		return list
	case blocked > 1:
		last.ID = "others"
		if len(shorter) == 0 {
			last.ID = "all"
		}
	}
	return append(shorter, last)
}

// missing writes privileges, one each line, under where they are missing. Those that an earlier command has are not repeated.
func (p *doctorPage) missing(indent int, list []doctor.Missing) {
	place, repeated := "-", 0 // no place yet
	for _, m := range list {
		where := strings.Join(m.Objects, ", ")
		key := m.Privilege + " " + where
		if p.shown[key] {
			repeated++
			continue
		}
		p.shown[key] = true
		if where != place {
			p.hanging(indent, indent+len("  "), "%s", missingWords(m))
			place = where
		}
		p.hanging(indent+len("  "), indent+len("    "), "%s", m.Privilege+": "+wording.Clean(strings.Join(m.For, ", ")))
	}
	switch {
	case repeated > 0 && repeated == len(list):
		p.line(indent, "%s", plural.Count(repeated, "privilege")+" missing, named above")
	case repeated > 0:
		p.line(indent, "and %s named above", plural.Count(repeated, "privilege"))
	}
}

// missingWords says where privileges are missing.
func missingWords(m doctor.Missing) string {
	const most = 3
	if len(m.Objects) == 0 {
		return "missing:"
	}
	shown := m.Objects[:min(len(m.Objects), most)]
	more := ""
	if len(m.Objects) > most {
		more = ", …"
	}
	return fmt.Sprintf("missing on %d of %s (%s%s):", len(m.Objects), plural.Count(m.Of, "object"), wording.Clean(strings.Join(shown, ", ")), more)
}

// statusWidth is the width of the longest status.
const statusWidth = len(doctor.Warning)

// statusWord returns a status in its colour, padded.
func statusWord(s iostreams.Style, of doctor.Status) string {
	pad := strings.Repeat(" ", statusWidth-len(of))
	switch of {
	case doctor.OK:
		return s.Green(string(of)) + pad
	case doctor.Fail:
		return s.Red(string(of)) + pad
	case doctor.Warning, doctor.Unknown:
		return s.Yellow(string(of)) + pad
	}
	return s.Dim(string(of)) + pad
}

// grants writes the commands that give what is missing. They are not cut at the width of the terminal but continued with backslashes.
func (p *doctorPage) grants(list []doctor.Grant) {
	if len(list) == 0 {
		return
	}
	p.w.WriteByte('\n')
	p.title("Commands that grant missing privileges, for an administrator")
	made := map[string]bool{}
	for _, g := range list {
		for _, line := range g.Lines() {
			if role, is := strings.CutPrefix(line, "govc role.create "); is {
				if made[role] {
					continue
				}
				made[role] = true
			}
			p.command(line)
		}
	}
	p.line(objectIndent, "%s", "A user has one role on an object: these roles replace the one from before. To extend its own role instead: "+
		"govc role.update -a ROLE PRIVILEGE...")
	if slices.ContainsFunc(list, func(g doctor.Grant) bool { return g.Path == "/" && g.Changes }) {
		p.line(objectIndent, "%s", "For changes, a folder or a cluster instead of / limits what vperf may change.")
	}
}

// command writes a line of a shell. It is not broken inside quotes.
func (p *doctorPage) command(line string) {
	const room = len(" \\")
	width := p.term.Width
	if width > 0 {
		width -= room
	}
	quoted := false
	whole := strings.Map(func(r rune) rune {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && quoted:
			return quotedSpace
		}
		return r
	}, line)
	text := strings.ReplaceAll(columns.Wrap("  "+whole, "    ", width), "\n", " \\\n")
	p.w.WriteString(strings.ReplaceAll(text, string(quotedSpace), " ") + "\n")
}

// quotedSpace stands for a space inside quotes. Sanitized text does not contain it.
const quotedSpace = '\x00'

// verdict is the last line: what follows from all checks.
func verdict(r doctor.Report, s iostreams.Style) string {
	switch r.Status {
	case doctor.Fail:
		return s.Red("Something will not work") + ": see the lines with fail."
	case doctor.Unknown:
		return s.Yellow("Something could not be checked") + ": see the lines with unknown."
	case doctor.Warning:
		return s.Green("All commands will work") + ", with the limits of the lines with warning."
	}
	return s.Green("All commands will work") + "."
}
