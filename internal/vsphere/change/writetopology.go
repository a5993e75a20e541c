package change

import (
	"fmt"
	"math"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	pathCoresPerNode  = "config.numaInfo.coresPerNumaNode"
	pathVNUMAOnHotAdd = "config.numaInfo.vnumaOnCpuHotaddExposed"
)

// topologyFrom is the hardware version from which ESXi chooses the cores per socket, and virtual NUMA can be set by fields.
const topologyFrom = 20

func coresPerSocket() vmSetting {
	s := number("config.hardware.numCoresPerSocket", 0, math.MaxInt32, func(e *vmEdit, n int64) { e.spec.NumCoresPerSocket = new(int32(n)) }, wholeSockets)
	s.read, s.invert = socketNow, formerSocket
	return s
}

// socketNow returns 0 if ESXi chooses the cores per socket; the reported number is then the one it chose last.
func socketNow(n *vmState, of inventory.Setting, _ tuning.Address) inventory.Fact[inventory.Value] {
	if known(n.AutoCoresPerSocket, false) {
		return inventory.Known(inventory.LongValue(0))
	}
	return of.Current(n.vm)
}

// formerSocket returns the inverse. Older hardware versions refuse 0; their default is one core per socket.
func formerSocket(n *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
	v, _ := before.Value()
	cores, _ := v.Int()
	switch {
	case cores == 0 && !n.choosesTopology():
		return equivalentInverse(a, inventory.LongValue(1), "it is automatic, which can only be written from hardware version %d on; older versions treat it as 1", topologyFrom)
	case cores != 0 && n.unset("config.hardware.numCoresPerSocket"):
		return equivalentInverse(a, v, "it is not set, which means %d; it cannot be unset again, so vperf writes %[1]d", cores)
	}
	return exactInverse(a, before)
}

// choosesTopology reports whether the hardware version lets ESXi choose the topology.
func (n *vmState) choosesTopology() bool { return known(n.HardwareVersion, 0) >= topologyFrom }

// wholeSockets requires every socket to be full, and allows ESXi to choose only if the hardware version supports it.
func wholeSockets(e *vmEdit) string {
	cores, automatic := known(e.now.CoresPerSocket, 1), known(e.now.AutoCoresPerSocket, false)
	if sent := e.spec.NumCoresPerSocket; sent != nil {
		cores, automatic = int64(*sent), *sent == 0
	}
	vcpus := e.vcpuCount()
	switch {
	case automatic && !e.now.choosesTopology() && e.spec.NumCoresPerSocket != nil:
		return fmt.Sprintf("0, automatic, needs hardware version %d; the VM has %d", topologyFrom, known(e.now.HardwareVersion, 0))
	case !automatic && cores > 0 && vcpus%cores != 0:
		return fmt.Sprintf("%d vCPUs cannot be split into sockets of %d cores", vcpus, cores)
	}
	return ""
}

// vcpuCount returns the VM's number of vCPUs after the change.
func (e *vmEdit) vcpuCount() int64 {
	if e.spec.NumCPUs != 0 {
		return int64(e.spec.NumCPUs)
	}
	return known(e.now.VCPUs, 0)
}

func coresPerNode() vmSetting {
	s := number(pathCoresPerNode, 0, math.MaxInt32, func(e *vmEdit, n int64) { e.numa().CoresPerNumaNode = new(int32(n)) }, withinVCPUs)
	s.read, s.refuseKind, s.invert = nodeNow, needsYoung, formerNode
	return s
}

// nodeNow returns 0 if ESXi chooses, and absent if nothing is set.
func nodeNow(n *vmState, _ inventory.Setting, _ tuning.Address) inventory.Fact[inventory.Value] {
	if known(n.AutoCoresPerNUMANode, false) {
		return inventory.Known(inventory.LongValue(0))
	}
	return property.Then(property.Read(n.props, pathCoresPerNode, property.Int, property.AbsentIfUnset), func(cores int64) inventory.Fact[inventory.Value] {
		return inventory.Known(inventory.LongValue(cores))
	})
}

func formerNode(_ *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
	if _, ok := before.Value(); !ok {
		return equivalentInverse(a, inventory.LongValue(0), "it is not set and cannot be unset again; with 0, ESXi chooses the nodes again")
	}
	return exactInverse(a, before)
}

func withinVCPUs(e *vmEdit) string {
	if n := e.spec.VirtualNuma; n != nil && n.CoresPerNumaNode != nil && int64(*n.CoresPerNumaNode) > e.vcpuCount() {
		return fmt.Sprintf("a node of %d cores is more than the VM's %d vCPUs", *n.CoresPerNumaNode, e.vcpuCount())
	}
	return ""
}

func vnumaOnHotAdd() vmSetting {
	s := trueOrFalse(pathVNUMAOnHotAdd, func(e *vmEdit, on bool) { e.numa().ExposeVnumaOnCpuHotadd = &on })
	s.refuseKind, s.invert = needsYoung, formerExposure
	s.read = func(n *vmState, _ inventory.Setting, _ tuning.Address) inventory.Fact[inventory.Value] {
		return property.Then(property.Read(n.props, pathVNUMAOnHotAdd, property.Bool, property.AbsentIfUnset), func(on bool) inventory.Fact[inventory.Value] {
			return inventory.Known(inventory.BoolValue(on))
		})
	}
	return s
}

// formerExposure returns the inverse. Unset means as at the last power-on, and the field cannot be unset.
func formerExposure(_ *vmState, a tuning.Address, before inventory.Fact[inventory.Value]) tuning.Inverse {
	if _, ok := before.Value(); !ok {
		return equivalentInverse(a, inventory.BoolValue(false), "it is not set, which means as at the last power-on; it cannot be unset again, so vperf writes false")
	}
	return exactInverse(a, before)
}

// needsYoung requires hardware version 20: the virtual NUMA fields came with vSphere 8.
func needsYoung(n *vmState, _ inventory.Setting) string {
	if n.choosesTopology() {
		return ""
	}
	v, state, reason := n.HardwareVersion.Get()
	if state != inventory.StateKnown {
		return "the VM's hardware version could not be read: " + reason
	}
	return fmt.Sprintf("it needs hardware version %d; the VM has %d", topologyFrom, v)
}
