package esxtop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFeeder(t *testing.T) {
	for _, test := range []struct {
		metric string
		object Object
		want   Origin
	}{
		{"cpu.ready", Group, Performance},
		{"cpu.ready", World, Performance},
		{"cpu.readyPerVCPU", Group, Performance}, // computed from it
		{"cpu.vmWait", World, Performance},
		{"cpu.vmWaitPerVCPU", Group, Performance},
		{"cpu.switches", Group, Service},
		{"cpu.latency", Group, Service},
		{"cpu.latencyPerVCPU", Group, Performance},
		{"disk.commands", Device, Performance},
		{"disk.commands", DeviceWorld, Service}, // the counter belongs to other objects
		{"disk.guestReadLatency", Adapter, Performance},
		{"disk.kernelReadLatency", Adapter, Service}, // one of its two inputs is the service's
		{"disk.kernelReadLatency", Device, Performance},
		{"vdisk.reads", VDisk, Performance},
		{"vdisk.reads", DiskVM, Performance}, // the sum
		{"vdisk.commands", DiskVM, Performance},
		{"vdisk.disks", DiskVM, Performance},
		{"vdisk.disks", Host, Service}, // which has none
		{"numa.free", Node, Service},
		{"net.uplink", Port, Performance},
		{"net.linkUp", Port, Service},
		{"host.vms", Host, Performance},
		{"host.worlds", Host, Service},
	} {
		require.Equal(t, test.want, Lookup(test.metric).Feeder(test.object), "%s of %s", test.metric, test.object)
	}
}
