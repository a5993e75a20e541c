package module

import (
	"hash/maphash"
	"maps"
	"strings"
	"sync"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/source"
)

// placedVM is a VM with the host that it is on.
type placedVM struct {
	*source.VM
	host *source.Host
}

// hostColumns: of a host that does not respond there is only vCenter's old data, which is not exported. Its maintenance mode and
// standby are vCenter's own.
var hostColumns = []column[source.Host]{
	{
		"esxi_host_connected", "Whether the host is connected to vCenter (runtime.connectionState).",
		func(h source.Host) (float64, bool) { return exposition.Bool(h.Down == ""), true },
	},
	{
		"esxi_host_powered_on", "Whether the host is powered on; absent if unknown (runtime.powerState).",
		func(h source.Host) (float64, bool) { return poweredOn(h.Power) },
	},
	{
		"esxi_host_in_maintenance", "Whether the host is in maintenance mode (runtime.inMaintenanceMode).",
		func(h source.Host) (float64, bool) { return yes(h.Maintenance) },
	},
	{
		"esxi_host_in_standby", "Whether the host is in standby, entering it or leaving it (runtime.standbyMode, runtime.powerState).",
		func(h source.Host) (float64, bool) { return yes(h.Standby) },
	},
	{
		"esxi_host_cpu_cores", "Physical cores (summary.hardware.numCpuCores).",
		func(h source.Host) (float64, bool) { return float64(h.Cores), h.Down == "" && h.Cores > 0 },
	},
	{
		"esxi_host_memory_size_bytes", "Installed memory (summary.hardware.memorySize).",
		func(h source.Host) (float64, bool) {
			return float64(h.MemoryBytes), h.Down == "" && h.MemoryBytes > 0
		},
	},
}

var vmColumns = []column[placedVM]{
	{
		"esxi_vm_powered_on", "Whether the VM is powered on; 0 if it is suspended (runtime.powerState).",
		func(v placedVM) (float64, bool) {
			on, known := poweredOn(v.Power)
			return on, known && v.host.Down == ""
		},
	},
	{
		"esxi_vm_vcpus", "Virtual CPUs (config.hardware.numCPU).",
		func(v placedVM) (float64, bool) { return float64(v.VCPUs), v.host.Down == "" && v.VCPUs > 0 },
	},
	{
		"esxi_vm_memory_size_bytes", "Configured memory of the VM (config.hardware.memoryMB).",
		func(v placedVM) (float64, bool) {
			return float64(v.MemoryBytes), v.host.Down == "" && v.MemoryBytes > 0
		},
	},
}

// poweredOn is the value of a power state; false: it is not known.
func poweredOn(state string) (float64, bool) {
	on, known := source.PoweredOn(state)
	return exposition.Bool(on), known
}

// Inventory writes hosts and VMs as a roster has them. It keeps the labels of VMs, which rarely change, from page to page. It is
// safe for concurrent use.
type Inventory struct {
	mu  sync.Mutex
	vms map[string]placedLabels // by id
}

// placedLabels are the labels of a VM, and what they were made of: the place as a hash, because it takes more memory than the labels.
type placedLabels struct {
	place    uint64
	tags     map[string]string
	info, id exposition.Labels // of its info, and of its other series
}

// place is everything but tags that the labels of a VM are made of.
type place struct {
	vm                                    source.VM
	hostName, hostID, cluster, datacenter string
}

var placeSeed = maphash.MakeSeed()

// Write writes the hosts, and the VMs, without templates, of all hosts with exported VMs. tags are additional labels by the
// id of the object, or nil.
func (n *Inventory) Write(w *exposition.Writer, hosts, under []source.Host, vms func(host string) []source.VM, tags map[string]map[string]string) {
	writeInfo(w, "esxi_host_info",
		"Host: version, hardware and location, with the tags of the configured categories (config.product, hardware.systemInfo.model).", hosts,
		func(h source.Host) exposition.Labels {
			version, _ := h.Version.Value()
			words := []string{
				"host", h.Name, "moid", h.MoID, "vsphere_cluster", h.Cluster, "vsphere_datacenter", h.Datacenter,
				"build", h.Build, "model", h.Model,
			}
			if version.Major > 0 {
				words = append(words, "version", version.String())
			}
			return withTags(words, tags[h.MoID])
		})
	writeColumns(w, hosts, func(h source.Host) exposition.Labels {
		return exposition.NewLabels("host", h.Name, "moid", h.MoID)
	}, hostColumns)

	n.mu.Lock()
	defer n.mu.Unlock()
	all := placed(under, vms)
	if len(n.vms) > len(all)+len(all)/8 { // many are gone
		n.vms = nil
	}
	if n.vms == nil {
		n.vms = make(map[string]placedLabels, len(all))
	}
	writeInfo(w, "esxi_vm_info",
		"VM: guest OS, UUIDs and location, with the tags of the configured categories (config.guestId, config.instanceUuid, config.uuid, runtime.host).", all,
		func(v placedVM) exposition.Labels { return n.labels(v, tags[v.MoID]).info })
	writeColumns(w, all, func(v placedVM) exposition.Labels { return n.labels(v, tags[v.MoID]).id }, vmColumns)
}

// placed returns the VMs of hosts, without templates.
func placed(under []source.Host, vms func(host string) []source.VM) []placedVM {
	most := 0
	for i := range under {
		most += len(vms(under[i].MoID))
	}
	all := make([]placedVM, 0, most)
	for i := range under {
		on := vms(under[i].MoID)
		for j := range on {
			if !on[j].Template {
				all = append(all, placedVM{&on[j], &under[i]})
			}
		}
	}
	return all
}

// labels returns the labels of a VM, made anew if something in them has changed.
func (n *Inventory) labels(v placedVM, tags map[string]string) placedLabels {
	at := maphash.Comparable(placeSeed, place{*v.VM, v.host.Name, v.host.MoID, v.host.Cluster, v.host.Datacenter})
	l, there := n.vms[v.MoID]
	if there && l.place == at && maps.Equal(l.tags, tags) {
		return l
	}
	l = placedLabels{place: at, tags: tags}
	l.id = exposition.NewLabels("vm", v.Name, "moid", v.MoID)
	l.info = withTags([]string{
		"vm", v.Name, "moid", v.MoID, "host", v.host.Name, "host_moid", v.host.MoID, "vsphere_cluster", v.host.Cluster,
		"vsphere_datacenter", v.host.Datacenter, "guest", v.Guest, "uuid", v.UUID, "bios_uuid", strings.ToLower(v.BIOSUUID),
	}, tags)
	n.vms[v.MoID] = l
	return l
}

func withTags(words []string, tags map[string]string) exposition.Labels {
	for name, value := range tags { // NewLabels sorts
		words = append(words, name, value)
	}
	return exposition.NewLabels(words...)
}
