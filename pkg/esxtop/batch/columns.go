package batch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// csvColumns maps the fields of a header to metrics of rows.
type csvColumns struct {
	fields int // that a row has, the empty last one not counted
	list   []csvColumn
	hosts  []*csvHost

	unknown  map[string]int // columns by group or by group and counter, where they are none of ours
	nameless int            // names that are no path
	twice    int
}

// csvColumn is a metric of a row. A P-state's clock speed is one field, but a column for each CPU.
type csvColumn struct {
	field  int32
	leak   bool // it is unquoted text before the field's own value
	host   int32
	row    int32
	metric *esxtop.Metric
	object esxtop.Object
}

// csvHost is the rows of a host, which are the same in every frame.
type csvHost struct {
	name  string
	rows  [esxtop.NumObjects][]csvRow
	index map[csvKey]int

	device  int            // the device whose paths come now; -1 before the first
	paths   map[int]int    // how many a device has
	adapter map[string]int // of paths whose names do not contain it
	mhz     []csvColumn    // of P-states, before they are given to CPUs; row is the state
	vmWait  map[int]bool   // groups that have %VMWAIT
}

type csvRow struct {
	esxtop.Row
	values []float64 // that the row keeps
	has    []bool    // by slot: there is a column for it
}

// emptyRow returns the values of a row without figures.
func emptyRow(o esxtop.Object) []float64 {
	values := make([]float64, o.Width())
	for i := range values {
		values[i] = math.NaN()
	}
	return values
}

type csvKey struct {
	object esxtop.Object
	parent int
	id     string
}

// headerField is a raw field of the header.
type headerField struct {
	text string
	leak bool // a column without a name is before it, or in its place
}

// ofWindows are objects of Windows' performance monitor, whose logs begin like esxtop's.
var ofWindows = []string{
	"Processor", "Processor Information", "System", "Process", "PhysicalDisk", "LogicalDisk", "Network Interface", "Paging File", "Cache",
	"VM Memory", "VM Processor",
}

// none returns an error that explains why no column is one of esxtop's.
func (c *csvColumns) none() error {
	for name := range c.unknown {
		group, _, _ := strings.Cut(name, `\`)
		group, _, _ = strings.Cut(group, "(")
		if slices.Contains(ofWindows, group) {
			return fmt.Errorf(`this is a log of Windows' performance monitor (\\…\%s), of a guest and not of its host: vperf reads the `+
				"output of "+howToRecord, group)
		}
	}
	return errors.New(`the header names no counter of esxtop, such as \\host\Memory\Free MBytes: vperf reads the output of ` + howToRecord)
}

