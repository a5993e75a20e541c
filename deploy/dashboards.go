package deploy

import (
	"fmt"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Dashboards are the dashboards.
func Dashboards() []Dashboard {
	return []Dashboard{fleet(), host(), vm(), storage(), networkNUMA(), findings()}
}

var (
	hostVar     = variable{name: "host", label: "Host", query: `label_values(esxi_host_info{` + sel + `}, host)`}
	vmVar       = variable{name: "vm", label: "VM", query: `label_values(esxi_vm_info{` + sel + `}, vm)`}
	exporterVar = variable{name: "exporter_job", label: "Exporter's job", query: `label_values(vperf_build_info, job)`}
)

func (v variable) single() variable {
	v.one = true
	return v
}

// toldOf is a metric that is not in the catalogue. Asking for one that is nowhere is a mistake, which tests meet first.
func toldOf(name string) Metric {
	about, ok := told[name]
	if !ok {
		panic("deploy: the exporter has no metric " + name)
	}
	return Metric{Name: name, About: about}
}

func fleet() Dashboard {
	ready := measured("cpu.readyPerVCPU", esxtop.Group)
	util := measured("pcpu.utilAvg", esxtop.Host)
	record := func(name string) string { return name + "{" + sel + "}" }
	return Dashboard{
		UID: "vperf-fleet", File: "fleet.json", Title: "vperf / Fleet", About: "All targets: who is well, who waits, and what the collection costs.",
		vars: []variable{exporterVar},
		panels: []panel{
			heading("How it is"),
			now("Targets up", told["vperf_up"], "short", "sum(vperf_up{"+sel+"})"),
			now("Targets down", told["vperf_up"], "short", "count(vperf_up{"+sel+"}) - sum(vperf_up{"+sel+"})").limit(0.5, 1),
			now("Oldest sample", "Age of the newest sample of the target that lags most. There is one every 20 s.", "s", "max(time() - vperf_sample_timestamp_seconds{"+sel+"})").limit(90, 120),
			now("Hosts", "Hosts that vCenter is connected to.", "short", "sum(esxi_host_connected{"+sel+"})"),
			now("VMs on", "VMs that run.", "short", "sum(esxi_vm_powered_on{"+sel+"})"),
			now("Findings", "Findings of all severities that are not waived.", "short", `sum(vperf_rule_findings{`+sel+`,outcome="fail"})`),
			heading("Hosts"),
			over("CPU of clusters", 12, "CPUs busy, all hosts of a cluster together; each counts by its cores.", util, query{expr: record("cluster:esxi_cpu_util:ratio_avg5m"), legend: "{{vsphere_cluster}}"}).upTo(1),
			over("Memory of clusters", 12, "Memory in use by VMs, the VMkernel and services, of all that the hosts of a cluster have.", Metric{Name: "_ratio"}, query{expr: record("cluster:esxi_memory_consumed:ratio"), legend: "{{vsphere_cluster}}"}),
			top("Busiest hosts", 8, util.About, "percentunit", util.shown(sel), "{{host}}").limit(util.warn(), util.critical()),
			top("vCPUs per core", 8, "vCPUs of running VMs for each core of the host. What it may be depends on what they do: ready time tells.", "short", record("host:esxi_vcpus_per_core:ratio"), "{{host}}"),
			over("Power of clusters", 8, "What hosts with a sensor draw.", Metric{Name: "_watts"}, query{expr: record("cluster:esxi_power_watts:sum"), legend: "{{vsphere_cluster}}"}),
			heading("VMs that wait"),
			top("Ready", 8, ready.About, "percentunit", record(shareOf("ready")), "{{vm}}").limit(ready.warn(), ready.critical()),
			top("Co-stop", 8, measured("cpu.costopPerVCPU", esxtop.Group).About, "percentunit", record(shareOf("costop")), "{{vm}}").limit(measured("cpu.costopPerVCPU", esxtop.Group).warn(), measured("cpu.costopPerVCPU", esxtop.Group).critical()),
			top("Waiting for swap", 8, measured("cpu.swapWaitPerVCPU", esxtop.Group).About, "percentunit", record(shareOf("swap_wait")), "{{vm}}").limit(measured("cpu.swapWaitPerVCPU", esxtop.Group).warn(), measured("cpu.swapWaitPerVCPU", esxtop.Group).critical()),
			heading("The collection"),
			over("Samples missed", 8, told["vperf_samples_missed_total"], Metric{Name: "_total", Counter: true}, query{expr: "sum by (instance, reason) (rate(vperf_samples_missed_total{" + sel + "}[$__rate_interval]))", legend: "{{instance}} {{reason}}"}),
			over("Samples collected", 8, told["vperf_samples_collected_total"], Metric{Name: "_total", Counter: true}, query{expr: "sum by (instance) (rate(vperf_samples_collected_total{" + sel + "}[$__rate_interval]))", legend: "{{instance}}"}),
			over("Series", 8, told["vperf_series"], Metric{Name: "_"}, query{expr: "vperf_series{" + sel + "}", legend: "{{instance}}"}),
			over("Time in vCenter", 8, "Seconds of calls by second: what vCenter spends on vperf, and the way there.", Metric{Name: "_seconds"}, query{expr: "sum by (target) (rate(vperf_api_duration_seconds_total{" + own + "}[$__rate_interval]))", legend: "{{target}}"}),
			over("Calls to vCenter", 8, told["vperf_api_calls_total"], Metric{Name: "_total", Counter: true}, query{expr: "sum by (target, method) (rate(vperf_api_calls_total{" + own + "}[$__rate_interval]))", legend: "{{target}} {{method}}"}),
			over("Bytes from vCenter", 8, told["vperf_api_received_bytes_total"], Metric{Name: "_bytes_total", Counter: true}, query{expr: "sum by (target) (rate(vperf_api_received_bytes_total{" + own + "}[$__rate_interval]))", legend: "{{target}}"}),
			collectors(),
		},
	}
}

// collectors is the table of what each part of the collection got.
func collectors() panel {
	p := panel{title: "Collectors that lack something", kind: "table", unit: "short", width: 24,
		about:   "Hosts, VMs and others that a part of the collection looks for and does not get. Empty: all is there.",
		queries: []query{{expr: lines("vperf_collector_entities_expected{"+sel+"}", "- vperf_collector_entities_collected{"+sel+"} > 0"), instant: true}}}
	return p
}

func host() Dashboard {
	h, pcpu := esxtop.Host, esxtop.PCPU
	cpu := stacked("CPU", 12, "How busy the host's CPUs are.", h, ofEsx, map[string]string{"pcpu.utilAvg": "{{host}} not halted", "pcpu.coreUtilAvg": "{{host}} cores"}, "pcpu.utilAvg", "pcpu.coreUtilAvg").upTo(1)
	cpu.limits = []float64{measured("pcpu.utilAvg", h).warn(), measured("pcpu.utilAvg", h).critical()}
	ports := `,pnic!=""`
	return Dashboard{
		UID: "vperf-host", File: "host.json", Title: "vperf / Host", About: "A host as esxtop shows it.", vars: []variable{hostVar},
		panels: []panel{
			now("Connected", told["esxi_host_connected"], "short", "sum(esxi_host_connected{"+ofEsx+"})"),
			now("In maintenance", told["esxi_host_in_maintenance"], "short", "sum(esxi_host_in_maintenance{"+ofEsx+"})"),
			now("Cores", told["esxi_host_cpu_cores"], "short", "sum(esxi_host_cpu_cores{"+ofEsx+"})"),
			now("Memory", told["esxi_host_memory_size_bytes"], "bytes", "sum(esxi_host_memory_size_bytes{"+ofEsx+"})"),
			now("Running since", measured("host.uptime", h).About, "s", "min("+measured("host.uptime", h).shown(ofEsx)+")"),
			now("Sensors not green", told["esxi_host_sensor_healthy"], "short", "count(esxi_host_sensor_healthy{"+ofEsx+"}) - sum(esxi_host_sensor_healthy{"+ofEsx+"})").limit(0.5, 1),
			heading("CPU"),
			cpu,
			each("Load of five minutes", 12, "host.load5", h, ofEsx, "{{host}}"),
			each("CPUs that are busy", 12, "pcpu.util", pcpu, ofEsx, "{{host}} {{cpu}}").upTo(1),
			each("Frequency while busy", 12, "pcpu.aperfMperf", pcpu, ofEsx, "{{host}} {{cpu}}"),
			each("Power", 12, "power.energy", h, ofEsx, "{{host}}"),
			over("vCPUs per core", 12, "vCPUs of running VMs for each core.", Metric{Name: "_"}, query{expr: "host:esxi_vcpus_per_core:ratio{" + ofEsx + "}", legend: "{{host}}"}),
			heading("Memory"),
			each("State", 8, "mem.state", h, ofEsx, "{{host}}").upTo(4),
			stacked("Taken back from VMs", 8, "Memory that the host took: with balloon drivers, by compressing, by swapping.", h, ofEsx,
				map[string]string{"mem.hostBalloon": "{{host}} balloon", "mem.hostSwapUsed": "{{host}} swapped", "mem.hostZipped": "{{host}} compressed"}, "mem.hostBalloon", "mem.hostSwapUsed", "mem.hostZipped"),
			stacked("Swap", 8, measured("mem.hostSwapRead", h).About, h, ofEsx, map[string]string{"mem.hostSwapRead": "{{host}} read", "mem.hostSwapWrite": "{{host}} written"}, "mem.hostSwapRead", "mem.hostSwapWrite"),
			over("Memory in use", 12, "Part of the host's memory that VMs, the VMkernel and services have.", Metric{Name: "_ratio"}, query{expr: "host:esxi_memory_consumed:ratio{" + ofEsx + "}", legend: "{{host}}"}),
			stacked("What there is", 12, "Memory of the host: all, what reservations hold, what the VMkernel has.", h, ofEsx,
				map[string]string{"mem.physical": "{{host}} all", "mem.reserved": "{{host}} reserved", "mem.kernel": "{{host}} VMkernel"}, "mem.physical", "mem.reserved", "mem.kernel"),
			heading("Disks and network"),
			each("Latency of devices that guests see", 12, "disk.guestLatency", esxtop.Device, ofEsx, "{{host}} {{device}}"),
			each("Commands to devices", 12, "disk.commands", esxtop.Device, ofEsx, "{{host}} {{device}}"),
			each("Received", 12, "net.rateRx", esxtop.Port, ofEsx+ports, "{{host}} {{pnic}}"),
			each("Sent", 12, "net.rateTx", esxtop.Port, ofEsx+ports, "{{host}} {{pnic}}"),
			heading("Sensors"),
			over("Temperatures", 12, "", toldOf("esxi_host_sensor_celsius"), query{expr: "esxi_host_sensor_celsius{" + ofEsx + "}", legend: "{{host}} {{sensor}}"}),
			over("Fans", 12, "", toldOf("esxi_host_sensor_fan_speed_hertz"), query{expr: "esxi_host_sensor_fan_speed_hertz{" + ofEsx + "}", legend: "{{host}} {{sensor}}"}),
		},
	}
}

func vm() Dashboard {
	g := esxtop.Group
	share := func(title, name, id string) panel {
		return over(title, 8, "", measured(id, g), query{expr: shareOf(name) + "{" + ofVM + "}", legend: "{{vm}}"})
	}
	nics := `,vnic!=""`
	return Dashboard{
		UID: "vperf-vm", File: "vm.json", Title: "vperf / VM", About: "A VM: what it uses and what it waits for.", vars: []variable{vmVar.single()},
		panels: []panel{
			now("vCPUs", told["esxi_vm_vcpus"], "short", "sum(esxi_vm_vcpus{"+ofVM+"})"),
			now("Memory", told["esxi_vm_memory_size_bytes"], "bytes", "sum(esxi_vm_memory_size_bytes{"+ofVM+"})"),
			now("Snapshots", told["esxi_vm_snapshots"], "short", "sum(esxi_vm_snapshots{"+ofVM+"})"),
			{title: "Where it is", about: told["esxi_vm_info"], kind: "table", unit: "short", width: 12, queries: []query{{expr: "esxi_vm_info{" + ofVM + "}", instant: true}}},
			heading("CPU, for each vCPU"),
			share("Used", "used", "cpu.usedPerVCPU"),
			share("Ready", "ready", "cpu.readyPerVCPU"),
			share("Co-stop", "costop", "cpu.costopPerVCPU"),
			share("Held back by a limit", "limited", "cpu.maxLimitedPerVCPU"),
			share("Waiting for swap", "swap_wait", "cpu.swapWaitPerVCPU"),
			share("Contention", "contention", "cpu.contentionPerVCPU"),
			each("Ready of each vCPU", 12, "cpu.ready", esxtop.World, ofVM, "{{vcpu}}"),
			each("Used by each vCPU", 12, "cpu.used", esxtop.World, ofVM, "{{vcpu}}"),
			heading("Memory"),
			stacked("What it has", 12, "Memory of the VM: granted, really used from the host, and touched lately.", g, ofVM,
				map[string]string{"mem.granted": "granted", "mem.consumed": "consumed", "mem.touched": "touched"}, "mem.granted", "mem.consumed", "mem.touched"),
			stacked("What was taken back", 12, "Memory that the host took from the VM.", g, ofVM,
				map[string]string{"mem.balloon": "balloon", "mem.swapped": "swapped", "mem.cacheUsed": "compressed"}, "mem.balloon", "mem.swapped", "mem.cacheUsed"),
			stacked("Swap", 12, measured("mem.swapIn", g).About, g, ofVM, map[string]string{"mem.swapIn": "read", "mem.swapOut": "written"}, "mem.swapIn", "mem.swapOut"),
			each("Memory on home nodes", 12, "numa.local", g, ofVM, "{{vm}}").upTo(1),
			heading("Disks"),
			each("Latency of reads", 12, "vdisk.readLatency", esxtop.VDisk, ofVM, "{{disk}}"),
			each("Latency of writes", 12, "vdisk.writeLatency", esxtop.VDisk, ofVM, "{{disk}}"),
			stacked("Reads and writes", 12, "Commands to all disks of the VM.", esxtop.DiskVM, ofVM, map[string]string{"vdisk.reads": "reads", "vdisk.writes": "writes"}, "vdisk.reads", "vdisk.writes"),
			stacked("Read and written", 12, "Bytes from and to all disks of the VM.", esxtop.DiskVM, ofVM, map[string]string{"vdisk.readRate": "read", "vdisk.writeRate": "written"}, "vdisk.readRate", "vdisk.writeRate"),
			heading("Network"),
			each("Received", 8, "net.rateRx", esxtop.Port, ofVM+nics, "{{vnic}}"),
			each("Sent", 8, "net.rateTx", esxtop.Port, ofVM+nics, "{{vnic}}"),
			over("Dropped when received", 8, "", measured("net.droppedRx", esxtop.Port), query{expr: "vnic:esxi_receive_dropped:ratio_rate5m{" + ofVM + "}", legend: "{{vnic}}"}),
		},
	}
}

func storage() Dashboard {
	d := esxtop.Device
	split := over("Where the latency comes from", 24, "What a guest sees (GAVG) is what passes in the driver and behind it (DAVG) and in the VMkernel (KAVG). The device that is slowest now.",
		measured("disk.guestLatency", d))
	for _, s := range splits[:3] {
		split.queries = append(split.queries, query{expr: "max by (instance) (" + latencyOf(s.name) + "{" + ofEsx + "})", legend: "{{instance}} " + s.name})
	}
	data := `datastore:esxi_used:ratio{` + sel + `}`
	return Dashboard{
		UID: "vperf-storage", File: "storage.json", Title: "vperf / Storage", About: "Devices, adapters, NFS volumes and datastores.", vars: []variable{hostVar},
		panels: []panel{
			heading("Devices"),
			split,
			each("In the driver and behind it (DAVG)", 8, "disk.deviceLatency", d, ofEsx, "{{host}} {{device}}"),
			each("In the VMkernel (KAVG)", 8, "disk.kernelLatency", d, ofEsx, "{{host}} {{device}}"),
			each("In the queue (QAVG)", 8, "disk.queueLatency", d, ofEsx, "{{host}} {{device}}"),
			over("Slow for all hosts", 8, "The same device on all hosts, each counting by its commands: high here is the array, high on one host only is its way there.", measured("disk.deviceLatency", d),
				query{expr: "shared_device:esxi_driver_latency_seconds:avg5m{" + sel + "}", legend: "{{device}}"}),
			each("Commands", 8, "disk.commands", d, ofEsx, "{{host}} {{device}}"),
			each("Waiting in the VMkernel", 8, "disk.queued", d, ofEsx, "{{host}} {{device}}"),
			each("Read", 8, "disk.readRate", d, ofEsx, "{{host}} {{device}}"),
			each("Written", 8, "disk.writeRate", d, ofEsx, "{{host}} {{device}}"),
			each("Given up", 8, "disk.aborts", d, ofEsx, "{{host}} {{device}}"),
			heading("Adapters and NFS"),
			each("Commands of adapters", 12, "disk.commands", esxtop.Adapter, ofEsx, "{{host}} {{adapter}}"),
			each("Latency of adapters", 12, "disk.guestReadLatency", esxtop.Adapter, ofEsx, "{{host}} {{adapter}}"),
			each("NFS: latency of reads", 12, "nfs.readLatency", esxtop.NFS, ofEsx, "{{host}} {{nfs}}"),
			each("NFS: latency of writes", 12, "nfs.writeLatency", esxtop.NFS, ofEsx, "{{host}} {{nfs}}"),
			heading("Datastores"),
			top("Fullest datastores", 12, "Part of each datastore that is used.", "percentunit", data, "{{datastore}}").limit(datastoreWarn, datastoreCritical).upTo(1),
			top("Promised", 12, "Space promised to VMs, for each byte there is. Above 1 a datastore can fill up by what VMs write.", "short", `datastore:esxi_provisioned:ratio{`+sel+`}`, "{{datastore}}").limit(1),
			over("Free", 12, "", toldOf("esxi_datastore_free_bytes"), query{expr: "esxi_datastore_free_bytes{" + sel + "}", legend: "{{datastore}}"}),
			top("Largest snapshots", 12, told["esxi_vm_snapshot_size_bytes"], "bytes", "esxi_vm_snapshot_size_bytes{"+sel+"}", "{{vm}}"),
			heading("Virtual disks"),
			top("Slowest reads", 12, measured("vdisk.readLatency", esxtop.VDisk).About, "s", measured("vdisk.readLatency", esxtop.VDisk).shown(sel), "{{vm}} {{disk}}").limit(measured("vdisk.readLatency", esxtop.VDisk).warn(), measured("vdisk.readLatency", esxtop.VDisk).critical()),
			top("Most commands", 12, "VMs with the most reads and writes.", "iops", "vm:esxi_disk_commands:rate5m{"+sel+"}", "{{vm}}"),
		},
	}
}

func networkNUMA() Dashboard {
	nics, p := ofEsx+`,pnic!=""`, esxtop.Port
	return Dashboard{
		UID: "vperf-network-numa", File: "network-numa.json", Title: "vperf / Network and NUMA", About: "Physical NICs, drops, and memory that is far from its vCPUs.", vars: []variable{hostVar},
		panels: []panel{
			heading("Physical NICs"),
			over("Receiving", 12, "What is received, of what the link can carry.", Metric{Name: "_ratio"}, query{expr: "pnic:esxi_receive_used:ratio_rate5m{" + ofEsx + "}", legend: "{{host}} {{pnic}}"}).upTo(1),
			over("Sending", 12, "What is sent, of what the link can carry.", Metric{Name: "_ratio"}, query{expr: "pnic:esxi_transmit_used:ratio_rate5m{" + ofEsx + "}", legend: "{{host}} {{pnic}}"}).upTo(1),
			each("Received", 8, "net.rateRx", p, nics, "{{host}} {{pnic}}"),
			each("Sent", 8, "net.rateTx", p, nics, "{{host}} {{pnic}}"),
			over("Link", 8, "", toldOf("esxi_pnic_up"), query{expr: "esxi_pnic_up{" + ofEsx + "}", legend: "{{host}} {{pnic}}"}).upTo(1),
			each("Packets received", 8, "net.packetsRx", p, nics, "{{host}} {{pnic}}"),
			each("Packets sent", 8, "net.packetsTx", p, nics, "{{host}} {{pnic}}"),
			over("Dropped when received", 8, "", measured("net.droppedRx", p), query{expr: "pnic:esxi_receive_dropped:ratio_rate5m{" + ofEsx + "}", legend: "{{host}} {{pnic}}"}),
			each("Errors when receiving", 8, "net.errorsRx", p, nics, "{{host}} {{pnic}}"),
			each("Broadcast received", 8, "net.broadcastRx", p, nics, "{{host}} {{pnic}}"),
			each("Multicast received", 8, "net.multicastRx", p, nics, "{{host}} {{pnic}}"),
			heading("VMs"),
			top("Most drops", 12, measured("net.droppedRx", p).About, "percentunit", "vnic:esxi_receive_dropped:ratio_rate5m{"+sel+"}", "{{vm}} {{vnic}}").limit(measured("net.droppedRx", p).warn(), measured("net.droppedRx", p).critical()),
			top("Most traffic", 12, "VMs that send and receive the most.", "binBps", "vm:esxi_network_bytes:rate5m{"+sel+"}", "{{vm}}"),
			heading("NUMA"),
			each("Free memory of nodes", 12, "numa.free", esxtop.Node, ofEsx, "{{host}} {{node}}"),
			each("VMs with memory far away", 12, "numa.local", esxtop.Group, sel, "{{vm}}").upTo(1),
			top("Most remote memory", 12, measured("numa.remote", esxtop.Group).About, "bytes", measured("numa.remote", esxtop.Group).shown(sel), "{{vm}}"),
			each("Moved between nodes", 12, "numa.migrations", esxtop.Group, sel, "{{vm}}"),
		},
	}
}

func findings() Dashboard {
	rules := `vperf_rule_findings{` + sel + `,outcome="%s"}`
	outcome := func(name string) string { return fmt.Sprintf(rules, name) }
	severity := func(name string) string {
		return fmt.Sprintf(`sum(vperf_rule_findings{%s,outcome="fail",severity="%s"}) or vector(0)`, sel, name)
	}
	return Dashboard{
		UID: "vperf-findings", File: "findings.json", Title: "vperf / Findings", About: "What the audit says: what is wrong, what could not be looked at, what is waived.",
		panels: []panel{
			now("Critical", told["vperf_rule_findings"], "short", severity("critical")).limit(0.5, 1),
			now("High", told["vperf_rule_findings"], "short", severity("high")).limit(0.5, 1),
			now("Medium", told["vperf_rule_findings"], "short", severity("medium")).limit(0.5),
			now("Low", told["vperf_rule_findings"], "short", severity("low")),
			now("Could not be looked at", "Objects of which a fact could not be read. Unknown is not a pass.", "short", "sum("+outcome("unknown")+") or vector(0)").limit(0.5),
			now("Last audit", told["vperf_audit_timestamp_seconds"], "s", "max(time() - vperf_audit_timestamp_seconds{"+sel+"})").limit(3600),
			heading("Rules"),
			top("Rules that fail most", 12, "Objects for which a rule fails. vperf explain RULE says why it matters and what to do.", "short", "sum by (rule) ("+outcome("fail")+")", "{{rule}}"),
			over("Findings by severity", 12, "Findings that are not waived.", Metric{Name: "_"}, query{expr: "sum by (severity) (" + outcome("fail") + ")", legend: "{{severity}}"}),
			{title: "All rules that fail", about: "Each rule with how many objects fail, by target.", kind: "table", unit: "short", width: 12, queries: []query{{expr: outcome("fail") + " > 0", instant: true}}},
			{title: "Rules that could not be judged", about: "Rules with objects of which a fact could not be read: vperf audit --all says which.", kind: "table", unit: "short", width: 12, queries: []query{{expr: outcome("unknown") + " > 0", instant: true}}},
			{title: "Waived", about: "What somebody decided to live with.", kind: "table", unit: "short", width: 12, queries: []query{{expr: outcome("waived") + " > 0", instant: true}}},
			{title: "Objects", about: "Each finding with its object. There only where Prometheus asks for the module findings.", kind: "table", unit: "short", width: 12, queries: []query{{expr: "vperf_finding{" + sel + "}", instant: true}}},
		},
	}
}
