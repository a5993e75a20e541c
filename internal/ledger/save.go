package ledger

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// savedHead begins a saved ledger; a savedOwner follows for each host and VM.
type savedHead struct {
	Version             int
	Slot, Swept         int64
	Samples, Duplicates uint64
	Missed              map[string]uint64
	Columns             map[int][origins][]string // names of the sums of a table, by the object
	Owners              int
}

type savedOwner struct {
	VM                   bool
	MoID, Name, Host     string
	Expected             bool
	Last                 [origins]int64
	BackSince, From      int64
	Closed               int64
	SampledOn            string
	PausedFrom, PausedTo []int64
	Entities             []savedEntity
}

// savedEntity has a sum and a raw count for each column that is a sum. Gauges are not saved: they are shown again with the next sample.
type savedEntity struct {
	Object    int
	Labels    []string
	Part, Sub string
	Last      [origins]int64
	Sums      [origins][]float64
}

const savedVersion = 1

// Save writes the sums, and up to which time they count, for a ledger of a later process. The ledger is locked meanwhile.
func (l *Ledger) Save(w io.Writer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	to := gob.NewEncoder(w)
	head := savedHead{
		Version: savedVersion, Slot: l.slot, Swept: l.swept, Samples: l.samples, Duplicates: l.duplicates, Missed: l.missed,
		Columns: map[int][origins][]string{}, Owners: len(l.hosts) + len(l.vms),
	}
	for _, t := range l.tables {
		head.Columns[int(t.object)] = t.sums()
	}
	if err := to.Encode(head); err != nil {
		return fmt.Errorf("saving counters: %w", err)
	}
	for i, in := range []map[string]*owner{l.hosts, l.vms} {
		for _, o := range in {
			if err := to.Encode(o.saved(i == 1)); err != nil {
				return fmt.Errorf("saving counters: %w", err)
			}
		}
	}
	return nil
}

// sums are the names of the columns that are sums.
func (s *seriesTable) sums() (names [origins][]string) {
	for at := range s.columns {
		for _, c := range s.columns[at] {
			if c.sum != 0 {
				names[at] = append(names[at], c.family.Name)
			}
		}
	}
	return names
}

func (o *owner) saved(vm bool) *savedOwner {
	s := &savedOwner{
		VM: vm, MoID: o.moid, Name: o.name, Host: o.host, Expected: o.expected, BackSince: o.backSince, From: o.from,
		Closed: o.account.closed, SampledOn: o.account.host,
	}
	for at := range o.clocks {
		s.Last[at] = max(o.last[at], o.clocks[at].newest)
	}
	for _, p := range o.account.pauses {
		s.PausedFrom, s.PausedTo = append(s.PausedFrom, p.from), append(s.PausedTo, p.to)
	}
	for _, e := range o.entities {
		s.Entities = append(s.Entities, e.saved())
	}
	return s
}

func (e *entity) saved() savedEntity {
	s := savedEntity{Object: int(e.table.object), Labels: e.labelling.names, Part: e.part, Sub: e.sub}
	for at := range e.data {
		s.Last[at] = e.data[at].last
		if e.data[at].values == nil {
			continue
		}
		for _, c := range e.table.columns[at] {
			if c.sum != 0 {
				s.Sums[at] = append(s.Sums[at], e.data[at].values[c.sum], c.rawOf(e.data[at].values))
			}
		}
	}
	return s
}

func (c *column) rawOf(values []float64) float64 {
	if c.raw == 0 {
		return 0
	}
	return values[c.raw]
}

var errSaved = errors.New("the saved counters are of another version of vperf, or damaged")

