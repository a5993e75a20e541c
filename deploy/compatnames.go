package deploy

import (
	"fmt"
	"slices"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Words that say several times why there is none.
const (
	guestKnows = "vperf does not ask guests"
	noAlarms   = "vperf does not read alarms: its audit and the alerts in deploy/ take their place"
	unread     = "vperf does not read it"
	ranFor     = "reckoned from how long it has run: it moves by a sample's length"
	vmsOnly    = "the sum over the VMs of the host; there it was the host's own sum, with what the VMkernel does"
)

func olds() []old {
	return slices.Concat(oldVMs(), oldVMPerf(), oldDatastores(), oldHosts(), oldHostPerf())
}

// ms is milliseconds in a sample of 20 s, of a counter of seconds.
func ms(counter string) string { return "rate(" + counter + "[2m]) * 20000" }

// kbps is kilobytes of 1024 bytes by second, of a counter of bytes.
func kbps(counter string) string { return "rate(" + counter + "[2m]) / 1024" }

// ports adds up what the ports of a VM or the physical NICs of a host count.
func ports(owner, part, id string) string {
	return fmt.Sprintf(`sum by (job, instance, %s, moid) (rate(%s{%s!=""}[2m])) * 20`, owner, measured(id, esxtop.Port).Name, part)
}

func ofGroup(id string) string { return measured(id, esxtop.Group).Name }
func ofHost(id string) string  { return measured(id, esxtop.Host).Name }

// since is when something began that has run for so long.
func since(uptime string) string {
	return "vperf_sample_timestamp_seconds - on (job, instance) group_right () " + uptime
}

func oldVMs() []old {
	return []old{
		{name: "vmware_vm_power_state", unit: "1 on, 0 off", expr: "esxi_vm_powered_on"},
		{name: "vmware_vm_boot_timestamp_seconds", unit: "seconds", expr: since(ofGroup("vm.uptime")), note: ranFor},
		{name: "vmware_vm_num_cpu", unit: "number", expr: "esxi_vm_vcpus"},
		{name: "vmware_vm_memory_max", unit: "MB", expr: "esxi_vm_memory_size_bytes / 1048576"},
		{name: "vmware_vm_max_cpu_usage", unit: "MHz", note: unread},
		{name: "vmware_vm_template", unit: "1 or 0", note: unread},
		{name: "vmware_vm_guest_disk_free", unit: "bytes", note: guestKnows},
		{name: "vmware_vm_guest_disk_capacity", unit: "bytes", note: guestKnows},
		{name: "vmware_vm_guest_tools_running_status", unit: "1", note: guestKnows},
		{name: "vmware_vm_guest_tools_version", unit: "1", note: guestKnows + "; the audit's rule tools-version judges it"},
		{name: "vmware_vm_guest_tools_version_status", unit: "1", note: guestKnows + "; the audit's rule tools-version judges it"},
		{name: "vmware_vm_snapshots", unit: "number", expr: "esxi_vm_snapshots > 0", note: "VMs without snapshots have none, as it was"},
		{name: "vmware_vm_snapshot_timestamp_seconds", unit: "seconds", note: "it had a series for each snapshot with its name; vperf has the oldest of each VM: `esxi_vm_snapshot_oldest_timestamp_seconds`"},
		{name: "vmware_vm_yellow_alarms", unit: "number", note: noAlarms},
		{name: "vmware_vm_red_alarms", unit: "number", note: noAlarms},
	}
}

func oldVMPerf() []old {
	disk := func(id string) string { return measured(id, esxtop.DiskVM).Name }
	const vdisk = "of its virtual disks, so VMs on NFS and vSAN have it too; module disk"
	list := []old{
		{name: "cpu_ready_summation", unit: "ms in 20 s", expr: ms(ofGroup("cpu.ready"))},
		{name: "cpu_maxlimited_summation", unit: "ms in 20 s", expr: ms(ofGroup("cpu.maxLimited"))},
		{name: "cpu_usage_average", unit: "1/100 %", expr: ofGroup("cpu.usage") + " * 10000"},
		{name: "cpu_usagemhz_average", unit: "MHz", expr: ofGroup("cpu.usageMHz") + " / 1e6"},
		{name: "cpu_costop_summation", unit: "ms in 20 s", expr: ms(ofGroup("cpu.costop"))},
		{name: "cpu_idle_summation", unit: "ms in 20 s", expr: ms(ofGroup("cpu.idle"))},
		{name: "cpu_demand_average", unit: "MHz", expr: ofGroup("cpu.demandMHz") + " / 1e6"},
		{name: "mem_usage_average", unit: "1/100 %", expr: ofGroup("mem.usage") + " * 10000"},
		{name: "mem_consumed_average", unit: "kB", expr: ofGroup("mem.consumed") + " / 1024"},
		{name: "mem_active_average", unit: "kB", expr: ofGroup("mem.touched") + " / 1024"},
		{name: "mem_swapped_average", unit: "kB", expr: ofGroup("mem.swapped") + " / 1024"},
		{name: "mem_vmmemctl_average", unit: "kB", expr: ofGroup("mem.balloon") + " / 1024"},
		{name: "disk_maxTotalLatency_latest", unit: "ms", expr: ofGroup("disk.highestLatency") + " * 1000"},
		{name: "disk_usage_average", unit: "kB/s", expr: kbps(disk("vdisk.readRate")) + " + " + kbps(disk("vdisk.writeRate")), note: vdisk},
		{name: "disk_read_average", unit: "kB/s", expr: kbps(disk("vdisk.readRate")), note: vdisk},
		{name: "disk_write_average", unit: "kB/s", expr: kbps(disk("vdisk.writeRate")), note: vdisk},
		{name: "net_received_average", unit: "kB/s", expr: kbps(ofGroup("net.allRx"))},
		{name: "net_transmitted_average", unit: "kB/s", expr: kbps(ofGroup("net.allTx"))},
	}
	for _, c := range []struct{ name, id string }{
		{"multicastRx", "net.multicastRx"}, {"multicastTx", "net.multicastTx"}, {"broadcastTx", "net.broadcastTx"},
		{"broadcastRx", "net.broadcastRx"}, {"droppedRx", "net.droppedRxRate"}, {"droppedTx", "net.droppedTxRate"},
	} {
		list = append(list, old{name: "net_" + c.name + "_summation", unit: "packets in 20 s", expr: ports("vm", "vnic", c.id), note: "module net"})
	}
	for i := range list {
		list[i].name = "vmware_vm_" + list[i].name
	}
	return list
}

func oldDatastores() []old {
	list := []old{
		{name: "capacity_size", unit: "bytes", expr: "esxi_datastore_capacity_bytes"},
		{name: "freespace_size", unit: "bytes", expr: "esxi_datastore_free_bytes"},
		{name: "uncommited_size", unit: "bytes", //nolint:misspell // as it is called
			expr: "esxi_datastore_provisioned_bytes - (esxi_datastore_capacity_bytes - esxi_datastore_free_bytes)"},
		{name: "provisoned_size", unit: "bytes", expr: "esxi_datastore_provisioned_bytes"},
		{name: "hosts", unit: "number", expr: "esxi_datastore_hosts"},
		{name: "vms", unit: "number", expr: "esxi_datastore_vms"},
		{name: "maintenance_mode", unit: "1", expr: `label_replace(esxi_datastore_in_maintenance == 0, "mode", "normal", "", "") + 1`, note: "only those that are not: vperf does not tell entering from in"},
		{name: "type", unit: "1", expr: `label_replace(esxi_datastore_info, "ds_type", "$1", "kind", "(.*)")`, note: "the label kind is there, too"},
		{name: "accessible", unit: "1 or 0", expr: "esxi_datastore_accessible"},
		{name: "yellow_alarms", unit: "number", note: noAlarms},
		{name: "red_alarms", unit: "number", note: noAlarms},
	}
	for i := range list {
		list[i].name, list[i].kind = "vmware_datastore_"+list[i].name, oldDatastore
	}
	return list
}

// sensor has the labels of theirs.
func sensor(name string) string {
	return fmt.Sprintf(`label_replace(%s, "name", "$1", "sensor", "(.*)")`, name)
}

func oldHosts() []old {
	const twice = "the labels sensor and kind are there, too"
	list := []old{
		{name: "power_state", unit: "1 on, 0 off", expr: "esxi_host_powered_on"},
		{name: "standby_mode", unit: "1 or 0", note: unread},
		{name: "connection_state", unit: "1", expr: `label_replace(esxi_host_connected == 1, "state", "connected", "", "")`, note: "only connected hosts have it: vperf does not tell disconnected from not responding"},
		{name: "maintenance_mode", unit: "1 or 0", expr: "esxi_host_in_maintenance"},
		{name: "boot_timestamp_seconds", unit: "seconds", expr: since(measured("host.uptime", esxtop.Host).Name), note: ranFor},
		{name: "cpu_usage", unit: "MHz", expr: ofHost("host.cpuUsageMHz") + " / 1e6"},
		{name: "cpu_max", unit: "MHz", note: "vperf has what VMs may have of it: `esxi_host_cpu_capacity_hertz`"},
		{name: "num_cpu", unit: "number", expr: "esxi_host_cpu_cores"},
		{name: "memory_usage", unit: "MB", expr: ofHost("mem.hostConsumed") + " / 1048576"},
		{name: "memory_max", unit: "MB", expr: "esxi_host_memory_size_bytes / 1048576"},
		{name: "product_info", unit: "1", expr: "max by (job, instance, host, moid, version, build) (esxi_host_info)"},
		{name: "hardware_info", unit: "1", expr: `label_replace(max by (job, instance, host, moid, model) (esxi_host_info), "hardware_model", "$1", "model", "(.*)")`, note: "without hardware_cpu_model; the label model is there, too"},
		{name: "sensor_state", unit: "0 red, 1 yellow, 2 green, 3 unknown", expr: `label_replace(` + sensor("esxi_host_sensor_healthy == 1") + `, "type", "$1", "kind", "(.*)") * 2`, note: "only green sensors have it: vperf does not tell yellow from red; " + twice},
		{name: "sensor_fan", unit: "rpm", expr: sensor("esxi_host_sensor_fan_speed_hertz * 60"), note: twice},
		{name: "sensor_temperature", unit: "°C", expr: sensor("esxi_host_sensor_celsius"), note: twice},
		{name: "sensor_power_voltage", unit: "V", expr: sensor("esxi_host_sensor_volts"), note: twice},
		{name: "sensor_power_current", unit: "A", expr: sensor("esxi_host_sensor_amperes"), note: twice},
		{name: "sensor_power_watt", unit: "W", expr: sensor("esxi_host_sensor_watts"), note: twice},
		{name: "sensor_redundancy", unit: "1 or 0", note: unread},
		{name: "yellow_alarms", unit: "number", note: noAlarms},
		{name: "red_alarms", unit: "number", note: noAlarms},
	}
	for i := range list {
		list[i].name, list[i].kind = "vmware_host_"+list[i].name, oldHost
	}
	return list
}

// ofVMs adds up what the VMs of each host have.
func ofVMs(expr string) string {
	return fmt.Sprintf(`label_replace(sum by (job, instance, host, host_moid) (%s * on (job, instance, moid) group_left (host, host_moid) esxi_vm_info), "moid", "$1", "host_moid", "(.+)")`, expr)
}

func oldHostPerf() []old {
	h := ofHost
	cpus := func(id string) string {
		return fmt.Sprintf("sum by (job, instance, host, moid) (rate(%s[2m]))", measured(id, esxtop.PCPU).Name)
	}
	disks := func(id string) string {
		return fmt.Sprintf("sum by (job, instance, host, moid) (rate(%s[2m])) / 1024", measured(id, esxtop.Device).Name)
	}
	list := []old{
		{name: "cpu_costop_summation", unit: "ms in 20 s", expr: ofVMs(ms(ofGroup("cpu.costop"))), note: vmsOnly},
		{name: "cpu_demand_average", unit: "MHz", note: "vperf has it of VMs: `esxi_vm_cpu_demand_hertz`"},
		{name: "cpu_idle_summation", unit: "ms in 20 s", note: "vperf has how busy CPUs are: `esxi_pcpu_util_seconds_total`"},
		{name: "cpu_ready_summation", unit: "ms in 20 s", expr: ofVMs(ms(ofGroup("cpu.ready"))), note: vmsOnly},
		{name: "cpu_swapwait_summation", unit: "ms in 20 s", expr: ofVMs(ms(ofGroup("cpu.swapWait"))), note: vmsOnly},
		{name: "cpu_usage_average", unit: "1/100 %", expr: h("host.cpuUsage") + " * 10000"},
		{name: "cpu_usagemhz_average", unit: "MHz", expr: h("host.cpuUsageMHz") + " / 1e6"},
		{name: "cpu_used_summation", unit: "ms in 20 s", expr: cpus("pcpu.used") + " * 20000", note: "the sum of its logical CPUs; module vcpu"},
		{name: "disk_read_average", unit: "kB/s", expr: disks("disk.readRate"), note: "the sum of its devices; module disk"},
		{name: "disk_write_average", unit: "kB/s", expr: disks("disk.writeRate"), note: "the sum of its devices; module disk"},
		{name: "mem_active_average", unit: "kB", expr: h("mem.hostActive") + " / 1024"},
		{name: "mem_latency_average", unit: "1/100 %", note: unread},
		{name: "mem_swapin_average", unit: "kB", note: "vperf has how fast it is read: `esxi_host_memory_swap_read_bytes_total`"},
		{name: "mem_swapinRate_average", unit: "kB/s", expr: kbps(h("mem.hostSwapRead"))},
		{name: "mem_swapout_average", unit: "kB", note: "vperf has how fast it is written: `esxi_host_memory_swap_written_bytes_total`"},
		{name: "mem_swapoutRate_average", unit: "kB/s", expr: kbps(h("mem.hostSwapWrite"))},
		{name: "mem_vmmemctl_average", unit: "kB", expr: h("mem.hostBalloon") + " / 1024"},
		{name: "net_bytesRx_average", unit: "kB/s", expr: kbps(h("net.allRx"))},
		{name: "net_bytesTx_average", unit: "kB/s", expr: kbps(h("net.allTx"))},
		{name: "net_usage_average", unit: "kB/s", expr: kbps(h("net.allRx")) + " + " + kbps(h("net.allTx"))},
	}
	for _, c := range []struct{ name, id string }{
		{"droppedRx", "net.droppedRxRate"}, {"droppedTx", "net.droppedTxRate"}, {"errorsRx", "net.errorsRx"}, {"errorsTx", "net.errorsTx"},
	} {
		list = append(list, old{name: "net_" + c.name + "_summation", unit: "packets in 20 s", expr: ports("host", "pnic", c.id), note: "its physical NICs; module net"})
	}
	for i := range list {
		list[i].name, list[i].kind = "vmware_host_"+list[i].name, oldHost
	}
	return list
}
