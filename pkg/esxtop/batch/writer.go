package batch

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Writer writes rounds like esxtop's batch mode, one row each. The first round fixes the columns.
type Writer struct {
	w       *bufio.Writer
	options Options
	rows    map[csvRowKey]int // of the first round; rows without columns are 0
	width   int               // number of rows with columns, plus one
	columns []csvOut
	later   map[csvRowKey]bool
	line    []byte
}

// csvRowKey identifies a row across rounds.
type csvRowKey struct {
	host, parent, id string
	object           esxtop.Object
}

// csvOut is a column: a metric of a row.
type csvOut struct {
	row    int
	metric *esxtop.Metric
	whole  bool
}

// NewWriter returns a Writer for a batch CSV. A first round without rates, as from a live source, has enough
// information for the columns.
func NewWriter(w io.Writer, o Options) *Writer {
	return &Writer{w: bufio.NewWriter(w), options: o, later: map[csvRowKey]bool{}}
}

// Write writes a round and flushes it. Objects that have disappeared since the first round have empty fields, new ones
// are skipped. Missing figures are empty fields too, unless the source is a capture that has 0 for them. A round
// without any host's answer is not written.
func (c *Writer) Write(r *esxtop.Round) error {
	if len(r.Frames) == 0 {
		return nil
	}
	if c.rows == nil {
		c.header(r)
	}
	rows, replay := c.find(r), r.Frames[0].Origin == esxtop.Capture
	c.line = append(c.line[:0], '"')
	c.line = r.Time.UTC().AppendFormat(c.line, "01/02/2006 15:04:05")
	c.line = append(c.line, '"')
	for _, at := range c.columns {
		c.line = append(c.line, ',', '"')
		if row := rows[at.row]; row != nil {
			v, ok := row.Value(at.metric)
			if ok || replay && row.WasZero(at.metric) {
				c.line = appendNumber(c.line, v, at.whole)
			}
		}
		c.line = append(c.line, '"')
	}
	c.endLine()
	if err := c.w.Flush(); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

// Report returns the parts that the file does not contain.
func (c *Writer) Report() []string {
	if len(c.later) == 0 {
		return nil
	}
	return []string{plural(len(c.later), "object") + " skipped that appeared after the first sample, which fixes the columns"}
}

// endLine ends a line like esxtop: with a comma in its default mode, and without one with -a. Its version 6.5 writes a
// column without quotes there, which fuses with the next one; vperf writes it with quotes and a name, like later
// builds.
func (c *Writer) endLine() {
	if !c.options.All {
		c.line = append(c.line, ',')
	}
	c.w.Write(append(c.line, '\n'))
}

func appendNumber(b []byte, v float64, whole bool) []byte {
	if math.IsInf(v, 0) {
		return b
	}
	decimals := 2
	if whole {
		decimals = 0
	}
	start := len(b)
	b = strconv.AppendFloat(b, v, 'f', decimals, 64)
	if b[start] == '-' && strings.Trim(string(b[start:]), "-0.") == "" {
		b = append(b[:start], b[start+1:]...) // no zero is below zero
	}
	return b
}

// keyOf returns the key of a row of a frame.
func keyOf(f *esxtop.Frame, r *esxtop.Row) csvRowKey {
	k := csvRowKey{host: f.Host, id: r.ID, object: r.Object}
	if p := f.Owner(r); p != nil {
		k.parent = p.ID
	}
	return k
}

// find returns the rows of a round by their positions, and counts the new ones.
func (c *Writer) find(r *esxtop.Round) []*esxtop.Row {
	rows := make([]*esxtop.Row, c.width)
	for _, f := range r.Frames {
		for o := range esxtop.NumObjects {
			for i := range f.Rows(o) {
				row := &f.Rows(o)[i]
				key := keyOf(f, row)
				at, known := c.rows[key]
				switch {
				case at > 0:
					rows[at] = row
				case !known && csvObjects.Has(o):
					c.later[key] = true
				}
			}
		}
	}
	return rows
}

// csvObjects are the objects that have columns.
var csvObjects = esxtop.AllObjects &^ esxtop.ObjectsOf(esxtop.Node, esxtop.GroupNode)

// header fixes the columns, and writes their names.
func (c *Writer) header(r *esxtop.Round) {
	c.rows, c.width = map[csvRowKey]int{}, 1
	c.line = append(c.line[:0], `"(PDH-CSV 4.0) (UTC)(0)"`...)
	for _, f := range r.Frames {
		for o := range esxtop.NumObjects {
			for i := range f.Rows(o) {
				c.rows[keyOf(f, &f.Rows(o)[i])] = 0
			}
		}
		h := csvHeading{writer: c, frame: f}
		h.host()
		h.groups()
		h.disks()
		h.virtualDisks()
		h.ports()
		h.vectors()
		h.powerStates()
	}
	c.endLine()
}

// csvHeading lists the columns of a host, in esxtop's order.
type csvHeading struct {
	writer *Writer
	frame  *esxtop.Frame
	known  [esxtop.NumObjects]map[*esxtop.Metric]bool // the results of tells
}

// column adds a metric of a row, if the source has it.
func (h *csvHeading) column(g string, instance *string, r *esxtop.Row, counter *csvCounter, metric *esxtop.Metric, text string) {
	if !counter.short && !h.writer.options.All || !h.has(r.Object, metric) {
		return
	}
	c := h.writer
	key := keyOf(h.frame, r)
	if c.rows[key] == 0 {
		c.rows[key] = c.width
		c.width++
	}
	c.columns = append(c.columns, csvOut{c.rows[key], metric, counter.whole})
	path := columnPath{host: h.frame.Host, group: g, counter: text}
	if instance != nil {
		path.instance, path.instanced = *instance, true
	}
	c.line = append(c.line, ',', '"')
	c.line = append(c.line, strings.ReplaceAll(path.String(), `"`, `""`)...)
	c.line = append(c.line, '"')
}

// row adds the columns of a group for a row.
func (h *csvHeading) row(group, instance string, r *esxtop.Row) {
	counters := csvGroupNames()[group].counters
	for i := range counters {
		if counter := counters[i]; counter.metric.Slot(r.Object) >= 0 {
			h.column(group, &instance, r, counter, counter.metric, counter.text)
		}
	}
}

// has reports whether the source has a metric at all. A missing value in the first round may only mean that the
// metric needs two samples, or that there was no activity.
func (h *csvHeading) has(o esxtop.Object, m *esxtop.Metric) bool {
	if h.frame.Figures != nil {
		return h.frame.Figures.Has(o, m)
	}
	if h.known[o] == nil {
		h.known[o] = map[*esxtop.Metric]bool{}
	}
	present, known := h.known[o][m]
	if !known {
		present = slices.ContainsFunc(h.frame.Rows(o), func(r esxtop.Row) bool { _, ok := r.Value(m); return ok }) ||
			(m.Kind == esxtop.Mean || h.frame.Interval == 0 && m.Kind != esxtop.Gauge && m.Kind != esxtop.Flag) && h.frame.Origin.Has(o, m)
		h.known[o][m] = present
	}
	return present
}

func (h *csvHeading) host() {
	hosts := h.frame.Rows(esxtop.Host)
	counters := func(group string, from, to int) {
		list := csvGroupNames()[group].counters
		for i := from; i < min(to, len(list)); i++ {
			if counter := list[i]; len(hosts) > 0 && counter.metric.Slot(esxtop.Host) >= 0 {
				h.column(group, nil, &hosts[0], counter, counter.metric, counter.text)
			}
		}
	}
	const overcommit, all = 3, 1 << 10 // the load and the CPUs stand between the averages and the rest of the memory
	counters("Memory", 0, overcommit)
	counters("Physical Cpu Load", 0, all)
	h.cpus()
	counters("Memory", overcommit, all)
	counters("Power", 0, all)
	h.clocks()
	counters("VSAN", 0, all)
	for i := range h.frame.Rows(esxtop.Dom) {
		h.row("VSAN", h.frame.Rows(esxtop.Dom)[i].ID, &h.frame.Rows(esxtop.Dom)[i])
	}
}

// cpus adds all CPUs, then the mean, of one metric after the other.
func (h *csvHeading) cpus() {
	const group = "Physical Cpu"
	counters := csvGroupNames()[group].counters
	for i := range counters {
		counter := counters[i]
		for j := range h.frame.Rows(esxtop.PCPU) {
			r := &h.frame.Rows(esxtop.PCPU)[j]
			h.column(group, &r.ID, r, counter, counter.metric, counter.text)
		}
		if hosts := h.frame.Rows(esxtop.Host); len(hosts) > 0 {
			total := "_Total"
			h.column(group, &total, &hosts[0], counter, esxtop.Lookup(counter.metric.ID+"Avg"), counter.text)
		}
	}
}

// clocks adds the clock speeds of P-states: one for all CPUs.
func (h *csvHeading) clocks() {
	seen := map[string]bool{}
	for i := range h.frame.Rows(esxtop.PState) {
		r := &h.frame.Rows(esxtop.PState)[i]
		if _, ok := r.Value(esxtop.Lookup("power.pstateMHz")); ok && !seen[r.ID] {
			seen[r.ID] = true
			c := csvGroupNames()["Power"].byText["P-State MHZ"]
			h.column("Power", &r.ID, r, c, c.metric, c.text)
		}
	}
}

// below groups the rows of an object by their owner; rows without an owner are at -1.
func (h *csvHeading) below(o esxtop.Object) map[int][]*esxtop.Row {
	rows := map[int][]*esxtop.Row{}
	for i := range h.frame.Rows(o) {
		r := &h.frame.Rows(o)[i]
		rows[r.Parent] = append(rows[r.Parent], r)
	}
	return rows
}

func (h *csvHeading) groups() {
	worlds := h.below(esxtop.World)
	groups := h.frame.Rows(esxtop.Group)
	for i := range groups {
		g := &groups[i]
		name := g.ID + ":" + g.Name
		h.groupCPU(name, g)
		for _, w := range worlds[i] {
			h.row("Vcpu", name+":"+w.ID+":"+w.Name, w)
		}
	}
	for i := range groups {
		if hasMemory(&groups[i]) {
			h.row("Group Memory", groups[i].ID+":"+groups[i].Name, &groups[i])
		}
	}
}

// groupCPU writes %VMWAIT only for VMs, like esxtop.
func (h *csvHeading) groupCPU(name string, g *esxtop.Row) {
	const group = "Group Cpu"
	counters := csvGroupNames()[group].counters
	for i := range counters {
		if c := counters[i]; c.metric.ID != "cpu.vmWait" || g.VM {
			h.column(group, &name, g, c, c.metric, c.text)
		}
	}
}

// hasMemory reports whether a group is on the memory screen.
func hasMemory(g *esxtop.Row) bool {
	return slices.ContainsFunc(csvGroupNames()["Group Memory"].counters, func(c *csvCounter) bool {
		_, ok := g.Value(c.metric)
		return ok && c.metric.ID != "cpu.members"
	})
}

func (h *csvHeading) disks() {
	paths, worlds, partitions := h.below(esxtop.Path), h.below(esxtop.DeviceWorld), h.below(esxtop.Partition)
	adapters := h.frame.Rows(esxtop.Adapter)
	depth := csvGroupNames()["Physical Disk"].byText["Adapter Q Depth"]
	for i := range adapters {
		a := &adapters[i]
		h.column("Physical Disk", &a.ID, a, depth, depth.metric, depth.text)
		h.row("Physical Disk Adapter", a.ID, a)
		for _, p := range paths[i] {
			instance := a.ID + ":" + p.ID
			h.column("Physical Disk", &instance, a, depth, depth.metric, depth.text)
			h.row("Physical Disk", instance, p)
		}
	}
	// Paths are written before the devices, not after each, because frames do not have the device of a path.
	for i := range h.frame.Rows(esxtop.Path) {
		h.row("Physical Disk Path", h.frame.Rows(esxtop.Path)[i].ID, &h.frame.Rows(esxtop.Path)[i])
	}
	devices := h.frame.Rows(esxtop.Device)
	for i := range devices {
		d := &devices[i]
		h.row("Physical Disk SCSI Device", d.ID, d)
		for _, w := range worlds[i] {
			h.row("Physical Disk Per-Device-Per-World", d.ID+"-"+w.ID, w)
		}
		for _, p := range partitions[i] {
			h.row("Physical Disk Partition", d.ID+"-"+p.ID, p)
		}
	}
	for i := range h.frame.Rows(esxtop.NFS) {
		h.row("Physical Disk NFS Volume", h.frame.Rows(esxtop.NFS)[i].Name, &h.frame.Rows(esxtop.NFS)[i])
	}
}

func (h *csvHeading) virtualDisks() {
	disks := h.below(esxtop.VDisk)
	vms := h.frame.Rows(esxtop.DiskVM)
	for i := range vms {
		h.row("Virtual Disk", vms[i].Name, &vms[i])
		for _, d := range disks[i] {
			h.row("Virtual Disk", vms[i].Name+":"+d.ID, d)
		}
	}
}

func (h *csvHeading) ports() {
	for i := range h.frame.Rows(esxtop.Port) {
		r := &h.frame.Rows(esxtop.Port)[i]
		portset, _ := r.Text(esxtop.Lookup("net.portset"))
		client, ok := r.Text(esxtop.Lookup("net.usedBy")) // it has a world that the leader's is next to
		if !ok && r.Leader != "" {
			client = r.Leader + ":" + r.Name
		} else if !ok {
			client = r.Name
		}
		h.row("Network Port", portset+":"+r.ID+":"+client, r)
	}
}

// vectors adds a vector, then its CPUs, of one metric after the other.
func (h *csvHeading) vectors() {
	const group = "Interrupt Cookie"
	cpus := h.below(esxtop.VectorCPU)
	vectors := h.frame.Rows(esxtop.Vector)
	for i := range vectors {
		name := vectors[i].ID
		h.row(group, name, &vectors[i])
		counters := csvGroupNames()[group].counters
		for j := range counters {
			for _, r := range cpus[i] {
				instance := name + ":CPU" + r.ID
				h.column(group, &instance, r, counters[j], counters[j].metric, counters[j].text)
			}
		}
	}
}

func (h *csvHeading) powerStates() {
	const group = "PCPU Power State"
	states := [...]map[int][]*esxtop.Row{h.below(esxtop.CState), h.below(esxtop.PState), h.below(esxtop.TState)}
	cpus := h.frame.Rows(esxtop.PCPU)
	counters := csvGroupNames()[group].counters
	for i := range cpus {
		name := "PCPU " + cpus[i].ID
		for j := range counters {
			c := counters[j]
			if !c.states {
				h.column(group, &name, &cpus[i], c, c.metric, c.text)
				continue
			}
			for _, r := range states[j][i] {
				h.column(group, &name, r, c, c.metric, c.text+r.ID)
			}
		}
	}
}
