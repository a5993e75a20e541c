package page

import (
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

func (s *show) draw(h *inventory.Host, vms []*inventory.VM, size scale) drawing {
	c := &canvas{scale: size, show: s, host: h}
	nodes, nics := nodesOf(h, vms), valueOf(h.PNICs)
	if n := len(nodes); n > 1 {
		c.perNode = int(valueOf(h.Cores)) / n
	}
	astray := c.drawNodes(nodes, nics)
	rest := c.settle(vms)
	c.drawNICs(astray, 0, c.width, false)
	if c.y > 0 {
		c.y += 8
	}
	c.drawRest(rest, len(rest) < len(vms))
	c.d.Width, c.d.Height = number(c.width), number(c.y)
	c.d.Label = drawingLabel(h, nodes, nics, vms, len(vms)-len(rest))
	return c.d
}

func drawingLabel(h *inventory.Host, nodes []*inventory.NUMANode, nics []*inventory.PNIC, vms []*inventory.VM, home int) string {
	down := 0
	for _, n := range nics {
		if isDown(n) {
			down++
		}
	}
	parts := []string{counted(len(nodes), "NUMA node"), counted(len(nics), "NIC")}
	if down > 0 {
		parts = append(parts, strconv.Itoa(down)+" of them without a link")
	}
	parts = append(parts, counted(len(vms), "VM"))
	if home > 0 {
		parts = append(parts, whole(home)+" of them drawn in their home nodes")
	}
	return "host " + clean(h.Name) + ": " + strings.Join(parts, ", ")
}
