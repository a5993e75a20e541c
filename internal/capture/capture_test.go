package capture_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/capture"
	"github.com/vperf/vperf/internal/hotspot"
	"github.com/vperf/vperf/pkg/inventory"
)

var start = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

const every = 5 * time.Second

// batch builds a batch CSV.
type batch struct {
	host    string
	start   time.Time
	stamp   string // how times are written
	columns []column
}

type column struct {
	path   string
	values []any // by sample; the last one is repeated
}

func newBatch(host string) *batch {
	return &batch{host: host, start: start, stamp: "01/02/2006 15:04:05"}
}

// add adds a column: Group(instance)\Counter.
func (b *batch) add(path string, values ...any) *batch {
	b.columns = append(b.columns, column{path, values})
	return b
}

// vm adds a VM with its vCPUs, which distinguish it from other groups.
func (b *batch) vm(gid int, name string, vcpus int) *batch {
	b.add(fmt.Sprintf(`Group Cpu(%d:%s)\%% Used`, gid, name), 10)
	for i := range vcpus {
		b.add(fmt.Sprintf(`Vcpu(%d:%s:%d:vmx-vcpu-%d:%s)\%% Used`, gid, name, gid*10+i, i, name), 5)
	}
	return b
}

func (b *batch) text(samples int) []byte {
	var out bytes.Buffer
	out.WriteString(`"(PDH-CSV 4.0) (UTC)(0)"`)
	for _, c := range b.columns {
		fmt.Fprintf(&out, `,"\\%s\%s"`, b.host, c.path)
	}
	for n := range samples {
		fmt.Fprintf(&out, "\n%q", b.start.Add(time.Duration(n)*every).Format(b.stamp))
		for _, c := range b.columns {
			fmt.Fprintf(&out, `,"%v"`, c.values[min(n, len(c.values)-1)])
		}
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// file writes a capture of some samples.
func (b *batch) file(t *testing.T, name string, samples int) string {
	return file(t, name, b.text(samples))
}

func file(t *testing.T, name string, text []byte) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func read(t *testing.T, s *capture.Source, targets inventory.Targets) *inventory.Snapshot {
	snapshot, err := s.Read(t.Context(), targets, inventory.Needs{})
	require.NoError(t, err)
	return snapshot
}

func onlyHost(t *testing.T, s *inventory.Snapshot) *inventory.Host {
	require.Len(t, s.VCenters, 1)
	require.Len(t, s.VCenters[0].Hosts, 1)
	return s.VCenters[0].Hosts[0]
}

func vmCalled(t *testing.T, s *inventory.Snapshot, name string) *inventory.VM {
	var found []*inventory.VM
	for _, v := range s.VCenters {
		for _, vm := range v.VMs {
			if vm.Name == name {
				found = append(found, vm)
			}
		}
	}
	require.Len(t, found, 1, name)
	return found[0]
}

// spotsOf returns the hot spots of a metric, by object.
func spotsOf(s *capture.Source, metric string) map[string]hotspot.Spot {
	found := map[string]hotspot.Spot{}
	for _, p := range s.Spots().Top(100) {
		if p.Metric.ID == metric {
			found[p.Host+" "+p.Object] = p
		}
	}
	return found
}

func TestAlone(t *testing.T) {
	path := newBatch("esx01.lab").vm(100, "web", 2).
		add(`Physical Cpu(0)\% Util Time`, 50).add(`Physical Cpu(1)\% Util Time`, 40).add(`Physical Cpu(_Total)\% Util Time`, 45).
		add(`Group Cpu(100:web)\% Ready`, 80, 20, 40, 30).add(`Group Cpu(100:web)\% Max Limited`, 0).
		add(`Group Cpu(5:system)\% Ready`, 2400).
		add(`Memory\Kernel State`, 0).add(`Group Memory(100:web)\Swap Read MBytes/sec`, 50, 1).
		add(`Network Port(vSwitch0:33554434:vmnic0)\Link Speed (Mb/s)`, 10000).add(`Network Port(vSwitch0:33554434:vmnic0)\Link Up?`, 1).
		add(`Network Port(vSwitch0:33554435:vmnic1)\Link Speed (Mb/s)`, 0).add(`Network Port(vSwitch0:33554435:vmnic1)\Link Up?`, 0).
		add(`Network Port(vSwitch0:33554436:vmk0)\Packets Received/sec`, 9).
		add(`Physical Disk SCSI Device(naa.1)\Device Q Depth`, 64).
		add(`Virtual Disk(web)\Commands/sec`, 7).add(`Virtual Disk(web:scsi0:1)\Commands/sec`, 7).
		file(t, "esx01.csv", 4)
	source := &capture.Source{Paths: []string{path}}
	s := read(t, source, inventory.Targets{})

	host := onlyHost(t, s)
	require.Equal(t, []any{"esx01.lab", capture.Unread}, []any{host.Name, host.Gap()})
	require.Equal(t, inventory.Known(int64(2)), host.CPUThreads)
	nics, _ := host.PNICs.Value()
	require.Len(t, nics, 2, "vmk0 is no NIC")
	require.Equal(t, []any{"vmnic0", inventory.Known(int64(10_000)), "vmnic1", inventory.Known(int64(0))},
		[]any{nics[0].Device, nics[0].LinkMbps, nics[1].Device, nics[1].LinkMbps})
	luns, _ := host.LUNs.Value()
	require.Equal(t, []any{"naa.1", inventory.Known(int64(64))}, []any{luns[0].Device, luns[0].QueueDepth})

	require.Len(t, s.VCenters[0].VMs, 1, "system is none")
	web := vmCalled(t, s, "web")
	require.Same(t, host, web.Host())
	require.Equal(t, []any{inventory.Known(int64(2)), inventory.Known("poweredOn"), capture.Unread}, []any{web.VCPUs, web.PowerState, web.Gap()})
	disks, _ := web.Disks.Value()
	require.Len(t, disks, 1)
	require.Equal(t, inventory.Known("scsi0:1"), disks[0].Address)
	vms, _ := host.VMs.Value()
	require.Equal(t, []*inventory.VM{web}, vms)

	require.Equal(t, []any{15.0, 20.0, int64(3)}, []any{web.Live.Of("cpu.ready").Median, web.Live.Of("cpu.ready").Worst, web.Live.Of("cpu.ready").Samples})
	require.Equal(t, []any{1024.0, int64(3)}, []any{web.Live.Of("mem.swapIn").Worst, web.Live.Of("mem.swapIn").Samples})
	require.Equal(t, int64(4), host.Live.Of("mem.state").Samples, "the first sample says how things are, at that moment")
	require.InDelta(t, 20.0, spotsOf(source, "cpu.readyPerVCPU")["esx01.lab web"].Worst, 0)
	from, to := source.Span()
	require.Equal(t, []time.Time{start, start.Add(3 * every)}, []time.Time{from, to})
	require.Equal(t, to, s.TakenAt())
	require.Equal(t, "capture esx01.csv", s.Source)
	require.Empty(t, source.Notes())
}

func zipped(t *testing.T, text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestOneTimeLine has two hosts, one of them in three files, two of which overlap.
func TestOneTimeLine(t *testing.T) {
	at := func(host string, after time.Duration, balloon int) *batch {
		b := newBatch(host).vm(100, "web", 1).add(`Group Memory(100:web)\Memctl MBytes`, balloon)
		b.start = start.Add(after)
		return b
	}
	late := file(t, "late.csv.gz", zipped(t, at("esx01", time.Hour, 30).text(3)))
	early := at("esx01", 0, 10).file(t, "early.csv", 4)
	again := at("esx01", 2*every, 20).file(t, "again.csv", 4) // of its four samples two are new
	other := at("esx02", time.Minute, 50).file(t, "other.csv", 2)
	source := &capture.Source{Paths: []string{late, early, other, again}}
	s := read(t, source, inventory.Targets{})

	require.Len(t, s.VCenters, 1)
	require.Len(t, s.VCenters[0].Hosts, 2)
	require.Len(t, s.VCenters[0].VMs, 2, "one on each host")
	for _, vm := range s.VCenters[0].VMs {
		got := vm.Live.Of("mem.balloon")
		switch vm.Host().Name {
		case "esx01":
			require.Equal(t, []any{int64(4 + 2 + 3), 30.0}, []any{got.Samples, got.Worst})
		case "esx02":
			require.Equal(t, []any{int64(2), 50.0}, []any{got.Samples, got.Worst})
		}
	}
	require.Equal(t, []string{
		"esx01: 2 samples skipped that overlap another capture",
		"esx01: no samples for 59m35s in 1 gap from 2024-03-01 12:00:25 to 2024-03-01 13:00:00",
	}, source.Notes())
	require.Equal(t, "4 captures", s.Source)
	from, to := source.Span()
	require.Equal(t, []time.Time{start, start.Add(time.Hour + 2*every)}, []time.Time{from, to})
	require.Equal(t, 5*every, spotsOf(source, "mem.balloon")["esx01 web"].Longest, "one capture goes on where the other ends, the third does not")
}

func TestTargets(t *testing.T) {
	of := func(host string) string {
		return newBatch(host).vm(100, "web", 1).vm(200, "db", 1).
			add(`Group Memory(100:web)\Memctl MBytes`, 7).add(`Group Memory(200:db)\Memctl MBytes`, 7).
			add(`Virtual Disk(web)\Reads/sec`, 50).add(`Virtual Disk(web:scsi0:0)\Reads/sec`, 50).add(`Virtual Disk(web:scsi0:0)\Average MilliSec/Read`, 30).
			add(`Virtual Disk(db)\Reads/sec`, 50).add(`Virtual Disk(db:scsi0:0)\Reads/sec`, 50).add(`Virtual Disk(db:scsi0:0)\Average MilliSec/Read`, 30).
			file(t, host+".csv", 3)
	}
	paths := []string{of("esx01.lab"), of("esx02.lab")}
	names := func(m map[string]hotspot.Spot) (names []string) {
		for name := range m {
			names = append(names, name)
		}
		return names
	}

	source := &capture.Source{Paths: paths}
	s := read(t, source, inventory.Targets{Hosts: []string{"esx02"}})
	require.Equal(t, "esx02.lab", onlyHost(t, s).Name)
	require.ElementsMatch(t, []string{"esx02.lab web", "esx02.lab db"}, names(spotsOf(source, "mem.balloon")))
	require.Equal(t, int64(3), vmCalled(t, s, "db").Live.Of("mem.balloon").Samples)
	require.False(t, s.TakenAt().IsZero())

	_, err := source.Read(t.Context(), inventory.Targets{Hosts: []string{"esx03"}}, inventory.Needs{})
	require.EqualError(t, err, `no host is called "esx03"; did you mean esx01.lab, esx02.lab?`)

	source.Paths = paths[:1]
	s = read(t, source, inventory.Targets{VMs: []string{"db"}})
	require.Equal(t, int64(3), vmCalled(t, s, "db").Live.Of("mem.balloon").Samples)
	require.Len(t, s.VCenters[0].VMs, 1)
	require.Equal(t, []string{"esx01.lab db"}, names(spotsOf(source, "mem.balloon")))
	require.Equal(t, []string{"esx01.lab db/scsi0:0"}, names(spotsOf(source, "vdisk.readLatency")))
}

// TestTwins has two VMs with the same name on a host.
func TestTwins(t *testing.T) {
	path := newBatch("esx01").vm(100, "web", 1).vm(200, "web", 1).
		add(`Vcpu(100:web:1009:vmx)\% Used`, 1).add(`Vcpu(200:web:2009:vmx)\% Used`, 1).
		add(`Group Memory(100:web)\Memctl MBytes`, 10).add(`Group Memory(200:web)\Memctl MBytes`, 20).
		add(`Network Port(vSwitch0:1:1010:web)\MBits Received/sec`, 5).add(`Network Port(vSwitch0:2:2010:web)\MBits Received/sec`, 6).
		add(`Virtual Disk(web)\Reads/sec`, 5).add(`Virtual Disk(web:scsi0:0)\Reads/sec`, 5).
		file(t, "twins.csv", 2)
	s := read(t, &capture.Source{Paths: []string{path}}, inventory.Targets{})
	require.Len(t, s.VCenters[0].VMs, 2)
	require.InDelta(t, 10.0, s.VCenters[0].VMs[0].Live.Of("mem.balloon").Worst, 0)
	require.InDelta(t, 20.0, s.VCenters[0].VMs[1].Live.Of("mem.balloon").Worst, 0)
	require.InDelta(t, 5.243, s.VCenters[0].VMs[0].Live.Of("net.rx").Worst, 0, "a port belongs to the VM of its world: both VMs have the same name")
	require.InDelta(t, 6.291, s.VCenters[0].VMs[1].Live.Of("net.rx").Worst, 0)
	for _, vm := range s.VCenters[0].VMs {
		require.Equal(t, inventory.StateUnread, stateOf(vm.Disks), "disks are identified only by VM names")
	}
}

// TestPortsByName has ports whose world is not in the capture: their names identify their VM, if it is unique.
func TestPortsByName(t *testing.T) {
	b := newBatch("esx01").vm(100, "web", 1).vm(200, "db", 1).vm(300, "db.eth0", 1).vm(400, "a.eth1", 1)
	for i, client := range []string{"web.eth0", "web.eth1", "db.eth0", "db.eth1", "a.eth1", "gone.eth0"} {
		b.add(fmt.Sprintf(`Network Port(vSwitch0:%d:99%d:%s)\Packets Received/sec`, i+1, i, client), 10+i)
	}
	s := read(t, &capture.Source{Paths: []string{b.file(t, "ports.csv", 2)}}, inventory.Targets{})
	require.InDelta(t, 21.0, vmCalled(t, s, "web").Live.Of("net.packetsRx").Worst, 0, "10 and 11")
	require.InDelta(t, 13.0, vmCalled(t, s, "db").Live.Of("net.packetsRx").Worst, 0, "db.eth0 may be a VM or an adapter of one")
	require.Nil(t, vmCalled(t, s, "db.eth0").Live.Lookup("net.packetsRx"))
	require.InDelta(t, 14.0, vmCalled(t, s, "a.eth1").Live.Of("net.packetsRx").Worst, 0, "older releases name ports after VMs")
}

func stateOf[T any](f inventory.Fact[T]) inventory.State {
	_, state, _ := f.Get()
	return state
}

// TestNamesOfTwoHosts has captures of a host with a domain and of one without: they are not assumed to be the same.
func TestNamesOfTwoHosts(t *testing.T) {
	long, short := newBatch("esx01.lab").vm(1, "web", 1), newBatch("esx01").vm(1, "web", 1)
	s := read(t, &capture.Source{Paths: []string{long.file(t, "a.csv", 2), short.file(t, "b.csv", 2)}}, inventory.Targets{})
	require.Len(t, s.VCenters[0].Hosts, 2)
}

// TestStartedAnew has a capture that was restarted into the same file: a VM was restarted, and another one was added.
func TestStartedAnew(t *testing.T) {
	first := newBatch("esx01").vm(100, "web", 1).add(`Group Memory(100:web)\Memctl MBytes`, 10)
	second := newBatch("esx01").vm(300, "web", 1).vm(400, "db", 2).
		add(`Group Memory(300:web)\Memctl MBytes`, 30).add(`Group Memory(400:db)\Memctl MBytes`, 40)
	second.start = start.Add(time.Minute)
	path := file(t, "both.csv", append(first.text(3), second.text(3)...))
	source := &capture.Source{Paths: []string{path}}
	s := read(t, source, inventory.Targets{})
	require.Equal(t, int64(6), vmCalled(t, s, "web").Live.Of("mem.balloon").Samples)
	require.InDelta(t, 40.0, vmCalled(t, s, "db").Live.Of("mem.balloon").Worst, 0)
	require.Len(t, source.Notes(), 1)
	require.Contains(t, source.Notes()[0], "begins another capture")
}

func TestWhatCannotBeRead(t *testing.T) {
	for name, tc := range map[string]struct {
		text []byte
		want string
	}{
		"no samples": {newBatch("esx01").vm(1, "web", 1).text(0), "capture x.csv: reading CSV: no samples: the file has a header and nothing else"},
		"one sample": {newBatch("esx01").vm(1, "web", 1).text(1), "capture x.csv: there are only first samples, which esxtop writes " +
			"before it measures: use a capture with at least two samples, such as esxtop -b -d 5 -n 60 writes"},
		"something else": {[]byte("name,size\nweb,3\n"), "capture x.csv: reading CSV: no header: the first line of esxtop's batch output begins with " +
			`"(PDH-CSV 4.0)" and names the columns; this file begins with "name,size"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "x.csv", tc.text)
			_, err := (&capture.Source{Paths: []string{path}}).Read(t.Context(), inventory.Targets{}, inventory.Needs{})
			require.Error(t, err)
			require.Equal(t, tc.want, strings.ReplaceAll(err.Error(), path, "x.csv"))
		})
	}
	_, err := (&capture.Source{Paths: []string{"/nowhere.csv"}}).Read(t.Context(), inventory.Targets{}, inventory.Needs{})
	require.EqualError(t, err, "capture /nowhere.csv: no such file or directory")
	_, err = new(capture.Source).Read(t.Context(), inventory.Targets{}, inventory.Needs{})
	require.ErrorContains(t, err, "give a batch CSV")
}

// TestMinutes has times without seconds, as Excel saves them: twelve samples per minute. The first minute is
// incomplete.
func TestMinutes(t *testing.T) {
	b := newBatch("esx01").vm(100, "web", 1).add(`Group Memory(100:web)\Memctl MBytes`, 10)
	b.stamp, b.start = "1/2/2006 15:04", start.Add(20*time.Second)
	source := &capture.Source{Paths: []string{b.file(t, "excel.csv", 8+12+12+6)}}
	s := read(t, source, inventory.Targets{})
	web := vmCalled(t, s, "web")
	require.Equal(t, []int64{12 + 6, 2 + 12 + 6}, []int64{web.Live.Of("cpu.usage").Samples, web.Live.Of("mem.balloon").Samples}, "two moments are distinguished")
	require.Equal(t, []string{"times have no seconds: samples were counted by minute, those of the first two minutes are skipped"}, source.Notes())
	from, to := source.Span()
	require.Equal(t, []time.Time{start.Add(2*time.Minute - every), start.Add(2*time.Minute + 17*every)}, []time.Time{from, to})
	require.Equal(t, 18*every, spotsOf(source, "mem.balloon")["esx01 web"].Longest)
}

func TestTells(t *testing.T) {
	path := newBatch("esx01").vm(1, "web", 1).file(t, "esx01.csv", 3)
	var told []string
	read(t, &capture.Source{Paths: []string{path}, OnProgress: func(s string) { told = append(told, s) }}, inventory.Targets{})
	require.NotEmpty(t, told)
	require.Regexp(t, `^reading esx01\.csv, \d+ %$`, told[0])
}

// without removes the columns whose names contain part.
func (b *batch) without(part string) *batch {
	b.columns = slices.DeleteFunc(b.columns, func(c column) bool { return strings.Contains(c.path, part) })
	return b
}

// rename changes the names of columns.
func (b *batch) rename(from, to string) {
	for i := range b.columns {
		b.columns[i].path = strings.Replace(b.columns[i].path, from, to, 1)
	}
}
