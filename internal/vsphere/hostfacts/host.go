package hostfacts

import "github.com/vperf/vperf/pkg/inventory"

type host = inventory.Host

// Properties of a host's hardware and of what it supports.
const (
	pathCores  = "hardware.cpuInfo.numCpuCores"
	PathVendor = "hardware.systemInfo.vendor"
	PathModel  = "hardware.systemInfo.model"
	pathNUMA   = "hardware.numaInfo"

	pathLatencySupported = "capability.latencySensitivitySupported"
	pathRebootSupported  = "capability.rebootSupported" // every host says so or not: it tells unset from no capability
)
