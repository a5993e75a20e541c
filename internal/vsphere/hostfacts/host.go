package hostfacts

import "github.com/vperf/vperf/pkg/inventory"

type host = inventory.Host

// Properties of a host's hardware and capabilities.
const (
	pathCores  = "hardware.cpuInfo.numCpuCores"
	PathVendor = "hardware.systemInfo.vendor"
	PathModel  = "hardware.systemInfo.model"
	pathNUMA   = "hardware.numaInfo"

	pathLatencySupported = "capability.latencySensitivitySupported"
	pathRebootSupported  = "capability.rebootSupported" // every host has this property; it shows that the capability was read
)
