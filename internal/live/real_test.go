package live_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestRealCapture: three samples that esxtop wrote on a host with six VMs, which is a little short of memory and has a CD-ROM
// drive that answers in 30 ms and fails a command now and then.
func TestRealCapture(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "..", "shared", "testdata", "esxtop", "esxtop-all-6x.csv"))
	if err != nil {
		t.Skip("the real captures are not on this machine")
	}
	defer func() { require.NoError(t, file.Close()) }()
	var w live.Window
	r, err := batch.NewReader(file, w.Needs())
	require.NoError(t, err)
	host := new(inventory.Host)
	host.ID = "host"
	host.LUNs = inventory.Known([]*inventory.LUN{{Device: "mpx.vmhba0:C0:T5:L0"}})
	v := &inventory.VCenter{Hosts: []*inventory.Host{host}}
	for {
		round, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		f := round.Frames[0]
		f.MoID = host.ID
		for i := range f.Rows(esxtop.Group) {
			g := &f.Rows(esxtop.Group)[i]
			if g.MoID = g.Name; g.VM && f.Interval > 0 && len(v.VMs) < 6 {
				vm := new(inventory.VM)
				vm.ID = g.Name
				v.VMs = append(v.VMs, vm)
			}
		}
		w.Add(f)
	}
	w.Put(v)
	require.EqualValues(t, 2, host.Live.Of("mem.state").Samples, "the first has no interval")
	require.InDelta(t, 1, host.Live.Of("mem.state").Worst, 0, "clear")
	require.Positive(t, host.Live.Of("mem.balloon").Worst)
	require.Positive(t, host.Live.Of("mem.swapped").Worst)
	drive, _ := host.LUNs.Value()
	require.Positive(t, drive[0].Live.Of("disk.commands").Worst)
	for _, name := range []string{"disk.deviceLatency", "disk.guestLatency", "disk.failed"} {
		require.NotNil(t, drive[0].Live.Lookup(name))
		require.Zero(t, drive[0].Live.Of(name).Samples, name)
	}
	require.Less(t, host.Live.Of("disk.deviceLatency").Worst, 25.0)
	require.Len(t, v.VMs, 6)
	for _, vm := range v.VMs {
		require.EqualValues(t, 2, vm.Live.Of("cpu.ready").Samples, vm.ID)
		require.Less(t, vm.Live.Of("cpu.ready").Worst, 50.0, "no idle worlds among them")
		require.Zero(t, vm.Live.Of("numa.local").Samples, "a host of one node")
	}
}
