package esxtop

import (
	"slices"
	"strconv"
	"strings"
)

// csvColumns is what a header says: which field is which metric of which row.
type csvColumns struct {
	fields int // that a row has, the empty last one not counted
	list   []csvColumn
	hosts  []*csvHost

	unknown   map[string]int // columns by group or by group and counter, where they are none of ours
	unreadble int            // names that are no path
	twice     int
}

// csvColumn is a metric of a row. A P-state's clock speed is one field and a column for each CPU.
type csvColumn struct {
	field  int32
	leak   bool // it stands unquoted before the field's own value
	host   int32
	row    int32
	metric *Metric
	object Object
}

// csvHost is the rows of a host, as they are in every frame.
type csvHost struct {
	name  string
	rows  [objects][]csvRow
	index map[csvKey]int

	device  int            // the device whose paths come now; -1 before the first
	paths   map[int]int    // how many a device has
	adapter map[string]int // of paths whose names do not tell
	mhz     []csvColumn    // of P-states, before they are given to CPUs; row is the state
	vmWait  map[int]bool   // groups that have %VMWAIT
}

type csvRow struct {
	Row
	told []bool // by slot: a column has it
}

type csvKey struct {
	object Object
	parent int
	id     string
}

// metricSet is metrics by object and slot.
type metricSet [objects][]bool

func (s *metricSet) has(o Object, m *Metric) bool {
	i := m.slot[o] - 1
	return i >= 0 && i < len(s[o]) && s[o][i]
}

func (s *metricSet) add(o Object, m *Metric) {
	if s[o] == nil {
		s[o] = make([]bool, len(catalogue.of[o]))
	}
	s[o][m.slot[o]-1] = true
}

// headerField is a field of the header as it stands there.
type headerField struct {
	text string
	leak bool // before it, or instead of it, stands a column without a name
}

