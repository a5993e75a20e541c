package deploy

import (
	"fmt"

	"github.com/vperf/vperf/pkg/esxtop"
)

const recordAbout = `
What dashboards and alerts reckon from the raw metrics, once. Names are LEVEL:METRIC:OPERATION: vm:… has a series for each VM,
host:… for each host, target:… for each vCenter. Windows are five minutes: right for scrapes every 20 s to 60 s.
Rules over what a target does not collect (modules disk, net, numa; hosts whose Esxtop service is not asked) give nothing.`

// Records are the recording rules.
func Records() ([]byte, error) { return ruleFile(recordAbout, records()) }

func records() []group {
	return []group{
		{"vperf-vm", append(perVCPU(), traffic()...)},
		{"vperf-host", hostRecords()},
		{"vperf-cluster", clusterRecords()},
		{"vperf-device", deviceRecords()},
		{"vperf-network", networkRecords()},
		{"vperf-datastore", datastoreRecords()},
		{"vperf-target", targetRecords()},
	}
}

func record(name, expr string) rule { return rule{Record: name, Expr: expr} }

// rate is how a counter of the catalogue grows by second.
func rate(id string, o esxtop.Object) string {
	return fmt.Sprintf("rate(%s[5m])", measured(id, o).Name)
}

// mean is a gauge of the catalogue over five minutes. Of a latency it is the mean of the means of 20 s, all alike however many
// commands each had.
func mean(id string, o esxtop.Object) string {
	return fmt.Sprintf("avg_over_time(%s[5m])", measured(id, o).Name)
}

// shares are the times of a VM's vCPUs, divided by how many it has: so VMs of all sizes compare.
var shares = []struct{ name, id string }{
	{"used", "cpu.used"}, {"ready", "cpu.ready"}, {"costop", "cpu.costop"}, {"limited", "cpu.maxLimited"},
	{"swap_wait", "cpu.swapWait"}, {"system", "cpu.system"}, {"overlap", "cpu.overlap"},
}

func perVCPU() []rule {
	var list []rule
	for _, s := range shares {
		list = append(list, record(shareOf(s.name), lay(rate(s.id, esxtop.Group), "/ (esxi_vm_vcpus > 0)")))
	}
	// A limit makes a VM ready, too. What is left is what others on the host take from it.
	ready, limited := shareOf("ready"), shareOf("limited")
	return append(list, record(shareOf("contention"), lay(
		"clamp_min("+ready, fmt.Sprintf("  - (%s or %s * 0), 0)", limited, ready))))
}

func shareOf(name string) string { return "vm:esxi_cpu_" + name + "_per_vcpu:ratio_rate5m" }

func traffic() []rule {
	both := func(a, b string) string { return lay(rate(a, esxtop.Group), "+ "+rate(b, esxtop.Group)) }
	disk := func(a, b string) string { return lay(rate(a, esxtop.DiskVM), "+ "+rate(b, esxtop.DiskVM)) }
	port := func(id string) string {
		return fmt.Sprintf(`rate(%s{vnic!=""}[5m])`, measured(id, esxtop.Port).Name)
	}
	return []rule{
		record("vm:esxi_memory_swap_traffic_bytes:rate5m", both("mem.swapIn", "mem.swapOut")),
		record("vm:esxi_disk_commands:rate5m", disk("vdisk.reads", "vdisk.writes")),
		record("vm:esxi_disk_bytes:rate5m", disk("vdisk.readRate", "vdisk.writeRate")),
		record("vm:esxi_network_bytes:rate5m", lay("sum by (job, instance, vm, moid) (", "  "+port("net.rateRx"), "  + "+port("net.rateTx"), ")")),
	}
}

// onHost adds up what the VMs of each host have, as a series of the host.
func onHost(expr string) string {
	return lay(
		`label_replace(`,
		`  sum by (job, instance, host, host_moid) (`,
		`    `+expr,
		`    * on (job, instance, moid) group_left (host, host_moid) esxi_vm_info`,
		`  ), "moid", "$1", "host_moid", "(.+)")`)
}

func hostRecords() []rule {
	return []rule{
		record("host:esxi_cpu_util:ratio_avg5m", mean("pcpu.utilAvg", esxtop.Host)),
		record("host:esxi_memory_consumed:ratio", lay(measured("mem.hostConsumed", esxtop.Host).Name, "/ (esxi_host_memory_size_bytes > 0)")),
		record("host:esxi_vm_memory_consumed_bytes:sum", lay("sum without (host_moid) (", onHost(measured("mem.consumed", esxtop.Group).Name), ")")),
		record("host:esxi_vcpus_per_core:ratio", lay(
			"sum without (host_moid) (", onHost("(esxi_vm_vcpus and esxi_vm_powered_on == 1)"), ")", "/ (esxi_host_cpu_cores > 0)")),
		// Joules by second are watts, and those of every sample count.
		record("host:esxi_power_watts:rate5m", rate("power.energy", esxtop.Host)),
		record("host:esxi_energy_joules:increase1h", fmt.Sprintf("increase(%s[1h])", measured("power.energy", esxtop.Host).Name)),
	}
}

