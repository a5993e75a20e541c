package live_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

type figures = map[string]float64

func port(name string, values figures) esxtop.Row { return row(esxtop.Port, name, values) }

// worst returns the worst samples of each metric.
func worst(all inventory.Live) figures {
	var of figures
	for name, s := range all.All() {
		if of == nil {
			of = figures{}
		}
		of[name] = s.Worst
	}
	return of
}

func TestEachNICHasItsOwn(t *testing.T) {
	v := read(frame(
		port("vmnic0", figures{"net.uplink": 1, "net.rateRx": 900, "net.rateTx": 10, "net.packetsRx": 990, "net.droppedRxRate": 10,
			"net.packetsTx": 200, "net.droppedTxRate": 0}),
		port("vmnic1", figures{"net.uplink": 1, "net.rateRx": 1, "net.rateTx": 2, "net.packetsRx": 3, "net.packetsTx": 0, "net.droppedTxRate": 0}),
		port("vmk0", figures{"net.uplink": 0, "net.rateRx": 5000}),
		ofVM(port("web.eth0", figures{"net.uplink": 0, "net.rateRx": 7, "net.packetsRx": 8}), "vm-1")))
	nics, _, _ := devices(v)
	require.Equal(t, figures{
		"net.rx": 943.7, "net.tx": 10.49, "net.packetsRx": 990, "net.packetsTx": 200, "net.droppedRx": 1, "net.droppedTx": 0,
	}, worst(nics[0].Live))
	require.Equal(t, figures{"net.rx": 1.049, "net.tx": 2.097, "net.packetsRx": 3, "net.packetsTx": 0, "net.droppedTx": 0}, worst(nics[1].Live))
	require.Zero(t, nics[1].Live.Of("net.droppedTx").Samples, "without sent packets there is no ratio of drops")
	host := v.Hosts[0].Live
	require.InDelta(t, 944.8, host.Of("net.rx").Worst, 0, "in megabits as links are sold; uplinks, and no other ports")
	require.InDelta(t, 993, host.Of("net.packetsRx").Worst, 0)
	require.InDelta(t, 1, host.Of("net.droppedRx").Worst, 0, "over the NICs that count drops")
	require.Equal(t, figures{"net.rx": 7.34, "net.packetsRx": 8}, worst(v.VMs[0].Live))
}

// TestPortsOfCaptures: a batch CSV does not mark uplinks, and has only the ratio of drops.
func TestPortsOfCaptures(t *testing.T) {
	v := read(frame(
		port("vmnic0", figures{"net.packetsRx": 99, "net.droppedRx": 1, "net.packetsTx": 0}),
		port("vmnic1", figures{"net.packetsRx": 198, "net.droppedRx": 1}),
		port("vmk0", figures{"net.packetsRx": 1000, "net.droppedRx": 50}),
		ofVM(port("vmnic9", figures{"net.packetsRx": 0, "net.droppedRx": 100}), "vm-1")))
	require.InDelta(t, 297, v.Hosts[0].Live.Of("net.packetsRx").Worst, 0)
	require.InDelta(t, 1, v.Hosts[0].Live.Of("net.droppedRx").Worst, 1e-9)
	require.Equal(t, inventory.Series{}, v.Hosts[0].Live.Of("net.droppedTx"), "no packets sent")
	require.InDelta(t, 100, v.VMs[0].Live.Of("net.droppedRx").Worst, 0, "all that came was dropped")
}

