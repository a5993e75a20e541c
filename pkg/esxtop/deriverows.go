package esxtop

import (
	"strconv"
	"strings"
)

// naming lists the fields with the id and name of a row.
type naming struct {
	id     string
	name   string // the id where empty
	prefix string // of names: C0 of state 0
}

var namings = [objects]naming{
	PCPU:        {id: "LCPUID"},
	Node:        {id: "NodeID"},
	Group:       {id: "GroupID", name: "VMName"},
	GroupNode:   {id: "NodeID"},
	World:       {id: "VCPUID", name: "WorldName"},
	Adapter:     {id: "AdapterName"},
	Path:        {id: "PathName"},
	Device:      {id: "DeviceName"},
	DeviceWorld: {id: "WorldID"},
	Partition:   {id: "PartitionID"},
	NFS:         {id: "MountName"},
	DiskVM:      {id: "GroupId"},
	VDisk:       {id: "Name"},
	Port:        {id: "PortID", name: "ClientName"},
	Vector:      {id: "VectorID"},
	VectorCPU:   {id: "CPUID"},
	CState:      {id: "StateID", prefix: "C"},
	PState:      {id: "StateID", prefix: "P"},
	TState:      {id: "StateID", prefix: "T"},
	Dom:         {id: "RoleName"},
}

// describe returns a function that sets names, owners and VMs of an object's rows.
func (w *work) describe(o Object) func(raw int, row *Row) {
	if o == Host {
		return func(_ int, row *Row) { row.ID, row.Name, row.MoID = w.now.Host, w.now.Host, w.now.MoID }
	}
	b, n := w.block(o.rawGroup()), namings[o]
	id, name, parent := b.field(n.id), b.field(n.name), w.parent(o, b)
	return func(raw int, row *Row) {
		row.ID = b.word(raw, id)
		row.Name = n.prefix + row.ID
		if n.name != "" {
			row.Name = b.word(raw, name)
		}
		row.Parent = parent(raw)
		switch o {
		case Group:
			w.describeGroup(b, raw, row)
		case World:
			if group := w.owner(b, raw, "SchedGroup"); group >= 0 {
				row.VM = isVM(w.block("SchedGroup"), group)
			}
		case Port:
			w.describePort(b, raw, row)
		case DiskVM:
			row.VM, row.Name = true, w.diskVM(row.ID)
		case VDisk:
			row.VM = true
		case Vector:
			row.ID = vectorID(row.ID)
			row.Name = row.ID
		}
	}
}

// word returns a field as text that does not retain the answer; empty if there is none.
func (b *Block) word(row, field int) string {
	if s, ok := b.Text(row, field); ok {
		return strings.Clone(s)
	}
	n, ok := b.Number(row, field)
	switch {
	case !ok:
		return ""
	case b.Group.Fields[field].signed:
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatUint(n, 10)
}

// parent finds the row that owns one, in the table of the object above; -1 if there is none.
func (w *work) parent(o Object, b *Block) func(raw int) int {
	up := o.Parent()
	switch o {
	case up:
		return func(int) int { return -1 }
	case CState, PState, TState: // the host has them below a CPU's power, which is not where its times are
		power := w.block("LCPUPower")
		id := power.field("LCPUID")
		return func(raw int) int {
			if cpu := w.owner(b, raw, "LCPUPower"); cpu >= 0 {
				return w.rowOf(PCPU, power.word(cpu, id))
			}
			return -1
		}
	case Path:
		name := b.field("PathName")
		return func(raw int) int { return w.rowOf(Adapter, adapterOf(b.word(raw, name))) }
	}
	owners, group := w.pick(up), up.rawGroup()
	return func(raw int) int { return owners.row(w.owner(b, raw, group)) }
}

// rowOf finds a row by its id; -1 if there is none.
func (w *work) rowOf(o Object, id string) int {
	if w.byID[o] == nil {
		w.byID[o] = make(map[string]int, len(w.rows[o]))
		for i := range w.rows[o] {
			w.byID[o][w.rows[o][i].ID] = i
		}
	}
	if i, ok := w.byID[o][id]; ok {
		return i
	}
	return -1
}

// vectorID formats a number like the number of a vector in esxtop.
func vectorID(id string) string {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 {
		return id
	}
	return "0x" + strconv.FormatInt(n, 16)
}

func (w *work) describeGroup(b *Block, raw int, row *Row) {
	if row.Name == "" {
		row.Name = b.word(raw, b.field("GroupName"))
	}
	row.Leader = leader(b, raw)
	if row.VM = isVM(b, raw); row.VM {
		row.VCPUs = w.vcpus(raw)
	}
}

// leader returns the leader world of a group; empty if there is none.
func leader(b *Block, raw int) string {
	if id := b.word(raw, b.field("GroupLeaderID")); id != "0" {
		return id
	}
	return ""
}

func isVM(b *Block, raw int) bool {
	vm, _ := b.Number(raw, b.field("IsVM"))
	return vm != 0
}

// vcpus returns how many worlds of a group are vCPUs.
func (w *work) vcpus(group int) int {
	if w.vcpusOf == nil {
		w.vcpusOf = map[int]int{}
		worlds := w.block("VCPU")
		name := worlds.field("WorldName")
		for row := range worlds.Len() {
			if s, _ := worlds.Text(row, name); strings.HasPrefix(s, VCPUWorld) {
				w.vcpusOf[w.owner(worlds, row, "SchedGroup")]++
			}
		}
	}
	return w.vcpusOf[group]
}

// diskVM returns the VM that a group of virtual disks belongs to.
func (w *work) diskVM(id string) string {
	if name := w.now.diskVM(id); name != "" {
		return strings.Clone(name)
	}
	groups := w.block("SchedGroup")
	for row := range groups.Len() {
		if groups.word(row, groups.field("GroupID")) == id {
			return groups.word(row, groups.field("VMName"))
		}
	}
	return ""
}

// describePort joins a port with its VM by a world that the VM's group owns: often the number next to the leader's, but
// that is not guaranteed.
func (w *work) describePort(b *Block, raw int, row *Row) {
	world, _ := b.Number(raw, b.field("WorldLeader"))
	if world == 0 {
		return
	}
	row.VM = true
	if group, ok := w.vmOf(world); ok {
		row.Leader = leader(w.block("SchedGroup"), group)
	}
}

// vmOf returns the group of the VM that a hidden world belongs to. Other groups list a VM's worlds too.
func (w *work) vmOf(world uint64) (int, bool) {
	if w.vmOfWorld == nil {
		w.vmOfWorld = map[uint64]int{}
		hidden, groups := w.block("HiddenWorld"), w.block("SchedGroup")
		id := hidden.field("HiddenWorldID")
		for row := range hidden.Len() {
			group := w.owner(hidden, row, "SchedGroup")
			if n, ok := hidden.Number(row, id); ok && group >= 0 && isVM(groups, group) {
				w.vmOfWorld[n] = group
			}
		}
	}
	group, ok := w.vmOfWorld[world]
	return group, ok
}
