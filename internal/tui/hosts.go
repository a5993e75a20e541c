package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/vperf/vperf/pkg/esxtop"
)

// hostPage lists the hosts, the busiest first. It is where drilling down begins: from a host to its VMs to their vCPUs.
type hostPage struct {
	at   int
	host string // under the cursor
}

// hosts opens the list with the cursor on the current host.
func (m *model) hosts() page {
	l, _, ok := m.under()
	p := hostPage{host: m.only}
	if ok && p.host == "" {
		p.host = l.frame.Host
	}
	return p
}

// hostLine is a host in the list.
type hostLine struct {
	name    string
	util    float64
	hasUtil bool
	cells   []string
	level   esxtop.Level
	worst   string
	late    bool // its values are older
}

const barWidth = 10

const hostForm = " %6s %6s %6s %-5s %5s %7s"

var hostHead = fmt.Sprintf(hostForm, "UTIL%", "LOAD1", "MEM%", "STATE", "VMS", "RDY%/V")

// gaugeFrom is the width of a screen from which on the list has room for gauges.
const gaugeFrom = 100

// list returns the hosts from their last frames, busiest first; hosts that never answered are last.
func (p hostPage) list(m *model) []hostLine {
	fl := m.shown()
	worst := map[string]alarm{}
	for _, a := range collect(fl, m.set).arranged(m.set, "", nil).alarms {
		if _, known := worst[a.line.frame.Host]; !known {
			worst[a.line.frame.Host] = a
		}
	}
	var list []hostLine
	for _, name := range fl.hosts {
		h := hostLine{name: name, worst: "no answer yet"}
		if f := fl.frames[name]; f != nil {
			h = readHost(f)
		}
		if a, known := worst[name]; known {
			h.level, h.worst = a.level, marks[a.level]+" "+a.told(false)
		}
		if t, late := fl.late[name]; late && !t.Since.IsZero() {
			h.late, h.worst = true, "no answer for "+age(m.opts.Now().Sub(t.Since))
		}
		list = append(list, h)
	}
	slices.SortStableFunc(list, func(a, b hostLine) int {
		if a.hasUtil != b.hasUtil {
			return cmp.Compare(len(b.cells), len(a.cells))
		}
		return cmp.Compare(b.util, a.util)
	})
	return list
}

// readHost returns the line of a host from its frame.
func readHost(f *esxtop.Frame) hostLine {
	h := hostLine{name: f.Host}
	h.util, h.hasUtil = of(f, "pcpu.utilAvg")
	load, hasLoad := of(f, "host.load1")
	memory, hasMemory := memoryUsed(f)
	state, _, ok := f.MemoryState()
	if !ok {
		state = absent
	}
	ready := esxtop.NewCluster([]*esxtop.Frame{f}).WorstReady
	vms, hasVMs := of(f, "host.vms")
	h.cells = []string{
		pcpu(h.util, h.hasUtil), decimal(load, hasLoad), pcpu(memory, hasMemory), clean(state),
		megabytes(vms, hasVMs), decimal(ready.Value, ready.Known),
	}
	return h
}

// memoryUsed returns the memory usage of a host, in percent.
func memoryUsed(f *esxtop.Frame) (float64, bool) {
	total, ok := of(f, "mem.physical")
	free, known := of(f, "mem.free")
	if !ok || !known || total <= 0 {
		return 0, false
	}
	return 100 * (total - free) / total, true
}

// gauge returns a bar for a percentage.
func gauge(percent float64, ok bool) string {
	if !ok {
		return "[" + strings.Repeat(" ", barWidth) + "]"
	}
	full := min(max(int(percent/100*barWidth+0.5), 0), barWidth)
	return "[" + strings.Repeat("|", full) + strings.Repeat(" ", barWidth-full) + "]"
}

// place is the line of the host under the cursor.
func (p hostPage) place(list []hostLine) int {
	if i := slices.IndexFunc(list, func(h hostLine) bool { return h.name == p.host }); i >= 0 {
		return i
	}
	return min(max(p.at, 0), max(len(list)-1, 0))
}

const hostsAround = 3 // lines beside the hosts: the bar, the names of columns, the keys

