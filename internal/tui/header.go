package tui

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// hostLines are esxtop's lines above the table of one host. Width 0 is no limit. At most rows lines show the CPUs; if these need more,
// each CPU line becomes a summary: a host of 128 threads would leave no room for anything else.
func hostLines(f *esxtop.Frame, p *esxtop.Panel, width, rows int) []string {
	lines := broken(titleLine(f, p), width)
	switch p.Key {
	case 'c':
		lines = append(lines, cpuLines(f, width, rows)...)
	case 'm':
		lines = append(lines, memoryLines(f)...)
	case 'p':
		lines = append(lines, powerLines(f, width)...)
	}
	return lines
}

func of(f *esxtop.Frame, id string) (float64, bool) { return f.Of(esxtop.Lookup(id)) }

// titleLine is the first line of every screen. ESXi's clock is UTC.
func titleLine(f *esxtop.Frame, p *esxtop.Panel) string {
	up := absent
	if seconds, ok := of(f, "host.uptime"); ok {
		up = uptime(time.Duration(seconds) * time.Second)
	}
	title, first := "CPU load average", "host.load"
	if p.Key == 'm' {
		title, first = "MEM overcommit avg", "mem.overcommit"
	}
	averages := make([]string, 3)
	for i, minutes := range []string{"1", "5", "15"} {
		averages[i] = decimal(of(f, first+minutes))
	}
	return fmt.Sprintf("%s up %s, %s worlds, %s VMs, %s vCPUs; %s: %s", f.Time.UTC().Format("3:04:05pm"), up,
		megabytes(of(f, "host.worlds")), megabytes(of(f, "host.vms")), megabytes(of(f, "host.vcpus")), title, strings.Join(averages, ", "))
}

// broken moves the averages to a line of their own where they would be cut off.
func broken(title string, width int) []string {
	if i := strings.Index(title, "; "); width > 0 && len(title) > width && i >= 0 {
		return []string{title[:i+1], title[i+2:]}
	}
	return []string{title}
}

// uptime formats a duration as esxtop does: 13 min, 2 days 53 min, 68 days 20:13.
func uptime(d time.Duration) string {
	days, hours, minutes := int(d/(24*time.Hour)), int(d/time.Hour)%24, int(d/time.Minute)%60
	text := ""
	switch {
	case days == 1:
		text = "1 day "
	case days > 1:
		text = strconv.Itoa(days) + " days "
	}
	if hours == 0 {
		return text + strconv.Itoa(minutes) + " min"
	}
	return text + fmt.Sprintf("%d:%02d", hours, minutes)
}

// cpuLine is the content of one of esxtop's three CPU lines.
type cpuLine struct {
	title   string
	figures []string
	gap     string // behind every figure: a core takes the room of its two threads
	average string
	highest string // and its owner
}

func cpuLines(f *esxtop.Frame, width, rows int) []string {
	all := f.Rows(esxtop.PCPU)
	threads := make([]int, len(all))
	for i := range threads {
		threads[i] = i
	}
	read := func(title, id, average string, which []int) cpuLine {
		l := cpuLine{title: title, average: pcpu(of(f, average)), highest: absent}
		m, most := esxtop.Lookup(id), -1.0
		for _, i := range which {
			v, ok := all[i].Value(m)
			l.figures = append(l.figures, pcpu(v, ok))
			if ok && v > most {
				most, l.highest = v, fmt.Sprintf("%s on %s", pcpu(v, true), all[i].ID)
			}
		}
		return l
	}
	list := []cpuLine{
		read("PCPU USED(%):", "pcpu.used", "pcpu.usedAvg", threads),
		read("PCPU UTIL(%):", "pcpu.util", "pcpu.utilAvg", threads),
	}
	if cores := f.Cores(); len(cores) > 0 {
		l := read("CORE UTIL(%):", "pcpu.coreUtil", "pcpu.coreUtilAvg", cores)
		l.gap = "    "
		list = append(list, l)
	}
	var lines []string
	for _, l := range list {
		lines = append(lines, l.wrapped(width)...)
	}
	if rows == 0 || len(lines) <= rows {
		return lines
	}
	lines = lines[:0]
	for _, l := range list {
		lines = append(lines, fmt.Sprintf("%s %d of them, highest %s, AVG: %3s", l.title, len(l.figures), l.highest, l.average))
	}
	return lines
}

