package deploy

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

const web = `vm="web01",moid="vm-7"`

// webLabels are those of the VM that the checks are about.
var webLabels = labels{"vm": "web01", "moid": "vm-7"}

func vmAlerts() []alert {
	return slices.Concat(timeAlerts(), memoryAlerts(), diskAlerts(), netAlerts(), upkeepAlerts())
}

func timeAlerts() []alert {
	ready := judged("EsxiVMReady", "cpu.readyPerVCPU", esxtop.Group, shareOf("contention"))
	ready.page, ready.summary = "best-practices.md#cpu-ready", "vCPUs wait for a core."
	ready.text = `Each vCPU of VM {{ $labels.vm }} had work and no core for {{ $value | humanizePercentage }} of the time. What a limit of its own holds back is not counted.`
	ready.checks = []check{
		{name: "two vCPUs wait 8 % each", series: rows(`esxi_vm_cpu_ready_seconds_total{`+web+`}`, "0+9.6x60", `esxi_vm_vcpus{`+web+`}`, "2x60"),
			want: expect{{"warning", webLabels, `Each vCPU of VM web01 had work and no core for 8% of the time. What a limit of its own holds back is not counted.`}}},
		{name: "12 %", series: rows(`esxi_vm_cpu_ready_seconds_total{`+web+`}`, "0+14.4x60", `esxi_vm_vcpus{`+web+`}`, "2x60"),
			want: expect{{"warning", webLabels, `Each vCPU of VM web01 had work and no core for 12% of the time. What a limit of its own holds back is not counted.`},
				{"critical", webLabels, `Each vCPU of VM web01 had work and no core for 12% of the time. What a limit of its own holds back is not counted.`}}},
		{name: "4.8 % is harmless, however wide the VM", series: rows(`esxi_vm_cpu_ready_seconds_total{`+web+`}`, "0+46.08x60", `esxi_vm_vcpus{`+web+`}`, "16x60")},
		{name: "its own limit does it", series: rows(`esxi_vm_cpu_ready_seconds_total{`+web+`}`, "0+14.4x60", `esxi_vm_cpu_limited_seconds_total{`+web+`}`, "0+12x60", `esxi_vm_vcpus{`+web+`}`, "2x60")},
	}

	costop := judged("EsxiVMCoStop", "cpu.costopPerVCPU", esxtop.Group, shareOf("costop"))
	costop.page, costop.summary = "best-practices.md#cpu-costop", "vCPUs are stopped to wait for each other."
	costop.text = `Each vCPU of VM {{ $labels.vm }} was stopped for {{ $value | humanizePercentage }} of the time, so that the others could catch up.`
	costop.checks = []check{
		{name: "2 %", series: rows(`esxi_vm_cpu_costop_seconds_total{`+web+`}`, "0+4.8x60", `esxi_vm_vcpus{`+web+`}`, "4x60"),
			want: expect{{"warning", webLabels, `Each vCPU of VM web01 was stopped for 2% of the time, so that the others could catch up.`}}},
		{name: "0.9 %", series: rows(`esxi_vm_cpu_costop_seconds_total{`+web+`}`, "0+2.16x60", `esxi_vm_vcpus{`+web+`}`, "4x60")},
	}

	limited := judged("EsxiVMCPULimited", "cpu.maxLimitedPerVCPU", esxtop.Group, shareOf("limited"))
	limited.page, limited.summary = "best-practices.md#cpu-limit", "A CPU limit holds a VM back."
	limited.text = `Each vCPU of VM {{ $labels.vm }} was held back by a limit for {{ $value | humanizePercentage }} of the time.`
	limited.checks = []check{
		{name: "a little", series: rows(`esxi_vm_cpu_limited_seconds_total{`+web+`}`, "0+0.6x60", `esxi_vm_vcpus{`+web+`}`, "1x60"),
			want: expect{{"warning", webLabels, `Each vCPU of VM web01 was held back by a limit for 1% of the time.`}}},
		{name: "once, and not since", series: rows(`esxi_vm_cpu_limited_seconds_total{`+web+`}`, "90x60", `esxi_vm_vcpus{`+web+`}`, "1x60")},
	}

	swap := judged("EsxiVMWaitsForSwap", "cpu.swapWaitPerVCPU", esxtop.Group, shareOf("swap_wait"))
	swap.page, swap.summary = "best-practices.md#mem-reclaim", "vCPUs wait for swapped memory."
	swap.text = `Each vCPU of VM {{ $labels.vm }} waited for {{ $value | humanizePercentage }} of the time until the host had read its memory back.`
	swap.checks = []check{
		{name: "1.5 %", series: rows(`esxi_vm_cpu_swap_wait_seconds_total{`+web+`}`, "0+1.8x60", `esxi_vm_vcpus{`+web+`}`, "2x60"),
			want: expect{{"warning", webLabels, `Each vCPU of VM web01 waited for 1.5% of the time until the host had read its memory back.`}}},
		{name: "0.5 %", series: rows(`esxi_vm_cpu_swap_wait_seconds_total{`+web+`}`, "0+0.6x60", `esxi_vm_vcpus{`+web+`}`, "2x60")},
	}
	return []alert{ready, costop, limited, swap}
}

