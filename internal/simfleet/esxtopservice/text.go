package esxtopservice

import (
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

func newSnapshot(e *world.Host, counted load.HostCounters) *snapshot {
	s := &snapshot{node: e, counted: counted}
	s.groups = s.schedGroups()
	s.vectors = s.interruptVectors()
	s.roles = s.domRoles()
	return s
}

// text returns both sections.
func (s *snapshot) text() string {
	r := &rows{b: make([]byte, 0, s.guess())}
	r.b = append(r.b, "==NUM-OF-OBJ==\n"...)
	s.tree(r)
	r.b = append(r.b, "==COUNTER-VALUE==\n"...)
	s.values(r)
	return string(r.b)
}

// guess returns the approximate length of the text, to avoid copying it while it grows.
func (s *snapshot) guess() int {
	n := 16<<10 + 24*len(s.vectors)*len(s.counted.LCPUs) + 320*len(s.counted.LCPUs) + 1000*len(s.counted.Paths)
	for i := range s.groups {
		n += 256 + 384*len(s.groups[i].worlds) + 96*len(s.groups[i].hidden)
	}
	return n
}

// tree writes the number and the names of all objects.
func (s *snapshot) tree(r *rows) {
	c := &s.counted
	r.open("Server").count("PCPU", 1).count("PMem", 1).count("Sched", 1).count("SCSI", 1).count("Nfs", 1).
		count("Vscsi", 1).count("Net", 1).count("Interrupt", 1).count("Power", 1).end()
	r.open("PCPU").count("LCPU", len(c.LCPUs)).count("Core", c.Cores).count("Package", c.Packages).end()
	r.open("PMem").count("NUMANode", len(c.Nodes)).end()
	s.treeOfGroups(r)
	s.treeOfDisks(r)
	s.treeOfPorts(r)
	s.treeOfPower(r)
	r.open("Vsan").count("Dom", len(s.roles)).end()
}

// values writes the rows in the order that defines which row belongs to which object.
func (s *snapshot) values(r *rows) {
	c := &s.counted
	r.open("Server").n(minFetchMicros, 1, c.Uptime, c.At.Unix()).end()
	r.open("PCPU").n(int64(len(c.LCPUs)), int64(c.Cores), int64(c.Packages)).end()
	for i := range c.LCPUs {
		l := &c.LCPUs[i]
		r.open("LCPU").n(int64(l.ID), l.Hz, l.Used, l.Halt, l.CoreHalt, c.Uptime, l.BusyWait).end()
	}
	s.valuesOfMemory(r)
	s.valuesOfGroups(r)
	s.valuesOfDisks(r)
	s.valuesOfPorts(r)
	s.valuesOfPower(r)
	s.valuesOfVSAN(r)
}

// minFetchMicros is the minimum time between two fetches of a client.
const minFetchMicros = 2_000_000

func (s *snapshot) valuesOfMemory(r *rows) {
	m := &s.counted.Mem
	r.open("PMem").n(m.Physical, 0, m.Physical, m.Other, m.Free, m.Shared, m.Common, m.Managed, m.MinFree, m.Reserved, m.Unreserved, m.State).
		s(load.StateWords[m.State]).
		n(m.BalloonMax, m.Balloon, m.BalloonTarget, m.Swapped, m.SwapTarget).wrapped(m.SwapRead, m.SwapWritten).
		n(m.Zipped, m.ZipSaved, m.Overcommit[0], m.Overcommit[1], m.Overcommit[2], int64(len(s.counted.Nodes))).end()
	for _, n := range s.counted.Nodes {
		r.open("NUMANode").n(int64(n.ID), n.Total/pageKB, n.Free/pageKB).end()
	}
}
