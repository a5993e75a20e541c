package simfleet

import (
	"cmp"
	"fmt"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

const (
	busHz         = 100_000_000
	classEthernet = 0x0200
	onboardBus    = 0x3d
)

func (e *esxi) dressHardware() {
	r, s := e.row, e.row.Server
	system := types.HostSystemInfo{Vendor: s.Vendor, Model: s.Model, Uuid: uuid(cmp.Or(r.Identity, r.Name))}
	e.host.Hardware = &types.HostHardwareInfo{
		SystemInfo:             system,
		CpuPowerManagementInfo: &types.HostCpuPowerManagementInfo{HardwareSupport: r.PowerHardware},
		CpuInfo: types.HostCpuInfo{
			NumCpuPackages: int16(s.Sockets), NumCpuCores: int16(s.AllCores()), Hz: r.Hz,
			NumCpuThreads: int16(e.perCore.count() * s.AllCores()),
		},
		CpuPkg:     e.cpuPackages(),
		MemorySize: s.MemoryGB << 30,
		NumaInfo:   e.numaInfo(),
		PciDevice:  e.pciDevices(),
		BiosInfo:   &types.HostBIOSInfo{BiosVersion: s.BIOS, Vendor: s.Vendor},
	}
	if r.Version >= "7.0.3" {
		e.dressTiers()
	}
	e.summarizeHardware()
}

// dressTiers says what memory is made of; the lower tier adds a quarter of what there is.
func (e *esxi) dressTiers() {
	hw := e.host.Hardware
	hw.MemoryTieringType = cmp.Or(e.row.Tiering, "noTiering")
	hw.MemoryTierInfo = []types.HostMemoryTierInfo{{Name: "DRAM", Type: "DRAM", Flags: []string{"memoryTier"}, Size: hw.MemorySize}}
	if e.row.Tiering != "" {
		kind := "NVMe"
		if e.row.Tiering == fleetdata.HardwareTiering {
			kind = "PMem"
		}
		hw.MemoryTierInfo = append(hw.MemoryTierInfo, types.HostMemoryTierInfo{
			Name: kind, Type: kind, Flags: []string{"memoryTier"}, Size: hw.MemorySize / 4,
		})
	}
}

func (e *esxi) summarizeHardware() {
	s, hw := e.row.Server, e.host.Hardware
	e.host.Summary.Hardware = &types.HostHardwareSummary{
		Vendor: s.Vendor, Model: s.Model, Uuid: hw.SystemInfo.Uuid,
		MemorySize: hw.MemorySize, CpuModel: s.CPU, CpuMhz: int32(e.row.Hz / 1_000_000), // cut off, not rounded
		NumCpuPkgs: hw.CpuInfo.NumCpuPackages, NumCpuCores: hw.CpuInfo.NumCpuCores, NumCpuThreads: hw.CpuInfo.NumCpuThreads,
		NumNics: int32(len(e.cards())), NumHBAs: int32(len(e.hbas())),
	}
}

// threadsOf are the logical CPUs of a socket; both threads of a core are neighbours.
func (e *esxi) threadsOf(socket int) []int16 {
	n := e.perCore.count() * e.row.Server.Cores
	ids := make([]int16, n)
	for i := range ids {
		ids[i] = int16(socket*n + i)
	}
	return ids
}

func (e *esxi) cpuPackages() []types.HostCpuPackage {
	s := e.row.Server
	pkgs := make([]types.HostCpuPackage, s.Sockets)
	for i := range pkgs {
		pkgs[i] = types.HostCpuPackage{
			Index: int16(i), Vendor: "intel", Hz: e.row.Hz, BusHz: busHz, Description: s.CPU, ThreadId: e.threadsOf(i),
		}
		if e.row.Version >= "8.0.3" {
			pkgs[i].Family, pkgs[i].Model = 6, s.CPUModel
		}
	}
	return pkgs
}

func (e *esxi) numaInfo() *types.HostNumaInfo {
	nodes := e.row.NUMANodes()
	size := e.row.Server.MemoryGB << 30 / int64(nodes)
	var threads []int16
	for i := range e.row.Server.Sockets {
		threads = append(threads, e.threadsOf(i)...)
	}
	each := len(threads) / nodes
	info := &types.HostNumaInfo{Type: "NUMA", NumNodes: int32(nodes)}
	for i := range nodes {
		node := types.HostNumaNode{TypeId: byte(i), CpuID: threads[i*each : (i+1)*each], MemoryRangeLength: size}
		if e.row.Version >= "8" {
			node.MemorySize = size
		} else {
			node.MemoryRangeBegin = int64(i) * size
		}
		if !e.row.HidePCI {
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
		if c.Socket*e.row.NUMANodes()/e.row.Server.Sockets == node {
			ids = append(ids, c.pci())
		}
	}
	return ids
}

func (c card) pci() string { return fmt.Sprintf("0000:%02x:00.0", c.Bus) }

func (e *esxi) pciDevices() []types.HostPciDevice {
	var devices []types.HostPciDevice
	for _, n := range e.cards() {
		devices = append(devices, types.HostPciDevice{
			Id: n.pci(), Bus: n.Bus, ClassId: classEthernet,
			VendorId: wire16(n.VendorID), DeviceId: wire16(n.DeviceID), SubVendorId: wire16(n.VendorID),
			VendorName: n.Vendor, DeviceName: n.Device,
		})
	}
	return devices
}

// wire16 is how the API carries PCI ids: the same 16 bits, read as signed.
func wire16(id uint16) int16 { return int16(id) }
