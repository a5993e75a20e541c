package deploy

import (
	"github.com/vperf/vperf/pkg/esxtop"
)

const esx = `host="esx01",moid="host-3"`

const nic = esx + `,pnic="vmnic1"`

var esxLabels = labels{"host": "esx01", "moid": "host-3"}

func hostAlerts() []alert {
	return []alert{hostBusy(), hostMemoryShort(), hostSwapping(), cpuThrottled(), hostDisconnected(), hostSensor(), linkDown(), receiveDrops()}
}

func hostBusy() alert {
	a := judged("EsxiHostBusy", "pcpu.utilAvg", esxtop.Host, "host:esxi_cpu_util:ratio_avg5m")
	a.after, a.page, a.summary = "15m", "best-practices.md#host-cpu-headroom", "A host's CPUs are nearly full."
	a.text = `The CPUs of host {{ $labels.host }} are busy for {{ $value | humanizePercentage }} of the time.`
	a.checks = []check{
		{name: "80 %", series: rows(`esxi_host_cpu_util_ratio{`+esx+`}`, "0.8x60"), want: expect{{"warning", esxLabels, `The CPUs of host esx01 are busy for 80% of the time.`}}},
		{name: "95 %", series: rows(`esxi_host_cpu_util_ratio{`+esx+`}`, "0.95x60"), want: expect{
			{"warning", esxLabels, `The CPUs of host esx01 are busy for 95% of the time.`}, {"critical", esxLabels, `The CPUs of host esx01 are busy for 95% of the time.`}}},
		{name: "for a moment", series: rows(`esxi_host_cpu_util_ratio{`+esx+`}`, "0.2x34 0.95x5")},
	}
	return a
}

func hostMemoryShort() alert {
	a := judged("EsxiHostMemoryShort", "mem.state", esxtop.Host, "esxi_host_memory_state")
	a.after, a.page, a.summary = "5m", "best-practices.md#mem-reclaim-host", "A host is short of memory."
	a.text = `The memory state of host {{ $labels.host }} is {{ $value }}: 1 clear, 2 soft, 3 hard, 4 low. From 2 on it takes memory from VMs.`
	a.checks = []check{
		{name: "soft", series: rows(`esxi_host_memory_state{`+esx+`}`, "2x60"), want: expect{{"warning", esxLabels, `The memory state of host esx01 is 2: 1 clear, 2 soft, 3 hard, 4 low. From 2 on it takes memory from VMs.`}}},
		{name: "high", series: rows(`esxi_host_memory_state{`+esx+`}`, "0x60")},
	}
	return a
}

func hostSwapping() alert {
	a := judged("EsxiHostSwapping", "mem.hostSwapRead", esxtop.Host, rate("mem.hostSwapRead", esxtop.Host))
	a.page, a.summary = "best-practices.md#mem-reclaim-host", "A host reads memory of VMs back from swap."
	a.text = `Host {{ $labels.host }} reads {{ $value | humanize1024 }}B/s of VMs' memory from disk.`
	a.checks = []check{
		{name: "2 MiB/s", series: rows(`esxi_host_memory_swap_read_bytes_total{`+esx+`}`, "0+125829120x60"), want: expect{{"warning", esxLabels, `Host esx01 reads 2MiB/s of VMs' memory from disk.`}}},
		{name: "1 KiB/s", series: rows(`esxi_host_memory_swap_read_bytes_total{`+esx+`}`, "0+61440x60")},
		{name: "not now", series: rows(`esxi_host_memory_swap_read_bytes_total{`+esx+`}`, "61440x60")},
	}
	return a
}

