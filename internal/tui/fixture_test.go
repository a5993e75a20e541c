package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestMain removes the catalogue's texts and thresholds: tests of screens use their own.
func TestMain(m *testing.M) {
	for _, metric := range esxtop.Catalogue() {
		metric.Threshold, metric.About = nil, ""
	}
	os.Exit(m.Run())
}

var start = time.Date(2026, 3, 1, 22, 49, 17, 0, time.UTC)

// source is a capture in memory.
type source struct {
	about  esxtop.About
	rounds []*esxtop.Round
	next   int
	asked  []esxtop.Request
	err    error // instead of the end
	live   bool  // after the last round it waits, as far as a program knows
}

func (s *source) Next(context.Context) (*esxtop.Round, error) {
	if s.next < len(s.rounds) {
		s.next++
		return s.rounds[s.next-1], nil
	}
	if s.live {
		return nil, errWaiting
	}
	if s.err != nil {
		return nil, s.err
	}
	return nil, io.EOF
}
func (s *source) Configure(r esxtop.Request)  { s.asked = append(s.asked, r) }
func (s *source) About() esxtop.About         { return s.about }
func (s *source) Close(context.Context) error { return nil }

// seekable is one that can go back.
type seekable struct{ *source }

func (s seekable) Seek(n int) error     { s.next = min(n, len(s.rounds)-1); return nil }
func (s seekable) Position() (int, int) { return s.next, len(s.rounds) }

func set(r *esxtop.Row, figures map[string]float64) {
	for id, v := range figures {
		m := esxtop.Lookup(id)
		if m == nil {
			panic("no metric " + id)
		}
		r.Set(m, v)
	}
}

func text(r *esxtop.Row, id, s string) { r.SetText(esxtop.Lookup(id), s) }

// fill gives a row a figure for every metric it may have: its place in the catalogue, varied by seed.
func fill(r *esxtop.Row, seed float64) {
	for i, m := range esxtop.MetricsOf(r.Object) {
		switch m.Kind {
		case esxtop.Text:
			r.SetText(m, "word")
		case esxtop.Flag:
			r.Set(m, float64(i%2))
		default:
			r.Set(m, float64(i)*1.25+seed)
		}
	}
}

// host is a frame with all objects, of a host with cpus threads and vms VMs. Figures grow with tick.
func host(name string, cpus, vms, tick int) *esxtop.Frame {
	f := &esxtop.Frame{Host: name, Time: start.Add(time.Duration(tick) * 5 * time.Second), Interval: 5 * time.Second}
	h := esxtop.NewRow(esxtop.Host, "0", name)
	set(&h, map[string]float64{
		"host.uptime": 2*86400 + 53*60, "host.worlds": 560, "host.vms": float64(vms), "host.vcpus": float64(2 * vms),
		"host.load1": .08, "host.load5": .09, "host.load15": .1, "mem.overcommit1": .78, "mem.overcommit5": .77, "mem.overcommit15": .5,
		"mem.physical": 65500, "mem.kernel": 2100, "mem.nonKernel": 61000, "mem.free": 2400,
		"mem.managed": 65100, "mem.minFree": 1300, "mem.reserved": 7600, "mem.unreserved": 57500, "mem.state": 0,
		"mem.pshareShared": 1500, "mem.pshareCommon": 200, "mem.pshareSaving": 1300, "mem.hostSwapUsed": 0, "mem.hostSwapTarget": 0,
		"mem.hostSwapRead": 0, "mem.hostSwapWrite": 0, "mem.hostZipped": 0, "mem.hostZipSaved": 0,
		"mem.hostBalloon": 0, "mem.hostBalloonTarget": 0, "mem.hostBalloonMax": 42410,
		"pcpu.usedAvg": 18, "pcpu.utilAvg": 17, "pcpu.coreUtilAvg": 33, "power.usage": 147,
	})
	f.Put(esxtop.Host, []esxtop.Row{h})

	var threads, cstates, pstates, tstates []esxtop.Row
	used := []float64{8, 55, 95, .3, 2, .1, 3.5, .4, 40, .1, 17, .1}
	util := []float64{10, 50, 88, .5, 2.4, .2, 4, .6, 35, .1, 15, .1}
	core := []float64{55, 55, 88, 88, 2.5, 2.5, 4.5, 4.5, 35, 35, 15, 15}
	for i := range cpus {
		r := esxtop.NewRow(esxtop.PCPU, strconv.Itoa(i), strconv.Itoa(i))
		set(&r, map[string]float64{"pcpu.used": used[i%12], "pcpu.util": util[i%12], "pcpu.coreUtil": core[i%12], "pcpu.aperfMperf": 73.1})
		threads = append(threads, r)
		for s := range 2 {
			c := esxtop.NewRow(esxtop.CState, strconv.Itoa(s), strconv.Itoa(s))
			c.Parent = i
			set(&c, map[string]float64{"power.cstate": float64(20 + 60*s)})
			cstates = append(cstates, c)
		}
		for s := range 3 {
			p := esxtop.NewRow(esxtop.PState, strconv.Itoa(s), strconv.Itoa(s))
			p.Parent = i
			set(&p, map[string]float64{"power.pstate": 33, "power.pstateMHz": float64(2401 - 100*s)})
			pstates = append(pstates, p)
		}
		w := esxtop.NewRow(esxtop.TState, "0", "0")
		w.Parent = i
		set(&w, map[string]float64{"power.tstate": 100})
		tstates = append(tstates, w)
	}
	f.Put(esxtop.PCPU, threads)
	f.Put(esxtop.CState, cstates)
	f.Put(esxtop.PState, pstates)
	f.Put(esxtop.TState, tstates)
	var nodes []esxtop.Row
	for i, total := range []float64{32757, 32641} {
		r := esxtop.NewRow(esxtop.Node, strconv.Itoa(i), strconv.Itoa(i))
		set(&r, map[string]float64{"numa.total": total, "numa.free": []float64{1120, 1357}[i]})
		nodes = append(nodes, r)
	}
	f.Put(esxtop.Node, nodes)
	groups(f, vms, tick)
	storage(f, vms)
	f.Put(esxtop.Dom, filled(esxtop.Dom, "owner", "compmgr", "client"))
	vectors := filled(esxtop.Vector, "32", "33", "240")
	f.Put(esxtop.Vector, vectors)
	var each []esxtop.Row
	for i := range vectors {
		for c := range cpus {
			r := esxtop.NewRow(esxtop.VectorCPU, strconv.Itoa(c), strconv.Itoa(c))
			r.Parent = i
			set(&r, map[string]float64{"int.count": float64(c), "int.time": 1.5})
			each = append(each, r)
		}
	}
	f.Put(esxtop.VectorCPU, each)
	return f
}

