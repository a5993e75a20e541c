package esxtop

import (
	"fmt"
	"strings"
)

// prefixes of the names of each object's metrics.
var prefixes = [objects]string{
	Host: "esxi_host_", PCPU: "esxi_pcpu_", Node: "esxi_numa_node_", Group: "esxi_vm_", GroupNode: "esxi_vm_numa_node_", World: "esxi_vcpu_",
	Adapter: "esxi_adapter_", Path: "esxi_path_", Device: "esxi_device_", DeviceWorld: "esxi_device_world_", Partition: "esxi_partition_",
	NFS: "esxi_nfs_", DiskVM: "esxi_vm_disk_", VDisk: "esxi_vdisk_", Port: "esxi_port_", Vector: "esxi_interrupt_",
	VectorCPU: "esxi_interrupt_cpu_", CState: "esxi_pcpu_cstate_", PState: "esxi_pcpu_pstate_", TState: "esxi_pcpu_tstate_", Dom: "esxi_vsan_", GPU: "esxi_gpu_",
}

// PrometheusName returns the exporter's name for the metric of an object; empty if it is not exported.
func (m *Metric) PrometheusName(o Object) string {
	switch {
	case m.Prometheus.Name == "" || m.slot[o] == 0:
		return ""
	case m.ofNIC:
		return "esxi_pnic_" + m.Prometheus.Name
	case o == World:
		return prefixes[o] + strings.TrimPrefix(m.Prometheus.Name, "cpu_")
	}
	return prefixes[o] + m.Prometheus.Name
}

// prometheus appends the base unit to the stem of a name. A stem that has a unit already expresses what the kind does
// not: that a share is wanted as a present value, or that the host itself counts.
func prometheus(m *Metric) Prometheus {
	stem := m.stem
	if stem == "" {
		return Prometheus{}
	}
	suffix, scale := baseUnit(m.Unit)
	switch {
	case strings.HasSuffix(stem, "_ratio"), strings.HasSuffix(stem, "_total"):
		suffix = ""
	case m.Kind == Share && m.Unit == Percent:
		suffix = "_seconds_total"
	case m.Kind == Rate:
		suffix = strings.TrimSuffix(suffix, "_hertz") + "_total"
	}
	name := stem + suffix
	return Prometheus{Name: name, Counter: strings.HasSuffix(name, "_total"), Scale: scale}
}

// baseUnit returns Prometheus's name of a unit's base, and how many base units the unit has.
func baseUnit(u Unit) (suffix string, scale float64) {
	switch u {
	case Percent:
		return "_ratio", 0.01
	case PerSecond:
		return "_hertz", 1
	case MB, MBps:
		return "_bytes", 1 << 20
	case Mbps:
		return "_bytes", (1 << 20) / 8
	case LinkMbps:
		return "_bytes_per_second", 1e6 / 8
	case Bytes:
		return "_bytes", 1
	case Millisec:
		return "_seconds", 1e-3
	case Microsec:
		return "_seconds", 1e-6
	case Seconds:
		return "_seconds", 1
	case MHz:
		return "_hertz", 1e6
	case Celsius:
		return "_celsius", 1
	case Watt:
		return "_watts", 1
	case JouleRate:
		return "_joules", 1
	}
	return "", 1
}

// Help describes a metric and its sources, so that it can be found in esxtop and in VMware's documentation.
func (m *Metric) Help() string {
	var from []string
	if m.Column != "" {
		from = append(from, "esxtop "+m.Column)
	}
	if f := m.Formula.String(); f != "" {
		from = append(from, f)
	}
	for i, p := range m.Perf {
		if i == 0 || p.Counter != m.Perf[i-1].Counter {
			from = append(from, p.Counter)
		}
	}
	return fmt.Sprintf("%s (%s)", m.About, strings.Join(from, "; "))
}
