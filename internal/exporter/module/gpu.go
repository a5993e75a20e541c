package module

import (
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// hostGPU is a graphics device of a host.
type hostGPU struct {
	*inventory.GraphicsDevice
	host *inventory.Host
}

// labels do not have the name of the device's counters, because vSphere does not say which device has which name.
func (g hostGPU) labels(more ...string) exposition.Labels {
	return exposition.NewLabels(append([]string{"host", g.host.Name, "moid", g.host.ID, "pci_id", g.PCIID}, more...)...)
}

// vmGPU is a vGPU of a VM.
type vmGPU struct {
	*inventory.PCIDevice
	vm *inventory.VM
}

var gpuColumns = []column[hostGPU]{
	{
		"esxi_gpu_memory_size_bytes", "Memory of the graphics device; absent if the host does not know it (config.graphicsInfo.memorySizeInKB).",
		func(g hostGPU) (float64, bool) { return number(g.MemoryKB, 1024) },
	},
}

func gpuModule() Surveyed {
	return Surveyed{
		Name:  GPU,
		Needs: needsOf("Host.graphicsDevices", "GraphicsDevice.memoryKB", "VM.pciDevices", "PCIDevice.kind", "PCIDevice.vgpu", "VM.template"),
		Write: func(w *exposition.Writer, v *inventory.VCenter) {
			writeGPUs(w, v.Hosts)
			writeVGPUs(w, realVMs(v.VMs))
		},
		Coverage: func(v *inventory.VCenter) (int, int, string) {
			expected, collected, trouble := covered(v.Unread, v.Hosts, func(h *inventory.Host) []inventory.Reader { return []inventory.Reader{&h.GraphicsDevices} })
			vms, ofVMs, ofVMsTrouble := covered(trouble, realVMs(v.VMs), func(vm *inventory.VM) []inventory.Reader { return []inventory.Reader{&vm.PCIDevices} })
			return expected + vms, collected + ofVMs, ofVMsTrouble
		},
	}
}

func writeGPUs(w *exposition.Writer, hosts []*inventory.Host) {
	var all []hostGPU
	for _, h := range hosts {
		devices, _ := h.GraphicsDevices.Value()
		for _, g := range devices {
			all = append(all, hostGPU{g, h})
		}
	}
	writeInfo(w, "esxi_gpu_info", "Graphics device of the host: model, vendor and type (config.graphicsInfo).", all, func(g hostGPU) exposition.Labels {
		return g.labels("model", g.Device, "vendor", g.Vendor, "type", g.Type)
	})
	writeColumns(w, all, func(g hostGPU) exposition.Labels { return g.labels() }, gpuColumns)
}

func writeVGPUs(w *exposition.Writer, vms []*inventory.VM) {
	var all []vmGPU
	for _, vm := range vms {
		devices, _ := vm.PCIDevices.Value()
		for _, d := range devices {
			if text(d.Kind) == "vgpu" {
				all = append(all, vmGPU{d, vm})
			}
		}
	}
	writeInfo(w, "esxi_vm_vgpu_info", "vGPU of the VM and its profile (config.hardware.device, backing.vgpu).", all, func(d vmGPU) exposition.Labels {
		return exposition.NewLabels("vm", d.vm.Name, "moid", d.vm.ID, "device", d.Label, "profile", text(d.VGPU))
	})
}
