package ledger

import (
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Expect sets the existing objects, by the roster. Objects in neither list are removed, with their sums. Excluded
// objects must not be in the lists.
func (l *Ledger) Expect(hosts []Host, vms []VM) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	for _, h := range hosts {
		o := l.expect(l.hosts, h.MoID, h.Name, h.From)
		if !h.Up || !o.expected {
			o.trouble.down = l.turn // it is, or was until now
		}
		o.expected = h.Up
	}
	for _, v := range vms {
		_, known := l.vms[v.MoID]
		o := l.expect(l.vms, v.MoID, v.Name, v.From)
		if !known || !v.On {
			o.empty = emptyAtFirst
		}
		o.host, o.expected = v.Host, v.On
		if v.On {
			o.account.resume(l.slot)
		} else {
			o.account.pause(l.slot)
		}
	}
	l.forget(l.hosts)
	l.forget(l.vms)
	delete(l.hosts, "") // an invalid id
	delete(l.vms, "")
}

// expect finds a listed object, or adds it.
func (l *Ledger) expect(in map[string]*owner, moid, name string, from time.Time) *owner {
	o := in[moid]
	if o == nil {
		o = &owner{moid: moid, name: name, expected: true, account: account{closed: l.slot}}
		if !from.IsZero() {
			o.from = from.UnixMilli()
		}
		in[moid] = o
	}
	o.listed = l.turn
	if o.name != name {
		o.name = name
		for _, e := range o.entities {
			e.label()
			e.table.markUnsorted()
		}
		l.changes++
	}
	return o
}

// forget removes objects that are not listed any more.
func (l *Ledger) forget(in map[string]*owner) {
	for moid, o := range in {
		if o.listed == l.turn {
			continue
		}
		for _, e := range o.entities {
			e.table.drop(e)
		}
		if len(o.entities) > 0 {
			l.changes++
			l.members++
		}
		delete(in, moid)
	}
}

// entity finds the entity of a key, or adds it.
func (l *Ledger) entity(s *seriesTable, k key) *entity {
	e := s.entities[k]
	if e == nil {
		e = newEntity(k, s)
		s.put(e.key, e)
		k.owner.entities = append(k.owner.entities, e)
		l.members++
	}
	return e
}

// Taken is what a round had.
type Taken struct {
	Valued int      // hosts and VMs of which it had a new sample with values
	Moved  []string // hosts whose clocks were set ahead or back, with the difference
}

// Take stores a round: each sample of each object once, however often it comes, and in any order of time that a source
// may use after trouble.
func (l *Ledger) Take(r *esxtop.Round) Taken {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	l.valued, l.moved = 0, nil
	for _, f := range r.Frames {
		l.takeFrame(f)
	}
	l.takeTroubles(r.Troubles)
	if len(r.Frames) == 0 && !r.Past { // otherwise its time is of the hosts' clocks
		l.pass(nearest(r.Time))
	}
	l.forgetParts()
	return Taken{l.valued, l.moved}
}

func (l *Ledger) takeFrame(f *esxtop.Frame) {
	if f.MoID == "" || f.Time.UnixMilli() <= 0 {
		return // of a capture, or of a host that has no clock yet
	}
	l.frames++
	s := sample{
		time: f.Time.UnixMilli(), interval: max(0, f.Interval), at: originOf(f.Origin), host: f.MoID,
		arrived: max(1, l.elapsed()-f.Age.Milliseconds()), newest: f.Age == 0,
	}
	from := reader{frame: f, ledger: l, host: l.hosts[s.host]}
	for _, table := range l.tables {
		if len(table.columns[s.at]) == 0 {
			continue
		}
		rows := f.Rows(table.object)
		for i := range rows {
			if k, ok := from.key(table.object, &rows[i]); ok && s.time > k.owner.from {
				l.takeRow(table, k, &rows[i], s)
			}
		}
	}
	l.settle(s)
}

func (l *Ledger) takeRow(table *seriesTable, k key, row *esxtop.Row, s sample) {
	e := l.entity(table, k)
	if e.turn == l.frames {
		l.duplicates++
		return
	}
	e.turn = l.frames
	o := k.owner
	if o.frame != l.frames {
		o.frame, o.valued = l.frames, false
		if o.isNew = l.account(o, s); o.isNew {
			l.took = append(l.took, o)
		}
	}
	if !o.isNew && !s.isNew(e.data[s.at].last) {
		return
	}
	valued, odd := e.take(row, s, o.clocks[s.at].counts)
	o.valued = o.valued || valued
	if odd {
		l.missed[missedOther]++
	}
	l.changes++
}

// forgetParts removes parts that their owners have not had for long, such as a removed disk or path. The time without
// samples of the owner does not count. It checks only once per minute.
func (l *Ledger) forgetParts() {
	if l.slot < l.swept+60_000 {
		return
	}
	l.swept = l.slot
	for _, in := range []map[string]*owner{l.hosts, l.vms} {
		for _, o := range in {
			l.forgetPartsOf(o)
		}
	}
}

func (l *Ledger) forgetPartsOf(o *owner) {
	newest, kept := o.newest(), o.entities[:0]
	for _, e := range o.entities {
		if e.part == "" || newest-max(e.newest(), o.backSince) <= partsKept {
			kept = append(kept, e)
			continue
		}
		e.table.drop(e)
		l.members++
	}
	clear(o.entities[len(kept):])
	o.entities = kept
}
