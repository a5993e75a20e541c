package capture

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/plural"
)

// intervalRatio is the ratio of the intervals of two captures from which a note is given.
const intervalRatio = 2

// hostNotes returns the notes about the hosts.
func (e *estate) hostNotes(files []*file) []string {
	notes := slices.Clone(e.notes)
	var gaps, of []string
	paces := pacesOf(files)
	for _, name := range slices.Sorted(maps.Keys(e.hosts)) {
		h := e.hosts[name]
		if h.notTarget {
			continue
		}
		notes = append(notes, h.notes(name)...)
		if p := paces[name]; len(p) > 0 && slices.Max(p) >= intervalRatio*slices.Min(p) {
			notes = append(notes, fmt.Sprintf("%s: samples are %s to %s apart; each has the same weight", name, slices.Min(p), slices.Max(p)))
		}
		if g := h.gaps.note(name); g != "" {
			gaps, of = append(gaps, g), append(of, name)
		}
	}
	if len(gaps) > mostGaps {
		gaps = []string{fmt.Sprintf("%s have gaps without samples: %s", plural.Count(len(of), "host"), firstNames(of))}
	}
	return append(notes, gaps...)
}

// pacesOf returns the intervals of the captures of each host.
func pacesOf(files []*file) map[string][]time.Duration {
	all := map[string][]time.Duration{}
	for _, f := range files {
		for _, host := range f.hosts {
			if usual := f.pace.usual(); usual > 0 {
				all[host] = append(all[host], usual)
			}
		}
	}
	return all
}

func (h *captureHost) notes(name string) (notes []string) {
	if h.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s: %s skipped that overlap another capture", name, plural.Count(h.skipped, "sample")))
	}
	if h.estate.configSource == "" {
		return notes
	}
	if h.unconfigured {
		return append(notes, name+" is not in the snapshot: only its counters are evaluated")
	}
	for _, list := range []struct {
		names []string
		text  string
	}{
		{h.unknown, "%s: not on it in the snapshot, so only counters are evaluated: %s"},
		{h.duplicated, "%s: skipped, because several VMs have the same name: %s"},
		{h.missing, "%s: devices that the snapshot does not have, shown only under hot spots: %s"},
	} {
		if len(list.names) > 0 {
			slices.Sort(list.names)
			notes = append(notes, fmt.Sprintf(list.text, name, firstNames(slices.Compact(list.names))))
		}
	}
	return notes
}
