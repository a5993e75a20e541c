package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// With returns the table with the releases of other that t does not have. For releases in both, t decides. Options that t does
// not have are skipped: nothing is known of them in its releases.
func (t *OptionTable) With(other *OptionTable) *OptionTable {
	out := t
	for _, release := range other.releases {
		if !slices.Contains(t.releases, release) {
			out = out.withRelease(other, release)
		}
	}
	return out
}

// AddRelease returns the table with one more release. defined are the definitions by key; of keys that are missing there, the
// table says nothing in that release. It fails if the release is in the table, or if its name is none.
func (t *OptionTable) AddRelease(release string, defined map[string]OptionEra, from ...OptionSource) (*OptionTable, error) {
	if slices.Contains(t.releases, release) {
		return nil, fmt.Errorf("release %s is in the table", release)
	}
	if _, err := releaseVersion(release); err != nil {
		return nil, err
	}
	for key, e := range defined {
		if d := t.byKey[key]; d.Type != "" && !e.Absent && e.Default.Type != d.Type {
			return nil, fmt.Errorf("option %s is a %s in other releases, a %s in release %s", key, d.Type, e.Default.Type, release)
		}
	}
	out := t.add(release, defined)
	out.sources = append(out.sources, from...)
	return out, nil
}

// Only returns the table with the releases for which keep is true.
func (t *OptionTable) Only(keep func(release string) bool) *OptionTable {
	out := NewOptionTable(t.keys)
	for _, release := range t.releases {
		if keep(release) {
			out = out.withRelease(t, release)
		}
	}
	return out
}

// withRelease adds a release of another table.
func (t *OptionTable) withRelease(other *OptionTable, release string) *OptionTable {
	defined := map[string]OptionEra{}
	for _, key := range t.keys {
		if e, ok := other.byKey[key].At(release); ok {
			defined[key] = e
		}
	}
	out := t.add(release, defined)
	for _, s := range other.sources {
		if s.Release == release {
			out.sources = append(out.sources, s)
		}
	}
	return out
}

// NewOptionTable returns an empty table with the given keys, for releases to be added.
func NewOptionTable(keys []string) *OptionTable {
	t := &OptionTable{keys: slices.Clone(keys), byKey: map[string]OptionDoc{}}
	for _, key := range keys {
		t.byKey[key] = OptionDoc{Key: key}
	}
	return t
}

// add inserts a release behind the older ones.
func (t *OptionTable) add(release string, defined map[string]OptionEra) *OptionTable {
	out := &OptionTable{keys: t.keys, byKey: maps.Clone(t.byKey), sources: slices.Clone(t.sources)}
	at := len(t.releases)
	for at > 0 && releaseNewer(t.releases[at-1], release) {
		at--
	}
	out.releases = slices.Insert(slices.Clone(t.releases), at, release)
	for _, key := range t.keys {
		d := t.byKey[key]
		eras := map[string]OptionEra{}
		for _, r := range t.releases {
			if e, ok := d.At(r); ok {
				eras[r] = e
			}
		}
		if e, ok := defined[key]; ok {
			eras[release] = e
			if !e.Absent {
				d.Type = e.Default.Type
			}
		}
		d.releases, d.Eras = out.releases, erasOf(out.releases, eras)
		out.byKey[key] = d
	}
	return out
}

// releaseNewer reports whether release a is newer than b. Their names are valid.
func releaseNewer(a, b string) bool {
	x, _ := releaseVersion(a)
	y, _ := releaseVersion(b)
	return x != y && x.AtLeast(y)
}

// erasOf joins equal definitions of adjacent releases.
func erasOf(releases []string, defined map[string]OptionEra) []OptionEra {
	var all []OptionEra
	last := "" // the release before, if it is described
	for _, r := range releases {
		e, ok := defined[r]
		if !ok {
			last = ""
			continue
		}
		if n := len(all); last != "" && all[n-1].Equal(e) {
			all[n-1].To = r
		} else {
			e.From, e.To = r, r
			all = append(all, e)
		}
		last = r
	}
	return all
}

// String formats the table as ParseOptionTable parses it, without comments.
func (t *OptionTable) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", lineReleases, strings.Join(t.releases, " "))
	for _, s := range t.sources {
		b.WriteString(s.line() + "\n")
	}
	b.WriteByte('\n')
	for _, key := range t.keys {
		if d := t.byKey[key]; len(d.Eras) > 0 {
			b.WriteString(t.line(d) + "\n")
		}
	}
	return b.String()
}

// Rewrite returns the text of an older version of the table with the definitions of t. Comments and empty lines stay.
func (t *OptionTable) Rewrite(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		key, _, _ := strings.Cut(line, "  ")
		switch d, known := t.byKey[key]; {
		case key == lineReleases:
			lines = append(lines, lineReleases+"  "+strings.Join(t.releases, " "))
			for _, s := range t.sources {
				lines = append(lines, s.line())
			}
		case key == lineProbe: // written with the releases
		case known:
			lines = append(lines, t.line(d))
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func (s OptionSource) line() string {
	line := fmt.Sprintf("%s  %s %s %s", lineProbe, s.Release, s.Build, s.Digest)
	if s.Simulated {
		line += " " + simulated
	}
	return line
}

func (t *OptionTable) line(d OptionDoc) string {
	eras := make([]string, len(d.Eras))
	for i, e := range d.Eras {
		span := e.From
		if e.To != e.From {
			span += "-" + e.To
		}
		if e.From == t.releases[0] && e.To == t.releases[len(t.releases)-1] && len(t.releases) > 1 {
			span = allReleases
		}
		eras[i] = span + ": " + e.String()
	}
	return d.Key + "  " + strings.Join(eras, "; ")
}

// String formats the definition without its releases, as in a table: absent, or DEFAULT [MIN..MAX].
func (e OptionEra) String() string {
	if e.Absent {
		return "absent"
	}
	text := e.Default.Text
	switch {
	case e.Default.Type == TypeBool:
		text = strings.ToUpper(text[:1]) + text[1:]
	case text == "":
		text = `""`
	}
	if e.Min != nil && e.Max != nil {
		text += fmt.Sprintf(" [%d..%d]", *e.Min, *e.Max)
	}
	return text
}