// byCluster adds up what hosts have, by cluster. Hosts that stand alone are left out.
func byCluster(expr string) string {
	return lay(
		`sum by (job, instance, vsphere_cluster) (`,
		`  `+expr,
		`  * on (job, instance, moid) group_left (vsphere_cluster) esxi_host_info{vsphere_cluster!=""}`,
		`)`)
}

func clusterRecords() []rule {
	return []rule{
		record("cluster:esxi_cpu_util:ratio_avg5m", lay(byCluster("(host:esxi_cpu_util:ratio_avg5m * esxi_host_cpu_cores)"), "/", byCluster("(esxi_host_cpu_cores and host:esxi_cpu_util:ratio_avg5m)"))),
		record("cluster:esxi_vcpus_per_core:ratio", lay(byCluster("(host:esxi_vcpus_per_core:ratio * esxi_host_cpu_cores)"), "/", byCluster("esxi_host_cpu_cores"))),
		record("cluster:esxi_memory_consumed:ratio", lay(byCluster(measured("mem.hostConsumed", esxtop.Host).Name), "/", byCluster("(esxi_host_memory_size_bytes and "+measured("mem.hostConsumed", esxtop.Host).Name+")"))),
		record("cluster:esxi_power_watts:sum", byCluster("host:esxi_power_watts:rate5m")),
	}
}

// splits are the parts of the latency that a guest sees: in the driver and behind it, and in the VMkernel, of which the queue
// is a part.
var splits = []struct{ name, id string }{
	{"guest", "disk.guestLatency"}, {"driver", "disk.deviceLatency"}, {"kernel", "disk.kernelLatency"}, {"queue", "disk.queueLatency"},
}

func latencyOf(name string) string { return "device:esxi_" + name + "_latency_seconds:avg5m" }

func deviceRecords() []rule {
	list := []rule{record("device:esxi_commands:rate5m", rate("disk.commands", esxtop.Device))}
	for _, s := range splits {
		list = append(list, record(latencyOf(s.name), mean(s.id, esxtop.Device)))
	}
	list = append(list, record("device:esxi_kernel_latency:share_avg5m", lay(latencyOf("kernel"), "/ ("+latencyOf("guest")+" > 0)")))
	// The same device on all hosts: each host counts by its commands.
	return append(list, record("shared_device:esxi_driver_latency_seconds:avg5m", lay(
		"sum by (job, instance, device) ("+latencyOf("driver")+" * device:esxi_commands:rate5m)",
		"/ (sum by (job, instance, device) (device:esxi_commands:rate5m and "+latencyOf("driver")+") > 0)")))
}

// lost is the part of packets that was dropped at the ports that have a label.
func lost(label, dropped, passed string) string {
	of := func(id string) string {
		return fmt.Sprintf(`rate(%s{%s!=""}[5m])`, measured(id, esxtop.Port).Name, label)
	}
	return lay(of(dropped), fmt.Sprintf("/ (%s + %s > 0)", of(dropped), of(passed)))
}

func networkRecords() []rule {
	var list []rule
	for _, part := range []string{"vnic", "pnic"} {
		list = append(list,
			record(part+":esxi_receive_dropped:ratio_rate5m", lost(part, "net.droppedRxRate", "net.packetsRx")),
			record(part+":esxi_transmit_dropped:ratio_rate5m", lost(part, "net.droppedTxRate", "net.packetsTx")))
	}
	for _, way := range []struct{ name, id string }{{"receive", "net.rateRx"}, {"transmit", "net.rateTx"}} {
		list = append(list, record("pnic:esxi_"+way.name+"_used:ratio_rate5m", lay(
			fmt.Sprintf(`rate(%s{pnic!=""}[5m])`, measured(way.id, esxtop.Port).Name),
			"/ on (job, instance, moid, pnic) group_left ()",
			"(esxi_pnic_speed_bytes_per_second > 0)")))
	}
	return list
}

func datastoreRecords() []rule {
	return []rule{
		record("datastore:esxi_used:ratio", "1 - esxi_datastore_free_bytes / (esxi_datastore_capacity_bytes > 0)"),
		record("datastore:esxi_provisioned:ratio", "esxi_datastore_provisioned_bytes / (esxi_datastore_capacity_bytes > 0)"),
	}
}

func targetRecords() []rule {
	const missed = "sum by (job, instance) (rate(vperf_samples_missed_total[15m]))"
	return []rule{
		record("target:vperf_sample_age_seconds", "time() - vperf_sample_timestamp_seconds"),
		record("target:vperf_samples_missed:ratio_rate15m", lay(missed, "/ ("+missed, "  + sum by (job, instance) (rate(vperf_samples_collected_total[15m])) > 0)")),
		record("target:vperf_findings:sum", "sum by (job, instance, severity, outcome) (vperf_rule_findings)"),
		record("target:vperf_api_seconds_per_call:rate5m", lay(
			"sum by (job, instance, target) (rate(vperf_api_duration_seconds_total[5m]))",
			"/ (sum by (job, instance, target) (rate(vperf_api_calls_total[5m])) > 0)")),
		record("target:vperf_api_received_bytes:rate5m", "sum by (job, instance, target) (rate(vperf_api_received_bytes_total[5m]))"),
	}
}
