package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vperf/vperf/internal/doctor"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/doc"
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

// Doctor returns a report of vperf doctor: one line for each check, and below it what to do about those that are not ok.
func Doctor(r doctor.Report) doc.Document {
	all := []doc.Block{doc.Section("This machine", results(r.Machine))}
	for _, s := range r.Servers {
		all = append(all, serverParts(s)...)
	}
	return doc.Of(append(all, verdict(r))...)
}

func serverParts(s doctor.Server) []doc.Block {
	name := s.Name
	if s.Context != "" && s.Context != s.Name {
		name += " (context " + s.Context + ")"
	}
	list := slices.Clone(s.Commands)
	for i := range list {
		list[i].ID = doctor.CommandTitle(list[i].ID)
	}
	return []doc.Block{
		doc.Section(name, results(s.Checks)), doc.Section("Commands", commands(list)),
		doc.Section("Commands that grant missing privileges, for an administrator", grants(s.Grants)...),
	}
}

func results(list []doctor.Result) doc.Block {
	return commands(collect.Map(list, func(r doctor.Result) doctor.Command { return doctor.Command{Result: r} }))
}

// commands returns a row for each result, followed by its missing privileges.
func commands(list []doctor.Command) doc.Block {
	t := doc.Table{Prose: true}
	cause, shown := "", map[string]bool{}
	for _, r := range withoutBlocked(list) {
		t.Add(doc.S(statusStyles[r.Status], string(r.Status)), doctor.Title(r.ID), r.Text)
		switch {
		case r.Cause == "" || r.Status == doctor.OK:
		case r.Cause == cause:
			t.Under(doc.P("for the same reason"))
		default:
			t.Under(doc.P(r.Cause))
			cause = r.Cause
		}
		t.Under(missing(r.Missing, shown)...)
		for _, line := range r.Try {
			t.Under(doc.Item(doc.T(doc.S(doc.Faint, ">"), " "+line)))
		}
	}
	return t.Block()
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

// missing returns privileges by the objects on which they are missing, without those that an earlier command has.
func missing(list []doctor.Missing, shown map[string]bool) []doc.Block {
	var by collect.ByKey[string, []doc.Block]
	repeated := 0
	for _, m := range list {
		key := m.Privilege + " " + strings.Join(m.Objects, ", ")
		if shown[key] {
			repeated++
			continue
		}
		shown[key] = true
		under := by.At(missingWords(m))
		*under = append(*under, doc.Item(doc.T(m.Privilege+": "+strings.Join(m.For, ", "))))
	}
	all := collect.Each(by, func(where string, under *[]doc.Block) doc.Block { return doc.Item(doc.T(where), *under...) })
	switch {
	case repeated > 0 && repeated == len(list):
		all = append(all, doc.P(plural.Count(repeated, "privilege"), " missing, named above"))
	case repeated > 0:
		all = append(all, doc.P("and ", plural.Count(repeated, "privilege"), " named above"))
	}
	return all
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
	return fmt.Sprintf("missing on %d of %s (%s%s):", len(m.Objects), plural.Count(m.Of, "object"), strings.Join(shown, ", "), more)
}

// statusStyles are the colours of statuses.
var statusStyles = map[doctor.Status]doc.Style{
	doctor.OK: doc.Good, doctor.Fail: doc.Bad, doctor.Warning: doc.Warn, doctor.Unknown: doc.Warn, doctor.Absent: doc.Faint,
}

// grants returns the commands that give what is missing.
func grants(list []doctor.Grant) []doc.Block {
	if len(list) == 0 {
		return nil
	}
	var lines collect.Distinct
	for _, g := range list {
		for _, line := range g.Lines() {
			lines.Add(line)
		}
	}
	all := append(collect.Map(lines.Words, doc.Line), doc.P("A user has one role on an object: these roles replace the one from before. "+
		"To extend its own role instead: govc role.update -a ROLE PRIVILEGE..."))
	if slices.ContainsFunc(list, func(g doctor.Grant) bool { return g.Path == "/" && g.Changes }) {
		all = append(all, doc.P("For changes, a folder or a cluster instead of / limits what vperf may change."))
	}
	return all
}

// verdict is the last line: what follows from all checks.
func verdict(r doctor.Report) doc.Block {
	switch r.Status {
	case doctor.Fail:
		return doc.P(doc.S(doc.Bad, "Something will not work"), ": see the lines with fail.")
	case doctor.Unknown:
		return doc.P(doc.S(doc.Warn, "Something could not be checked"), ": see the lines with unknown.")
	case doctor.Warning:
		return doc.P(doc.S(doc.Good, "All commands will work"), ", with the limits of the lines with warning.")
	}
	return doc.P(doc.S(doc.Good, "All commands will work"), ".")
}
