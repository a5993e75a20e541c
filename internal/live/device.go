package live

import (
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// commands are those of a device by second, and fewCommands how many there have to be before anything is said of how they fare:
// the mean over a few is that of one slow command, and a CD-ROM drive that nobody uses fails one every other second.
var (
	commands    = metric("disk.commands")
	fewCommands = metric("disk.deviceLatency").Threshold.AtLeast
)

// inUse is a figure that says something where a rate of the row is high enough. A mean of no commands is none, which is not
// as if nobody could tell; other figures have to be there.
func inUse(row *esxtop.Row, m, by *esxtop.Metric) (float64, telling) {
	rate, told := row.Value(by)
	v, ok := row.Value(m)
	switch {
	case !told, !ok && m.Kind != esxtop.Mean:
		return 0, untold
	case !ok, rate < fewCommands:
		return 0, nothing
	}
	return v, figure
}

// ofDevices are the measures of LUNs, and what a host has of all of them.
func ofDevices() []measure {
	list := []measure{
		ofRow(inventory.ScopeLUN, "disk.commands", onlyDevices, "disk.commands"),
		ofRow(inventory.ScopeLUN, "disk.read", onlyDevices, "disk.readRate"),
		ofRow(inventory.ScopeLUN, "disk.queued", onlyDevices, "disk.queued"),
		ofRow(inventory.ScopeLUN, "disk.aborts", onlyDevices, "disk.aborts"),
		ofRow(inventory.ScopeLUN, "disk.resets", onlyDevices, "disk.resets"),
		ofRow(inventory.ScopeLUN, "disk.conflicts", onlyDevices, "disk.conflicts"),
		ofRowInUse(inventory.ScopeLUN, "disk.failed", onlyDevices, "disk.failedCommands", "disk.commands"),
		sumOfDevices("disk.commands"),
		sumOfDevices("disk.aborts"),
	}
	for _, id := range []string{"disk.deviceLatency", "disk.kernelLatency", "disk.queueLatency", "disk.guestLatency"} {
		list = append(list, ofRowInUse(inventory.ScopeLUN, id, onlyDevices, id, "disk.commands"))
		if _, ok := inventory.LookupLive(inventory.ScopeHost, id); ok {
			list = append(list, worstDevice(id))
		}
	}
	return list
}

var (
	onlyDevices = []esxtop.Object{esxtop.Device}
	ofVDisks    = []esxtop.Object{esxtop.Group, esxtop.DiskVM, esxtop.VDisk}
)

// ofVirtualDisks are the measures of virtual disks. Reads and writes are counted apart.
func ofVirtualDisks() []measure {
	return []measure{
		ofRow(inventory.ScopeVDisk, "disk.commands", ofVDisks, "vdisk.commands"),
		ofRowInUse(inventory.ScopeVDisk, "disk.readLatency", ofVDisks, "vdisk.readLatency", "vdisk.reads"),
		ofRowInUse(inventory.ScopeVDisk, "disk.writeLatency", ofVDisks, "vdisk.writeLatency", "vdisk.writes"),
	}
}

// ofRow is a figure of the object's own row.
func ofRow(scope inventory.Scope, name string, needs []esxtop.Object, id string) measure {
	m := metric(id)
	return measure{scope: scope, name: name, needs: needs, read: func(s *subject) (float64, telling) {
		if v, ok := s.row.Value(m); ok {
			return v, figure
		}
		return 0, untold
	}}
}

// ofRowInUse is one that says something while there is enough to do.
func ofRowInUse(scope inventory.Scope, name string, needs []esxtop.Object, id, by string) measure {
	m, counted := metric(id), metric(by)
	return measure{scope: scope, name: name, needs: needs, read: func(s *subject) (float64, telling) { return inUse(s.row, m, counted) }}
}

// worstDevice is the highest of a latency of all devices that have as many commands as it takes for it to say anything.
func worstDevice(id string) measure {
	m := metric(id)
	return measure{scope: inventory.ScopeHost, name: id, needs: onlyDevices, read: func(s *subject) (worst float64, all telling) {
		for i := range s.frame.Rows(esxtop.Device) {
			v, of := inUse(&s.frame.Rows(esxtop.Device)[i], m, commands)
			all = max(all, of)
			if of == figure {
				worst = max(worst, v)
			}
		}
		return worst, all
	}}
}

// sumOfDevices adds up what all devices did.
func sumOfDevices(id string) measure {
	m := metric(id)
	return measure{scope: inventory.ScopeHost, name: id, needs: onlyDevices, read: func(s *subject) (float64, telling) {
		var all sum
		for i := range s.frame.Rows(esxtop.Device) {
			if v, ok := s.frame.Rows(esxtop.Device)[i].Value(m); ok {
				all.add(v)
			}
		}
		return all.read()
	}}
}