// wrapped breaks the line between figures; the next one begins below the first figure.
func (l cpuLine) wrapped(width int) []string {
	lines := []string{l.title}
	add := func(s string) {
		last := &lines[len(lines)-1]
		if width > 0 && len(*last)+len(strings.TrimRight(s, " ")) > width {
			lines = append(lines, strings.Repeat(" ", len(l.title)))
			last = &lines[len(lines)-1]
		}
		*last += s
	}
	for _, figure := range l.figures {
		add(fmt.Sprintf(" %3s%s", figure, l.gap))
	}
	add(fmt.Sprintf(" AVG: %3s", l.average))
	return lines
}

func memoryLines(f *esxtop.Frame) []string {
	mb := func(id string) string { return megabytes(of(f, id)) }
	word, _, ok := f.MemoryState()
	if !ok {
		word = absent
	}
	lines := []string{
		fmt.Sprintf("PMEM  /MB: %5s   total: %-5s    vmk,%5s other,%5s free", mb("mem.physical"), mb("mem.kernel"), mb("mem.nonKernel"), mb("mem.free")),
		fmt.Sprintf("VMKMEM/MB: %5s managed: %5s minfree, %5s rsvd, %6s ursvd, %5s state", mb("mem.managed"), mb("mem.minFree"), mb("mem.reserved"), mb("mem.unreserved"), word),
	}
	if nodes := f.Rows(esxtop.Node); len(nodes) > 1 {
		list := make([]string, len(nodes))
		for i := range nodes {
			list[i] = fmt.Sprintf("%5s (%6s)", megabytes(nodes[i].Value(esxtop.Lookup("numa.total"))), megabytes(nodes[i].Value(esxtop.Lookup("numa.free"))))
		}
		lines = append(lines, "NUMA  /MB: "+strings.Join(list, ", "))
	}
	return append(lines,
		fmt.Sprintf("PSHARE/MB: %7s  shared, %7s  common: %7s saving", mb("mem.pshareShared"), mb("mem.pshareCommon"), mb("mem.pshareSaving")),
		fmt.Sprintf("SWAP  /MB: %7s    curr, %7s rclmtgt: %20s r/s, %6s w/s", mb("mem.hostSwapUsed"), mb("mem.hostSwapTarget"),
			decimal(of(f, "mem.hostSwapRead")), decimal(of(f, "mem.hostSwapWrite"))),
		fmt.Sprintf("ZIP   /MB: %7s  zipped, %7s   saved", mb("mem.hostZipped"), mb("mem.hostZipSaved")),
		fmt.Sprintf("MEMCTL/MB: %7s    curr, %7s  target, %7s max", mb("mem.hostBalloon"), mb("mem.hostBalloonTarget"), mb("mem.hostBalloonMax")))
}

func powerLines(f *esxtop.Frame, width int) []string {
	watts := func(id string) string {
		v, ok := of(f, id)
		if !ok {
			return "N/A"
		}
		return megabytes(v, ok) + "W"
	}
	lines := []string{fmt.Sprintf("Power Usage: %5s, Power Cap: %4s", watts("power.usage"), watts("power.cap"))}
	l, mhz := "PSTATE MHZ:", esxtop.Lookup("power.pstateMHz")
	known := false
	for _, state := range f.Rows(esxtop.PState) {
		if v, ok := state.Value(mhz); ok && state.Parent <= 0 { // all CPUs have the same states
			known = true
			if more := " " + megabytes(v, ok); width == 0 || len(l)+len(more) <= width {
				l += more
			}
		}
	}
	if known {
		lines = append(lines, l)
	}
	return lines
}

// clusterLines replace the lines of a host if there are several hosts. Where a line with full names of hosts is wider than width,
// it has short ones; width 0 is no limit.
func clusterLines(fl *fleet, now time.Time, width int) []string {
	c := esxtop.NewCluster(fl.answering())
	vms := absent
	if c.VMsKnown {
		vms = strconv.Itoa(c.VMs)
	}
	hosts := strconv.Itoa(len(fl.hosts)) + " hosts"
	if c.Hosts < len(fl.hosts) {
		hosts += fmt.Sprintf(" (%d answer)", c.Hosts)
	}
	title := func(load string) string {
		return fmt.Sprintf("%s %s, %s VMs, %d vCPUs; %s: %s", fl.time.UTC().Format("3:04:05pm"), hosts, vms, c.VCPUs, load, decimal(c.Load, c.HasLoad))
	}
	first := title("CPU load average")
	if width > 0 && cells(first) > width {
		first = title("load")
	}
	return append([]string{
		first,
		hostNamed(fl, width, func(of func(string) string) string {
			return fmt.Sprintf("PCPU UTIL(%%): mean %s, worst %s", pcpu(c.Util, c.HasUtil), extreme(c.WorstUtil, "PCPU ", of))
		}),
		hostNamed(fl, width, func(of func(string) string) string { return "RDY/vCPU (%): worst " + extreme(c.WorstReady, "", of) }),
		hostNamed(fl, width, func(of func(string) string) string { return "MEM state   : worst " + memoryExtreme(c.WorstMemory, of) }),
	}, lateLines(fl, now, width)...)
}

