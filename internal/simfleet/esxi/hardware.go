package esxi

import (
	"cmp"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

const (
	busHz         = 100_000_000
	classEthernet = 0x0200
)

func (e *Host) configureHardware() {
	r, s := e.Row, e.Row.Server
	system := types.HostSystemInfo{Vendor: s.Vendor, Model: s.Model, Uuid: world.UUID(cmp.Or(r.Identity, r.Name))}
	e.System.Hardware = &types.HostHardwareInfo{
		SystemInfo:             system,
		CpuPowerManagementInfo: &types.HostCpuPowerManagementInfo{HardwareSupport: r.PowerHardware},
		CpuInfo: types.HostCpuInfo{
			NumCpuPackages: int16(s.Sockets), NumCpuCores: int16(s.AllCores()), Hz: r.Hz,
			NumCpuThreads: int16(e.PerCore.Count() * s.AllCores()),
		},
		CpuPkg:     e.cpuPackages(),
		MemorySize: s.MemoryGB << 30,
		NumaInfo:   e.numaInfo(),
		PciDevice:  e.pciDevices(),
		BiosInfo:   &types.HostBIOSInfo{BiosVersion: s.BIOS, Vendor: s.Vendor},
	}
	if r.Version >= "7.0.3" {
		e.configureTiers()
	}
	e.summarizeHardware()
}

// configureTiers sets the memory tiers; the lower tier adds a quarter of the memory.
func (e *Host) configureTiers() {
	hw := e.System.Hardware
	hw.MemoryTieringType = cmp.Or(e.Row.Tiering, "noTiering")
	hw.MemoryTierInfo = []types.HostMemoryTierInfo{{Name: "DRAM", Type: "DRAM", Flags: []string{"memoryTier"}, Size: hw.MemorySize}}
	if e.Row.Tiering != "" {
		kind := "NVMe"
		if e.Row.Tiering == fleetdata.HardwareTiering {
			kind = "PMem"
		}
		hw.MemoryTierInfo = append(hw.MemoryTierInfo, types.HostMemoryTierInfo{
			Name: kind, Type: kind, Flags: []string{"memoryTier"}, Size: hw.MemorySize / 4,
		})
	}
}

func (e *Host) summarizeHardware() {
	s, hw := e.Row.Server, e.System.Hardware
	e.System.Summary.Hardware = &types.HostHardwareSummary{
		Vendor: s.Vendor, Model: s.Model, Uuid: hw.SystemInfo.Uuid,
		MemorySize: hw.MemorySize, CpuModel: s.CPU, CpuMhz: int32(e.Row.Hz / 1_000_000), // truncated, not rounded
		NumCpuPkgs: hw.CpuInfo.NumCpuPackages, NumCpuCores: hw.CpuInfo.NumCpuCores, NumCpuThreads: hw.CpuInfo.NumCpuThreads,
		NumNics: int32(len(e.Cards())), NumHBAs: int32(len(e.hbas())),
	}
}

// threadsOf returns the logical CPUs of a socket; the threads of a core are adjacent.
func (e *Host) threadsOf(socket int) []int16 {
	n := e.PerCore.Count() * e.Row.Server.Cores
	ids := make([]int16, n)
	for i := range ids {
		ids[i] = int16(socket*n + i)
	}
	return ids
}

func (e *Host) cpuPackages() []types.HostCpuPackage {
	s := e.Row.Server
	pkgs := make([]types.HostCpuPackage, s.Sockets)
	for i := range pkgs {
		pkgs[i] = types.HostCpuPackage{
			Index: int16(i), Vendor: "intel", Hz: e.Row.Hz, BusHz: busHz, Description: s.CPU, ThreadId: e.threadsOf(i),
		}
		if e.Row.Version >= "8.0.3" {
			pkgs[i].Family, pkgs[i].Model = 6, s.CPUModel
		}
	}
	return pkgs
}

func (e *Host) numaInfo() *types.HostNumaInfo {
	nodes := e.Row.NUMANodes()
	size := e.Row.Server.MemoryGB << 30 / int64(nodes)
	var threads []int16
	for i := range e.Row.Server.Sockets {
		threads = append(threads, e.threadsOf(i)...)
	}
	each := len(threads) / nodes
	info := &types.HostNumaInfo{Type: "NUMA", NumNodes: int32(nodes)}
	for i := range nodes {
		node := types.HostNumaNode{TypeId: byte(i), CpuID: threads[i*each : (i+1)*each], MemoryRangeLength: size}
		if e.Row.Version >= "8" {
			node.MemorySize = size
		} else {
			node.MemoryRangeBegin = int64(i) * size
		}
		if !e.Row.HidePCI {
			node.PciId = e.pciOn(i)
		}
		info.NumaNode = append(info.NumaNode, node)
	}
	return info
}

// pciOn returns the PCI addresses of the NICs of a NUMA node; they are on the first node of their socket.
func (e *Host) pciOn(node int) []string {
	var ids []string
	for _, c := range e.Cards() {
		if c.Socket*e.Row.NUMANodes()/e.Row.Server.Sockets == node {
			ids = append(ids, c.PCI())
		}
	}
	return ids
}

func (e *Host) pciDevices() []types.HostPciDevice {
	var devices []types.HostPciDevice
	for _, n := range e.Cards() {
		devices = append(devices, types.HostPciDevice{
			Id: n.PCI(), Bus: n.Bus, ClassId: classEthernet,
			VendorId: wire16(n.VendorID), DeviceId: wire16(n.DeviceID), SubVendorId: wire16(n.VendorID),
			VendorName: n.Vendor, DeviceName: n.Device,
		})
	}
	return devices
}

// wire16 returns a PCI id as the API sends it: the same 16 bits as a signed number.
func wire16(id uint16) int16 { return int16(id) }