func cpuThrottled() alert {
	a := judged("EsxiCPUThrottled", "pcpu.aperfMperf", esxtop.PCPU, "esxi_pcpu_frequency_ratio")
	a.after, a.page, a.summary = "15m", "best-practices.md#power-policy", "A busy CPU runs below its nominal frequency."
	a.text = `CPU {{ $labels.cpu }} of host {{ $labels.host }} is busy and runs at {{ $value | humanizePercentage }} of its frequency.`
	cpu := esx + `,cpu="4"`
	a.checks = []check{
		{name: "busy and slow", series: rows(`esxi_pcpu_frequency_ratio{`+cpu+`}`, "0.7x60", `esxi_pcpu_util_seconds_total{`+cpu+`}`, "0+54x60"),
			want: expect{{"warning", esxLabels.with("cpu", "4"), `CPU 4 of host esx01 is busy and runs at 70% of its frequency.`}}},
		{name: "slow, but idle", series: rows(`esxi_pcpu_frequency_ratio{`+cpu+`}`, "0.4x60", `esxi_pcpu_util_seconds_total{`+cpu+`}`, "0+6x60")},
	}
	return a
}

func hostDisconnected() alert {
	a := alert{name: "EsxiHostDisconnected", after: "5m", page: "exporter.md#esxihostdisconnected", summary: "vCenter has lost a host.",
		text:  `Host {{ $labels.host }} is not connected: nothing is known of it or its VMs.`,
		plain: map[string]string{"critical": "esxi_host_connected == 0"}}
	a.checks = []check{
		{name: "lost", series: rows(`esxi_host_connected{`+esx+`}`, "1x10 0x50"), want: expect{{"critical", esxLabels, `Host esx01 is not connected: nothing is known of it or its VMs.`}}},
		{name: "there", series: rows(`esxi_host_connected{`+esx+`}`, "1x60")},
	}
	return a
}

func hostSensor() alert {
	a := alert{name: "EsxiHostSensor", after: "10m", page: "exporter.md#esxihostsensor", summary: "A sensor of a host is not green.",
		text:  `Sensor {{ $labels.sensor }} of host {{ $labels.host }} is not green.`,
		plain: map[string]string{"warning": "esxi_host_sensor_healthy == 0"}}
	fan := esx + `,sensor="Fan 3",kind="fan"`
	a.checks = []check{
		{name: "a fan", series: rows(`esxi_host_sensor_healthy{`+fan+`}`, "0x60"), want: expect{{"warning", esxLabels.with("sensor", "Fan 3").with("kind", "fan"), `Sensor Fan 3 of host esx01 is not green.`}}},
		{name: "green", series: rows(`esxi_host_sensor_healthy{`+fan+`}`, "1x60")},
	}
	return a
}

func linkDown() alert {
	a := alert{name: "EsxiLinkDown", after: "5m", page: "best-practices.md#pnic-link", summary: "A physical NIC lost its link.",
		text:  `{{ $labels.pnic }} of host {{ $labels.host }} had a link within the last day and has none now.`,
		plain: map[string]string{"warning": "esxi_pnic_up == 0 and max_over_time(esxi_pnic_up[1d]) == 1"}}
	a.checks = []check{
		{name: "lost", series: rows(`esxi_pnic_up{`+nic+`}`, "1x10 0x50"), want: expect{{"warning", esxLabels.with("pnic", "vmnic1"), `vmnic1 of host esx01 had a link within the last day and has none now.`}}},
		{name: "never plugged in", series: rows(`esxi_pnic_up{`+nic+`}`, "0x60")},
	}
	return a
}

func receiveDrops() alert {
	a := judged("EsxiHostReceiveDrops", "net.droppedRx", esxtop.Port, "pnic:esxi_receive_dropped:ratio_rate5m")
	a.page, a.summary = "best-practices.md#rx-drops-host", "A physical NIC drops what it receives."
	a.text = `{{ $labels.pnic }} of host {{ $labels.host }} drops {{ $value | humanizePercentage }} of its packets.`
	a.checks = []check{
		{name: "2 %", series: rows(`esxi_port_receive_dropped_packets_total{`+nic+`}`, "0+120x60", `esxi_port_receive_packets_total{`+nic+`}`, "0+5880x60"), want: expect{
			{"warning", esxLabels.with("pnic", "vmnic1"), `vmnic1 of host esx01 drops 2% of its packets.`}, {"critical", esxLabels.with("pnic", "vmnic1"), `vmnic1 of host esx01 drops 2% of its packets.`}}},
		{name: "next to none", series: rows(`esxi_port_receive_dropped_packets_total{`+nic+`}`, "0+1x60", `esxi_port_receive_packets_total{`+nic+`}`, "0+9999x60")},
	}
	return a
}