func groups(f *esxtop.Frame, vms, tick int) {
	system := esxtop.NewRow(esxtop.Group, "1", "system")
	set(&system, map[string]float64{"cpu.members": 345, "cpu.used": .5, "cpu.run": 3185.68, "cpu.wait": 31203.6, "cpu.ready": 799.7})
	rows := []esxtop.Row{system}
	var worlds, nodes []esxtop.Row
	for i := range vms {
		g := esxtop.NewRow(esxtop.Group, strconv.Itoa(1302698+i*7), fmt.Sprintf("web%02d", i+1))
		g.VM, g.VCPUs, g.Leader = true, 2, strconv.Itoa(1302698+i*7)
		fill(&g, float64(i))
		set(&g, map[string]float64{"cpu.members": 8, "cpu.ready": float64(4 + 6*i + tick), "cpu.used": float64(20*((i+3)%5) + tick), "mem.size": 2575.96,
			"numa.homeNodes": 3, "numa.local": 100, "cpu.readyPerVCPU": float64(4+6*i+tick) / 2, "cpu.costop": 0})
		for w, name := range []string{"vmx", fmt.Sprintf("vmx-vcpu-0:web%02d", i+1), fmt.Sprintf("vmx-vcpu-1:web%02d", i+1)} {
			r := esxtop.NewRow(esxtop.World, strconv.Itoa(1302700+i*7+w), name)
			r.Parent, r.VM = len(rows), true
			fill(&r, float64(w))
			set(&r, map[string]float64{"cpu.ready": float64(w)})
			worlds = append(worlds, r)
		}
		for n := range 2 {
			r := esxtop.NewRow(esxtop.GroupNode, strconv.Itoa(n), strconv.Itoa(n))
			r.Parent = len(rows)
			fill(&r, 1000)
			nodes = append(nodes, r)
		}
		rows = append(rows, g)
	}
	f.Put(esxtop.Group, rows)
	f.Put(esxtop.World, worlds)
	f.Put(esxtop.GroupNode, nodes)
}

func storage(f *esxtop.Frame, vms int) {
	f.Put(esxtop.Adapter, filled(esxtop.Adapter, "vmhba0", "vmhba1", "vmhba64"))
	paths := filled(esxtop.Path, "vmhba1:C0:T0:L0", "vmhba1:C0:T1:L0")
	for i := range paths {
		paths[i].Parent = 1
	}
	f.Put(esxtop.Path, paths)
	f.Put(esxtop.Device, filled(esxtop.Device, "naa.600508b1001c4d41121c5f0a7c0d1a2b", "t10.ATA_____DREVO_X1"))
	f.Put(esxtop.NFS, filled(esxtop.NFS, "nfs-archive"))
	owners := filled(esxtop.DeviceWorld, "2097152", "2097153")
	parts := filled(esxtop.Partition, "1", "2")
	for i := range 2 {
		owners[i].Parent, parts[i].Parent = 0, 1
	}
	f.Put(esxtop.DeviceWorld, owners)
	f.Put(esxtop.Partition, parts)
	var disksOf, disks, ports []esxtop.Row
	for i := range vms {
		r := esxtop.NewRow(esxtop.DiskVM, strconv.Itoa(1302698+i*7), fmt.Sprintf("web%02d", i+1))
		r.VM = true
		fill(&r, float64(i))
		d := esxtop.NewRow(esxtop.VDisk, "scsi0:0", "scsi0:0")
		d.Parent, d.VM = i, true
		fill(&d, float64(i))
		p := esxtop.NewRow(esxtop.Port, strconv.Itoa(33554433+i), "")
		p.VM = true
		fill(&p, float64(i))
		text(&p, "net.usedBy", fmt.Sprintf("%d:web%02d.eth0", 1302699+i*7, i+1))
		text(&p, "net.team", "vmnic0")
		text(&p, "net.portset", "vSwitch0")
		disksOf, disks, ports = append(disksOf, r), append(disks, d), append(ports, p)
	}
	f.Put(esxtop.DiskVM, disksOf)
	f.Put(esxtop.VDisk, disks)
	f.Put(esxtop.Port, ports)
}

