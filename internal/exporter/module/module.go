// Package module holds the modules of a target's metrics: which objects each of them measures, or which facts it exports
// and how they become metrics.
package module

import (
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Name names a module, which is a part of a target's metrics. A target selects the modules to collect, and a scrape the modules to show.
type Name string

// Modules.
const (
	Basic     Name = "basic"      // hosts and VMs as wholes
	Disk      Name = "disk"       // adapters, paths, devices, NFS volumes, virtual disks
	Net       Name = "net"        // physical NICs and ports
	VCPU      Name = "vcpu"       // logical CPUs of hosts, vCPUs of VMs
	NUMA      Name = "numa"       // nodes, and VMs on nodes
	GPU       Name = "gpu"        // graphics devices of hosts, vGPUs of VMs
	Datastore Name = "datastore"  // capacity and free space
	Cluster   Name = "cluster"    // DRS settings, numbers of hosts and VMs
	Pool      Name = "pool"       // resource pools: usage, limits, ready time
	Snapshot  Name = "snapshot"   // of VMs: how many, how old, how large
	Hardware  Name = "hardware"   // sensors, links, drivers and firmware
	Firmware  Name = "firmware"   // of storage adapters; it takes calls to each host
	VSAN      Name = "vsan"       // where there is one
	Tags      Name = "tags"       // of chosen categories, on the info series
	Attribute Name = "attributes" // chosen custom attributes
	Esxtop    Name = "esxtop"     // metrics that only the Esxtop service of selected hosts has
	Audit     Name = "audit"      // how many findings there are of each rule
	Findings  Name = "findings"   // each finding with its object; shown on request only
)

// All are all modules, in the order of pages.
var All = []Name{Basic, Disk, Net, VCPU, NUMA, GPU, Datastore, Cluster, Pool, Snapshot, Hardware, Firmware, VSAN, Tags, Attribute, Esxtop, Audit, Findings}

// Default are those of a target that names none.
var Default = []Name{Basic, Datastore, Cluster, Snapshot, Hardware, VSAN, Audit}

// Measured are the objects of the modules that are measured.
var Measured = map[Name]esxtop.Objects{
	Basic: esxtop.ObjectsOf(esxtop.Host, esxtop.Group),
	Disk:  esxtop.ObjectsOf(esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.NFS, esxtop.DiskVM, esxtop.VDisk),
	Net:   esxtop.ObjectsOf(esxtop.Port),
	VCPU:  esxtop.ObjectsOf(esxtop.PCPU, esxtop.World),
	NUMA:  esxtop.ObjectsOf(esxtop.Node, esxtop.GroupNode),
	GPU:   esxtop.ObjectsOf(esxtop.GPU),
}

// EsxtopOnly are the objects that no other module measures.
func EsxtopOnly() esxtop.Objects {
	objects := esxtop.AllObjects
	for _, of := range Measured {
		objects &^= of
	}
	return objects
}

// Words are modules as people write them.
func Words(modules []Name) []string {
	out := make([]string, len(modules))
	for i, m := range modules {
		out[i] = string(m)
	}
	return out
}

// Listed are modules as a sentence lists them.
func Listed(modules []Name) string { return strings.Join(Words(modules), ", ") }