func memoryAlerts() []alert {
	balloon := judged("EsxiVMBallooned", "mem.balloon", esxtop.Group, "esxi_vm_memory_balloon_bytes")
	balloon.after, balloon.page, balloon.summary = "15m", "best-practices.md#mem-reclaim", "The balloon driver takes memory from a guest."
	balloon.text = `The host took {{ $value | humanize1024 }}B of VM {{ $labels.vm }} with the balloon driver.`
	balloon.checks = []check{
		{name: "half a GiB", series: rows(`esxi_vm_memory_balloon_bytes{`+web+`}`, "536870912x60"), want: expect{{"warning", webLabels, `The host took 512MiB of VM web01 with the balloon driver.`}}},
		{name: "given back", series: rows(`esxi_vm_memory_balloon_bytes{`+web+`}`, "536870912x30 0x30")},
	}

	swapIn := judged("EsxiVMSwapping", "mem.swapIn", esxtop.Group, rate("mem.swapIn", esxtop.Group))
	swapIn.page, swapIn.summary = "best-practices.md#mem-reclaim", "The host reads a VM's memory back from swap."
	swapIn.text = `VM {{ $labels.vm }} waits for {{ $value | humanize1024 }}B/s of its own memory to be read from disk.`
	swapIn.checks = []check{
		{name: "2 MiB/s", series: rows(`esxi_vm_memory_swap_read_bytes_total{`+web+`}`, "0+125829120x60"), want: expect{{"warning", webLabels, `VM web01 waits for 2MiB/s of its own memory to be read from disk.`}}},
		{name: "1 MiB/s", series: rows(`esxi_vm_memory_swap_read_bytes_total{`+web+`}`, "0+62914560x60")},
		{name: "what was swapped stays there", series: rows(`esxi_vm_memory_swap_read_bytes_total{`+web+`}`, "62914560x60", `esxi_vm_memory_swapped_bytes{`+web+`}`, "1e9x60")},
	}

	zip := judged("EsxiVMDecompressing", "mem.decompress", esxtop.Group, rate("mem.decompress", esxtop.Group))
	zip.page, zip.summary = "best-practices.md#mem-reclaim", "The host unpacks a VM's memory."
	zip.text = `VM {{ $labels.vm }} waits for {{ $value | humanize1024 }}B/s of its own memory to be decompressed.`
	zip.checks = []check{
		{name: "2 KiB/s", series: rows(`esxi_vm_memory_decompressed_bytes_total{`+web+`}`, "0+122880x60"), want: expect{{"warning", webLabels, `VM web01 waits for 2kiB/s of its own memory to be decompressed.`}}},
		{name: "not any more", series: rows(`esxi_vm_memory_decompressed_bytes_total{`+web+`}`, "122880x60")},
	}

	numa := judged("EsxiVMRemoteMemory", "numa.local", esxtop.Group, "esxi_vm_numa_locality_ratio")
	numa.after, numa.page, numa.summary = "30m", "best-practices.md#numa-locality", "A VM's memory is on another NUMA node than its vCPUs."
	numa.text = `Only {{ $value | humanizePercentage }} of the memory of VM {{ $labels.vm }} is on its home nodes.`
	numa.checks = []check{
		{name: "60 %", series: rows(`esxi_vm_numa_locality_ratio{`+web+`}`, "0.6x60"), want: expect{{"warning", webLabels, `Only 60% of the memory of VM web01 is on its home nodes.`}}},
		{name: "40 %", series: rows(`esxi_vm_numa_locality_ratio{`+web+`}`, "0.4x60"), want: expect{
			{"warning", webLabels, `Only 40% of the memory of VM web01 is on its home nodes.`}, {"critical", webLabels, `Only 40% of the memory of VM web01 is on its home nodes.`}}},
		{name: "80 % is enough", series: rows(`esxi_vm_numa_locality_ratio{`+web+`}`, "0.8x60")},
	}
	return []alert{balloon, swapIn, zip, numa}
}

