package esxtop

import (
	"slices"
	"strings"
)

// pick selects the raw rows of an object: all valid ones, except groups without worlds. Those are inner nodes of the
// host's tree, and the ones below a VM would count its memory again.
func (w *work) pick(o Object) *pick {
	if w.picks[o] != nil {
		return w.picks[o]
	}
	b := w.block(o.rawGroup())
	p := &pick{at: make([]int32, b.Len())}
	w.picks[o] = p
	belongs := w.belongs(o, b)
	valid := -1
	if b != nil {
		valid = b.Group.Field("IsValid")
	}
	for i := range p.at {
		p.at[i] = -1
		if v, ok := b.Number(i, valid); (!ok || v != 0) && belongs(i) {
			p.at[i] = int32(len(p.raw))
			p.raw = append(p.raw, int32(i))
		}
	}
	return p
}

func (w *work) belongs(o Object, b *Block) func(row int) bool {
	switch o {
	case Host:
		return func(row int) bool { return row == 0 }
	case Group:
		clients := b.field("NumOfCPUClients")
		return func(row int) bool {
			n, ok := b.Number(row, clients)
			return ok && n > 0
		}
	case World, GroupNode:
		groups := w.pick(Group)
		return func(row int) bool { return groups.row(w.owner(b, row, "SchedGroup")) >= 0 }
	}
	return func(int) bool { return true }
}

// row returns the row that a raw row became; -1 if none.
func (p *pick) row(raw int) int {
	if raw < 0 || raw >= len(p.at) {
		return -1
	}
	return int(p.at[raw])
}

func (o Object) rawGroup() string { return objectInfos[o].group }

func (w *work) block(group string) *Block { return w.now.Block(group) }

// owner returns the ancestor of a row in a group; -1 if there is none.
func (w *work) owner(b *Block, row int, group string) int {
	for row >= 0 && b.Group.Name != group {
		up := b.Parent(row)
		if up < 0 || b.Group.parent == nil {
			return -1
		}
		b, row = w.now.blocks[b.Group.parent.index], up
	}
	return row
}

// field returns the index of a field; -1 if the host does not have it, or there are no rows.
func (b *Block) field(name string) int {
	if b == nil {
		return -1
	}
	return b.Group.Field(name)
}

func (m members) of(row int) []int32 { return m.list[m.start[row]:m.start[row+1]] }

// links maps an object to the groups, other than its own, that its figures come from.
var links = [objects]map[string]link{
	Host: {
		"PMem": only, "Sched": only, "Power": only, "Vsan": only, "PCPU": only, "LCPU": every,
		"SchedGroup": shown, "CPUClient": shown, "VCPU": shown,
	},
	PCPU:        {"PCPU": only, "LCPUPower": sameNumber("LCPUID", "LCPUID")},
	Group:       {"CPUClient": owned, "VCPU": owned, "VMem": owned},
	Adapter:     {"Path": sameText("PathName", adapterOf, "AdapterName")},
	Device:      {"Path": sameText("DeviceName", whole, "DeviceName")},
	DeviceWorld: {"SCSIDevice": above},
	DiskVM:      {"VscsiDisk": owned},
	Port:        {"NetPortset": above, "PNIC": sameNumber("UplinkPort", "PortID")},
	Vector:      {"InterruptPerCPU": owned},
}

// inputs are the groups needed to determine an object's rows and their names.
var inputs = [objects][]string{
	Group:  {"CPUClient", "VCPU"},
	DiskVM: {"SchedGroup"},
	Port:   {"SchedGroup", "HiddenWorld"},
}

// groups returns the groups that a sample needs for these objects. The Server row has the clock.
func (s Objects) groups() map[string]bool {
	need := map[string]bool{"Server": true}
	add := func(group string) {
		for ; group != ""; group = rawParents[group] {
			need[group] = true
		}
	}
	s = s.WithParents()
	for o := range objects {
		if !s.Has(o) {
			continue
		}
		add(o.rawGroup())
		for group := range links[o] {
			add(group)
		}
		for _, group := range inputs[o] {
			add(group)
		}
	}
	return need
}

// inherits maps an object to the group whose sums it has for fields that its own group does not have.
var inherits = map[Object]string{Adapter: "Path"}

