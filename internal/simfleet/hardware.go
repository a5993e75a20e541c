package simfleet

import (
	"cmp"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"
)

const (
	busHz         = 100_000_000
	classEthernet = 0x0200
)

func (e *esxi) dressHardware() {
	r, s := e.row, e.row.server
	system := types.HostSystemInfo{Vendor: s.vendor, Model: s.model, Uuid: uuid(cmp.Or(r.identity, r.name))}
	e.host.Hardware = &types.HostHardwareInfo{
		SystemInfo:             system,
		CpuPowerManagementInfo: &types.HostCpuPowerManagementInfo{HardwareSupport: r.powerHardware},
		CpuInfo: types.HostCpuInfo{
			NumCpuPackages: int16(s.sockets), NumCpuCores: int16(s.allCores()), Hz: r.hz,
			NumCpuThreads: int16(e.perCore.count() * s.allCores()),
		},
		CpuPkg:     e.cpuPackages(),
		MemorySize: s.memoryGB << 30,
		NumaInfo:   e.numaInfo(),
		PciDevice:  e.pciDevices(),
		BiosInfo:   &types.HostBIOSInfo{BiosVersion: s.bios, Vendor: s.vendor},
	}
	if r.version >= "7.0.3" {
		e.dressTiers()
	}
	e.summarizeHardware()
}

// dressTiers says what memory is made of; the lower tier adds a quarter of what there is.
func (e *esxi) dressTiers() {
	hw := e.host.Hardware
	hw.MemoryTieringType = cmp.Or(e.row.tiering, "noTiering")
	hw.MemoryTierInfo = []types.HostMemoryTierInfo{{Name: "DRAM", Type: "DRAM", Flags: []string{"memoryTier"}, Size: hw.MemorySize}}
	if e.row.tiering != "" {
		kind := "NVMe"
		if e.row.tiering == hardwareTiering {
			kind = "PMem"
		}
		hw.MemoryTierInfo = append(hw.MemoryTierInfo, types.HostMemoryTierInfo{
			Name: kind, Type: kind, Flags: []string{"memoryTier"}, Size: hw.MemorySize / 4,
		})
	}
}

func (s serverModel) allCores() int { return s.sockets * s.cores }

func (e *esxi) summarizeHardware() {
	s, hw := e.row.server, e.host.Hardware
	e.host.Summary.Hardware = &types.HostHardwareSummary{
		Vendor: s.vendor, Model: s.model, Uuid: hw.SystemInfo.Uuid,
		MemorySize: hw.MemorySize, CpuModel: s.cpu, CpuMhz: int32(e.row.hz / 1_000_000), // cut off, not rounded
		NumCpuPkgs: hw.CpuInfo.NumCpuPackages, NumCpuCores: hw.CpuInfo.NumCpuCores, NumCpuThreads: hw.CpuInfo.NumCpuThreads,
		NumNics: int32(len(e.cards())), NumHBAs: int32(len(e.hbas())),
	}
}

// threadsOf are the logical CPUs of a socket; both threads of a core are neighbours.
func (e *esxi) threadsOf(socket int) []int16 {
	n := e.perCore.count() * e.row.server.cores
	ids := make([]int16, n)
	for i := range ids {
		ids[i] = int16(socket*n + i)
	}
	return ids
}

// card is a NIC and where it sits.
type card struct {
	nicModel
	slot
}

// cards are the host's NICs in the order of their names; those of the board come last.
func (e *esxi) cards() []card {
	var list []card
	for _, at := range e.row.server.slots {
		list = append(list, card{e.row.server.nic, at})
	}
	for range e.row.board {
		list = append(list, card{onboard, slot{bus: onboardBus + byte(len(list))}})
	}
	if e.row.idleNIC {
		list = append(list, card{onboard, slot{bus: onboardBus}})
	}
	return list
}

func (e *esxi) cpuPackages() []types.HostCpuPackage {
	s := e.row.server
	pkgs := make([]types.HostCpuPackage, s.sockets)
	for i := range pkgs {
		pkgs[i] = types.HostCpuPackage{
			Index: int16(i), Vendor: "intel", Hz: e.row.hz, BusHz: busHz, Description: s.cpu, ThreadId: e.threadsOf(i),
		}
		if e.row.version >= "8.0.3" {
			pkgs[i].Family, pkgs[i].Model = 6, s.cpuModel
		}
	}
	return pkgs
}

// numaNodes are one a socket unless the BIOS splits sockets or hides them.
func (r *hostRow) numaNodes() int { return cmp.Or(r.nodes, r.server.sockets) }

func (e *esxi) numaInfo() *types.HostNumaInfo {
	nodes := e.row.numaNodes()
	size := e.row.server.memoryGB << 30 / int64(nodes)
	var threads []int16
	for i := range e.row.server.sockets {
		threads = append(threads, e.threadsOf(i)...)
	}
	each := len(threads) / nodes
	info := &types.HostNumaInfo{Type: "NUMA", NumNodes: int32(nodes)}
	for i := range nodes {
		node := types.HostNumaNode{TypeId: byte(i), CpuID: threads[i*each : (i+1)*each], MemoryRangeLength: size}
		if e.row.version >= "8" {
			node.MemorySize = size
		} else {
			node.MemoryRangeBegin = int64(i) * size
		}
		if !e.row.hidePCI {
			node.PciId = e.pciOn(i)
		}
		info.NumaNode = append(info.NumaNode, node)
	}
	return info
}

// pciOn lists the PCI addresses of the NICs at a node, which is the first of their socket.
func (e *esxi) pciOn(node int) []string {
	var ids []string
	for _, c := range e.cards() {
		if c.socket*e.row.numaNodes()/e.row.server.sockets == node {
			ids = append(ids, c.pci())
		}
	}
	return ids
}

func (s slot) pci() string { return fmt.Sprintf("0000:%02x:00.0", s.bus) }

func (e *esxi) pciDevices() []types.HostPciDevice {
	var devices []types.HostPciDevice
	for _, n := range e.cards() {
		devices = append(devices, types.HostPciDevice{
			Id: n.pci(), Bus: n.bus, ClassId: classEthernet,
			VendorId: wire16(n.vendorID), DeviceId: wire16(n.deviceID), SubVendorId: wire16(n.vendorID),
			VendorName: n.vendor, DeviceName: n.device,
		})
	}
	return devices
}

// wire16 is how the API carries PCI ids: the same 16 bits, read as signed.
func wire16(id uint16) int16 { return int16(id) }
