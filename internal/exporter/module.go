package exporter

import "github.com/vperf/vperf/pkg/esxtop"

// Module is a part of what there is to know of a target. What is collected is chosen by target, what a scrape shows by scrape.
type Module string

// Modules.
const (
	Basic     Module = "basic"     // hosts and VMs as wholes
	Disk      Module = "disk"      // adapters, paths, devices, NFS volumes, virtual disks
	Net       Module = "net"       // physical NICs and ports
	VCPU      Module = "vcpu"      // logical CPUs of hosts, vCPUs of VMs
	NUMA      Module = "numa"      // nodes, and VMs on nodes
	Datastore Module = "datastore" // capacity and what is free
	Cluster   Module = "cluster"   // what DRS does, how many hosts and VMs
	Snapshot  Module = "snapshot"  // of VMs: how many, how old, how large
	Hardware  Module = "hardware"  // sensors, links, drivers and firmware
	VSAN      Module = "vsan"      // where there is one
	Tags      Module = "tags"      // of chosen categories, on the info series
	Esxtop    Module = "esxtop"    // what only the Esxtop service of chosen hosts tells
	Audit     Module = "audit"     // how many findings there are of each rule
	Findings  Module = "findings"  // each finding with its object; shown on request only
)

// Modules are all modules, in the order of pages.
var Modules = []Module{Basic, Disk, Net, VCPU, NUMA, Datastore, Cluster, Snapshot, Hardware, VSAN, Tags, Esxtop, Audit, Findings}

// DefaultModules are those of a target that names none.
var DefaultModules = []Module{Basic, Datastore, Cluster, Snapshot, Hardware, VSAN, Audit}

// measured are the objects of the modules that are measured.
var measured = map[Module]esxtop.Objects{
	Basic: esxtop.ObjectsOf(esxtop.Host, esxtop.Group),
	Disk:  esxtop.ObjectsOf(esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.NFS, esxtop.DiskVM, esxtop.VDisk),
	Net:   esxtop.ObjectsOf(esxtop.Port),
	VCPU:  esxtop.ObjectsOf(esxtop.PCPU, esxtop.World),
	NUMA:  esxtop.ObjectsOf(esxtop.Node, esxtop.GroupNode),
}