// Restore continues the sums of a saved ledger. It is called on a new ledger. After an error the ledger is as it was.
func (l *Ledger) Restore(r io.Reader) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := gob.NewDecoder(r)
	var head savedHead
	if err := from.Decode(&head); err != nil || head.Version != savedVersion {
		return errors.Join(errSaved, err)
	}
	owners := make([]savedOwner, 0, min(max(head.Owners, 0), 1<<16))
	for range head.Owners {
		var o savedOwner
		if err := from.Decode(&o); err != nil {
			return errors.Join(errSaved, err)
		}
		if len(o.PausedFrom) != len(o.PausedTo) {
			return errSaved
		}
		owners = append(owners, o)
	}
	l.slot, l.swept, l.samples, l.duplicates = head.Slot, head.Swept, head.Samples, head.Duplicates
	maps.Copy(l.missed, head.Missed)
	for i := range owners {
		l.restore(&owners[i], head.Columns)
	}
	l.changes++
	return nil
}

func (l *Ledger) restore(s *savedOwner, columns map[int][origins][]string) {
	in := l.hosts
	if s.VM {
		in = l.vms
	}
	if s.MoID == "" || in[s.MoID] != nil {
		return
	}
	o := &owner{
		moid: s.MoID, name: s.Name, host: s.Host, expected: s.Expected, last: s.Last, backSince: s.BackSince, from: s.From,
		account: account{closed: s.Closed, host: s.SampledOn},
	}
	for at, last := range s.Last {
		o.clocks[at].newest = last
	}
	for i := range s.PausedFrom {
		o.account.pauses = append(o.account.pauses, pause{s.PausedFrom[i], s.PausedTo[i]})
	}
	in[s.MoID] = o
	for i := range s.Entities {
		l.restoreEntity(o, &s.Entities[i], columns)
	}
}

// restoreEntity skips what this ledger does not store: the modules may differ from those of before.
func (l *Ledger) restoreEntity(o *owner, s *savedEntity, columns map[int][origins][]string) {
	i := slices.IndexFunc(l.tables, func(t *seriesTable) bool { return int(t.object) == s.Object })
	of := labellingOf(esxtop.Object(max(0, min(s.Object, 255))), s.Labels)
	if i < 0 || of == nil {
		return
	}
	table := l.tables[i]
	e := l.entity(table, key{labelling: of, owner: o, part: s.Part, sub: s.Sub})
	for at := range e.data {
		if len(s.Sums[at]) != 2*len(columns[s.Object][at]) || len(s.Sums[at]) == 0 {
			continue
		}
		f := &e.data[at]
		f.last, f.values = s.Last[at], table.newValues(at)
		for n, name := range columns[s.Object][at] {
			sum, raw := s.Sums[at][2*n], s.Sums[at][2*n+1]
			c := slices.IndexFunc(table.columns[at], func(c column) bool { return c.sum != 0 && c.family.Name == name })
			if c < 0 || math.IsNaN(sum) || sum < 0 {
				continue
			}
			f.values[table.columns[at][c].sum] = sum
			if to := table.columns[at][c].raw; to != 0 {
				f.values[to] = raw
			}
		}
	}
}

// labellingOf finds the labels of a saved entity; nil: there are no such labels.
func labellingOf(o esxtop.Object, names []string) *labelling {
	choices := []*labelling{labellings[o]}
	if o == esxtop.Port {
		choices = []*labelling{labelsOfPNIC, labelsOfPort, labelsOfVNIC}
	}
	for _, l := range choices {
		if l != nil && slices.Equal(l.names, names) {
			return l
		}
	}
	return nil
}

// Newest returns the time of the newest sample of each host or of the VMs on it, by the host's id: where reading goes on.
// A host whose VMs are behind is as far as the one that is furthest behind.
func (l *Ledger) Newest() map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := map[string]time.Time{}
	note := func(host string, o *owner) {
		last := o.performance()
		if at, there := newest[host]; host != "" && last != 0 && o.expected && (!there || at.UnixMilli() > last) {
			newest[host] = time.UnixMilli(last)
		}
	}
	for _, h := range l.hosts {
		note(h.moid, h)
	}
	for _, vm := range l.vms {
		note(vm.host, vm)
	}
	return newest
}
