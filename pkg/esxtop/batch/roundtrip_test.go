package batch

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// fleet generates hosts and their activity. Its names avoid the ambiguity of esxtop's format, which is numbers between
// colons.
type fleet struct {
	*rand.Rand
	letters  []rune
	services [esxtop.NumObjects]map[*esxtop.Metric]bool // metrics of the source
}

func newFleet(seed int64) *fleet {
	f := &fleet{Rand: rand.New(rand.NewSource(seed)), letters: []rune(`abcXYZ ,,"":()\/%{}|é'?-` + "\n\t")}
	if seed%4 == 0 {
		f.letters = append(f.letters, '\r') // which encoding/csv takes for a line end of Windows
	}
	for o := range esxtop.NumObjects {
		f.services[o] = map[*esxtop.Metric]bool{}
		for _, m := range esxtop.MetricsOf(o) {
			// A file contains only the time of a P-state, without its CPU. Derived metrics are in every source.
			f.services[o][m] = f.Float64() < 0.8 || m.ID == "power.pstate" || m.Formula.Derived()
		}
	}
	return f
}

func (f *fleet) name() string {
	name := make([]rune, 1+f.Intn(12))
	for i := range name {
		name[i] = f.letters[f.Intn(len(f.letters))]
	}
	return string(name)
}

// number is never so small that it is written as 0, which a reader takes for a missing mean.
func (f *fleet) number(m *esxtop.Metric) float64 {
	switch f.Intn(6) {
	case 0:
		return 0.5 + f.Float64()
	case 1:
		return f.Float64() * 1e15
	case 2:
		return float64(1 + f.Intn(1000))
	}
	if m.Kind == esxtop.Gauge && f.Intn(8) == 0 && !strings.HasPrefix(m.ID, "numa.") && !strings.HasPrefix(m.ID, "power.") {
		return -float64(f.Intn(4))
	}
	return 0.5 + f.ExpFloat64()*100
}

// row returns a row with every figure of the source, or most of them in later rounds.
func (f *fleet) row(o esxtop.Object, id, name string, parent int, most bool) esxtop.Row {
	r := esxtop.NewRow(o, id, name)
	r.Parent = parent
	for _, m := range esxtop.MetricsOf(o) {
		if f.services[o][m] && m.Kind != esxtop.Text && (!most || f.Float64() < 0.9) {
			r.Set(m, f.number(m))
		}
	}
	return r
}

func (f *fleet) times(n int, do func(i int)) {
	for i := range f.Intn(n + 1) {
		do(i)
	}
}