// itself links a row with the raw row that it is made of.
func itself(w *work, o Object, _ *Block) members {
	raw := w.pick(o).raw
	return spread(len(raw), func(row int) int { return int(raw[row]) })
}

// above links a row with the row of the group above.
func above(w *work, o Object, b *Block) members {
	raw, own := w.pick(o).raw, w.block(o.rawGroup())
	return spread(len(raw), func(row int) int {
		if b == nil {
			return -1
		}
		return w.owner(own, int(raw[row]), b.Group.Name)
	})
}

// only links every row with a group's single row.
func only(w *work, o Object, b *Block) members {
	return spread(len(w.pick(o).raw), func(int) int { return min(b.Len(), 1) - 1 })
}

// every links the host with all rows.
func every(_ *work, _ Object, b *Block) members {
	return gather(1, b, func(int) int { return 0 })
}

// shown links the host with the groups that have rows, and with the rows they own.
func shown(w *work, _ Object, b *Block) members {
	groups := w.pick(Group)
	return gather(1, b, func(raw int) int { return min(groups.row(w.owner(b, raw, "SchedGroup")), 0) })
}

// owned links a row with the rows below it.
func owned(w *work, o Object, b *Block) members {
	p := w.pick(o)
	return gather(len(p.raw), b, func(raw int) int { return p.row(w.owner(b, raw, o.rawGroup())) })
}

// sameNumber links a row with the rows whose field has the same number as its own field.
func sameNumber(field, own string) link {
	return func(w *work, o Object, b *Block) members {
		p, of := w.pick(o), w.block(o.rawGroup())
		rows := make(map[uint64]int, len(p.raw))
		for row, raw := range p.raw {
			if n, ok := of.Number(int(raw), of.field(own)); ok {
				rows[n] = row
			}
		}
		return gather(len(p.raw), b, func(raw int) int {
			n, ok := b.Number(raw, b.field(field))
			if row, known := rows[n]; ok && known {
				return row
			}
			return -1
		})
	}
}

// sameText links a row with the rows of whose field a part equals its own field.
func sameText(field string, part func(string) string, own string) link {
	return func(w *work, o Object, b *Block) members {
		p := w.pick(o)
		rows := w.rowsByText(o, own)
		return gather(len(p.raw), b, func(raw int) int {
			s, ok := b.Text(raw, b.field(field))
			if row, known := rows[part(s)]; ok && known {
				return row
			}
			return -1
		})
	}
}

// rowsByText finds the rows of an object by a field.
func (w *work) rowsByText(o Object, field string) map[string]int {
	p, b := w.pick(o), w.block(o.rawGroup())
	rows := make(map[string]int, len(p.raw))
	for row, raw := range p.raw {
		if s, ok := b.Text(int(raw), b.field(field)); ok {
			rows[s] = row
		}
	}
	return rows
}

func whole(s string) string { return s }

// adapterOf returns the adapter of a path: vmhba0 for vmhba0:C0:T29:L0.
func adapterOf(path string) string {
	adapter, _, _ := strings.Cut(path, ":")
	return adapter
}

// spread returns members of one raw row each, or none if it is -1.
func spread(n int, raw func(row int) int) members {
	m := members{start: make([]int32, n+1), list: make([]int32, 0, n)}
	for row := range n {
		if at := raw(row); at >= 0 {
			m.list = append(m.list, int32(at))
		}
		m.start[row+1] = int32(len(m.list))
	}
	return m
}

// gather returns members of the rows of a block, by the row of the table, of n, that each belongs to; -1 is none.
func gather(n int, b *Block, row func(raw int) int) members {
	m := members{start: make([]int32, n+1)}
	to := make([]int32, b.Len())
	for raw := range to {
		to[raw] = int32(row(raw))
		if to[raw] >= 0 {
			m.start[to[raw]+1]++
		}
	}
	for i := range n {
		m.start[i+1] += m.start[i]
	}
	m.list = make([]int32, m.start[n])
	next := slices.Clone(m.start[:n])
	for raw, row := range to {
		if row >= 0 {
			m.list[next[row]] = int32(raw)
			next[row]++
		}
	}
	return m
}
