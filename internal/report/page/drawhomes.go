package page

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// guest is a VM as it is drawn in nodes: at home in columns that lie side by side, or was there for a part of the time.
type guest struct {
	vm   *inventory.VM
	runs [][2]int // the first and last column of each run
	was  *inventory.NUMAHome
}

// settle draws VMs in the nodes that they were at home on for most of the time: those on several across them, below those the
// others. It leaves the VMs that have none.
func (c *canvas) settle(vms []*inventory.VM) (rest []*inventory.VM) {
	var guests []guest
	for _, vm := range vms {
		home, _ := homeOf(vm)
		runs := c.runs(home.Nodes)
		if runs == nil {
			rest = append(rest, vm)
			continue
		}
		guests = append(guests, guest{vm: vm, runs: runs})
		for _, other := range valueOf(vm.NUMAHomes) {
			if runs := c.runs(other.Nodes); runs != nil && !slices.Equal(other.Nodes, home.Nodes) {
				guests = append(guests, guest{vm, runs, &other})
			}
		}
	}
	if len(guests) == 0 {
		return rest
	}
	slices.SortStableFunc(guests, func(a, b guest) int { return a.order() - b.order() })
	for _, g := range guests {
		if g.across() {
			c.lodgeAcross(g)
		} else {
			c.lodge(g)
		}
	}
	c.close()
	return rest
}

func (g guest) across() bool { return len(g.runs) > 1 || g.runs[0][0] < g.runs[0][1] }

// order is: across nodes, in one, no longer there.
func (g guest) order() int {
	switch {
	case g.across():
		return 0
	case g.was == nil:
		return 1
	}
	return 2
}

// runs are the columns of nodes, those side by side together; nil where there is none, or the host is not known to have one of them.
func (c *canvas) runs(nodes []int64) [][2]int {
	var out [][2]int
	for _, id := range nodes {
		i := slices.IndexFunc(c.columns, func(x column) bool { return x.id == id })
		last := len(out) - 1
		switch {
		case i < 0:
			return nil
		case last >= 0 && out[last][1] == i-1:
			out[last][1] = i
		default:
			out = append(out, [2]int{i, i})
		}
	}
	return out
}

// inset is how far VMs keep from the edge of their node.
const inset = 4

// lodge draws a VM in a node, as wide as it has vCPUs.
func (c *canvas) lodge(g guest) {
	x := &c.columns[g.runs[0][0]]
	room := x.width - 2*inset
	width := min(max(c.least, c.byVCPU*float64(valueOf(g.vm.VCPUs))), room)
	if x.left > 0 && x.left+width > room {
		x.left, x.y = 0, x.y+c.cell+c.gap
	}
	c.d.VMs = append(c.d.VMs, c.guest(g, x.x+inset+x.left, x.y, width))
	x.left += width + c.gap
}

// lodgeAcross draws a VM over all the nodes that it is at home on, whose other VMs are not drawn yet.
func (c *canvas) lodgeAcross(g guest) {
	span := func(run [2]int) (x, width float64) {
		first, last := c.columns[run[0]], c.columns[run[1]]
		return first.x + inset, last.x + last.width - first.x - 2*inset
	}
	between := c.columns[g.runs[0][0] : g.runs[len(g.runs)-1][1]+1]
	y := 0.0
	for _, x := range between {
		y = max(y, x.y)
	}
	for i := range between {
		between[i].y = y + c.cell + c.gap
	}
	x, width := span(g.runs[0])
	b := c.guest(g, x, y, width)
	for _, run := range g.runs[1:] {
		end, middle := number(x+width), number(y+c.cell/2)
		x, width = span(run)
		b.More = append(b.More, rectangle{number(x + 0.5), b.Y, number(width - 1), b.Height})
		b.Joins = append(b.Joins, segment{end, middle, number(x), middle})
	}
	b.Seams = nil // the edges of nodes say it
	c.d.VMs = append(c.d.VMs, b)
}

// guest returns the box of a VM with its memory and network locality, or an outline at its former home.
func (c *canvas) guest(g guest, x, y, width float64) vmBox {
	if g.was != nil {
		b := vmBox{X: number(x + 0.5), Y: number(y + 0.5), Width: number(width - 1), Height: number(c.cell - 1), Class: "vm was"}
		b.Title = clean(g.vm.Name) + " was here in " + samplesOf(*g.was, g.vm)
		if c.text && width >= 48 {
			b.Name, b.NameX, b.NameY = fitting(clean(g.vm.Name), width-9, perLetter), number(x+5), number(y+c.cell-5.5)
		}
		return b
	}
	b := c.drawVM(g.vm, x, y, width)
	bar := c.cell / 6
	if near, ok := localShare(g.vm); ok && near < 1 {
		far := (width - 1) * (1 - near)
		b.Far = &rectangle{number(x + width - 0.5 - far), number(y + c.cell - 0.5 - bar), number(far), number(bar)}
	}
	if n := networkOf(g.vm); n.crosses() {
		size := c.cell / 4
		b.Cross = &rectangle{number(x + width - 1.5 - size), number(y + 1.5), number(size), number(size)}
	}
	return b
}

// close ends the columns, and draws each node around the VMs in it.
func (c *canvas) close() {
	for i := range c.columns {
		if x := &c.columns[i]; x.left > 0 {
			x.left, x.y = 0, x.y+c.cell+c.gap
		}
	}
	c.y = c.bottom() + 1
	for _, x := range c.columns {
		c.d.Rooms = append(c.d.Rooms, rectangle{number(x.x + 0.5), number(0.5), number(x.width - 1), number(c.y - 1)})
	}
	c.y += 3
}