func diskAlerts() []alert {
	var list []alert
	disk := `vm="web01",moid="vm-7",disk="scsi0:1"`
	diskLabels := webLabels.with("disk", "scsi0:1")
	for _, way := range []struct{ name, id, verb, counter string }{
		{"Read", "vdisk.readLatency", "read", "esxi_vdisk_reads_total"},
		{"Write", "vdisk.writeLatency", "write", "esxi_vdisk_writes_total"},
	} {
		m := measured(way.id, esxtop.VDisk)
		a := judged("EsxiVirtualDisk"+way.name+"Latency", way.id, esxtop.VDisk, fmt.Sprintf("avg_over_time(%s[5m])", m.Name))
		a.page, a.summary = "best-practices.md#datastore-latency", "A virtual disk is slow to "+way.verb+"."
		a.text = `A ` + way.verb + ` of disk {{ $labels.disk }} of VM {{ $labels.vm }} takes {{ $value | humanizeDuration }}.`
		a.checks = []check{
			{name: "15 ms", series: rows(m.Name+`{`+disk+`}`, "0.015x60", way.counter+`{`+disk+`}`, "0+6000x60"),
				want: expect{{"warning", diskLabels, `A ` + way.verb + ` of disk scsi0:1 of VM web01 takes 15ms.`}}},
			{name: "hardly used", series: rows(m.Name+`{`+disk+`}`, "0.5x60", way.counter+`{`+disk+`}`, "0+300x60")},
			{name: "fast", series: rows(m.Name+`{`+disk+`}`, "0.009x60", way.counter+`{`+disk+`}`, "0+6000x60")},
		}
		list = append(list, a)
	}
	return list
}

func netAlerts() []alert {
	nic := `vm="web01",moid="vm-7",vnic="4000"`
	nicLabels := webLabels.with("vnic", "4000")
	rx := judged("EsxiVMReceiveDrops", "net.droppedRx", esxtop.Port, "vnic:esxi_receive_dropped:ratio_rate5m")
	rx.page, rx.summary = "best-practices.md#rx-drops", "A guest does not fetch its packets in time."
	rx.text = `{{ $value | humanizePercentage }} of the packets for VM {{ $labels.vm }} at vNIC {{ $labels.vnic }} are dropped.`
	rx.checks = []check{
		{name: "0.5 %", series: rows(`esxi_port_receive_dropped_packets_total{`+nic+`}`, "0+30x60", `esxi_port_receive_packets_total{`+nic+`}`, "0+5970x60"),
			want: expect{{"warning", nicLabels, `0.5% of the packets for VM web01 at vNIC 4000 are dropped.`}}},
		{name: "one in 10,000", series: rows(`esxi_port_receive_dropped_packets_total{`+nic+`}`, "0+1x60", `esxi_port_receive_packets_total{`+nic+`}`, "0+9999x60")},
		{name: "the port of a host", series: rows(`esxi_port_receive_dropped_packets_total{host="esx01",moid="host-3",pnic="vmnic0"}`, "0+30x60", `esxi_port_receive_packets_total{host="esx01",moid="host-3",pnic="vmnic0"}`, "0+5970x60")},
	}

	tx := judged("EsxiVMTransmitDrops", "net.droppedTx", esxtop.Port, "vnic:esxi_transmit_dropped:ratio_rate5m")
	tx.page, tx.summary = "best-practices.md#rx-drops", "Packets of a VM are dropped on their way out."
	tx.text = `{{ $value | humanizePercentage }} of the packets that VM {{ $labels.vm }} sends at vNIC {{ $labels.vnic }} are dropped: is an uplink full, is there traffic shaping?`
	tx.checks = []check{
		{name: "any", series: rows(`esxi_port_transmit_dropped_packets_total{`+nic+`}`, "0+60x60", `esxi_port_transmit_packets_total{`+nic+`}`, "0+5940x60"),
			want: expect{{"warning", nicLabels, `1% of the packets that VM web01 sends at vNIC 4000 are dropped: is an uplink full, is there traffic shaping?`}}},
		{name: "none now", series: rows(`esxi_port_transmit_dropped_packets_total{`+nic+`}`, "60x60", `esxi_port_transmit_packets_total{`+nic+`}`, "0+5940x60")},
	}
	return []alert{rx, tx}
}

// SnapshotAge is when a snapshot is old: as the rule "snapshots" has it, which a test compares.
const SnapshotAge = 72 * 3600

func upkeepAlerts() []alert {
	old := alert{name: "EsxiVMSnapshotOld", after: "1h", page: "best-practices.md#snapshots", summary: "A snapshot was forgotten.",
		text:  `The oldest snapshot of VM {{ $labels.vm }} was taken {{ $value | humanizeDuration }} ago. It grows, and makes the disk slower.`,
		plain: map[string]string{"warning": fmt.Sprintf("time() - esxi_vm_snapshot_oldest_timestamp_seconds > %d", SnapshotAge)}}
	// The clock of the checks begins at 0: the snapshot is older than that.
	old.checks = []check{
		{name: "four days", series: rows(`esxi_vm_snapshot_oldest_timestamp_seconds{`+web+`}`, "-338400x120"), want: expect{{"warning", webLabels, `The oldest snapshot of VM web01 was taken 4d 0h 0m 0s ago. It grows, and makes the disk slower.`}}},
		{name: "two days", series: rows(`esxi_vm_snapshot_oldest_timestamp_seconds{`+web+`}`, "-165600x120")},
	}
	old.checks[0].at, old.checks[1].at = "2h", "2h"
	return []alert{old}
}
