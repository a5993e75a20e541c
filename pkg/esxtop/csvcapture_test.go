package esxtop

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// capture opens a real file, which is no part of the project.
func capture(tb testing.TB, name string) *os.File {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "testdata", "esxtop", name))
	if errors.Is(err, os.ErrNotExist) {
		tb.Skip("the real captures are not on this machine")
	}
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func readAll(tb testing.TB, r *CSVReader) (rounds []*Round) {
	for {
		round, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rounds
		}
		require.NoError(tb, err)
		rounds = append(rounds, round)
	}
}

// rowCalled finds a row by its name.
func rowCalled(tb testing.TB, f *Frame, o Object, name string) *Row {
	for i := range f.Rows(o) {
		if f.Rows(o)[i].Name == name {
			return &f.Rows(o)[i]
		}
	}
	require.Fail(tb, "no such row", "%s %s", o, name)
	return nil
}

func figures(tb testing.TB, rounds []*Round, o Object, name, metric string) (values []any) {
	for _, round := range rounds {
		if v, ok := rowCalled(tb, round.Frames[0], o, name).Value(Lookup(metric)); ok {
			values = append(values, v)
			continue
		}
		values = append(values, nil)
	}
	return values
}

func TestRealCapture(t *testing.T) {
	r, err := ReadCSV(capture(t, "esxtop-all-6x.csv"), AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Empty(t, r.Report(), "every column is known and every row is good")
	require.Equal(t, []string{"localhost.home"}, r.Hosts())
	require.Equal(t, 17_427, r.columns.fields)

	require.Len(t, rounds, 3)
	for i, round := range rounds {
		require.Equal(t, time.Date(2018, 4, 24, 10, 49, 12+5*i, 0, time.UTC), round.Time)
		require.Equal(t, time.Duration(min(i, 1))*5*time.Second, round.Frames[0].Interval)
	}
	f := rounds[1].Frames[0]
	for o, n := range map[Object]int{
		PCPU: 2, Group: 59, World: 485, Device: 4, Path: 4, Adapter: 1, Port: 12, DiskVM: 6, VDisk: 7, DeviceWorld: 14,
		Partition: 10, CState: 8, PState: 32, TState: 16, Vector: 33, VectorCPU: 66,
	} {
		require.Len(t, f.Rows(o), n, o)
	}
	var vms []string
	memory := 0
	for i := range f.Rows(Group) {
		g := &f.Rows(Group)[i]
		if g.VM {
			vms = append(vms, g.Name)
		}
		if _, ok := g.Value(Lookup("mem.size")); ok {
			memory++
		}
		_, waits := g.Value(Lookup("cpu.vmWait"))
		require.Equal(t, g.VM, waits, g.Name)
	}
	require.Equal(t, []string{"styx", "portunus", "hermes", "ananke", "ouranos", "poseidon"}, vms)
	require.Equal(t, 54, memory)

	styx := rowCalled(t, f, Group, "styx")
	require.Equal(t, []any{"1302698", 1, "444767"}, []any{styx.ID, styx.VCPUs, styx.Leader})
	require.Equal(t, 2, rowCalled(t, f, Group, "poseidon").VCPUs)
	port := &f.Rows(Port)[4]
	require.Equal(t, []any{"33554449", "styx", true, "444767"}, []any{port.ID, port.Name, port.VM, port.Leader})
	portset, _ := port.Text(Lookup("net.portset"))
	require.Equal(t, "vSwitch0", portset)

	const device = "t10.ATA_____DREVO_X1_SSD____________________________TW1770103538________"
	const drive = "mpx.vmhba0:C0:T5:L0"
	const host = "localhost.home"
	for _, golden := range []struct {
		object       Object
		name, metric string
		values       []any
	}{
		{Group, "styx", "cpu.members", []any{8.0, 8.0, 8.0}},
		{Group, "styx", "cpu.ready", []any{1.07, 0.61, 0.65}},
		{Group, "styx", "cpu.readyPerVCPU", []any{1.07, 0.61, 0.65}},
		{Group, "poseidon", "cpu.readyPerVCPU", []any{3.93 / 2, 2.37 / 2, 2.75 / 2}},
		{Group, "styx", "cpu.used", []any{1.98, 1.21, 1.17}},
		{Group, "styx", "mem.size", []any{1069.34, 1069.34, 1069.34}},
		{Group, "styx", "mem.granted", []any{957.92, 957.92, 957.92}},
		{Group, "styx", "mem.consumed", []any{321.5, 321.5, 321.5}},
		{Group, "styx", "mem.swapped", []any{11.25, 11.25, 11.25}},
		{Group, "styx", "numa.local", []any{nil, nil, nil}}, // one node: esxtop writes 0
		{Group, "styx", "numa.localMemory", []any{0.0, 0.0, 0.0}},
		{Host, host, "pcpu.utilAvg", []any{8.95, 9.38, 8.48}},
		{Host, host, "mem.state", []any{1.0, 1.0, 1.0}},
		{Host, host, "mem.overcommit1", []any{0.78, 0.78, 0.78}},
		{Host, host, "mem.hostBalloon", []any{5154.0, 5153.0, 5152.0}},
		{Host, host, "power.usage", []any{nil, nil, nil}}, // no sensor
		{Host, host, "host.worlds", []any{485.0, 485.0, 485.0}},
		{Host, host, "host.vms", []any{6.0, 6.0, 6.0}},
		{Host, host, "host.vcpus", []any{7.0, 7.0, 7.0}},
		{Device, device, "disk.commands", []any{nil, 12.78, 17.07}}, // esxtop's first sample of disks is 0
		{Device, device, "disk.deviceLatency", []any{nil, 0.33, 0.2}},
		{Device, device, "disk.kernelLatency", []any{nil, 0.01, 0.01}},
		{Device, device, "disk.guestLatency", []any{nil, 0.34, 0.2}},
		{Device, device, "disk.queueDepth", []any{31.0, 31.0, 31.0}},
		{Device, device, "disk.paths", []any{1.0, 1.0, 1.0}},
		{Device, device, "disk.worlds", []any{11.0, 11.0, 11.0}},
		{Device, device, "disk.partitions", []any{8.0, 8.0, 8.0}},
		{Device, drive, "disk.guestLatency", []any{nil, 31.98, 25.91}},
		{Device, drive, "disk.commands", []any{nil, 0.38, 0.6}},
		{Device, drive, "disk.failedCommands", []any{nil, 0.76, 1.0}},
		{Adapter, "vmhba0", "disk.adapterQueueDepth", []any{31.0, 31.0, 31.0}},
		{Adapter, "vmhba0", "disk.paths", []any{4.0, 4.0, 4.0}},
		{PCPU, "0", "pcpu.aperfMperf", []any{73.1, 70.2, 68.5}},
		{PCPU, "1", "pcpu.aperfMperf", []any{73.3, 77.6, 73.9}},
		{Port, "vmnic0", "net.linkSpeed", []any{100.0, 100.0, 100.0}},
		{Port, "vmk0", "net.linkUp", []any{nil, nil, nil}}, // no NIC
	} {
		require.Equal(t, golden.values, figures(t, rounds, golden.object, golden.name, golden.metric), "%s %s", golden.name, golden.metric)
	}
	for _, round := range rounds { // a drive that nobody uses is slow, and no trouble
		require.Equal(t, Unremarkable, Lookup("disk.guestLatency").Judge(rowCalled(t, round.Frames[0], Device, drive)))
	}
	require.Nil(t, f.Cores(), "its cores have one thread")
	c0 := &rounds[0].Frames[0].Rows(CState)[4] // the first of PCPU 1, whose column fuses with the one before
	v, _ := c0.Value(Lookup("power.cstate"))
	require.Equal(t, []any{1, "C0", 8.93}, []any{c0.Parent, c0.Name, v})
	for i := range f.Rows(PState) {
		_, ok := f.Rows(PState)[i].Value(Lookup("power.pstateMHz"))
		require.True(t, ok, "a file has the clock speeds once, for all CPUs")
	}
}

func TestRealCaptureIdentities(t *testing.T) {
	r, err := ReadCSV(capture(t, "esxtop-all-6x.csv"), ObjectsOf(Group))
	require.NoError(t, err)
	for _, round := range readAll(t, r) {
		f := round.Frames[0]
		require.False(t, f.Has(World), "nobody asked")
		for i := range f.Rows(Group) {
			g := &f.Rows(Group)[i]
			members, _ := g.Value(Lookup("cpu.members"))
			run, _ := g.Value(Lookup("cpu.run"))
			wait, _ := g.Value(Lookup("cpu.wait"))
			ready, _ := g.Value(Lookup("cpu.ready"))
			costop, _ := g.Value(Lookup("cpu.costop"))
			if g.Name != "system" { // its idle worlds are another matter
				require.InDelta(t, 100*members, run+wait+ready+costop, 3.5*members, g.Name)
			}
		}
	}
}

func TestExcelCapture(t *testing.T) {
	r, err := ReadCSV(capture(t, "excel-resaved.csv"), AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Len(t, rounds, 514)
	require.Equal(t, []string{"times have no seconds: intervals are not known"}, r.Report())
	for _, round := range rounds {
		require.Zero(t, round.Frames[0].Interval)
	}
	require.Equal(t, time.Date(2015, 3, 26, 22, 42, 0, 0, time.UTC), rounds[0].Time)
	require.Equal(t, []any{24.41, 23.33}, figures(t, rounds[:2], PCPU, "0", "pcpu.used"))
	require.Equal(t, []any{1087.0}, figures(t, rounds[:1], Host, "proma-2n-dhcp60.eng.vmware.com", "mem.kernel"))
	require.Equal(t, []any{nil}, figures(t, rounds[:1], Host, "proma-2n-dhcp60.eng.vmware.com", "mem.free"))
}

func TestHeaderOnlyCapture(t *testing.T) {
	r, err := ReadCSV(capture(t, "header-only-112pcpu.csv"), AllObjects)
	require.NoError(t, err)
	require.Equal(t, []string{"w4-hs9-m1423.eng.vmware.com"}, r.Hosts())
	_, err = r.Next()
	require.EqualError(t, err, "reading CSV: no samples: the file has a header and nothing else")
	require.Equal(t, []string{"the header is cut off in field 119, which is left out"}, r.Report())
}
