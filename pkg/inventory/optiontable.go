package inventory

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// OptionTable holds the definitions of host options by release. It is immutable.
type OptionTable struct {
	releases []string
	keys     []string
	byKey    map[string]OptionDoc
	sources  []OptionSource
}

// OptionDoc describes one advanced option in the releases of a table.
type OptionDoc struct {
	Key  string
	Type ValueType // bool, long or string: the table does not distinguish int from long, hosts do
	Eras []OptionEra

	releases []string // of its table
}

// OptionSource is the probe that a release of a table comes from.
type OptionSource struct {
	Release string
	Build   string // of the host
	Digest  string // of the probe file: sha256:…
	// Simulated is true if the host was simulated: its definitions are not those of a real release.
	Simulated bool
}

// OptionEra is a range of releases in which an option does not change.
type OptionEra struct {
	From, To string // releases as in the table, both included
	Absent   bool
	Default  Value
	Min, Max *int64 // nil where the option has no range
}

// Lookup finds an option by its exact key.
func (t *OptionTable) Lookup(key string) (OptionDoc, bool) {
	d, ok := t.byKey[key]
	return d, ok
}

// Keys lists all keys of the table in its order.
func (t *OptionTable) Keys() []string { return slices.Clone(t.keys) }

// Releases lists the releases of the table, oldest first.
func (t *OptionTable) Releases() []string { return slices.Clone(t.releases) }

// Sources lists the probes that releases of the table come from.
func (t *OptionTable) Sources() []OptionSource { return slices.Clone(t.sources) }

// At finds the era of a release. It is false if the table does not describe the option in that release.
func (d OptionDoc) At(release string) (OptionEra, bool) {
	n := slices.Index(d.releases, release)
	if n < 0 {
		return OptionEra{}, false
	}
	for _, e := range d.Eras {
		if slices.Index(d.releases, e.From) <= n && n <= slices.Index(d.releases, e.To) {
			return e, true
		}
	}
	return OptionEra{}, false
}

// Equal reports whether two eras define an option in the same way, whatever their releases.
func (e OptionEra) Equal(o OptionEra) bool {
	return e.Absent == o.Absent && e.Default == o.Default && equalBound(e.Min, o.Min) && equalBound(e.Max, o.Max)
}

func equalBound(a, b *int64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// ParseOptionTable parses a table in the format that options.txt describes. It returns the first mistake with its line.
func ParseOptionTable(text string) (*OptionTable, error) {
	t := &OptionTable{byKey: map[string]OptionDoc{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		key, spec, _ := strings.Cut(line, "  ")
		if err := t.parseLine(key, spec); err != nil {
			return nil, fmt.Errorf("option table line %d: %w", i+1, err)
		}
	}
	if len(t.releases) == 0 {
		return nil, errors.New("option table: it has no line of releases")
	}
	return t, nil
}

func (t *OptionTable) parseLine(key, spec string) error {
	switch {
	case key == lineReleases:
		return t.parseReleases(strings.Fields(spec))
	case len(t.releases) == 0:
		return errors.New("the line of releases must be the first")
	case key == lineProbe:
		return t.parseSource(strings.Fields(spec))
	}
	d, err := t.parseOption(key, spec)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if _, twice := t.byKey[key]; twice {
		return fmt.Errorf("%s is duplicated", key)
	}
	t.keys = append(t.keys, key)
	t.byKey[key] = d
	return nil
}

// The lines of a table that define no option.
const (
	lineReleases = "releases"
	lineProbe    = "probe"
	simulated    = "simulated"
)

func (t *OptionTable) parseReleases(names []string) error {
	if len(t.releases) > 0 {
		return errors.New("the line of releases is duplicated")
	}
	for i, name := range names {
		if _, err := releaseVersion(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("release %s is duplicated", name)
		}
	}
	t.releases = names
	return nil
}

func (t *OptionTable) parseSource(words []string) error {
	isSimulated := len(words) == 4 && words[3] == simulated
	if len(words) != 3 && !isSimulated {
		return errors.New("want probe  RELEASE BUILD DIGEST [simulated]")
	}
	if !slices.Contains(t.releases, words[0]) {
		return fmt.Errorf("no release %q in the table", words[0])
	}
	t.sources = append(t.sources, OptionSource{Release: words[0], Build: words[1], Digest: words[2], Simulated: isSimulated})
	return nil
}

func (t *OptionTable) parseOption(key, spec string) (OptionDoc, error) {
	d := OptionDoc{Key: key, releases: t.releases}
	for part := range strings.SplitSeq(spec, "; ") {
		span, what, ok := strings.Cut(part, ": ")
		if !ok {
			return d, fmt.Errorf("%q: want FROM-TO: DEFAULT [MIN..MAX]", part)
		}
		e, err := parseEra(what)
		if err != nil {
			return d, err
		}
		if e.From, e.To, err = t.span(span); err != nil {
			return d, err
		}
		if !e.Absent {
			d.Type = e.Default.Type
		}
		d.Eras = append(d.Eras, e)
	}
	return d, nil
}

func (t *OptionTable) span(s string) (from, to string, err error) {
	if s == allReleases {
		return t.releases[0], t.releases[len(t.releases)-1], nil
	}
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		to = from
	}
	for _, r := range []string{from, to} {
		if !slices.Contains(t.releases, r) {
			return "", "", fmt.Errorf("no release %q in the table", r)
		}
	}
	return from, to, nil
}

// allReleases stands for every release of the table.
const allReleases = "all"

func parseEra(s string) (OptionEra, error) {
	if s == "absent" {
		return OptionEra{Absent: true}, nil
	}
	text, bounds, ranged := strings.Cut(s, " [")
	e := OptionEra{Default: parseDefault(text)}
	if !ranged {
		return e, nil
	}
	lo, hi, ok := strings.Cut(strings.TrimSuffix(bounds, "]"), "..")
	least, err1 := strconv.ParseInt(lo, 10, 64)
	most, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || err1 != nil || err2 != nil || e.Default.Type != TypeLong {
		return e, fmt.Errorf("%q: want DEFAULT [MIN..MAX] in whole numbers", s)
	}
	e.Min, e.Max = &least, &most
	return e, nil
}

func parseDefault(s string) Value {
	switch s {
	case "True", "False":
		return BoolValue(s == "True")
	case `""`:
		return StringValue("")
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return LongValue(n)
	}
	return StringValue(s)
}
