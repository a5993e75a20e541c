package simfleet

import "strconv"

// snapshot is a host at one moment, as its esxtop service tells it: which objects there are, then what each counted.
type snapshot struct {
	esxi    *esxi
	counted hostCounters
	groups  []schedGroup
	vectors []vector
	roles   []domRole
}

func newSnapshot(e *esxi, counted hostCounters) *snapshot {
	s := &snapshot{esxi: e, counted: counted}
	s.groups = s.schedGroups()
	s.vectors = s.interruptVectors()
	s.roles = s.domRoles()
	return s
}

// text is both sections.
func (s *snapshot) text() string {
	r := &rows{b: make([]byte, 0, s.guess())}
	r.b = append(r.b, "==NUM-OF-OBJ==\n"...)
	s.tree(r)
	r.b = append(r.b, "==COUNTER-VALUE==\n"...)
	s.values(r)
	return string(r.b)
}

// guess is about how long the text will be, so that it is not copied as it grows.
func (s *snapshot) guess() int {
	n := 16<<10 + 24*len(s.vectors)*len(s.counted.lcpus) + 320*len(s.counted.lcpus) + 1000*len(s.counted.paths)
	for i := range s.groups {
		n += 256 + 384*len(s.groups[i].worlds) + 96*len(s.groups[i].hidden)
	}
	return n
}

// tree tells how many of each there are, and what they are called.
func (s *snapshot) tree(r *rows) {
	c := &s.counted
	r.open("Server").count("PCPU", 1).count("PMem", 1).count("Sched", 1).count("SCSI", 1).count("Nfs", 1).
		count("Vscsi", 1).count("Net", 1).count("Interrupt", 1).count("Power", 1).end()
	r.open("PCPU").count("LCPU", len(c.lcpus)).count("Core", c.cores).count("Package", c.packages).end()
	r.open("PMem").count("NUMANode", len(c.nodes)).end()
	s.treeOfGroups(r)
	s.treeOfDisks(r)
	s.treeOfPorts(r)
	s.treeOfPower(r)
	r.open("Vsan").count("Dom", len(s.roles)).end()
}

// values are in the order that tells which row belongs to which.
func (s *snapshot) values(r *rows) {
	c := &s.counted
	r.open("Server").n(minFetchMicros, 1, c.uptime, c.at.Unix()).end()
	r.open("PCPU").n(int64(len(c.lcpus)), int64(c.cores), int64(c.packages)).end()
	for i := range c.lcpus {
		l := &c.lcpus[i]
		r.open("LCPU").n(int64(l.id), l.hz, l.used, l.halt, l.coreHalt, c.uptime, l.busyWait).end()
	}
	s.valuesOfMemory(r)
	s.valuesOfGroups(r)
	s.valuesOfDisks(r)
	s.valuesOfPorts(r)
	s.valuesOfPower(r)
	s.valuesOfVSAN(r)
}

// minFetchMicros is how long a client is to wait between two fetches.
const minFetchMicros = 2_000_000

func (s *snapshot) valuesOfMemory(r *rows) {
	m := &s.counted.mem
	r.open("PMem").n(m.physical, 0, m.physical, m.other, m.free, m.shared, m.common, m.managed, m.minFree, m.reserved, m.unreserved, m.state).
		s(stateWords[m.state]).
		n(m.balloonMax, m.balloon, m.balloonTarget, m.swapped, m.swapTarget).wrapped(m.swapRead, m.swapWritten).
		n(m.zipped, m.zipSaved, m.overcommit[0], m.overcommit[1], m.overcommit[2], int64(len(s.counted.nodes))).end()
	for _, n := range s.counted.nodes {
		r.open("NUMANode").n(int64(n.id), n.total/pageKB, n.free/pageKB).end()
	}
}

const pageKB = 4

// rows writes lines of fields between bars. A host has thousands of them, so they are put together without a copy.
type rows struct{ b []byte }

func (r *rows) open(kind string) *rows {
	r.b = append(r.b, '|')
	return r.s(kind)
}

func (r *rows) end() { r.b = append(r.b, '\n') }

// n is numbers, one field each.
func (r *rows) n(list ...int64) *rows {
	for _, n := range list {
		r.b = append(strconv.AppendInt(r.b, n, 10), '|')
	}
	return r
}

// wrapped is numbers that have 32 bits on the wire and start again at zero.
func (r *rows) wrapped(list ...int64) *rows {
	for _, n := range list {
		r.b = append(strconv.AppendUint(r.b, uint64(uint32(n)), 10), '|') //nolint:gosec // cut off on purpose
	}
	return r
}

// s is a text as it is: a host does not mark what a bar would break.
func (r *rows) s(text string) *rows {
	r.b = append(append(r.b, text...), '|')
	return r
}

func (r *rows) flag(yes bool) *rows {
	if yes {
		return r.n(1)
	}
	return r.n(0)
}

// count, id and name are fields of the tree: a key and its value.
func (r *rows) count(key string, n int) *rows { return r.id(key, int64(n)) }

func (r *rows) id(key string, n int64) *rows {
	r.b = append(append(r.b, key...), ',')
	return r.n(n)
}

func (r *rows) name(key, value string) *rows {
	r.b = append(append(r.b, key...), ',')
	return r.s(value)
}