// newCSVColumns finds out what the fields of a header are. The first is the time stamp.
func newCSVColumns(fields []headerField) *csvColumns {
	c := &csvColumns{fields: len(fields), unknown: map[string]int{}}
	byName := map[string]int32{}
	cpuHost, cpu := int32(-1), -1 // the last of the power states, which a leak belongs to
	for i, f := range fields {
		if i == 0 {
			continue
		}
		at := csvColumn{field: int32(i)}
		if f.leak && cpuHost >= 0 {
			leak := at
			leak.leak = true
			c.add(leak, cpuHost, PCPU, cpu, catalogue.byID["pcpu.aperfMperf"])
		}
		if f.text == "" {
			continue
		}
		path, ok := parsePath(f.text)
		if !ok {
			c.unreadble++
			continue
		}
		group := csvGroupNames[path.group]
		if group == nil {
			c.unknown[path.group]++
			continue
		}
		counter, state := group.counter(path.counter)
		if counter == nil {
			c.unknown[path.group+`\`+path.counter]++
			continue
		}
		host, known := byName[path.host]
		if !known {
			host = int32(len(c.hosts))
			byName[path.host] = host
			c.hosts = append(c.hosts, newCSVHost(path.host))
		}
		h := c.hosts[host]
		object, row, metric := h.place(group, path, counter.metric, state)
		switch {
		case row < 0:
			c.unknown[path.group+"("+path.instance+")"]++
		case metric.ID == "power.pstateMHz":
			at.host, at.row = host, int32(row)
			h.mhz = append(h.mhz, at)
		case !c.add(at, host, object, row, metric) && !elsewhere(group.name, metric):
			c.twice++
		}
		if group.name == "PCPU Power State" && row >= 0 {
			cpuHost, cpu = host, row
			if object != PCPU {
				cpu = h.rows[object][row].Parent
			}
		}
	}
	for _, h := range c.hosts {
		h.finish(c)
	}
	slices.SortStableFunc(c.list, func(a, b csvColumn) int { return int(a.field - b.field) })
	return c
}

// elsewhere reports whether esxtop writes the same figure in another group as well: a path's in two, an adapter's queue
// depth with each of its paths, and how many worlds a group has.
func elsewhere(group string, m *Metric) bool {
	return group == "Physical Disk" || group == "Physical Disk Path" || m.ID == "cpu.members"
}

func (c *csvColumns) add(at csvColumn, host int32, o Object, row int, m *Metric) bool {
	h := c.hosts[host]
	told := h.rows[o][row].told
	if told[m.slot[o]-1] {
		return false
	}
	told[m.slot[o]-1] = true
	at.host, at.object, at.row, at.metric = host, o, int32(row), m
	c.list = append(c.list, at)
	return true
}

func newCSVHost(name string) *csvHost {
	return &csvHost{
		name: name, index: map[csvKey]int{}, device: -1, paths: map[int]int{},
		adapter: map[string]int{}, vmWait: map[int]bool{},
	}
}

// row finds a row, or begins it.
func (h *csvHost) row(o Object, parent int, id, name string) int {
	key := csvKey{o, parent, id}
	if i, ok := h.index[key]; ok {
		return i
	}
	h.index[key] = len(h.rows[o])
	r := NewRow(o, id, name)
	r.Parent = parent
	h.rows[o] = append(h.rows[o], csvRow{r, make([]bool, len(r.values))})
	return len(h.rows[o]) - 1
}

// place finds the row that an instance of a group is, and what the metric is called there. The row is -1 where the
// instance makes no sense.
func (h *csvHost) place(g *csvGroup, p columnPath, m *Metric, state string) (Object, int, *Metric) {
	none := func() (Object, int, *Metric) { return Host, -1, m }
	switch g.name {
	case "Memory", "Physical Cpu Load":
		return Host, h.row(Host, -1, h.name, h.name), m
	case "Physical Cpu":
		if p.instance == "_Total" {
			return Host, h.row(Host, -1, h.name, h.name), catalogue.byID[m.ID+"Avg"]
		}
		return PCPU, h.row(PCPU, -1, p.instance, p.instance), m
	case "Power":
		if m.ID != "power.pstateMHz" {
			return Host, h.row(Host, -1, h.name, h.name), m
		}
		if n, err := strconv.ParseUint(p.instance, 10, 16); err == nil {
			return PState, int(n), m
		}
		return none()
	case "VSAN":
		if m.slot[Dom] > 0 {
			return Dom, h.row(Dom, -1, p.instance, p.instance), m
		}
		return Host, h.row(Host, -1, h.name, h.name), m
	case "Group Cpu", "Group Memory":
		gid, name, ok := strings.Cut(p.instance, ":")
		if !ok {
			return none()
		}
		row := h.row(Group, -1, gid, name)
		if m.ID == "cpu.vmWait" {
			h.vmWait[row] = true
		}
		return Group, row, m
	case "Vcpu":
		return World, h.world(p.instance), m
	case "Physical Disk":
		adapter, path, ok := strings.Cut(p.instance, ":")
		row := h.row(Adapter, -1, adapter, adapter)
		switch {
		case m.slot[Adapter] > 0 && m.slot[Path] == 0 || !ok:
			return Adapter, row, m
		case len(path) > 1 && path[0] == 'C' && isNumber(path[1:2]):
			path = p.instance // as old releases have it
		}
		h.adapter[path] = row
		return Path, h.path(path), m
	case "Physical Disk Adapter":
		return Adapter, h.row(Adapter, -1, p.instance, p.instance), m
	case "Physical Disk Path":
		row := h.path(p.instance)
		if m.ID == "disk.commands" && h.device >= 0 {
			h.paths[h.device]++
		}
		return Path, row, m
	case "Physical Disk SCSI Device":
		h.device = h.row(Device, -1, p.instance, p.instance)
		return Device, h.device, m
	case "Physical Disk Per-Device-Per-World", "Physical Disk Partition":
		dash := strings.LastIndexByte(p.instance, '-')
		if dash < 0 {
			return none()
		}
		o, id := DeviceWorld, p.instance[dash+1:]
		if g.name == "Physical Disk Partition" {
			o = Partition
		}
		return o, h.row(o, h.row(Device, -1, p.instance[:dash], p.instance[:dash]), id, id), m
	case "Physical Disk NFS Volume":
		return NFS, h.row(NFS, -1, p.instance, p.instance), m
	case "Virtual Disk":
		o, row := h.virtualDisk(p.instance, m)
		return o, row, m
	case "Network Port":
		return Port, h.port(p.instance), m
	case "Interrupt Cookie":
		hex, cpu, of := strings.Cut(p.instance, ":CPU")
		row := h.row(Vector, -1, vectorID(hex), hex)
		if of {
			return VectorCPU, h.row(VectorCPU, row, cpu, "CPU"+cpu), m
		}
		return Vector, row, m
	case "PCPU Power State":
		n := strings.TrimPrefix(p.instance, "PCPU ")
		cpu := h.row(PCPU, -1, n, n)
		if m.slot[PCPU] > 0 {
			return PCPU, cpu, m
		}
		o := m.Objects[0]
		return o, h.row(o, cpu, state, strings.TrimPrefix(m.Column, "%")+state), m
	}
	return none()
}

// world splits GID:group:id:world. Either name may hold colons; the group's is known from elsewhere, or ends before
// the first number.
func (h *csvHost) world(instance string) int {
	gid, rest, ok := strings.Cut(instance, ":")
	if !ok {
		return -1
	}
	var group, id, name string
	if i, known := h.index[csvKey{Group, -1, gid}]; known && strings.HasPrefix(rest, h.rows[Group][i].Name+":") {
		group = h.rows[Group][i].Name
		id, name, _ = strings.Cut(rest[len(group)+1:], ":")
	} else if group, id, name, ok = cutNumber(rest); !ok {
		return -1
	}
	return h.row(World, h.row(Group, -1, gid, group), id, name)
}

// cutNumber cuts a text at its first part between colons that is a number.
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
			parent = h.row(Adapter, -1, adapter, adapter)
		}
		h.adapter[name] = parent
	}
	return h.row(Path, parent, name, name)
}

// virtualDisk finds the VM or the disk that an instance names: vm or vm:scsi0:0. Two VMs may have the same name: the second
// begins where a column is there again.
func (h *csvHost) virtualDisk(instance string, m *Metric) (Object, int) {
	if vm, disk, ok := cutDisk(instance); ok {
		_, known := h.index[csvKey{DiskVM, -1, vm}]
		switch strings.TrimRight(disk, "0123456789:") {
		case "scsi", "sata", "ide", "nvme":
			known = true // where files were cut down to a few columns, the VM's own may be gone
		}
		if known {
			return VDisk, h.row(VDisk, h.row(DiskVM, -1, vm, vm), disk, disk)
		}
	}
	row := h.row(DiskVM, -1, instance, instance)
	if h.rows[DiskVM][row].told[m.slot[DiskVM]-1] {
		delete(h.index, csvKey{DiskVM, -1, instance})
		row = h.row(DiskVM, -1, instance, instance)
		h.rows[DiskVM][row].ID += "#" + strconv.Itoa(row)
	}
	return DiskVM, row
}

// cutDisk cuts the name of a VM from that of a disk, which is a controller with its number and a unit.
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

// port reads portset:port:client, or portset:port:leader:vm.
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
	_, known := h.index[csvKey{Port, -1, id}]
	row := h.row(Port, -1, id, name)
	if known {
		return row
	}
	r := &h.rows[Port][row]
	if ok {
		r.VM, r.Leader = true, leader
	}
	r.SetText(catalogue.byID["net.portset"], portset)
	r.SetText(catalogue.byID["net.usedBy"], usedBy)
	return row
}

// vectorID is a vector's number as the Esxtop service tells it.
func vectorID(hex string) string {
	if n, err := strconv.ParseUint(strings.TrimPrefix(hex, "0x"), 16, 64); err == nil {
		return strconv.FormatInt(int64(n), 10)
	}
	return hex
}

// vcpuWorld is what the names of worlds that are vCPUs begin with.
const vcpuWorld = "vmx-vcpu-"

// finish adds what only all columns together tell.
func (h *csvHost) finish(c *csvColumns) {
	h.giveMHz(c)
	vms := map[string]int{} // groups by name; -1 where two have it
	for i := range h.rows[World] {
		w := &h.rows[World][i]
		g := &h.rows[Group][w.Parent]
		switch {
		case strings.HasPrefix(w.Name, vcpuWorld):
			g.VM = true
			g.VCPUs++
		case w.Name == "vmx":
			g.Leader = w.ID
		}
	}
	disks := map[string]bool{}
	for i := range h.rows[DiskVM] {
		disks[h.rows[DiskVM][i].Name] = true
	}
	for i := range h.rows[Group] {
		g := &h.rows[Group][i]
		g.VM = g.VM || h.vmWait[i] || disks[g.Name]
		if !g.VM {
			g.Leader = ""
			continue
		}
		if _, two := vms[g.Name]; two {
			vms[g.Name] = -1
			continue
		}
		vms[g.Name] = i
	}
	for i := range h.rows[DiskVM] {
		r := &h.rows[DiskVM][i]
		r.VM = true
		if g, ok := vms[r.Name]; ok && g >= 0 && r.ID == r.Name {
			r.ID = h.rows[Group][g].ID
		}
	}
	for i := range h.rows[VDisk] {
		h.rows[VDisk][i].VM = true
	}
	h.count()
}

// giveMHz gives the clock speeds of P-states, which a file has once, to those of every CPU.
func (h *csvHost) giveMHz(c *csvColumns) {
	m := catalogue.byID["power.pstateMHz"]
	rows := map[string][]int{}
	for i := range h.rows[PState] {
		rows[h.rows[PState][i].ID] = append(rows[h.rows[PState][i].ID], i)
	}
	for _, at := range h.mhz {
		state := strconv.Itoa(int(at.row))
		to := rows[state]
		if to == nil {
			to = []int{h.row(PState, -1, state, "P"+state)}
			rows[state] = to
		}
		for i, row := range to {
			if !c.add(at, at.host, PState, row, m) && i == 0 {
				c.twice++
			}
		}
	}
}

// count gives rows the figures that are numbers of other rows. They stay as they are: the columns of a file are fixed.
func (h *csvHost) count() {
	set := func(r *csvRow, id string, n int) {
		if n > 0 {
			r.Set(catalogue.byID[id], float64(n))
		}
	}
	of := func(o Object) map[int]int {
		n := map[int]int{}
		for i := range h.rows[o] {
			n[h.rows[o][i].Parent]++
		}
		return n
	}
	if len(h.rows[World]) > 0 {
		host := &h.rows[Host][h.row(Host, -1, h.name, h.name)]
		vms, vcpus := 0, 0
		for i := range h.rows[Group] {
			if h.rows[Group][i].VM {
				vms++
			}
			vcpus += h.rows[Group][i].VCPUs
		}
		host.Set(catalogue.byID["host.worlds"], float64(len(h.rows[World])))
		host.Set(catalogue.byID["host.vms"], float64(vms))
		host.Set(catalogue.byID["host.vcpus"], float64(vcpus))
	}
	paths, worlds, partitions, disks := of(Path), of(DeviceWorld), of(Partition), of(VDisk)
	for i := range h.rows[Adapter] {
		set(&h.rows[Adapter][i], "disk.paths", paths[i])
	}
	for i := range h.rows[Device] {
		set(&h.rows[Device][i], "disk.paths", h.paths[i])
		set(&h.rows[Device][i], "disk.worlds", worlds[i])
		set(&h.rows[Device][i], "disk.partitions", partitions[i])
	}
	for i := range h.rows[DiskVM] {
		set(&h.rows[DiskVM][i], "vdisk.disks", disks[i])
	}
}
