package batch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// capture opens a real capture, which is not part of the repository.
func capture(tb testing.TB, name string) *os.File {
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "shared", "testdata", "esxtop", name))
	if errors.Is(err, os.ErrNotExist) {
		tb.Skip("the real captures are not on this machine")
	}
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func readAll(tb testing.TB, r *Reader) (rounds []*esxtop.Round) {
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
func rowCalled(tb testing.TB, f *esxtop.Frame, o esxtop.Object, name string) *esxtop.Row {
	for i := range f.Rows(o) {
		if f.Rows(o)[i].Name == name {
			return &f.Rows(o)[i]
		}
	}
	require.Fail(tb, "no such row", "%s %s", o, name)
	return nil
}

func figures(tb testing.TB, rounds []*esxtop.Round, o esxtop.Object, name, metric string) (values []any) {
	for _, round := range rounds {
		if v, ok := rowCalled(tb, round.Frames[0], o, name).Value(esxtop.Lookup(metric)); ok {
			values = append(values, v)
			continue
		}
		values = append(values, nil)
	}
	return values
}

func TestRealCapture(t *testing.T) {
	r, err := NewReader(capture(t, "esxtop-all-6x.csv"), esxtop.AllObjects)
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
	for o, n := range map[esxtop.Object]int{
		esxtop.PCPU: 2, esxtop.Group: 59, esxtop.World: 485, esxtop.Device: 4, esxtop.Path: 4, esxtop.Adapter: 1, esxtop.Port: 12, esxtop.DiskVM: 6, esxtop.VDisk: 7, esxtop.DeviceWorld: 14,
		esxtop.Partition: 10, esxtop.CState: 8, esxtop.PState: 32, esxtop.TState: 16, esxtop.Vector: 33, esxtop.VectorCPU: 66,
	} {
		require.Len(t, f.Rows(o), n, o)
	}
	var vms []string
	memory := 0
	for i := range f.Rows(esxtop.Group) {
		g := &f.Rows(esxtop.Group)[i]
		if g.VM {
			vms = append(vms, g.Name)
		}
		if _, ok := g.Value(esxtop.Lookup("mem.size")); ok {
			memory++
		}
		_, waits := g.Value(esxtop.Lookup("cpu.vmWait"))
		require.Equal(t, g.VM, waits, g.Name)
	}
	require.Equal(t, []string{"styx", "portunus", "hermes", "ananke", "ouranos", "poseidon"}, vms)
	require.Equal(t, 54, memory)

	styx := rowCalled(t, f, esxtop.Group, "styx")
	require.Equal(t, []any{"1302698", 1, "444767"}, []any{styx.ID, styx.VCPUs, styx.Leader})
	require.Equal(t, 2, rowCalled(t, f, esxtop.Group, "poseidon").VCPUs)
	port := &f.Rows(esxtop.Port)[4]
	require.Equal(t, []any{"33554449", "styx", true, "444767"}, []any{port.ID, port.Name, port.VM, port.Leader})
	portset, _ := port.Text(esxtop.Lookup("net.portset"))
	require.Equal(t, "vSwitch0", portset)

	const device = "t10.ATA_____DREVO_X1_SSD____________________________TW1770103538________"
	const drive = "mpx.vmhba0:C0:T5:L0"
	const host = "localhost.home"
	for _, golden := range []struct {
		object       esxtop.Object
		name, metric string
		values       []any
	}{
		{esxtop.Group, "styx", "cpu.members", []any{8.0, 8.0, 8.0}},
		{esxtop.Group, "styx", "cpu.ready", []any{1.07, 0.61, 0.65}},
		{esxtop.Group, "styx", "cpu.readyPerVCPU", []any{1.07, 0.61, 0.65}},
		{esxtop.Group, "poseidon", "cpu.readyPerVCPU", []any{3.93 / 2, 2.37 / 2, 2.75 / 2}},
		{esxtop.Group, "styx", "cpu.used", []any{1.98, 1.21, 1.17}},
		{esxtop.Group, "styx", "mem.size", []any{1069.34, 1069.34, 1069.34}},
		{esxtop.Group, "styx", "mem.granted", []any{957.92, 957.92, 957.92}},
		{esxtop.Group, "styx", "mem.consumed", []any{321.5, 321.5, 321.5}},
		{esxtop.Group, "styx", "mem.swapped", []any{11.25, 11.25, 11.25}},
		{esxtop.Group, "styx", "numa.local", []any{nil, nil, nil}}, // one node: esxtop writes 0
		{esxtop.Group, "styx", "numa.localMemory", []any{0.0, 0.0, 0.0}},
		{esxtop.Host, host, "pcpu.utilAvg", []any{8.95, 9.38, 8.48}},
		{esxtop.Host, host, "mem.state", []any{1.0, 1.0, 1.0}},
		{esxtop.Host, host, "mem.overcommit1", []any{0.78, 0.78, 0.78}},
		{esxtop.Host, host, "mem.hostBalloon", []any{5154.0, 5153.0, 5152.0}},
		{esxtop.Host, host, "power.usage", []any{nil, nil, nil}}, // no sensor
		{esxtop.Host, host, "host.worlds", []any{485.0, 485.0, 485.0}},
		{esxtop.Host, host, "host.vms", []any{6.0, 6.0, 6.0}},
		{esxtop.Host, host, "host.vcpus", []any{7.0, 7.0, 7.0}},
		{esxtop.Device, device, "disk.commands", []any{nil, 12.78, 17.07}}, // esxtop's first sample of disks is 0
		{esxtop.Device, device, "disk.deviceLatency", []any{nil, 0.33, 0.2}},
		{esxtop.Device, device, "disk.kernelLatency", []any{nil, 0.01, 0.01}},
		{esxtop.Device, device, "disk.guestLatency", []any{nil, 0.34, 0.2}},
		{esxtop.Device, device, "disk.queueDepth", []any{31.0, 31.0, 31.0}},
		{esxtop.Device, device, "disk.paths", []any{1.0, 1.0, 1.0}},
		{esxtop.Device, device, "disk.worlds", []any{11.0, 11.0, 11.0}},
		{esxtop.Device, device, "disk.partitions", []any{8.0, 8.0, 8.0}},
		{esxtop.Device, drive, "disk.guestLatency", []any{nil, 31.98, 25.91}},
		{esxtop.Device, drive, "disk.commands", []any{nil, 0.38, 0.6}},
		{esxtop.Device, drive, "disk.failedCommands", []any{nil, 0.76, 1.0}},
		{esxtop.Adapter, "vmhba0", "disk.adapterQueueDepth", []any{31.0, 31.0, 31.0}},
		{esxtop.Adapter, "vmhba0", "disk.paths", []any{4.0, 4.0, 4.0}},
		{esxtop.PCPU, "0", "pcpu.aperfMperf", []any{73.1, 70.2, 68.5}},
		{esxtop.PCPU, "1", "pcpu.aperfMperf", []any{73.3, 77.6, 73.9}},
		{esxtop.Port, "vmnic0", "net.linkSpeed", []any{100.0, 100.0, 100.0}},
		{esxtop.Port, "vmk0", "net.linkUp", []any{nil, nil, nil}}, // no NIC
	} {
		require.Equal(t, golden.values, figures(t, rounds, golden.object, golden.name, golden.metric), "%s %s", golden.name, golden.metric)
	}
	for _, round := range rounds { // an idle, slow drive is not a problem
		require.Equal(t, esxtop.Unremarkable, esxtop.Lookup("disk.guestLatency").Judge(rowCalled(t, round.Frames[0], esxtop.Device, drive)))
	}
	require.Nil(t, f.Cores(), "its cores have one thread")
	c0 := &rounds[0].Frames[0].Rows(esxtop.CState)[4] // the first of PCPU 1, whose column fuses with the one before
	v, _ := c0.Value(esxtop.Lookup("power.cstate"))
	require.Equal(t, []any{1, "C0", 8.93}, []any{c0.Parent, c0.Name, v})
	for i := range f.Rows(esxtop.PState) {
		_, ok := f.Rows(esxtop.PState)[i].Value(esxtop.Lookup("power.pstateMHz"))
		require.True(t, ok, "a file has the clock speeds once, for all CPUs")
	}
}

func TestRealCaptureIdentities(t *testing.T) {
	r, err := NewReader(capture(t, "esxtop-all-6x.csv"), esxtop.ObjectsOf(esxtop.Group))
	require.NoError(t, err)
	for _, round := range readAll(t, r) {
		f := round.Frames[0]
		require.False(t, f.Has(esxtop.World), "nobody asked")
		for i := range f.Rows(esxtop.Group) {
			g := &f.Rows(esxtop.Group)[i]
			members, _ := g.Value(esxtop.Lookup("cpu.members"))
			run, _ := g.Value(esxtop.Lookup("cpu.run"))
			wait, _ := g.Value(esxtop.Lookup("cpu.wait"))
			ready, _ := g.Value(esxtop.Lookup("cpu.ready"))
			costop, _ := g.Value(esxtop.Lookup("cpu.costop"))
			if g.Name != "system" { // its idle worlds are another matter
				require.InDelta(t, 100*members, run+wait+ready+costop, 3.5*members, g.Name)
			}
		}
	}
}

func TestExcelCapture(t *testing.T) {
	r, err := NewReader(capture(t, "excel-resaved.csv"), esxtop.AllObjects)
	require.NoError(t, err)
	rounds := readAll(t, r)
	require.Len(t, rounds, 514)
	require.Equal(t, []string{"times have no seconds: intervals are not known"}, r.Report())
	for _, round := range rounds {
		require.Zero(t, round.Frames[0].Interval)
	}
	require.Equal(t, time.Date(2015, 3, 26, 22, 42, 0, 0, time.UTC), rounds[0].Time)
	require.Equal(t, []any{24.41, 23.33}, figures(t, rounds[:2], esxtop.PCPU, "0", "pcpu.used"))
	require.Equal(t, []any{1087.0}, figures(t, rounds[:1], esxtop.Host, "proma-2n-dhcp60.eng.vmware.com", "mem.kernel"))
	require.Equal(t, []any{nil}, figures(t, rounds[:1], esxtop.Host, "proma-2n-dhcp60.eng.vmware.com", "mem.free"))
}

func TestHeaderOnlyCapture(t *testing.T) {
	r, err := NewReader(capture(t, "header-only-112pcpu.csv"), esxtop.AllObjects)
	require.NoError(t, err)
	require.Equal(t, []string{"w4-hs9-m1423.eng.vmware.com"}, r.Hosts())
	_, err = r.Next()
	require.EqualError(t, err, "reading CSV: no samples: the file has a header and nothing else")
	require.Equal(t, []string{"the header is cut off in field 119, which is skipped"}, r.Report())
}