func (c *csvColumns) add(at csvColumn, host int32, o esxtop.Object, row int, m *esxtop.Metric) bool {
	h := c.hosts[host]
	present := h.rows[o][row].has
	if present[m.Slot(o)] {
		return false
	}
	present[m.Slot(o)] = true
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

// row finds a row, or adds it.
func (h *csvHost) row(o esxtop.Object, parent int, id, name string) int {
	key := csvKey{o, parent, id}
	if i, ok := h.index[key]; ok {
		return i
	}
	h.index[key] = len(h.rows[o])
	r := csvRow{Row: esxtop.Row{Object: o, ID: id, Name: name, Parent: parent}, values: emptyRow(o), has: make([]bool, o.Width())}
	r.Keep(r.values)
	h.rows[o] = append(h.rows[o], r)
	return len(h.rows[o]) - 1
}

// finish adds data that only all columns together provide.
func (h *csvHost) finish(c *csvColumns) {
	h.giveMHz(c)
	h.findVCPUs()
	h.findVMs()
	h.ownDisks()
	h.leadPorts()
	h.count()
}

// findVCPUs derives from a group's worlds how many vCPUs it has, and its leader.
func (h *csvHost) findVCPUs() {
	for i := range h.rows[esxtop.World] {
		w := &h.rows[esxtop.World][i]
		g := &h.rows[esxtop.Group][w.Parent]
		switch {
		case strings.HasPrefix(w.Name, esxtop.VCPUWorld):
			g.VM = true
			g.VCPUs++
		case w.Name == "vmx", strings.HasSuffix(g.Name, "."+w.ID):
			g.Leader = w.ID
		}
	}
}

// findVMs finds the groups that are VMs if the file has no worlds: they have %VMWAIT, or virtual disks.
func (h *csvHost) findVMs() {
	disks := map[string]bool{}
	for i := range h.rows[esxtop.DiskVM] {
		disks[h.rows[esxtop.DiskVM][i].Name] = true
	}
	for i := range h.rows[esxtop.Group] {
		g := &h.rows[esxtop.Group][i]
		g.VM = g.VM || h.vmWait[i] || disks[g.Name]
	}
}

// ownDisks gives the disks of a VM the id of its group, unless two VMs have the same name.
func (h *csvHost) ownDisks() {
	vms := map[string][]string{} // ids by name
	for i := range h.rows[esxtop.Group] {
		if g := &h.rows[esxtop.Group][i]; g.VM {
			vms[g.Name] = append(vms[g.Name], g.ID)
		}
	}
	for i := range h.rows[esxtop.DiskVM] {
		r := &h.rows[esxtop.DiskVM][i]
		r.VM = true
		if ids := vms[r.Name]; len(ids) == 1 && r.ID == r.Name {
			r.ID = ids[0]
		}
	}
	for i := range h.rows[esxtop.VDisk] {
		h.rows[esxtop.VDisk][i].VM = true
	}
}

// leadPorts replaces the world in the name of a VM's port, which is next to the leader's, by the leader.
func (h *csvHost) leadPorts() {
	next := map[string]string{}
	for i := range h.rows[esxtop.Group] {
		g := &h.rows[esxtop.Group][i]
		if id, err := strconv.ParseUint(g.Leader, 10, 32); err == nil && g.VM {
			next[strconv.FormatUint(id+1, 10)] = g.Leader
		}
	}
	for i := range h.rows[esxtop.Port] {
		if leader, ok := next[h.rows[esxtop.Port][i].Leader]; ok {
			h.rows[esxtop.Port][i].Leader = leader
		}
	}
}

// giveMHz copies the clock speeds of P-states, which a file has only once, to every CPU.
func (h *csvHost) giveMHz(c *csvColumns) {
	m := esxtop.Lookup("power.pstateMHz")
	rows := map[string][]int{}
	for i := range h.rows[esxtop.PState] {
		rows[h.rows[esxtop.PState][i].ID] = append(rows[h.rows[esxtop.PState][i].ID], i)
	}
	for _, at := range h.mhz {
		state := strconv.Itoa(int(at.row))
		to := rows[state]
		if to == nil {
			to = []int{h.row(esxtop.PState, -1, state, "P"+state)}
			rows[state] = to
		}
		for i, row := range to {
			if !c.add(at, at.host, esxtop.PState, row, m) && i == 0 {
				c.twice++
			}
		}
	}
}

// count sets figures that are numbers of other rows. They do not change: the columns of a file are fixed.
func (h *csvHost) count() {
	set := func(r *csvRow, id string, n int) {
		if n > 0 {
			r.Set(esxtop.Lookup(id), float64(n))
		}
	}
	of := func(o esxtop.Object) map[int]int {
		n := map[int]int{}
		for i := range h.rows[o] {
			n[h.rows[o][i].Parent]++
		}
		return n
	}
	h.countVMs()
	paths, worlds, partitions, disks := of(esxtop.Path), of(esxtop.DeviceWorld), of(esxtop.Partition), of(esxtop.VDisk)
	for i := range h.rows[esxtop.Adapter] {
		set(&h.rows[esxtop.Adapter][i], "disk.paths", paths[i])
	}
	for i := range h.rows[esxtop.Device] {
		set(&h.rows[esxtop.Device][i], "disk.paths", h.paths[i])
		set(&h.rows[esxtop.Device][i], "disk.worlds", worlds[i])
		set(&h.rows[esxtop.Device][i], "disk.partitions", partitions[i])
	}
	for i := range h.rows[esxtop.DiskVM] {
		set(&h.rows[esxtop.DiskVM][i], "vdisk.disks", disks[i])
	}
}

// countVMs sets the host's numbers of VMs, vCPUs and worlds, if the file has worlds.
func (h *csvHost) countVMs() {
	if len(h.rows[esxtop.World]) == 0 {
		return
	}
	host := &h.rows[esxtop.Host][h.row(esxtop.Host, -1, h.name, h.name)]
	vms, vcpus := 0, 0
	for i := range h.rows[esxtop.Group] {
		if h.rows[esxtop.Group][i].VM {
			vms++
		}
		vcpus += h.rows[esxtop.Group][i].VCPUs
	}
	host.Set(esxtop.Lookup("host.worlds"), float64(len(h.rows[esxtop.World])))
	host.Set(esxtop.Lookup("host.vms"), float64(vms))
	host.Set(esxtop.Lookup("host.vcpus"), float64(vcpus))
}
