package batch

import (
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// newCSVColumns identifies the fields of a header. The first one is the time stamp.
func newCSVColumns(fields []headerField) *csvColumns {
	c := &csvColumns{fields: len(fields), unknown: map[string]int{}}
	n := csvNaming{csvColumns: c, byName: map[string]int32{}, cpu: -1}
	for i, f := range fields {
		if i == 0 {
			continue
		}
		at := csvColumn{field: int32(i)}
		if f.leak && n.cpu >= 0 {
			leak := at
			leak.leak = true
			c.add(leak, n.cpuHost, esxtop.PCPU, n.cpu, esxtop.Lookup("pcpu.aperfMperf"))
		}
		if f.text != "" {
			n.name(at, f.text)
		}
	}
	for _, h := range c.hosts {
		h.finish(c)
	}
	slices.SortStableFunc(c.list, func(a, b csvColumn) int { return int(a.field - b.field) })
	return c
}

// csvNaming identifies the names of columns one after the other.
type csvNaming struct {
	*csvColumns
	byName  map[string]int32 // hosts
	cpuHost int32            // of the last power state, which a leak belongs to
	cpu     int              // -1 before the first
}

func (n *csvNaming) name(at csvColumn, name string) {
	path, ok := parsePath(name)
	if !ok {
		n.nameless++
		return
	}
	group := csvGroupNames()[path.group]
	if group == nil {
		n.unknown[path.group]++
		return
	}
	counter, state := group.counter(path.counter)
	if counter == nil {
		n.unknown[path.group+`\`+path.counter]++
		return
	}
	host := n.host(path.host)
	h := n.hosts[host]
	object, row, metric := group.place(h, path.instance, counter.metric, state)
	switch {
	case row < 0:
		n.unknown[path.group+"("+path.instance+")"]++
		return
	case metric.ID == "power.pstateMHz":
		at.host, at.row = host, int32(row)
		h.mhz = append(h.mhz, at)
	case !n.add(at, host, object, row, metric) && !inOtherGroup(group.name, metric):
		n.twice++
	}
	if group.name == "PCPU Power State" {
		n.cpuHost, n.cpu = host, row
		if object != esxtop.PCPU {
			n.cpu = h.rows[object][row].Parent
		}
	}
}

func (n *csvNaming) host(name string) int32 {
	host, known := n.byName[name]
	if !known {
		host = int32(len(n.hosts))
		n.byName[name] = host
		n.hosts = append(n.hosts, newCSVHost(name))
	}
	return host
}

// inOtherGroup reports whether esxtop writes the same figure in another group too: a path's in two groups, an adapter's
// queue depth with each of its paths, and the number of worlds of a group.
func inOtherGroup(group string, m *esxtop.Metric) bool {
	return group == "Physical Disk" || group == "Physical Disk Path" || m.ID == "cpu.members"
}