func filled(o esxtop.Object, names ...string) []esxtop.Row {
	rows := make([]esxtop.Row, len(names))
	for i, n := range names {
		rows[i] = esxtop.NewRow(o, n, n)
		fill(&rows[i], float64(i))
	}
	return rows
}

// round is one of frames.
func round(frames ...*esxtop.Frame) *esxtop.Round {
	return &esxtop.Round{Time: frames[0].Time, Frames: frames}
}

// withThresholds lends the catalogue some while a test runs.
func withThresholds(t testing.TB, thresholds map[string]*esxtop.Threshold) {
	t.Helper()
	for _, m := range esxtop.Catalogue() {
		old := m.Threshold
		m.Threshold = thresholds[m.ID]
		t.Cleanup(func() { m.Threshold = old })
	}
}

var someThresholds = map[string]*esxtop.Threshold{
	"cpu.ready":  {Warn: 5, Critical: 10, PerVCPU: true, Word: "contention", Action: "look at %MLMTD first", Source: "a rule of thumb"},
	"numa.local": {Warn: 80, Below: true, Word: "remote memory"},
	"cpu.costop": {Warn: 3, Word: "too many vCPUs"},
}

// program is a model that a test drives without a terminal.
type program struct {
	*model
	t testing.TB
}

func driven(t testing.TB, src esxtop.Source, change ...func(*Options)) *program {
	t.Helper()
	o := Options{Source: src, Out: io.Discard, Color: true, Now: func() time.Time { return start.Add(time.Minute) }}
	for _, c := range change {
		c(&o)
	}
	p := &program{newModel(t.Context(), o.normal()), t}
	p.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	p.run(p.Init())
	return p
}

// run executes a command and the commands that follow. Timers do not fire.
func (p *program) run(cmd tea.Cmd) {
	p.t.Helper()
	if cmd == nil {
		return
	}
	p.take(cmd())
}

func (p *program) take(msg tea.Msg) {
	p.t.Helper()
	switch msg := msg.(type) {
	case nil:
	case roundMsg:
		if errors.Is(msg.err, errWaiting) {
			return
		}
		_, cmd := p.Update(msg)
		p.run(cmd)
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.run(cmd)
		}
	case tea.QuitMsg:
		p.ended = true
	default:
		_, cmd := p.Update(msg)
		p.run(cmd)
	}
}

// keys types: single letters, or names in angle brackets.
func (p *program) keys(typed string) *program {
	p.t.Helper()
	for typed != "" {
		key := typed[:1]
		if end := strings.IndexByte(typed, '>'); key == "<" && end > 1 {
			key = typed[1:end]
			typed = typed[end+1:]
		} else {
			typed = typed[1:]
		}
		text := key
		if len(key) > 1 {
			text = ""
		}
		if key == " " {
			key = "space"
		}
		if cmd := p.press(key, text); cmd != nil {
			p.run(cmd)
		}
	}
	return p
}

// shows is the screen as a terminal of that size has it, without trailing blanks.
func (p *program) shows(width, height int) string {
	p.t.Helper()
	p.Update(tea.WindowSizeMsg{Width: width, Height: height})
	screen := p.View().Content
	lines := strings.Split(screen, "\n")
	require.LessOrEqual(p.t, len(lines), height)
	for _, l := range lines {
		require.LessOrEqual(p.t, ansi.StringWidth(l), width, l)
	}
	return onTerminal(screen, width, height)
}

// onTerminal returns text as a terminal emulator shows it.
func onTerminal(screen string, width, height int) string {
	e := vt.NewEmulator(width, height)
	_, _ = e.WriteString(strings.ReplaceAll(screen, "\n", "\r\n")) // a terminal's line feed does not return
	return grid(e)
}

func grid(e interface{ String() string }) string {
	lines := strings.Split(e.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

var (
	errBroken  = errors.New("the source broke")
	errWaiting = errors.New("not yet")
)