const lun = esx + `,device="naa.6001"`

var lunLabels = esxLabels.with("device", "naa.6001")

func deviceAlerts() []alert {
	used := rows(`esxi_device_commands_total{`+lun+`}`, "0+60000x60")
	latency := func(name, split, id, page, summary, text string, checks ...check) alert {
		a := judged(name, id, esxtop.Device, latencyOf(split))
		a.page, a.summary, a.text, a.checks = page, summary, text, checks
		return a
	}
	of := func(name, value string) []row { return append(rows(name+`{`+lun+`}`, value), used...) }
	idle := func(name, value string) []row {
		return append(rows(name+`{`+lun+`}`, value), rows(`esxi_device_commands_total{`+lun+`}`, "0+60x60")...)
	}
	list := []alert{
		latency("EsxiDeviceSlow", "driver", "disk.deviceLatency", "best-practices.md#datastore-latency", "Storage is slow.",
			`A command to device {{ $labels.device }} takes {{ $value | humanizeDuration }} in the driver and behind it, on host {{ $labels.host }}.`,
			check{name: "30 ms", series: of("esxi_device_driver_latency_seconds", "0.03x60"), want: expect{{"warning", lunLabels, `A command to device naa.6001 takes 30ms in the driver and behind it, on host esx01.`}}},
			check{name: "10 ms", series: of("esxi_device_driver_latency_seconds", "0.01x60")},
			check{name: "hardly used", series: idle("esxi_device_driver_latency_seconds", "0.3x60")}),
		latency("EsxiKernelLatency", "kernel", "disk.kernelLatency", "best-practices.md#disk-dsnro", "I/O waits in the VMkernel.",
			`A command to device {{ $labels.device }} waits {{ $value | humanizeDuration }} in the VMkernel of host {{ $labels.host }}: a queue is full or its CPUs are.`,
			check{name: "4 ms", series: of("esxi_device_kernel_latency_seconds", "0.004x60"), want: expect{{"warning", lunLabels, `A command to device naa.6001 waits 4ms in the VMkernel of host esx01: a queue is full or its CPUs are.`}}},
			check{name: "1 ms", series: of("esxi_device_kernel_latency_seconds", "0.001x60")}),
		latency("EsxiDeviceQueueing", "queue", "disk.queueLatency", "best-practices.md#disk-dsnro", "The queue to a device is full.",
			`A command waits {{ $value | humanizeDuration }} for room in the queue to device {{ $labels.device }} on host {{ $labels.host }}.`,
			check{name: "6 ms", series: of("esxi_device_queue_latency_seconds", "0.006x60"), want: expect{
				{"warning", lunLabels, `A command waits 6ms for room in the queue to device naa.6001 on host esx01.`}, {"critical", lunLabels, `A command waits 6ms for room in the queue to device naa.6001 on host esx01.`}}},
			check{name: "half a ms", series: of("esxi_device_queue_latency_seconds", "0.0005x60")}),
	}
	for _, c := range []struct{ name, id, summary, text, says, much, little string }{
		{"EsxiDeviceAborts", "disk.aborts", "Commands to storage are given up.", `Host {{ $labels.host }} gives up {{ $value | humanize }} commands a second to device {{ $labels.device }}: the array or a path fails.`,
			`Host esx01 gives up 1 commands a second to device naa.6001: the array or a path fails.`, "0+60x60", "60x60"},
		{"EsxiDeviceResets", "disk.resets", "A storage bus is reset.", `Host {{ $labels.host }} resets the way to device {{ $labels.device }} {{ $value | humanize }} times a second.`,
			`Host esx01 resets the way to device naa.6001 1 times a second.`, "0+60x60", "60x60"},
		{"EsxiReservationConflicts", "disk.conflicts", "Hosts lock each other out of a device.", `Device {{ $labels.device }} has {{ $value | humanize }} reservation conflicts a second on host {{ $labels.host }}.`,
			`Device naa.6001 has 30 reservation conflicts a second on host esx01.`, "0+1800x60", "0+60x60"},
	} {
		a := judged(c.name, c.id, esxtop.Device, rate(c.id, esxtop.Device))
		a.after, a.page, a.summary, a.text = "5m", "best-practices.md#datastore-latency", c.summary, c.text
		a.checks = []check{
			{name: "many", series: rows(a.of.Name+`{`+lun+`}`, c.much), want: expect{{"warning", lunLabels, c.says}}},
			{name: "few, or none now", series: rows(a.of.Name+`{`+lun+`}`, c.little)},
		}
		list = append(list, a)
	}
	return list
}

