package capture

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/plural"
)

// unlike is the ratio of the intervals of two captures from which a note is given.
const unlike = 2

// tell returns the notes about the hosts.
func (e *estate) tell(files []*file) []string {
	notes := slices.Clone(e.notes)
	var gaps, of []string
	paces := pacesOf(files)
	for _, name := range slices.Sorted(maps.Keys(e.machines)) {
		h := e.machines[name]
		if h.left {
			continue
		}
		notes = append(notes, h.tell(name)...)
		if p := paces[name]; len(p) > 0 && slices.Max(p) >= unlike*slices.Min(p) {
			notes = append(notes, fmt.Sprintf("%s: samples are %s to %s apart; each has the same weight", name, slices.Min(p), slices.Max(p)))
		}
		if g := h.gaps.tell(name); g != "" {
			gaps, of = append(gaps, g), append(of, name)
		}
	}
	if len(gaps) > mostGaps {
		gaps = []string{fmt.Sprintf("%s have gaps without samples: %s", plural.Count(len(of), "host"), some(of))}
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

func (h *machine) tell(name string) (notes []string) {
	if h.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%s: %s skipped that overlap another capture", name, plural.Count(h.skipped, "sample")))
	}
	if h.estate.beside == "" {
		return notes
	}
	if h.alone {
		return append(notes, name+" is not in the snapshot: only its counters are evaluated")
	}
	for _, list := range []struct {
		names []string
		says  string
	}{
		{h.unknown, "%s: not on it in the snapshot, so only counters are evaluated: %s"},
		{h.alike, "%s: skipped, because several VMs have the same name: %s"},
		{h.missing, "%s: devices that the snapshot does not have, shown only under hot spots: %s"},
	} {
		if len(list.names) > 0 {
			slices.Sort(list.names)
			notes = append(notes, fmt.Sprintf(list.says, name, some(slices.Compact(list.names))))
		}
	}
	return notes
}
