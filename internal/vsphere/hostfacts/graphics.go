package hostfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const pathGraphics = "config.graphicsInfo"

// fillGraphicsDevices lists the graphics devices. An unset list means an empty one.
func fillGraphicsDevices(p *property.Props, h *host) {
	h.GraphicsDevices = property.Read(p, pathGraphics, asGraphicsDevices, property.DefaultTo([]*inventory.GraphicsDevice{}))
}

// asGraphicsDevices decodes the graphics devices of a host. A size of 0 means that the host does not know it.
func asGraphicsDevices(v any) ([]*inventory.GraphicsDevice, bool) {
	list, ok := property.As[types.ArrayOfHostGraphicsInfo](v)
	devices := []*inventory.GraphicsDevice{}
	for _, g := range list.HostGraphicsInfo {
		memory := inventory.Absent[int64]()
		if g.MemorySizeInKB > 0 {
			memory = inventory.Known(g.MemorySizeInKB)
		}
		devices = append(devices, &inventory.GraphicsDevice{PCIID: g.PciId, Device: g.DeviceName, Vendor: g.VendorName, Type: g.GraphicsType, MemoryKB: memory})
	}
	return devices, ok
}