func (p hostPage) lines(m *model) []string {
	st := style{m.opts.Color}
	list := p.list(m)
	at, room := p.place(list), max(m.height-hostsAround, 1)
	first := p.scroll(at, room)
	form := hostLook{names: shortHosts(m.shown().hosts), gauge: m.width >= gaugeFrom, style: st}
	for _, h := range list {
		form.name = min(max(form.name, len("HOST"), cells(form.called(h))+1), 30, max(m.width/3, 8))
	}
	lines := []string{
		st.reverse(pad(" Hosts by CPU ▼ | "+plural(len(list), "host")+" | "+m.sourceText(), m.width, true)),
		st.bold(" " + pad("HOST", form.name, true) + form.gaugeHead() + hostHead + "  WORST"),
	}
	for i := range room {
		if i+first >= len(list) {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, form.line(list[i+first], i+first == at))
	}
	return append(lines, keyLine([]hint{{"e", "VMs of the host"}, {"a", "VMs of all hosts"}, {"esc", "back"}, {"arrows", "move"}}, m.width, st))
}

// scroll returns the first visible line.
func (p hostPage) scroll(at, room int) int { return max(at-room+1, 0) }

// hostLook is how the list is drawn.
type hostLook struct {
	names map[string]string // short ones; nil: full names are shown
	name  int               // width of names
	gauge bool
	style style
}

func (f hostLook) called(h hostLine) string { return clean(cmp.Or(f.names[h.name], h.name)) }

func (f hostLook) gaugeHead() string {
	if !f.gauge {
		return ""
	}
	return " " + pad("CPU", barWidth+2, true)
}

func (f hostLook) line(h hostLine, here bool) string {
	mark := " "
	if here {
		mark = ">"
	}
	name := elide(f.called(h), f.name)
	if h.late {
		name = cut(name, f.name-1) + "?"
	}
	line := mark + pad(name, f.name, true)
	if c := h.cells; c != nil {
		if f.gauge {
			line += " " + gauge(h.util, h.hasUtil)
		}
		line += fmt.Sprintf(hostForm, c[0], c[1], c[2], c[3], c[4], c[5])
	} else {
		line += strings.Repeat(" ", cells(f.gaugeHead()+hostHead))
	}
	switch {
	case here:
		line = f.style.bold(line)
	case h.late:
		line = f.style.dim(line)
	}
	return line + "  " + f.style.level(h.worst, h.level)
}

func (p hostPage) press(m *model, key string) (page, tea.Cmd) {
	list := p.list(m)
	at, move := p.place(list), max(m.height-hostsAround-1, 1)
	switch key {
	case "up", "8":
		at--
	case "down", "2":
		at++
	case "pgup":
		at -= move
	case "pgdown":
		at += move
	case "home":
		at = 0
	case "end":
		at = len(list)
	case "e", "6", "enter", "right":
		return p.open(m, list)
	case "a":
		return nil, m.enter("")
	case "h", "?":
		return m.help(), nil
	case "q":
		return nil, tea.Quit
	default:
		return nil, nil
	}
	p.at = min(max(at, 0), max(len(list)-1, 0))
	if len(list) > 0 {
		p.host = list[p.at].name
	}
	return p, nil
}

// open shows the VMs of the host under the cursor.
func (p hostPage) open(m *model, list []hostLine) (page, tea.Cmd) {
	if len(list) == 0 {
		return nil, nil
	}
	return nil, m.enter(list[p.place(list)].name)
}

// click moves the cursor, and opens the host that already has it.
func (p hostPage) click(m *model, line int) (page, tea.Cmd) {
	list := p.list(m)
	at := p.place(list)
	clicked := line - 2 + p.scroll(at, max(m.height-hostsAround, 1))
	switch {
	case line < 2 || line >= m.height-1 || clicked >= len(list):
		return p, nil
	case clicked == at:
		return p.open(m, list)
	}
	p.at, p.host = clicked, list[clicked].name
	return p, nil
}

// enter shows the rows of one host, or of all.
func (m *model) enter(host string) tea.Cmd {
	if host != "" && len(m.shown().hosts) < 2 {
		host = ""
	}
	m.only, m.at, m.topRow, m.moved, m.filter = host, 0, 0, false, ""
	var cmd tea.Cmd
	if m.set.Panel != 'c' {
		cmd = m.visit('c')
	}
	m.rebuild()
	if host != "" {
		m.message = "VMs of " + clean(host) + "; e shows the vCPUs of a VM, esc goes back to the hosts"
	}
	return cmd
}
