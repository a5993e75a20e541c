package simfleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// A pool's limit is distributed to its VMs, and without a limit no VM is throttled.
func TestPoolsHoldTheirVMsBack(t *testing.T) {
	t.Parallel()
	clock := newMovable()
	f := start(t, Config{Now: clock.now})
	c := login(t, f)
	limited := func(name string) int64 {
		l, s := f.runs(name)
		return l.VM(s, load.SlotOf(clock.now())).CPU.MaxLimited
	}
	_, s := f.runs("app-build-01")
	require.EqualValues(t, 20_000*8/12, s.Settings.PoolMHz)
	_, other := f.runs("web-03")
	require.EqualValues(t, noLimit, other.Settings.PoolMHz)
	require.Positive(t, limited("app-build-01"))
	before := f.vcenter().built.loads.VM(s, load.SlotOf(clock.now()))

	pools, slot := retrieve[mo.ResourcePool](t, c, "ResourcePool", "name"), load.SlotOf(clock.now())
	for _, p := range pools {
		if p.Name == "batch" {
			pool := object.NewResourcePool(c, p.Self)
			require.NoError(t, pool.UpdateConfig(t.Context(), "", &types.ResourceConfigSpec{
				CpuAllocation: types.ResourceAllocationInfo{Limit: new(int64(noLimit))},
			}))
		}
	}
	clock.forward(time.Minute)
	require.Zero(t, limited("app-build-01"))
	for _, one := range f.vcenter().built.loads.History.OfVM(s.VM) {
		if one.Covers(slot) {
			require.Equal(t, before, f.vcenter().built.loads.VM(one, slot), "earlier measurements are unchanged")
		}
	}
	change := ofVM{t, vmNamed(t, c, "app-build-01")}
	change.takes(types.VirtualMachineConfigSpec{CpuHotAddEnabled: new(false), Annotation: "looked at"})
	clock.forward(time.Minute)
	require.Zero(t, limited("app-build-01"), "and it does not come back")
}

// A VM that fills the link with frames of 1500 bytes reaches 9.4 Gb/s without losses; so do VMs that share it.
func TestFullWire(t *testing.T) {
	t.Parallel()
	f := common(t)
	l, host := f.hostBy("host08")
	for _, slot := range slotsOfADay() {
		h := l.Host(host, slot)
		require.InDelta(t, 9350, float64(h.PNICs[1].TxBytes)*8/1e6/float64(load.SlotSeconds), 60)
		require.Less(t, float64(h.PNICs[0].TxBytes)*8/1e6/float64(load.SlotSeconds), 4000.0)
		for i, v := range h.All(slot) {
			for _, n := range v.NICs {
				require.Zero(t, n.DroppedRx+n.DroppedTx, h.Residencies[i].Settings.Name)
			}
		}
		require.Equal(t, []int64{0, 0}, h.Lost)
	}
}