// host is a frame; its names come from the seed, its figures go on.
func (f *fleet) host(name string, names int64, most bool) *esxtop.Frame {
	frame := &esxtop.Frame{Host: name, Origin: esxtop.Service, Interval: 5 * time.Second}
	figures := f.Rand
	defer func() { f.Rand = figures }()
	shape := rand.New(rand.NewSource(names))
	var t [esxtop.NumObjects][]esxtop.Row
	add := func(o esxtop.Object, id, name string, parent int) *esxtop.Row {
		f.Rand = figures
		t[o] = append(t[o], f.row(o, id, name, parent, most))
		f.Rand = shape
		return &t[o][len(t[o])-1]
	}
	f.Rand = shape
	none := func(r *esxtop.Row, ids ...string) {
		for _, id := range ids {
			r.Set(esxtop.Lookup(id), math.NaN())
		}
	}
	add(esxtop.Host, name, name, -1)
	for i := range 1 + f.Intn(3) {
		add(esxtop.PCPU, strconv.Itoa(i), strconv.Itoa(i), -1)
	}
	for i := range t[esxtop.PCPU] {
		for j := range 2 {
			add(esxtop.CState, strconv.Itoa(j), fmt.Sprintf("C%d", j), i)
			p := add(esxtop.PState, strconv.Itoa(j), fmt.Sprintf("P%d", j), i)
			first, ok := t[esxtop.PState][j].Value(esxtop.Lookup("power.pstateMHz"))
			if none(p, "power.pstateMHz"); ok {
				p.Set(esxtop.Lookup("power.pstateMHz"), first) // a file has it once
			}
			add(esxtop.TState, strconv.Itoa(j), fmt.Sprintf("T%d", j), i)
		}
	}
	gid := 0
	f.times(5, func(int) {
		gid += 1 + f.Intn(1000)
		label := f.name()
		g := add(esxtop.Group, strconv.Itoa(gid), label, -1)
		if g.VM = f.Intn(2) == 0; !g.VM {
			none(g, "cpu.vmWait")
		}
		if f.Intn(3) == 0 {
			for _, m := range esxtop.MetricsOf(esxtop.Group) {
				if !strings.HasPrefix(m.ID, "cpu.") {
					none(g, m.ID)
				}
			}
		}
		if g.VM {
			g.VCPUs = 1 + f.Intn(2)
		}
		vcpus, parent := g.VCPUs, len(t[esxtop.Group])-1
		for i := range vcpus {
			add(esxtop.World, strconv.Itoa(gid*10+i), fmt.Sprintf("vmx-vcpu-%d:%s", i, label), parent)
		}
		f.times(3, func(i int) { add(esxtop.World, strconv.Itoa(gid*10+5+i), f.name(), parent) })
	})
	f.times(2, func(i int) {
		adapter := fmt.Sprintf("vmhba%d", i)
		add(esxtop.Adapter, adapter, adapter, -1)
		f.times(2, func(j int) {
			path := fmt.Sprintf("%s:C0:T%d:L0", adapter, j)
			add(esxtop.Path, path, path, i)
		})
	})
	f.times(3, func(i int) {
		device := f.name() + strconv.Itoa(i)
		add(esxtop.Device, device, device, -1)
		f.times(3, func(j int) { add(esxtop.DeviceWorld, strconv.Itoa(j), strconv.Itoa(j), i) })
		f.times(3, func(j int) { add(esxtop.Partition, strconv.Itoa(j), strconv.Itoa(j), i) })
	})
	f.times(2, func(i int) { n := f.name() + strconv.Itoa(i); add(esxtop.NFS, n, n, -1) })
	f.times(3, func(i int) {
		n := f.name() + strconv.Itoa(i)
		add(esxtop.DiskVM, n, n, -1).VM = true
		f.times(2, func(j int) { d := fmt.Sprintf("scsi%d:%d", j, i); add(esxtop.VDisk, d, d, i).VM = true })
	})
	f.times(4, func(i int) {
		id, label := strconv.Itoa(1000+i), "vmnic"+f.name()
		if i%2 == 0 {
			label = f.name()
		}
		p := add(esxtop.Port, id, label, -1)
		if p.SetText(esxtop.Lookup("net.portset"), f.name()); i%2 == 0 {
			p.VM, p.Leader = true, strconv.Itoa(7+i)
			none(p, "net.linkUp", "net.linkSpeed", "net.fullDuplex")
		}
	})
	f.times(3, func(i int) {
		id := "0x" + strconv.FormatInt(int64(i)*100, 16)
		add(esxtop.Vector, id, id, -1)
		f.times(2, func(j int) { add(esxtop.VectorCPU, strconv.Itoa(j), strconv.Itoa(j), i) })
	})
	f.times(2, func(i int) { n := f.name() + strconv.Itoa(i); add(esxtop.Dom, n, n, -1) })
	for o := range esxtop.NumObjects {
		if len(t[o]) > 0 {
			frame.Put(o, t[o])
		}
	}
	return frame
}

