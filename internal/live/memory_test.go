package live_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// large is a host with VMs with a disk each, and LUNs.
type large struct {
	rows  map[esxtop.Object][]esxtop.Row
	chaos *rand.Rand
}

func newLarge(vms, luns int) *large {
	l := &large{rows: map[esxtop.Object][]esxtop.Row{}, chaos: rand.New(rand.NewPCG(1, 2))}
	for o, n := range map[esxtop.Object]int{esxtop.Group: vms, esxtop.Port: vms, esxtop.VDisk: vms, esxtop.Device: luns, esxtop.Host: 1} {
		l.rows[o] = esxtop.NewRows(o, n)
		for i := range l.rows[o] {
			r := &l.rows[o][i]
			r.ID, r.Name = fmt.Sprintf("scsi0:%d", i), fmt.Sprintf("row%d", i)
			if r.VM = o != esxtop.Device && o != esxtop.Host; r.VM {
				r.MoID, r.VCPUs = fmt.Sprintf("vm-%d", i), 4
			}
		}
	}
	return l
}

// frame returns a frame in which every figure differs from the last. There is no memory shortage: those figures are 0,
// as on most hosts.
func (l *large) frame(n int) *esxtop.Frame {
	f := &esxtop.Frame{Host: "host01", MoID: "host-1", Interval: interval, Time: begun.Add(time.Duration(n) * interval)}
	for o, rows := range l.rows {
		for i := range rows {
			for _, m := range esxtop.MetricsOf(o) {
				rows[i].Set(m, l.chaos.Float64()*100+10)
			}
			for _, id := range []string{"mem.swapIn", "mem.swapOut", "mem.swapped", "mem.balloon", "mem.compress", "mem.decompress", "mem.cacheUsed"} {
				rows[i].Set(esxtop.Lookup(id), 0)
			}
		}
		f.Put(o, rows)
	}
	return f
}

// server returns the inventory of such a host.
func (l *large) server() *inventory.VCenter {
	h := new(inventory.Host)
	h.ID = "host-1"
	var luns []*inventory.LUN
	for _, r := range l.rows[esxtop.Device] {
		luns = append(luns, &inventory.LUN{Device: r.ID})
	}
	h.LUNs = inventory.Known(luns)
	v := &inventory.VCenter{Hosts: []*inventory.Host{h}}
	for _, r := range l.rows[esxtop.Group] {
		vm := new(inventory.VM)
		vm.ID, vm.Disks = r.MoID, inventory.Known([]*inventory.VDisk{{Address: inventory.Known(r.ID)}})
		v.VMs = append(v.VMs, vm)
	}
	return v
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryOfACapture checks the memory of a window with a large capture in which every figure changes, including its
// facts.
func TestMemoryOfACapture(t *testing.T) {
	l := newLarge(100, 200)
	v := l.server()
	before := heap()
	w := new(live.Window)
	const frames = 120
	for n := range frames {
		w.Add(l.frame(n))
	}
	w.Put(v)
	took := heap() - before
	runtime.KeepAlive(w)
	t.Logf("%d frames of 100 VMs and 200 LUNs: %.1f MiB", frames, float64(took)/(1<<20))
	require.Len(t, v.VMs[0].Live, 31)
	require.EqualValues(t, frames, v.VMs[0].Live.Of("cpu.ready").Samples)
	require.Less(t, took, int64(5<<20))
}
