package hostfacts

import (
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
)

const pathPackages = "hardware.cpuPkg"

// fillPackages sets the processor from the first package: all packages of a host are of one model.
func fillPackages(p *property.Props, h *host) {
	first := property.Then(property.Read(p, pathPackages, property.As[types.ArrayOfHostCpuPackage], property.Required),
		func(list types.ArrayOfHostCpuPackage) inventory.Fact[types.HostCpuPackage] {
			if len(list.HostCpuPackage) == 0 {
				return property.Required[types.HostCpuPackage](pathPackages)
			}
			return inventory.Known(list.HostCpuPackage[0])
		})
	h.CPUVendor = property.Then(first, func(c types.HostCpuPackage) inventory.Fact[string] { return inventory.Known(strings.ToLower(c.Vendor)) })
	h.CPUDescription = property.Then(first, func(c types.HostCpuPackage) inventory.Fact[string] { return inventory.Known(c.Description) })
	h.CPUFamily = property.Then(first, func(c types.HostCpuPackage) inventory.Fact[int64] { return cpuNumber(c, c.Family) })
	h.CPUModel = property.Then(first, func(c types.HostCpuPackage) inventory.Fact[int64] { return cpuNumber(c, c.Model) })
}

// cpuNumber converts a family or model number. No processor has family 0, so family 0 means that the host reported no numbers.
// Model 0 is valid.
func cpuNumber(c types.HostCpuPackage, n int16) inventory.Fact[int64] {
	if c.Family == 0 {
		return inventory.Absent[int64]()
	}
	return inventory.Known(int64(n))
}
