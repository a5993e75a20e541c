package page

import (
	"cmp"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// drawRest draws VMs of which no home node is known in rows, as wide as they have vCPUs. Below VMs that have one it says why.
func (c *canvas) drawRest(vms []*inventory.VM, below bool) {
	if below && c.text && len(vms) > 0 {
		c.d.Rest = label{number(0), number(c.y + 8), fitting(whyHomeless(vms), c.width, 5.6)}
		c.y += 14
	}
	x := 0.0
	for _, vm := range vms {
		width := min(max(c.least, c.byVCPU*float64(valueOf(vm.VCPUs))), c.width)
		if x > 0 && x+width > c.width {
			x, c.y = 0, c.y+c.cell+c.gap
		}
		c.d.VMs = append(c.d.VMs, c.drawVM(vm, x, c.y, width))
		x += width + c.gap
	}
	if len(vms) > 0 {
		c.y += c.cell
	}
	c.y++
}

func (c *canvas) drawVM(vm *inventory.VM, x, y, width float64) vmBox {
	b := vmBox{X: number(x + 0.5), Y: number(y + 0.5), Width: number(width - 1), Height: number(c.cell - 1), Class: "vm", Title: c.vmTitle(vm)}
	symbol := c.cell - 6
	if !c.text {
		symbol = c.cell - 3
	}
	if w, ok := c.show.worst[keyOf(vm.Ref())]; ok {
		m := markOf(w)
		b.Class += " " + m.Class
		b.Symbol = m.Class
		b.SymX, b.SymY, b.SymSize = number(x+(c.least-symbol)/2), number(y+(c.cell-symbol)/2), number(symbol)
	}
	if isOff(vm) {
		b.Class += " off"
	}
	if vcpus := int(valueOf(vm.VCPUs)); c.wide(vm) {
		b.Class += " wide"
		b.Seams = c.seams(x, y, width, vcpus)
	}
	c.nameVM(&b, vm, x, y, width)
	return b
}

// nameVM writes the name of a VM where it has room for one, and behind it the share of its memory that is local.
func (c *canvas) nameVM(b *vmBox, vm *inventory.VM, x, y, width float64) {
	if !c.text || width < 48 {
		return
	}
	left, right := c.least, 4.0
	if b.Symbol == "" {
		left = 5
	}
	if near, ok := localShare(vm); ok && width >= 84 {
		b.Near = label{number(x + width - 8), number(y + c.cell - 5.5), part(near)}
		right += 36
	}
	b.Name, b.NameX, b.NameY = fitting(clean(vm.Name), width-left-right, perLetter), number(x+left), number(y+c.cell-5.5)
}

// perLetter is how wide a letter of a VM's name is at most, in most fonts.
const perLetter = 6.4

// wide reports whether a VM has more vCPUs than a node has cores.
func (c *canvas) wide(vm *inventory.VM) bool {
	return c.perNode > 0 && int(valueOf(vm.VCPUs)) > c.perNode
}

func (c *canvas) vmTitle(vm *inventory.VM) string {
	parts := []string{clean(vm.Name), counted(int(valueOf(vm.VCPUs)), "vCPU")}
	if mb, ok := vm.MemoryMB.Value(); ok {
		parts = append(parts, gigabytes(mb))
	}
	if isOff(vm) {
		state := valueOf(vm.PowerState)
		parts = append(parts, cmp.Or(map[string]string{"poweredOff": "powered off"}[state], clean(state)))
	}
	if c.wide(vm) {
		parts = append(parts, "wider than a NUMA node of "+counted(c.perNode, "core"))
	}
	parts = append(parts, homeWords(vm)...)
	if vm.Unread != "" {
		return strings.Join(append(parts, "not read: "+prose(vm.Unread)), ", ")
	}
	return strings.Join(append(parts, c.show.found(keyOf(vm.Ref()))), ", ")
}

// seams are where a VM goes on in the next node.
func (c *canvas) seams(x, y, width float64, vcpus int) []segment {
	var out []segment
	for at := c.perNode; at < vcpus; at += c.perNode {
		mid := x + width*float64(at)/float64(vcpus)
		out = append(out, segment{number(mid), number(y + 1), number(mid), number(y + c.cell - 1)})
	}
	return out
}