// Datastores have no threshold in the catalogue. These are the defaults of vCenter's own alarm, "Datastore usage on disk".
const (
	datastoreWarn     = 0.75
	datastoreCritical = 0.85
)

func datastoreAlerts() []alert {
	vol := `datastore="vol1",moid="datastore-9"`
	volLabels := labels{"datastore": "vol1", "moid": "datastore-9"}
	full := alert{name: "EsxiDatastoreFull", after: "30m", page: "exporter.md#esxidatastorefull", summary: "A datastore is nearly full.",
		text: `{{ $value | humanizePercentage }} of datastore {{ $labels.datastore }} is used.`,
		plain: map[string]string{
			"warning":  "datastore:esxi_used:ratio > " + number(datastoreWarn),
			"critical": "datastore:esxi_used:ratio > " + number(datastoreCritical),
		}}
	full.checks = []check{
		{name: "80 %", series: rows(`esxi_datastore_capacity_bytes{`+vol+`}`, "1000x60", `esxi_datastore_free_bytes{`+vol+`}`, "200x60"), want: expect{{"warning", volLabels, `80% of datastore vol1 is used.`}}},
		{name: "90 %", series: rows(`esxi_datastore_capacity_bytes{`+vol+`}`, "1000x60", `esxi_datastore_free_bytes{`+vol+`}`, "100x60"), want: expect{
			{"warning", volLabels, `90% of datastore vol1 is used.`}, {"critical", volLabels, `90% of datastore vol1 is used.`}}},
		{name: "half full", series: rows(`esxi_datastore_capacity_bytes{`+vol+`}`, "1000x60", `esxi_datastore_free_bytes{`+vol+`}`, "500x60")},
	}
	gone := alert{name: "EsxiDatastoreInaccessible", after: "5m", page: "exporter.md#esxidatastoreinaccessible", summary: "A datastore cannot be reached.",
		text:  `Datastore {{ $labels.datastore }} cannot be reached.`,
		plain: map[string]string{"critical": "esxi_datastore_accessible == 0"}}
	gone.checks = []check{
		{name: "gone", series: rows(`esxi_datastore_accessible{`+vol+`}`, "0x60"), want: expect{{"critical", volLabels, `Datastore vol1 cannot be reached.`}}},
		{name: "there", series: rows(`esxi_datastore_accessible{`+vol+`}`, "1x60")},
	}
	nfs := judged("EsxiNFSAborts", "nfs.aborts", esxtop.NFS, rate("nfs.aborts", esxtop.NFS))
	nfs.after, nfs.page, nfs.summary = "5m", "best-practices.md#datastore-latency", "Commands to an NFS server are given up."
	nfs.text = `Host {{ $labels.host }} gives up {{ $value | humanize }} commands a second to NFS volume {{ $labels.nfs }}.`
	share := esx + `,nfs="share1"`
	nfs.checks = []check{
		{name: "any", series: rows(`esxi_nfs_aborts_total{`+share+`}`, "0+60x60"), want: expect{{"warning", esxLabels.with("nfs", "share1"), `Host esx01 gives up 1 commands a second to NFS volume share1.`}}},
		{name: "none now", series: rows(`esxi_nfs_aborts_total{`+share+`}`, "60x60")},
	}
	return []alert{full, gone, nfs}
}
