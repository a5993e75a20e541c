package vmfacts

import (
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

type vm = inventory.VM

// Properties of a VM.
const (
	PathDevices   = "config.hardware.device"
	PathFrozen    = "runtime.instantCloneFrozen"
	pathAutoCores = "config.hardware.autoCoresPerSocket"
	pathThreads   = "config.hardware.simultaneousThreads"
)

// ref names a managed object.
type ref = types.ManagedObjectReference