// hostNamed returns a line with the full names of hosts, or with short ones if it is wider than width.
func hostNamed(fl *fleet, width int, line func(name func(string) string) string) string {
	full := line(clean)
	short := shortHosts(fl.hosts)
	if width == 0 || cells(full) <= width || short == nil {
		return full
	}
	return line(func(host string) string { return clean(cmp.Or(short[host], host)) })
}

func extreme(e esxtop.Extreme, before string, host func(string) string) string {
	if !e.Known {
		return absent
	}
	return fmt.Sprintf("%s, %s%s on %s", number(e.Value, 2, 8), before, clean(e.Name), host(e.Host))
}

func memoryExtreme(e esxtop.Extreme, host func(string) string) string {
	if !e.Known {
		return absent
	}
	return fmt.Sprintf("%s on %s", clean(e.Name), host(e.Host))
}

// lateLines names the hosts that are missing from the last round. Where the line is wider than width, it combines hosts with the
// same reason and shortens names and reasons; width 0 is no limit.
func lateLines(fl *fleet, now time.Time, width int) []string {
	if len(fl.late) == 0 {
		return nil
	}
	list := lateHosts(fl, now)
	var parts []string
	for _, l := range list {
		parts = append(parts, l.text(l.host, l.reason))
	}
	line := lateTitle + strings.Join(parts, "; ")
	if len(parts) > 1 {
		line = lateTitle + strconv.Itoa(len(parts)) + " hosts: " + strings.Join(parts, "; ")
	}
	if width > 0 && cells(line) > width {
		line = lateTitle + strings.Join(lateGroups(list, shortHosts(fl.hosts)), "; ")
	}
	return []string{line}
}

const lateTitle = "LATE        : "

// lateHost is a host that is missing from the last round.
type lateHost struct{ host, state, reason string }

func lateHosts(fl *fleet, now time.Time) (list []lateHost) {
	for _, name := range fl.hosts {
		t, late := fl.late[name]
		if !late {
			continue
		}
		l := lateHost{host: name, state: "no answer yet"}
		if !t.Since.IsZero() {
			l.state = "silent for " + age(now.Sub(t.Since))
		}
		if t.Err != nil {
			l.reason = strings.TrimPrefix(t.Err.Error(), "reading counters of "+t.Host+": ")
		}
		list = append(list, l)
	}
	return list
}

func (l lateHost) text(who, reason string) string {
	s := clean(who) + " " + l.state
	if reason != "" {
		s += " (" + clean(reason) + ")"
	}
	return s
}

// lateGroups returns a text per state and reason. A group of several hosts has their names at its end, because the names of many
// hosts do not fit.
func lateGroups(list []lateHost, short map[string]string) (texts []string) {
	names := map[lateHost][]string{}
	var groups []lateHost
	for _, l := range list {
		g := lateHost{state: l.state, reason: briefReason(l.reason)}
		if names[g] == nil {
			groups = append(groups, g)
		}
		names[g] = append(names[g], clean(cmp.Or(short[l.host], l.host)))
	}
	for _, g := range groups {
		if of := names[g]; len(of) > 1 {
			texts = append(texts, g.text(strconv.Itoa(len(of))+" hosts", g.reason)+": "+strings.Join(of, ", "))
		} else {
			texts = append(texts, g.text(of[0], g.reason))
		}
	}
	return texts
}

// briefReason returns the cause at the end of an error, without the operations before it and the advice after it. Help shows all.
func briefReason(reason string) string {
	reason, _, _ = strings.Cut(reason, "; ")
	if i := strings.LastIndex(reason, ": "); i >= 0 {
		reason = reason[i+2:]
	}
	return reason
}

// age is a duration in its largest unit and the next one.
func age(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d/time.Second%60)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d/time.Minute%60)
}
