package tui

import (
	"maps"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/esxtop"
)

// fleet is the state of the hosts at a moment: the last frame of each.
type fleet struct {
	time   time.Time
	past   bool     // it is history; live rounds follow
	hosts  []string // all hosts seen or missed so far, by name
	frames map[string]*esxtop.Frame
	late   map[string]esxtop.Trouble
}

func newFleet() *fleet {
	return &fleet{frames: map[string]*esxtop.Frame{}, late: map[string]esxtop.Trouble{}}
}

// add adds a round and reports whether it has newer figures. A late host keeps its last frame.
func (fl *fleet) add(round *esxtop.Round) (newer bool) {
	newer = len(round.Frames) == 0
	for _, f := range round.Frames {
		fl.meet(f.Host)
		delete(fl.late, f.Host)
		if !fl.keeps(f) {
			fl.frames[f.Host] = f
			newer = true
		}
	}
	if newer {
		fl.time, fl.past = round.Time, round.Past
	}
	for _, t := range round.Troubles {
		fl.meet(t.Host)
		fl.late[t.Host] = t
	}
	return newer
}

// keeps reports whether the known frame of a host has more figures than a new one. The first look of the Esxtop service has no rates:
// the last samples from history stay until the second look.
func (fl *fleet) keeps(f *esxtop.Frame) bool {
	old := fl.frames[f.Host]
	return old != nil && old.Origin == esxtop.Performance && f.Origin == esxtop.Service && f.Interval <= 0
}

func (fl *fleet) meet(host string) {
	if i, found := slices.BinarySearch(fl.hosts, host); !found {
		fl.hosts = slices.Insert(fl.hosts, i, host)
	}
}

// list returns the frames in the order of the hosts' names.
func (fl *fleet) list() []*esxtop.Frame {
	list := make([]*esxtop.Frame, 0, len(fl.frames))
	for _, host := range fl.hosts {
		if f := fl.frames[host]; f != nil {
			list = append(list, f)
		}
	}
	return list
}

// answering returns the frames of the hosts that are not late: only these are current.
func (fl *fleet) answering() []*esxtop.Frame {
	return slices.DeleteFunc(fl.list(), func(f *esxtop.Frame) bool { _, late := fl.late[f.Host]; return late })
}

// still returns a copy of the fleet that later rounds do not change.
func (fl *fleet) still() *fleet {
	return &fleet{time: fl.time, past: fl.past, hosts: slices.Clone(fl.hosts), frames: maps.Clone(fl.frames), late: maps.Clone(fl.late)}
}

// only returns the fleet with one of its hosts. It shares the frames.
func (fl *fleet) only(host string) *fleet {
	one := newFleet()
	one.time, one.past, one.hosts = fl.time, fl.past, []string{host}
	if f := fl.frames[host]; f != nil {
		one.frames[host] = f
	}
	if t, late := fl.late[host]; late {
		one.late[host] = t
	}
	return one
}

// clean makes untrusted text safe for a terminal.
func clean(s string) string { return iostreams.Sanitize(s) }
