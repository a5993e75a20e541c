package esxtop

// Object is a kind of thing that has counters.
type Object int

// The objects of esxtop. Each row of a Frame is one of them.
const (
	Host        Object = iota // the host itself: one row
	PCPU                      // a logical CPU
	Node                      // a NUMA node
	Group                     // a scheduler group that has worlds: a VM, a user world, a part of the kernel
	GroupNode                 // the part of a group on one NUMA node
	World                     // a world of a group; a vCPU is one
	Adapter                   // a storage adapter
	Path                      // a path from an adapter to a device
	Device                    // a LUN or disk
	DeviceWorld               // the activity of one world on a device
	Partition                 // a partition of a device
	NFS                       // an NFS volume
	DiskVM                    // the virtual disks of one VM together
	VDisk                     // a virtual disk
	Port                      // a port of a virtual switch: a vNIC's, a VMkernel adapter's or an uplink's
	Vector                    // an interrupt vector
	VectorCPU                 // an interrupt vector on one logical CPU
	CState                    // a C-state of a logical CPU
	PState                    // a P-state of a logical CPU
	TState                    // a T-state of a logical CPU
	Dom                       // a role of vSAN's object manager
	GPU                       // a graphics device of the host; esxtop has no counters of it
	objects
)

// NumObjects is the number of objects, for arrays indexed by Object.
const NumObjects = objects

// objectInfo is the common data of all rows of an object.
type objectInfo struct {
	name   string
	group  string // the row type of the Esxtop service that has the object's counters
	parent Object // whose row Row.Parent names; itself where there is none
}

var objectInfos = [objects]objectInfo{
	Host:        {"host", "Server", Host},
	PCPU:        {"pcpu", "LCPU", PCPU},
	Node:        {"numa-node", "NUMANode", Node},
	Group:       {"group", "SchedGroup", Group},
	GroupNode:   {"group-node", "VMNUMANodeMem", Group},
	World:       {"world", "VCPU", Group},
	Adapter:     {"adapter", "Adapter", Adapter},
	Path:        {"path", "Path", Adapter},
	Device:      {"device", "SCSIDevice", Device},
	DeviceWorld: {"device-world", "WorldPerDev", Device},
	Partition:   {"partition", "Partition", Device},
	NFS:         {"nfs", "NfsClient", NFS},
	DiskVM:      {"vm-disk", "VscsiGroup", DiskVM},
	VDisk:       {"vdisk", "VscsiDisk", DiskVM},
	Port:        {"port", "NetPort", Port},
	Vector:      {"vector", "InterruptVector", Vector},
	VectorCPU:   {"vector-cpu", "InterruptPerCPU", Vector},
	CState:      {"c-state", "CState", PCPU},
	PState:      {"p-state", "PState", PCPU},
	TState:      {"t-state", "TState", PCPU},
	Dom:         {"dom", "Dom", Dom},
	GPU:         {"gpu", "", GPU},
}

// String returns the object's name in ids, docs and errors.
func (o Object) String() string { return objectInfos[o].name }

// Parent returns the object whose rows own those of o; o itself if there is none.
func (o Object) Parent() Object { return objectInfos[o].parent }

// Objects is a set of objects.
type Objects uint32

// ObjectsOf returns the set of some objects.
func ObjectsOf(list ...Object) (s Objects) {
	for _, o := range list {
		s |= 1 << o
	}
	return s
}

// AllObjects is the set of all.
const AllObjects Objects = 1<<objects - 1

// Has reports whether o is in the set.
func (s Objects) Has(o Object) bool { return s&(1<<o) != 0 }

// WithParents adds the objects that own those of the set, because rows refer to their owners.
func (s Objects) WithParents() Objects {
	for o := range objects {
		if s.Has(o) {
			s |= 1 << o.Parent()
		}
	}
	return s
}
