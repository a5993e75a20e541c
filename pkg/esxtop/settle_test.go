package esxtop

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func settled(rows ...Row) *Frame {
	f := new(Frame)
	for _, r := range rows {
		f.Put(r.Object, append(f.Rows(r.Object), r))
	}
	f.Settle()
	return f
}

func rowWith(o Object, id string, values map[string]float64) Row {
	r := NewRow(o, id, id)
	for id, v := range values {
		r.Set(Lookup(id), v)
	}
	return r
}

func TestSettleHost(t *testing.T) {
	vm := func(vcpus int) Row {
		r := NewRow(Group, "vm", "vm")
		r.VM, r.VCPUs = true, vcpus
		return r
	}
	cpu := func(used float64) Row { return rowWith(PCPU, "cpu", map[string]float64{"pcpu.used": used}) }
	host := NewRow(Host, "", "")
	for name, tc := range map[string]struct {
		rows             []Row
		vms, vcpus, used float64
	}{
		"all known":   {[]Row{vm(2), vm(4), NewRow(Group, "idle", "idle"), cpu(10), cpu(30)}, 2, 6, 20},
		"one unknown": {[]Row{vm(2), vm(0), vm(1), cpu(10), cpu(math.NaN())}, 3, math.NaN(), math.NaN()},
		"no figures":  {nil, math.NaN(), math.NaN(), math.NaN()},
	} {
		f := settled(append(tc.rows, rowWith(Host, "", nil))...)
		for id, want := range map[string]float64{"host.vms": tc.vms, "host.vcpus": tc.vcpus, "pcpu.usedAvg": tc.used} {
			v, ok := f.Of(Lookup(id))
			require.Equal(t, !math.IsNaN(want), ok, "%s: %s", name, id)
			if ok {
				require.InDelta(t, want, v, 0, "%s: %s", name, id)
			}
		}
	}
	host.Set(Lookup("pcpu.usedAvg"), 5)
	v, _ := settled(host, cpu(10)).Of(Lookup("pcpu.usedAvg"))
	require.InDelta(t, 5, v, 0, "the source has it itself")
}

// TestSettleLatency: a latency of 0 without commands is missing, and so is 0 if the commands were not counted.
func TestSettleLatency(t *testing.T) {
	for name, tc := range map[string]struct {
		values map[string]float64
		there  bool
	}{
		"quick":      {map[string]float64{"disk.deviceLatency": 0, "disk.commands": 3}, true},
		"idle":       {map[string]float64{"disk.deviceLatency": 0, "disk.commands": 0}, false},
		"nearly":     {map[string]float64{"disk.deviceLatency": 2, "disk.commands": 0}, true},
		"no command": {map[string]float64{"disk.deviceLatency": 0}, false},
	} {
		f := settled(rowWith(Device, "naa", tc.values))
		_, ok := f.Rows(Device)[0].Value(Lookup("disk.deviceLatency"))
		require.Equal(t, tc.there, ok, name)
	}
}

// TestPacketSizes: sizes are whole numbers of bytes, however the rates are rounded.
func TestPacketSizes(t *testing.T) {
	for bytes := 60.0; bytes < 9000; bytes++ {
		for _, packets := range []float64{1.0 / 3, 0.7, 1318.8, 81274.33} {
			f := settled(rowWith(Port, "1", map[string]float64{"net.rateTx": bytes * packets * fromBits, "net.packetsTx": packets}))
			size, _ := f.Rows(Port)[0].Value(Lookup("net.sizeTx"))
			require.InDelta(t, bytes, size, 0, "%v packets", packets)
		}
	}
}