func TestEachLUNHasItsOwn(t *testing.T) {
	v := read(frame(
		row(esxtop.Device, "naa.1", figures{
			"disk.commands": 10, "disk.deviceLatency": 5, "disk.kernelLatency": 1, "disk.queueLatency": 0.5, "disk.guestLatency": 6,
			"disk.queued": 3, "disk.aborts": 1, "disk.resets": 2, "disk.failedCommands": 4, "disk.conflicts": 7,
		}),
		row(esxtop.Device, "mpx.cdrom", figures{
			"disk.commands": 0.6, "disk.deviceLatency": 30, "disk.guestLatency": 32, "disk.failedCommands": 0.76, "disk.aborts": 0,
		}),
		row(esxtop.Device, "naa.unlisted", figures{"disk.commands": 30})))
	_, luns, _ := devices(v)
	require.Equal(t, figures{
		"disk.commands": 10, "disk.deviceLatency": 5, "disk.kernelLatency": 1, "disk.queueLatency": 0.5, "disk.guestLatency": 6,
		"disk.queued": 3, "disk.aborts": 1, "disk.resets": 2, "disk.failed": 4, "disk.conflicts": 7,
	}, worst(luns[0].Live))

	cdrom := luns[1].Live
	require.EqualValues(t, 1, cdrom.Of("disk.commands").Samples)
	for _, name := range []string{"disk.deviceLatency", "disk.kernelLatency", "disk.guestLatency", "disk.queueLatency", "disk.failed"} {
		require.NotNil(t, cdrom.Lookup(name))
		require.Zero(t, cdrom.Of(name).Samples, "%s of an unused drive", name)
	}
	require.Nil(t, cdrom.Lookup("disk.queued"), "the source does not have it")
	require.InDelta(t, 40.6, v.Hosts[0].Live.Of("disk.commands").Worst, 1e-9, "all devices together")
}

// TestFailedCommandsOfOtherSources: if the source does not count them, an idle device does not prove that none failed.
func TestFailedCommandsOfOtherSources(t *testing.T) {
	_, luns, _ := devices(read(frame(row(esxtop.Device, "naa.1", figures{"disk.commands": 2}))))
	require.Nil(t, luns[0].Live.Lookup("disk.failed"))
}

func TestEachVirtualDiskHasItsOwn(t *testing.T) {
	disk := func(id string, values figures) esxtop.Row {
		r := ofVM(row(esxtop.VDisk, id, values), "vm-1")
		r.Parent = 0
		return r
	}
	nameless := disk("scsi0:1", figures{"vdisk.commands": 12, "vdisk.reads": 9.9, "vdisk.readLatency": 40, "vdisk.writes": 2})
	nameless.MoID = "" // the VM is known from the row above
	_, _, disks := devices(read(frame(
		ofVM(row(esxtop.DiskVM, "7", nil), "vm-1"),
		disk("scsi0:0", figures{"vdisk.commands": 30, "vdisk.reads": 10, "vdisk.readLatency": 11, "vdisk.writes": 20, "vdisk.writeLatency": 12}),
		nameless,
		ofVM(row(esxtop.VDisk, "scsi0:0", figures{"vdisk.commands": 99}), "vm-2"))))
	require.Equal(t, figures{"disk.commands": 30, "disk.readLatency": 11, "disk.writeLatency": 12}, worst(disks[0].Live))
	require.EqualValues(t, 1, disks[1].Live.Of("disk.commands").Samples)
	require.Zero(t, disks[1].Live.Of("disk.readLatency").Samples, "fewer than ten reads a second")
	require.Nil(t, disks[2].Live, "its address is unknown")
}

// TestListsThatNobodyRead: counters of devices are dropped if the devices are unread.
func TestListsThatNobodyRead(t *testing.T) {
	var w window
	w.Add(frame(port("vmnic0", figures{"net.uplink": 1, "net.rateRx": 1}), row(esxtop.Device, "naa.1", figures{"disk.commands": 20})))
	v := fleet()
	v.Hosts[0].PNICs, v.Hosts[0].LUNs = inventory.Unread[[]*inventory.PNIC]("no permission"), inventory.Fact[[]*inventory.LUN]{}
	w.Put(v)
	require.InDelta(t, 1.049, v.Hosts[0].Live.Of("net.rx").Worst, 0)
	require.InDelta(t, 20, v.Hosts[0].Live.Of("disk.commands").Worst, 0)
}
