package batch

import (
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// placing finds the row for an instance of a group, and the metric there. The row is -1 if the instance is invalid.
type placing func(h *csvHost, instance string, m *esxtop.Metric, state string) (esxtop.Object, int, *esxtop.Metric)

// ofRows is for groups whose instances are the rows of one object.
func ofRows(o esxtop.Object, row func(h *csvHost, instance string) int) placing {
	return func(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
		return o, row(h, instance), m
	}
}

// byName is for groups whose instances are names.
func byName(o esxtop.Object) placing {
	return ofRows(o, func(h *csvHost, instance string) int { return h.row(o, -1, instance, instance) })
}

func (h *csvHost) itself(string) int { return h.row(esxtop.Host, -1, h.name, h.name) }

func placeCPU(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	if instance == "_Total" {
		return esxtop.Host, h.itself(""), esxtop.Lookup(m.ID + "Avg")
	}
	return esxtop.PCPU, h.row(esxtop.PCPU, -1, instance, instance), m
}

// placePower returns a P-state's number instead of a row: its CPUs are known only at the end.
func placePower(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	if m.Slot(esxtop.Host) >= 0 {
		return esxtop.Host, h.itself(""), m
	}
	if n, err := strconv.ParseUint(instance, 10, 16); err == nil {
		return esxtop.PState, int(n), m
	}
	return esxtop.PState, -1, m
}

func placeVSAN(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	if m.Slot(esxtop.Dom) >= 0 {
		return esxtop.Dom, h.row(esxtop.Dom, -1, instance, instance), m
	}
	return esxtop.Host, h.itself(""), m
}

// placeGroup parses GID:name.
func placeGroup(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	gid, name, ok := strings.Cut(instance, ":")
	if !ok {
		return esxtop.Group, -1, m
	}
	row := h.row(esxtop.Group, -1, gid, name)
	if m.ID == "cpu.vmWait" {
		h.vmWait[row] = true
	}
	return esxtop.Group, row, m
}

// placeDisk parses adapter, or adapter:path. A path's own name begins with the adapter's, except in old releases, which
// write it only once.
func placeDisk(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	adapter, path, ok := strings.Cut(instance, ":")
	row := h.row(esxtop.Adapter, -1, adapter, adapter)
	switch {
	case m.Slot(esxtop.Path) < 0 || !ok:
		return esxtop.Adapter, row, m
	case len(path) > 1 && path[0] == 'C' && isNumber(path[1:2]):
		path = instance
	}
	h.adapter[path] = row
	return esxtop.Path, h.path(path), m
}

func placePath(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	if m.ID == "disk.commands" && h.device >= 0 {
		h.paths[h.device]++ // they follow their device
	}
	return esxtop.Path, h.path(instance), m
}

func placeDevice(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	h.device = h.row(esxtop.Device, -1, instance, instance)
	return esxtop.Device, h.device, m
}

func (h *csvHost) deviceWorld(instance string) int { return h.ofDevice(esxtop.DeviceWorld, instance) }
func (h *csvHost) partition(instance string) int   { return h.ofDevice(esxtop.Partition, instance) }

// ofDevice parses device-number; the device may contain dashes.
func (h *csvHost) ofDevice(o esxtop.Object, instance string) int {
	dash := strings.LastIndexByte(instance, '-')
	if dash < 0 {
		return -1
	}
	device, id := instance[:dash], instance[dash+1:]
	return h.row(o, h.row(esxtop.Device, -1, device, device), id, id)
}

func placeVector(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	vector, cpu, of := strings.Cut(instance, ":CPU")
	row := h.row(esxtop.Vector, -1, vector, vector)
	if of {
		return esxtop.VectorCPU, h.row(esxtop.VectorCPU, row, cpu, cpu), m
	}
	return esxtop.Vector, row, m
}

func placePowerState(h *csvHost, instance string, m *esxtop.Metric, state string) (esxtop.Object, int, *esxtop.Metric) {
	n := strings.TrimPrefix(instance, "PCPU ")
	cpu := h.row(esxtop.PCPU, -1, n, n)
	if m.Slot(esxtop.PCPU) >= 0 {
		return esxtop.PCPU, cpu, m
	}
	o := m.Objects[0]
	return o, h.row(o, cpu, state, strings.TrimPrefix(m.Column, "%")+state), m
}

// world splits GID:group:id:world. Both names may contain colons; the group's is known from another column, or ends
// before the first number.
func (h *csvHost) world(instance string) int {
	gid, rest, ok := strings.Cut(instance, ":")
	if !ok {
		return -1
	}
	var group, id, name string
	if i, known := h.index[csvKey{esxtop.Group, -1, gid}]; known && strings.HasPrefix(rest, h.rows[esxtop.Group][i].Name+":") {
		group = h.rows[esxtop.Group][i].Name
		id, name, _ = strings.Cut(rest[len(group)+1:], ":")
	} else if group, id, name, ok = cutNumber(rest); !ok {
		return -1
	}
	return h.row(esxtop.World, h.row(esxtop.Group, -1, gid, group), id, name)
}

// cutNumber cuts a text at its first numeric part between colons.
func cutNumber(s string) (before, number, after string, ok bool) {
	for at := 0; ; {
		colon := strings.IndexByte(s[at:], ':')
		if colon < 0 {
			return "", "", "", false
		}
		before = s[:at+colon]
		at += colon + 1
		number, after, _ = strings.Cut(s[at:], ":")
		if isNumber(number) {
			return before, number, after, true
		}
	}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (h *csvHost) path(name string) int {
	parent, known := h.adapter[name]
	if !known {
		parent = -1
		if adapter, _, ok := strings.Cut(name, ":"); ok {
			parent = h.row(esxtop.Adapter, -1, adapter, adapter)
		}
		h.adapter[name] = parent
	}
	return h.row(esxtop.Path, parent, name, name)
}

// placeVirtualDisk finds the VM or the disk of an instance: vm or vm:scsi0:0. Two VMs may have the same name: the
// second one begins at the first repeated column.
func placeVirtualDisk(h *csvHost, instance string, m *esxtop.Metric, _ string) (esxtop.Object, int, *esxtop.Metric) {
	if vm, disk, ok := cutDisk(instance); ok {
		_, known := h.index[csvKey{esxtop.DiskVM, -1, vm}]
		switch strings.TrimRight(disk, "0123456789:") {
		case "scsi", "sata", "ide", "nvme":
			known = true // where files were cut down to a few columns, the VM's own may be gone
		}
		if known {
			return esxtop.VDisk, h.row(esxtop.VDisk, h.row(esxtop.DiskVM, -1, vm, vm), disk, disk), m
		}
	}
	row := h.row(esxtop.DiskVM, -1, instance, instance)
	if h.rows[esxtop.DiskVM][row].has[m.Slot(esxtop.DiskVM)] {
		delete(h.index, csvKey{esxtop.DiskVM, -1, instance})
		row = h.row(esxtop.DiskVM, -1, instance, instance)
		h.rows[esxtop.DiskVM][row].ID += "#" + strconv.Itoa(row)
	}
	return esxtop.DiskVM, row, m
}

// cutDisk separates the name of a VM from that of a disk, which is a controller with its number and a unit.
func cutDisk(s string) (vm, disk string, ok bool) {
	unit := strings.LastIndexByte(s, ':')
	if unit <= 0 || !isNumber(s[unit+1:]) {
		return "", "", false
	}
	colon := strings.LastIndexByte(s[:unit], ':')
	if colon < 0 {
		return "", "", false
	}
	kind := strings.TrimRight(s[colon+1:unit], "0123456789")
	return s[:colon], s[colon+1:], kind != "" && len(kind) < unit-colon-1
}

// port parses portset:port:client, or portset:port:leader:vm.
func (h *csvHost) port(instance string) int {
	portset, id, client, ok := cutNumber(instance)
	if !ok { // other sources than esxtop may call ports otherwise
		parts := strings.SplitN(instance, ":", 3)
		if len(parts) < 3 {
			return -1
		}
		portset, id, client = parts[0], parts[1], parts[2]
	}
	name, usedBy := client, client
	leader, vm, ok := strings.Cut(client, ":")
	if ok = ok && isNumber(leader); ok {
		name = vm
	}
	_, known := h.index[csvKey{esxtop.Port, -1, id}]
	row := h.row(esxtop.Port, -1, id, name)
	if known {
		return row
	}
	r := &h.rows[esxtop.Port][row]
	if ok {
		r.VM, r.Leader = true, leader
	}
	r.SetText(esxtop.Lookup("net.portset"), portset)
	r.SetText(esxtop.Lookup("net.usedBy"), usedBy)
	return row
}
