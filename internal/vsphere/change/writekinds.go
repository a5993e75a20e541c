package change

// Kinds of settings that several files use.
const (
	kindDRSAutomation     = "cluster-drs-automation"
	kindDRSRate           = "cluster-drs-rate"
	kindCoresPerNode      = "vm-cores-per-numa-node"
	kindMemoryLock        = "vm-memory-lock"
	kindMemoryReservation = "vm-memory-reservation"
)
