package probe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// NoteKind is what an import has to say about a release or an option.
type NoteKind string

// Kinds of notes.
const (
	NoteAdded     NoteKind = "added"     // a release is new in the table
	NoteAgrees    NoteKind = "agrees"    // the table has the release, and defines all options as the probe
	NoteConflict  NoteKind = "conflict"  // two probes, or the table and a probe, define an option differently
	NoteUndecided NoteKind = "undecided" // the probe does not define an option, so the table says nothing of it
	NoteUnknown   NoteKind = "unknown"   // tuning options of the probe that the table does not have
	NoteSkipped   NoteKind = "skipped"   // a host that cannot be imported
)

// Note is a line of the report of an import.
type Note struct {
	Kind    NoteKind `json:"kind"`
	Release string   `json:"release,omitempty"`
	Option  string   `json:"option,omitempty"`
	Text    string   `json:"text"`
}

// Imported is the result of an import.
type Imported struct {
	Table        *inventory.OptionTable
	Capabilities *Capabilities
	Notes        []Note
	Added        []string // releases
	Simulated    bool     // one of the probes is of a simulated server
}

// Conflicts returns the number of definitions that contradict each other.
func (x *Imported) Conflicts() int {
	n := 0
	for _, note := range x.Notes {
		if note.Kind == NoteConflict {
			n++
		}
	}
	return n
}

// witness is a host of a probe file.
type witness struct {
	file *Loaded
	host *Host
}

func (w witness) String() string { return w.file.Path + " " + w.host.Name }

// Import adds the releases of probes to tables. Definitions that are in the table stay as they are: differences are conflicts. If
// release is not empty, all hosts are of that release.
func Import(table *inventory.OptionTable, capabilities *Capabilities, files []*Loaded, release string) (*Imported, error) {
	x := &Imported{Table: table, Capabilities: capabilities}
	byRelease := map[string][]witness{}
	var order []string
	version := ""
	for _, f := range files {
		x.Simulated = x.Simulated || f.Simulated
		for i := range f.Hosts {
			w := witness{f, &f.Hosts[i]}
			name, err := w.host.ReleaseName()
			if release != "" && w.host.Version != "" {
				name, err = release, nil
				if version != "" && w.host.Version != version {
					return nil, fmt.Errorf("the probes are of versions %s and %s: one release cannot be both", version, w.host.Version)
				}
				version = w.host.Version
			}
			if err != nil {
				x.note(NoteSkipped, "", "", "%s: %v", w, err)
				continue
			}
			if byRelease[name] == nil {
				order = append(order, name)
			}
			byRelease[name] = append(byRelease[name], w)
		}
	}
	if len(order) == 0 {
		return x, errors.New("the probes contain no host that can be imported")
	}
	for _, name := range order {
		if err := x.release(name, release != "", byRelease[name]); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *Imported) note(kind NoteKind, release, option, format string, a ...any) {
	x.Notes = append(x.Notes, Note{kind, release, option, fmt.Sprintf(format, a...)})
}

// release imports the hosts of one release.
func (x *Imported) release(name string, named bool, hosts []witness) error {
	complete := slices.DeleteFunc(slices.Clone(hosts), func(w witness) bool { return !w.host.OptionsRead })
	for _, w := range hosts {
		if !w.host.OptionsRead {
			x.note(NoteSkipped, name, "", "%s: the host did not report its options", w)
		}
		x.Capabilities = x.Capabilities.with(name, w, x)
	}
	if len(complete) == 0 {
		return nil
	}
	defined := x.defined(name, complete)
	version, _ := complete[0].host.version() // ReleaseName has parsed it, or the user named the release
	known := x.Table.ReleasesOf(version)
	if slices.Contains(x.Table.Releases(), name) && (named || version.Major < 7) { // hosts of 6.x report their update level apart
		known = []string{name}
	}
	if len(known) > 0 && (!named || slices.Contains(known, name)) {
		x.compare(known, complete, defined)
		return nil
	}
	sources := make([]inventory.OptionSource, len(complete))
	for i, w := range complete {
		sources[i] = inventory.OptionSource{Release: name, Build: w.host.build(), Digest: w.file.Digest, Simulated: w.file.Simulated}
	}
	table, err := x.Table.AddRelease(name, defined, sources...)
	if err != nil {
		return fmt.Errorf("adding release %s: %w", name, err)
	}
	x.Table = table
	x.Added = append(x.Added, name)
	x.note(NoteAdded, name, "", "%d options of %d, from %s", len(defined), len(table.Keys()), listed(complete))
	x.strangers(name, complete)
	return nil
}

func (h *Host) build() string {
	if h.Build == "" {
		return "unknown"
	}
	return h.Build
}

// defined returns the definitions on which all hosts agree.
func (x *Imported) defined(release string, hosts []witness) map[string]inventory.OptionEra {
	all := map[string]inventory.OptionEra{}
	for _, key := range x.Table.Keys() {
		doc, _ := x.Table.Lookup(key)
		var first inventory.OptionEra
		agreed := true
		for i, w := range hosts {
			era, reason := w.host.definition(key, doc.Type)
			if reason != "" {
				x.note(NoteUndecided, release, key, "%s: %s", w, reason)
				agreed = false
				break
			}
			if i > 0 && !era.Equal(first) {
				x.note(NoteConflict, release, key, "%s: %s; %s: %s", hosts[0], first, w, era)
				agreed = false
				break
			}
			if i == 0 {
				first = era
			}
		}
		if agreed {
			all[key] = first
		}
	}
	return all
}

// compare reports how probes differ from the most similar of the releases that the table has.
func (x *Imported) compare(releases []string, hosts []witness, defined map[string]inventory.OptionEra) {
	best, fewest := "", []Note(nil)
	for _, release := range releases {
		var notes []Note
		for _, key := range x.Table.Keys() {
			doc, _ := x.Table.Lookup(key)
			era, probed := defined[key]
			if old, ok := doc.At(release); ok && probed && !old.Equal(era) {
				notes = append(notes, Note{NoteConflict, release, key, fmt.Sprintf("the table: %s; %s: %s", old, listed(hosts), era)})
			}
		}
		if best == "" || len(notes) < len(fewest) {
			best, fewest = release, notes
		}
	}
	x.Notes = append(x.Notes, fewest...)
	if len(fewest) == 0 {
		x.note(NoteAgrees, best, "", "the table has this release, and agrees with %s", listed(hosts))
	}
}

// strangers reports the options of hosts that the table does not have in any release.
func (x *Imported) strangers(release string, hosts []witness) {
	var keys []string
	for _, w := range hosts {
		for _, o := range w.host.Options {
			if _, known := x.Table.Lookup(o.Key); !known && !slices.Contains(keys, o.Key) {
				keys = append(keys, o.Key)
			}
		}
	}
	if len(keys) > 0 {
		slices.Sort(keys)
		x.note(NoteUnknown, release, "", "%d tuning options that the table does not have, in no release: %s", len(keys), strings.Join(keys, " "))
	}
}

func listed(hosts []witness) string {
	names := make([]string, len(hosts))
	for i, w := range hosts {
		names[i] = w.String()
	}
	return strings.Join(names, ", ")
}
