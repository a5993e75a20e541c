package live

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

var noon = time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)

// seconds returns a line of frames that ended so many seconds after noon, with one sample every 20 s.
func seconds(after ...int) *line {
	l := &line{interval: 20 * time.Second}
	for _, s := range after {
		l.times = append(l.times, noon.Add(time.Duration(s)*time.Second))
	}
	return l
}

func TestNearestFrame(t *testing.T) {
	l := seconds(0, 10, 20, 30)
	for after, want := range map[int]int{-9: 0, 0: 0, 4: 0, 5: 0, 6: 1, 14: 1, 16: 2, 20: 2, 26: 3, 99: 3} {
		require.Equal(t, want, l.nearest(noon.Add(time.Duration(after)*time.Second)), after)
	}
	require.Zero(t, seconds().nearest(noon))
}

// TestPlans: frames are mapped to evenly spaced slots if possible, and else are the slots.
func TestPlans(t *testing.T) {
	for name, c := range map[string]struct {
		of    *line
		every time.Duration
		n     int
		slots []int
	}{
		"one frame":           {seconds(0), 20 * time.Second, 1, nil},
		"two":                 {seconds(0, 30), 30 * time.Second, 2, nil},
		"a round was missed":  {seconds(0, 20, 40, 80), 20 * time.Second, 5, []int{0, 1, 2, 4}},
		"a little apart":      {seconds(0, 10, 30, 50), 50 * time.Second / 3, 4, nil},
		"two would share one": {seconds(0, 1, 20, 40), 40 * time.Second / 3, 4, nil},
		"most would be empty": {seconds(0, 1, 12), 6 * time.Second, 3, nil},
		"as many as may be":   {seconds(0, 1, 11), time.Second, 12, []int{0, 1, 11}},
		"out of order":        {seconds(0, 40, 20), 20 * time.Second, 3, nil},
		"unknown times":       {&line{interval: 20 * time.Second, times: make([]time.Time, 3)}, 20 * time.Second, 3, nil},
	} {
		p := c.of.plan()
		require.Equal(t, c.every, p.every, name)
		require.Equal(t, c.n, p.n, name)
		require.Equal(t, c.slots, p.of, name)
	}
}

// TestFramesAfterTheLast: a VM that moved has samples after the last frame of its first host.
func TestFramesAfterTheLast(t *testing.T) {
	p := seconds(0, 20, 40, 80).plan()
	require.Equal(t, 4, p.slot(3))
	require.Equal(t, 6, p.slot(5))
	require.Equal(t, noon.Add(80*time.Second), p.at(3))
	require.Equal(t, noon.Add(100*time.Second), p.at(4))
	require.Zero(t, (&line{interval: time.Second, times: make([]time.Time, 1)}).plan().at(1))
}

// TestRoomForSamples: the expected number of samples is an estimate, so memory grows at most threefold for it.
func TestRoomForSamples(t *testing.T) {
	for _, c := range [][3]int{{10, 0, 64}, {256, 0, 64}, {1000, 0, 250}, {10, 5, 5}, {1000, 100, 100}, {1000, 5000, 3000}, {10, 5000, 30}, {100, 1, 1}} {
		require.Equal(t, c[2], growth(c[0], c[1]), "%d, %d to come", c[0], c[1])
	}
}

// TestDropsOfAShare: captures have only the ratio of dropped packets: if all were dropped, at least one packet was, and
// without packets there is no ratio.
func TestDropsOfAShare(t *testing.T) {
	rate, share := esxtop.Lookup("net.droppedRxRate"), esxtop.Lookup("net.droppedRx")
	for name, c := range map[string]struct {
		set     map[*esxtop.Metric]float64
		packets float64
		want    float64
		told    bool
	}{
		"a rate":                {map[*esxtop.Metric]float64{rate: 3, share: 99}, 10, 3, true},
		"a share":               {map[*esxtop.Metric]float64{share: 25}, 30, 10, true},
		"nearly all":            {map[*esxtop.Metric]float64{share: 99.5}, 1, 199, true},
		"all of some":           {map[*esxtop.Metric]float64{share: 100}, 7, 7, true},
		"all, and nothing came": {map[*esxtop.Metric]float64{share: 100}, 0, 0.05, true},
		"nothing came":          {nil, 0, 0, true},
		"nobody tells":          {nil, 5, 0, false},
	} {
		r := esxtop.NewRow(esxtop.Port, "1", "vmnic0")
		for m, v := range c.set {
			r.Set(m, v)
		}
		got, present := receiving.drops(&r, c.packets, 20*time.Second)
		require.Equal(t, c.told, present, name)
		require.InDelta(t, c.want, got, 1e-9, name)
	}
}

func TestUplinks(t *testing.T) {
	for name, want := range map[string]bool{"vmnic0": true, "vusb0": true, "vmk0": false, "db.eth0": false} {
		r := esxtop.NewRow(esxtop.Port, "1", name)
		require.Equal(t, want, isUplink(&r), name)
		r.Set(uplink, 1)
		require.True(t, isUplink(&r), name)
		r.Set(uplink, 0)
		require.False(t, isUplink(&r), name)
	}
}

// TestVMsOfDisks: the VM of a virtual disk is in its row, or in the row that owns it.
func TestVMsOfDisks(t *testing.T) {
	owner := esxtop.NewRow(esxtop.DiskVM, "1", "vm")
	owner.MoID = "vm-9"
	f := new(esxtop.Frame)
	f.Put(esxtop.DiskVM, []esxtop.Row{owner})
	for name, c := range map[string]struct {
		own    string
		parent int
		want   string
	}{
		"its own": {"vm-1", 0, "vm-1"}, "its owner's": {"", 0, "vm-9"}, "no owner": {"", -1, ""}, "an owner that is not there": {"", 1, ""},
	} {
		r := esxtop.NewRow(esxtop.VDisk, "scsi0:0", "scsi0:0")
		r.MoID, r.Parent = c.own, c.parent
		require.Equal(t, c.want, vmOfDisk(f, &r), name)
	}
}

// TestNeedsOfOneMetric: one metric needs its inputs, and rows of hosts and VMs.
func TestNeedsOfOneMetric(t *testing.T) {
	for name, want := range map[string][]esxtop.Object{
		"disk.readLatency":    {esxtop.DiskVM, esxtop.VDisk},
		"disk.queued":         {esxtop.Device},
		"cpu.clock":           {esxtop.PCPU},
		"cpu.coreUtilization": {esxtop.PCPU},
		"cpu.load":            nil,
		"numa.local":          {esxtop.Node},
		"cpu.ready":           nil,
	} {
		require.Equal(t, esxtop.ObjectsOf(append(want, esxtop.Host, esxtop.Group)...), For([]string{name}).Needs(), name)
	}
}

// TestMoments: AddMoment takes a frame without an interval; its figures count like any others.
func TestMoments(t *testing.T) {
	r := esxtop.NewRow(esxtop.Group, "1", "vm")
	r.VM, r.MoID = true, "vm-1"
	r.Set(esxtop.Lookup("mem.granted"), 512)
	f := &esxtop.Frame{Host: "a", MoID: "host-1", Time: noon}
	f.Put(esxtop.Group, []esxtop.Row{r})
	vm := new(inventory.VM)
	vm.ID = "vm-1"
	v := &inventory.VCenter{VMs: []*inventory.VM{vm}}
	var w Window
	w.Add(f)
	w.Put(v)
	require.Empty(t, vm.Live)
	w.AddMoment(f)
	w.Put(v)
	require.InDelta(t, 512, vm.Live.Of("mem.granted").Median, 0)
}
