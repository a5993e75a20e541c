package measure

import (
	"slices"
	"strconv"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// perfHarvest holds the values read of one host: rows of the host and of its VMs, by place on the time grid.
type perfHarvest struct {
	plan    *perfPlan
	nfs     map[string]string // names of NFS volumes by the counters' instance
	moments []*perfMoment     // unordered: there is one, except after errors
	hints   []perfHint        // by the index of a series in an answer
	taking  []*perfMoment     // by sample, for the answer being entered; nil: a sample that was taken before
	most    int               // number of entities with samples of a time, at most
	// first is true for the first look at a host: each entity has one sample, and all of them are one moment. If the next sample comes
	// between two calls, one part of the VMs has answered with it, and the other with the one before.
	first bool
}

// newPerfHarvest returns a harvest of up to most entities.
func newPerfHarvest(plan *perfPlan, nfs map[string]string, most int) *perfHarvest {
	return &perfHarvest{plan: plan, nfs: nfs, most: most}
}

// perfHint caches the destination of the values at an index of an answer. The next VM's answer usually has the same counters in
// the same order.
type perfHint struct {
	side    *perfSide
	counter int32
	targets []perfTarget
}

// perfMoment holds the samples of one time.
type perfMoment struct {
	place  int64
	stamp  perfStamp
	tables [len(perfObjects)]perfTable
	spans  []perfSpan
}

// perfTable holds the rows of an object type for all hosts and VMs, one after the other.
type perfTable struct {
	rows  []esxtop.Row   // those up to the capacity are ready for use
	names []string       // instances
	last  int            // row that was last looked up
	at    map[string]int // by instance, if there are many
}

// perfSpan holds the ends of one host's or VM's rows in all tables.
type perfSpan struct {
	item   *perfItem
	from   [len(perfObjects)]int
	valued bool // it has a value
}

// add enters the answer for a host or a VM, without samples that were taken before.
func (h *perfHarvest) add(a perfAnswer, it *perfItem) {
	if it.entered { // the server answered twice
		return
	}
	it.entered = true
	h.first = h.first && len(a.stamps) == 1 // it was asked for one
	h.taking = h.taking[:0]
	for _, stamp := range a.stamps {
		h.taking = append(h.taking, h.take(stamp, it))
	}
	if it.newest.IsZero() {
		return
	}
	side := h.plan.sideOf(it.perfEntity)
	for i := range a.series {
		s := &a.series[i]
		targets := h.targets(side, i, s.counter)
		for t := range targets {
			h.set(&targets[t], s, a.stamps, it)
		}
	}
}

// take returns the moment of a sample for its rows, or nil for a sample that was taken before.
func (h *perfHarvest) take(stamp perfStamp, it *perfItem) *perfMoment {
	if !stamp.isAfter(it.after) {
		return nil
	}
	if stamp.time.After(it.newest) {
		it.newest = stamp.time
	}
	m := h.moment(stamp)
	if n := len(m.spans); n == 0 || m.spans[n-1].item != it {
		m.open(it, h.plan.objects)
	}
	return m
}

// isAfter has a tolerance for servers that date a sample anew for each request.
func (s perfStamp) isAfter(last time.Time) bool { return s.time.After(last.Add(perfInterval / 2)) }

func (h *perfHarvest) moment(stamp perfStamp) *perfMoment {
	place := onGrid(stamp.time)
	for _, m := range h.moments {
		if h.first && place > m.place {
			m.place, m.stamp = place, stamp
		}
		if m.place == place || h.first {
			return m
		}
	}
	m := &perfMoment{place: place, stamp: stamp}
	if len(h.moments) == 0 { // the others are of a few entities, after errors, or one of many
		m.reserve(h.most, h.plan.objects)
	}
	h.moments = append(h.moments, m)
	return m
}

// reserve makes room for the rows of entities: nearly all of them are VMs with one row of their own.
func (m *perfMoment) reserve(entities int, objects esxtop.Objects) {
	m.spans = make([]perfSpan, 0, entities)
	if objects.Has(esxtop.Group) && entities > 1 {
		t := &m.tables[tableGroup]
		t.rows, t.names = esxtop.NewRows(esxtop.Group, entities-1)[:0], make([]string, 0, entities-1)
	}
}

// newest returns the time of the latest sample.
func (h *perfHarvest) newest() (newest time.Time) {
	for _, m := range h.moments {
		if m.stamp.time.After(newest) {
			newest = m.stamp.time
		}
	}
	return newest
}

// emptyInARow is how many samples in a row without any value VMs may have: those that start have them, and hosts lose single ones.
const emptyInARow = 3

// mute reports whether the host has a sample without any value, or one of its VMs has had none for longer than usual, although all
// counters were asked for.
func (h *perfHarvest) mute() (is bool) {
	if !h.plan.whole {
		return false
	}
	h.sort()
	for _, m := range h.moments {
		for i := range m.spans {
			e, own, usual := m.spans[i].item.perfEntity, esxtop.Group, emptyInARow
			if e.isHost() {
				own, usual = esxtop.Host, 0
			}
			if e.mute++; m.spans[i].valued {
				e.mute = 0
			}
			is = is || e.mute > usual && h.plan.objects.Has(own)
		}
	}
	return is
}

// sort puts the oldest moment first.
func (h *perfHarvest) sort() {
	slices.SortFunc(h.moments, func(a, b *perfMoment) int { return a.stamp.time.Compare(b.stamp.time) })
}

// targets returns the destinations of a counter's values.
func (h *perfHarvest) targets(side *perfSide, i int, counter int32) []perfTarget {
	for len(h.hints) <= i {
		h.hints = append(h.hints, perfHint{})
	}
	hint := &h.hints[i]
	if hint.side != side || hint.counter != counter {
		*hint = perfHint{side, counter, side.targets[counter]}
	}
	return hint.targets
}

// set enters the values of a series.
func (h *perfHarvest) set(t *perfTarget, s *perfSeries, stamps []perfStamp, it *perfItem) {
	if !h.takes(t, s.instance) {
		return
	}
	for k, v := range s.values {
		if m := h.taking[k]; m != nil && v != noSample {
			m.spans[len(m.spans)-1].valued = true
			m.row(t.table, s.instance, it).Set(t.metric, t.as.Apply(v, stamps[k].interval))
		}
	}
}

// takes reports whether an instance has a row of the target. Servers that do not know "*" treat it as a name.
func (h *perfHarvest) takes(t *perfTarget, instance string) bool {
	switch {
	case t.instances == wholeInstance || instance == "":
		return t.instances == wholeInstance && instance == ""
	case instance == "*":
		return false
	}
	switch t.object {
	case esxtop.PCPU, esxtop.World:
		_, err := strconv.ParseUint(instance, 10, 32)
		return err == nil
	case esxtop.NFS:
		_, is := h.nfs[instance]
		return is
	}
	return true
}

// open starts the rows of a host or a VM. Each has a row of its own, even without values.
func (m *perfMoment) open(it *perfItem, objects esxtop.Objects) {
	span := perfSpan{item: it}
	for t := range m.tables {
		span.from[t] = len(m.tables[t].rows)
		m.tables[t].at = nil
	}
	m.spans = append(m.spans, span)
	switch {
	case it.isHost() && objects.Has(esxtop.Host):
		m.row(tableHost, "", it)
	case !it.isHost() && objects.Has(esxtop.Group):
		m.row(tableGroup, "", it)
	}
}

// manyRows is the number of rows from which they are looked up by name.
const manyRows = 16

// row returns the row of an instance and creates it if needed. Values come in an order that makes it most often the previous row
// or the next.
func (m *perfMoment) row(table int, instance string, it *perfItem) *esxtop.Row {
	t := &m.tables[table]
	from := m.spans[len(m.spans)-1].from[table]
	for i := max(t.last, from); i <= t.last+1 && i < len(t.rows); i++ {
		if t.names[i] == instance {
			t.last = i
			return &t.rows[i]
		}
	}
	i, there := t.find(instance, from)
	if !there {
		i = t.add(perfObjects[table], instance, it)
		t.names = append(t.names, instance)
		if t.at != nil {
			t.at[instance] = i
		}
	}
	t.last = i
	return &t.rows[i]
}

func (t *perfTable) find(instance string, from int) (int, bool) {
	if len(t.rows)-from < manyRows {
		i := slices.Index(t.names[from:], instance)
		return from + i, i >= 0
	}
	if t.at == nil {
		t.at = map[string]int{}
		for i := from; i < len(t.rows); i++ {
			t.at[t.names[i]] = i
		}
	}
	i, there := t.at[instance]
	return i, there
}

// add adds a row, and returns its index. The rows' values share memory, which doubles each time.
func (t *perfTable) add(o esxtop.Object, instance string, it *perfItem) int {
	i := len(t.rows)
	if i == cap(t.rows) {
		more := esxtop.NewRows(o, max(1, i))
		t.rows = append(t.rows, more...)[: i : i+len(more)]
	}
	t.rows = t.rows[:i+1]
	namePerfRow(&t.rows[i], instance, it)
	return i
}

// namePerfRow names a row as esxtop does.
func namePerfRow(r *esxtop.Row, instance string, it *perfItem) {
	r.ID, r.Name = instance, instance
	if it.isHost() {
		return
	}
	vm := &it.vm
	r.VM, r.MoID = true, vm.MoID
	switch r.Object {
	case esxtop.Group:
		r.ID, r.Name, r.VCPUs = vm.MoID, vm.Name, vm.VCPUs
	case esxtop.DiskVM:
		r.ID, r.Name = vm.MoID, vm.Name
	case esxtop.World:
		r.Name = "vcpu " + instance
	case esxtop.Port:
		r.ID, r.Name = vm.MoID+"-"+instance, portName(vm.Name, instance) // without a colon, because a batch CSV puts one on each side
	}
}

// firstNIC is the device key of ethernet0; counters identify a VM's NIC by device key.
const firstNIC = 4000

// portName returns the name of the port of a VM's NIC: web-1.eth0.
func portName(vm, instance string) string {
	if key, err := strconv.Atoi(instance); err == nil && key >= firstNIC {
		return vm + ".eth" + strconv.Itoa(key-firstNIC)
	}
	return vm + "." + instance
}
