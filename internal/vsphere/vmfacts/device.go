package vmfacts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

// vmDevices are the entries for devices other than NICs and disks.
var vmDevices = []property.Entry[*vm]{
	property.Leaf("VM.connectedDevices", PathDevices, asConnected, property.DefaultTo([]string{}),
		func(v *vm) *inventory.Fact[[]string] { return &v.ConnectedDevices }),
	{Facts: []string{"VM.pciDevices", "PCIDevice.kind", "PCIDevice.vgpu", "PCIDevice.numaNode"}, Paths: []string{PathDevices}, Fill: fillPCIDevices},
}

// asConnected returns the kinds of devices that are connected, each once.
func asConnected(v any) ([]string, bool) {
	list, ok := property.As[types.ArrayOfVirtualDevice](v)
	kinds := []string{}
	for _, d := range list.VirtualDevice {
		if kind := pluggedKind(d); kind != "" && connected(d) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), ok
}

func pluggedKind(d types.BaseVirtualDevice) string {
	switch d.(type) {
	case *types.VirtualCdrom:
		return "cdrom"
	case *types.VirtualFloppy:
		return "floppy"
	case *types.VirtualSerialPort:
		return "serial"
	case *types.VirtualParallelPort:
		return "parallel"
	case *types.VirtualUSB:
		return "usb"
	}
	return ""
}

// connected reports whether a device is connected. A device that cannot be unplugged has no such property.
func connected(d types.BaseVirtualDevice) bool {
	if usb, ok := d.(*types.VirtualUSB); ok && usb.Connected {
		return true
	}
	plug := d.GetVirtualDevice().Connectable
	return plug != nil && plug.Connected
}

func fillPCIDevices(p *property.Props, v *vm) {
	v.PCIDevices = property.Read(p, PathDevices, asPCIDevices, property.DefaultTo([]*inventory.PCIDevice{}))
}

func asPCIDevices(v any) ([]*inventory.PCIDevice, bool) {
	list, ok := property.As[types.ArrayOfVirtualDevice](v)
	all := []*inventory.PCIDevice{}
	for _, d := range list.VirtualDevice {
		kind := pciKind(d)
		if kind == "" {
			continue
		}
		b := d.GetVirtualDevice()
		all = append(all, &inventory.PCIDevice{
			Label: cmp.Or(label(*b), fmt.Sprintf("device %d", b.Key)), Kind: inventory.Known(kind), VGPU: vgpuProfile(d),
			NUMANode: deviceNode(*b),
		})
	}
	slices.SortStableFunc(all, func(a, b *inventory.PCIDevice) int { return cmp.Compare(a.Label, b.Label) })
	return all, ok
}

// vgpuProfile returns the profile of a vGPU.
func vgpuProfile(d types.BaseVirtualDevice) inventory.Fact[string] {
	pci, is := d.(*types.VirtualPCIPassthrough)
	if !is {
		return inventory.Absent[string]()
	}
	backing, is := pci.Backing.(*types.VirtualPCIPassthroughVmiopBackingInfo)
	switch {
	case !is:
		return inventory.Absent[string]()
	case backing.Vgpu == "":
		return inventory.Unread[string]("the server does not report the profile of the vGPU")
	}
	return inventory.Known(backing.Vgpu)
}

// pciKind returns how a host device is passed to the VM, or "" for a device that is not the host's.
func pciKind(d types.BaseVirtualDevice) string {
	switch d := d.(type) {
	case *types.VirtualSriovEthernetCard:
		return "sriov"
	case *types.VirtualPCIPassthrough:
		switch d.Backing.(type) {
		case *types.VirtualPCIPassthroughDeviceBackingInfo, *types.VirtualPCIPassthroughDynamicBackingInfo:
			return "passthrough"
		case *types.VirtualPCIPassthroughVmiopBackingInfo:
			return "vgpu"
		}
		return "other"
	}
	return ""
}
