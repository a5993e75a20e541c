package esxtop

import "math"

// identity says how to match rows of a group between samples.
type identity struct {
	id    string   // the field; empty: the group has one row
	owned bool     // it is unique only among the rows of one parent
	life  []string // fields that only grow while it is the same object: ids of worlds are reused
}

var (
	ofCommands = []string{"NumOfCommands"}
	identities = map[string]identity{
		"Server": {}, "PCPU": {}, "PMem": {}, "Sched": {}, "Power": {}, "Vsan": {},
		"LCPU":            {id: "LCPUID"},
		"NUMANode":        {id: "NodeID"},
		"SchedGroup":      {id: "GroupID"},
		"VMNUMANodeMem":   {id: "NodeID", owned: true},
		"CPUClient":       {id: "CPUClientID"},
		"VCPU":            {id: "VCPUID", life: []string{"UpTimeInUsec"}},
		"HiddenWorld":     {id: "HiddenWorldID", owned: true},
		"VMem":            {id: "MemClientID"},
		"Adapter":         {id: "AdapterName"},
		"SCSIDevice":      {id: "DeviceName", life: ofCommands},
		"WorldPerDev":     {id: "WorldID", owned: true, life: ofCommands},
		"Partition":       {id: "PartitionID", owned: true, life: ofCommands},
		"Path":            {id: "PathName", life: ofCommands},
		"NfsClient":       {id: "MountName", life: []string{"NumOfReads", "NumOfWrites"}},
		"VscsiGroup":      {id: "GroupId"},
		"VscsiDisk":       {id: "Name", owned: true, life: []string{"NumOfReads", "NumOfWrites"}},
		"NetPortset":      {id: "PortsetName"},
		"NetPort":         {id: "PortID", life: []string{"NumOfSendPackets", "NumOfRecvPackets"}},
		"PNIC":            {id: "PNICName"},
		"InterruptVector": {id: "VectorID"},
		"InterruptPerCPU": {id: "CPUID", owned: true},
		"LCPUPower":       {id: "LCPUID"},
		"CState":          {id: "StateID", owned: true},
		"PState":          {id: "StateID", owned: true},
		"TState":          {id: "StateID", owned: true},
		"Dom":             {id: "RoleName", life: []string{"NumOfReadOps", "NumOfWriteOps"}},
	}
)

// bundle matches the rows of a group in two samples by their identity, never by their position.
func (w *work) bundle(g *RawGroup) *bundle {
	if b := w.bundles[g.index]; b != nil {
		return b
	}
	b := &bundle{now: w.now.blocks[g.index], interval: w.interval}
	w.bundles[g.index] = b
	b.earlier = make([]int32, b.now.Len())
	for i := range b.earlier {
		b.earlier[i] = -1
	}
	if w.before == nil || b.now.Len() == 0 || w.before.blocks[g.index].Len() == 0 {
		return b
	}
	b.before = w.before.blocks[g.index]
	j := joiner{bundle: b, valid: g.Field("IsValid"), id: -1}
	who := identities[g.Name]
	if who.id != "" {
		j.id = g.Field(who.id)
	}
	if who.owned && g.parent != nil {
		j.owners = w.bundle(g.parent).earlier
	}
	for _, life := range who.life {
		j.life = append(j.life, g.Field(life))
	}
	j.join(who.id == "")
	return b
}

// joiner finds the rows of the previous sample.
type joiner struct {
	*bundle
	id, valid int // fields
	life      []int
	owners    []int32 // of the group above: its rows in the sample before; nil where the id says it all
	index     map[key]int32
}

// key identifies a row.
type key struct {
	owner int32
	id    uint64
	name  string
}

func (j *joiner) join(single bool) {
	if single {
		j.earlier[0] = 0
		return
	}
	if j.id < 0 {
		return // the host identifies its rows in an unknown way
	}
	next := 0 // most rows keep their order
	for i := range j.earlier {
		k, ok := j.key(j.now, i)
		if !ok {
			continue
		}
		if j.owners != nil {
			if k.owner < 0 {
				continue
			}
			if k.owner = j.owners[k.owner]; k.owner < 0 {
				continue // a new row
			}
		}
		found := next
		if there, ok := j.keyAt(next); !ok || there != k {
			if found = j.find(k); found < 0 {
				continue
			}
		}
		next = found + 1
		if j.same(i, found) {
			j.earlier[i] = int32(found)
		}
	}
}

func (j *joiner) key(b *Block, row int) (k key, ok bool) {
	if j.owners != nil {
		k.owner = int32(b.Parent(row))
	}
	if b.Group.Fields[j.id].text > 0 {
		k.name, ok = b.Text(row, j.id)
	} else {
		k.id, ok = b.Number(row, j.id)
	}
	return k, ok
}

func (j *joiner) keyAt(row int) (key, bool) {
	if row >= j.before.Len() {
		return key{}, false
	}
	return j.key(j.before, row)
}

func (j *joiner) find(k key) int {
	if j.index == nil {
		j.index = make(map[key]int32, j.before.Len())
		for row := range j.before.Len() {
			if there, ok := j.key(j.before, row); ok {
				j.index[there] = int32(row)
			}
		}
	}
	if row, ok := j.index[k]; ok {
		return int(row)
	}
	return -1
}

// same reports whether two rows with the same id are the same object, whose counters have only grown.
func (j *joiner) same(now, before int) bool {
	if v, ok := j.before.Number(before, j.valid); ok && v == 0 {
		return false
	}
	for _, life := range j.life {
		is, _ := j.now.Number(now, life)
		if was, _ := j.before.Number(before, life); is < was {
			return false
		}
	}
	return true
}

// counter is a field with the properties of its type.
type counter struct {
	index  int
	bits   int
	signed bool
	time   bool // it is a time within the interval
}

// fastest is the assumed maximum growth of a 32-bit counter per second, in its own unit. A larger value means that the
// counter was reset, not that it wrapped.
const fastest = 1 << 25

// delta returns the growth of a counter; false if it is not in both samples, or was reset in between. A time cannot
// grow by more than about the interval.
func (b *bundle) delta(row int32, f counter) (float64, bool) {
	if row < 0 || b.earlier[row] < 0 {
		return 0, false
	}
	now, ok := b.now.Number(int(row), f.index)
	if !ok {
		return 0, false
	}
	before, ok := b.before.Number(int(b.earlier[row]), f.index)
	switch {
	case !ok:
		return 0, false
	case f.signed:
		return float64(now - before), int64(now) >= int64(before)
	case now >= before:
		return float64(now - before), true
	case f.bits != 32:
		return 0, false
	}
	over := float64(now + 1<<32 - before)
	most := min(math.MaxInt32, fastest*b.interval.Seconds())
	if f.time {
		most = 2 * float64(b.interval.Microseconds())
	}
	return over, over <= most
}