func (f *fleet) rounds() (rounds []*esxtop.Round) {
	start := time.Date(2024, 2, 28, 23, 59, 0, 0, time.UTC)
	names := []string{"esx,01 \"a\"", "esx(02).lab:x"}[:1+f.Intn(2)]
	shape := f.Int63()
	for i := range 1 + f.Intn(4) {
		round := &esxtop.Round{Time: start.Add(time.Duration(i) * 5 * time.Second)}
		for j, name := range names {
			round.Frames = append(round.Frames, f.host(name, shape+int64(j), i > 0))
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// written returns the counter that a metric is written as.
func written(o esxtop.Object, m *esxtop.Metric) *csvCounter {
	for _, g := range csvGroups() {
		for i := range g.counters {
			c := g.counters[i]
			if c.metric == m && m.Slot(o) >= 0 || o == esxtop.Host && g.name == "Physical Cpu" && c.metric.ID+"Avg" == m.ID {
				return c
			}
		}
	}
	return nil
}

// facts returns all figures of a round that the file can contain, as the file contains them. IDs of virtual disks are
// the source's own.
func facts(r *esxtop.Round, all bool) map[string]string {
	facts := map[string]string{}
	for _, f := range r.Frames {
		for o := range esxtop.NumObjects {
			for i := range f.Rows(o) {
				row := &f.Rows(o)[i]
				key := fmt.Sprintf("%q %s %q", f.Host, o, row.Name)
				if p := f.Owner(row); p != nil {
					key += fmt.Sprintf(" of %q", p.Name)
				}
				if o != esxtop.DiskVM {
					key += " " + row.ID
				}
				n := 0
				for _, m := range esxtop.MetricsOf(o) {
					v, ok := row.Value(m)
					c := written(o, m)
					if c == nil || !c.short && !all || !ok {
						continue
					}
					n++
					facts[key+" "+m.ID] = string(appendNumber(nil, v, c.whole))
				}
				if n > 0 {
					portset, _ := row.Text(esxtop.Lookup("net.portset"))
					facts[key] = fmt.Sprintf("VM %t, %d vCPUs, port of %q for %q", row.VM, row.VCPUs, portset, row.Leader)
				}
			}
		}
	}
	return facts
}

// sameFacts reports only the first difference.
func sameFacts(t *testing.T, want, got map[string]string, where string) {
	for key := range want {
		if got[key] != want[key] {
			require.Equal(t, want[key], got[key], where+": "+key)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			require.Fail(t, "a figure from nowhere", where+": "+key)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for seed := range int64(60) {
		f := newFleet(seed)
		rounds := f.rounds()
		all := seed%2 == 0
		var b bytes.Buffer
		w := NewWriter(&b, Options{All: all})
		for _, round := range rounds {
			require.NoError(t, w.Write(round))
		}
		require.Empty(t, w.Report())
		text := b.String()

		r, err := NewReader(strings.NewReader(text), esxtop.AllObjects)
		require.NoError(t, err, "seed %d", seed)
		back := readAll(t, r)
		require.Empty(t, r.Report(), "seed %d", seed)
		require.Len(t, back, len(rounds))
		for i := range rounds {
			require.Equal(t, rounds[i].Time, back[i].Time)
			sameFacts(t, facts(rounds[i], all), facts(back[i], all), fmt.Sprintf("seed %d, round %d", seed, i))
		}
		if seed%4 != 0 {
			isCSV(t, text, len(rounds))
		}

		// The result is written again, in the same columns; the order of rows may differ.
		var again bytes.Buffer
		w = NewWriter(&again, Options{All: all})
		for _, round := range back {
			require.NoError(t, w.Write(round))
		}
		require.Len(t, again.String(), len(text), "seed %d", seed)
	}
}

// isCSV parses the text with a strict reader.
func isCSV(t *testing.T, text string, rounds int) {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, rounds+1)
	require.Equal(t, "(PDH-CSV 4.0) (UTC)(0)", records[0][0])
	for _, name := range records[0][1:] {
		if name == "" {
			continue // the comma at the end
		}
		_, ok := parsePath(name)
		require.True(t, ok, name)
	}
	for _, record := range records[1:] {
		for _, v := range record[1:] {
			if v != "" {
				_, err := strconv.ParseFloat(v, 64)
				require.NoError(t, err)
			}
		}
	}
}

// TestRealRoundTrip writes the real capture after reading it: every field is unchanged, also where esxtop writes 0 for
// a missing value.
func TestRealRoundTrip(t *testing.T) {
	file, err := io.ReadAll(capture(t, "esxtop-all-6x.csv"))
	require.NoError(t, err)
	r, err := NewReader(bytes.NewReader(file), esxtop.AllObjects)
	require.NoError(t, err)
	var b bytes.Buffer
	w := NewWriter(&b, Options{All: true})
	for _, round := range readAll(t, r) {
		require.NoError(t, w.Write(round))
	}
	ours, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)

	// The leaked column of the real file is corrected: it gets a comma and quotes.
	strict := strings.NewReplacer(`   -"`, `"?","`, `   -`, `"?"`).Replace(string(file))
	var theirs [][]string
	for line := range strings.SplitSeq(strings.TrimSpace(strict), "\n") {
		var record []string
		for field := range strings.SplitSeq(line, ",") {
			if number, rest, fused := strings.Cut(field, `"`); fused && number != "" {
				record = append(record, strings.TrimSpace(number))
				field = `"` + rest
			}
			record = append(record, strings.Trim(field, `" `))
		}
		theirs = append(theirs, record)
	}
	ourColumn := map[string]int{}
	for i, name := range ours[0] {
		ourColumn[name] = i
	}
	require.Len(t, ours[0], len(theirs[0]))
	cpu := 0
	for i, name := range theirs[0] {
		if name == "?" {
			name = fmt.Sprintf(`\\localhost.home\PCPU Power State(PCPU %d)\%% of aperf/mperf`, cpu)
			cpu++
		}
		at, ok := ourColumn[name]
		require.True(t, ok, name)
		for j := range theirs {
			if j == 0 || ours[j][at] == theirs[j][i] || ours[j][at] == theirs[j][i]+"0" && strings.HasSuffix(name, "% of aperf/mperf") {
				continue
			}
			require.Equal(t, theirs[j][i], ours[j][at], "%s in row %d", name, j)
		}
	}
}

func TestWriterFormat(t *testing.T) {
	frame := &esxtop.Frame{Host: "h", Origin: esxtop.Service}
	host := esxtop.NewRow(esxtop.Host, "h", "h")
	host.Set(esxtop.Lookup("mem.free"), 590.4)
	host.Set(esxtop.Lookup("host.load1"), -0.001)
	vm := esxtop.NewRow(esxtop.Group, "7", `say "hi", (vm:1)\`)
	vm.VM = true
	vm.Set(esxtop.Lookup("cpu.members"), 8)
	frame.Put(esxtop.Host, []esxtop.Row{host})
	frame.Put(esxtop.Group, []esxtop.Row{vm})
	at := time.Date(2024, 12, 31, 23, 59, 58, 0, time.FixedZone("", 3600))
	var b bytes.Buffer
	w := NewWriter(&b, Options{})
	require.NoError(t, w.Write(&esxtop.Round{Time: at}), "no host answered: no row")
	require.NoError(t, w.Write(&esxtop.Round{Time: at, Frames: []*esxtop.Frame{frame}}))
	late := esxtop.NewRow(esxtop.Group, "8", "late")
	later := &esxtop.Frame{Host: "h", Origin: esxtop.Service, Interval: 5 * time.Second}
	later.Put(esxtop.Host, []esxtop.Row{host})
	later.Put(esxtop.Group, []esxtop.Row{late})
	require.NoError(t, w.Write(&esxtop.Round{Time: at.Add(5 * time.Second), Frames: []*esxtop.Frame{later}}))
	lines := strings.Split(b.String(), "\n")
	require.Len(t, lines, 4)
	require.True(t, strings.HasPrefix(lines[0], `"(PDH-CSV 4.0) (UTC)(0)","\\h\Physical Cpu Load\Cpu Load (1 Minute Avg)",`), lines[0])
	require.Contains(t, lines[0], `,"\\h\Memory\Free MBytes",`)
	require.Contains(t, lines[0], `"\\h\Group Cpu(7:say ""hi"", (vm:1)\)\Members","\\h\Group Cpu(7:say ""hi"", (vm:1)\)\% Used",`)
	require.NotContains(t, lines[0], "Machine MBytes", "a gauge without a value: the source has none")
	require.True(t, strings.HasPrefix(lines[1], `"12/31/2024 22:59:58","0.00",`), lines[1])
	require.Contains(t, lines[1], `,"590",`)
	require.Contains(t, lines[1], `,"8","",`, "rates take two samples")
	require.Contains(t, lines[2], `,"590",`)
	require.NotContains(t, lines[2], `"8"`, "the group has gone")
	require.True(t, strings.HasSuffix(lines[2], `"",`), lines[2])
	require.Equal(t, []string{"1 object skipped that appeared after the first sample, which fixes the columns"}, w.Report())
}

// TestWriterColumns has figures that are absent in the first round, for one reason or another.
func TestWriterColumns(t *testing.T) {
	disk := esxtop.NewRow(esxtop.VDisk, "scsi0:0", "scsi0:0")
	disk.Parent = 0
	disk.Set(esxtop.Lookup("vdisk.reads"), 0)
	header := func(interval time.Duration, origin esxtop.Origin) string {
		frame := &esxtop.Frame{Host: "h", Origin: origin, Interval: interval}
		frame.Put(esxtop.DiskVM, []esxtop.Row{esxtop.NewRow(esxtop.DiskVM, "7", "vm")})
		frame.Put(esxtop.VDisk, []esxtop.Row{disk})
		var b bytes.Buffer
		require.NoError(t, NewWriter(&b, Options{}).Write(&esxtop.Round{Time: filmed, Frames: []*esxtop.Frame{frame}}))
		line, _, _ := strings.Cut(b.String(), "\n")
		return strings.NewReplacer(`"\\h\Virtual Disk(vm:scsi0:0)\`, "", `"(PDH-CSV 4.0) (UTC)(0)",`, "", `"`, "").Replace(line)
	}
	require.Equal(t, "Reads/sec,", header(5*time.Second, esxtop.Capture))
	require.Contains(t, header(5*time.Second, esxtop.Service), "Reads/sec,Average MilliSec/Read,Average MilliSec/Write,", "without reads there is no mean yet")
	require.NotContains(t, header(5*time.Second, esxtop.Service), "Writes/sec", "a rate would be there")
	require.Contains(t, header(0, esxtop.Service), "Reads/sec,Writes/sec,", "rates take two samples")
	require.Contains(t, header(0, esxtop.Performance), "Reads/sec,Writes/sec,")
	require.NotContains(t, header(0, esxtop.Performance), "Commands/sec", "it has none")
}

// brokenPipe takes nothing.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriterFails(t *testing.T) {
	frame := &esxtop.Frame{Host: "h"}
	frame.Put(esxtop.Host, []esxtop.Row{esxtop.NewRow(esxtop.Host, "h", "h")})
	err := NewWriter(brokenPipe{}, Options{}).Write(&esxtop.Round{Frames: []*esxtop.Frame{frame}})
	require.ErrorIs(t, err, os.ErrClosed)
}
