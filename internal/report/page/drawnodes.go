package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// nodesOf returns the NUMA nodes of a host, or, if they were not read, the home nodes of its VMs.
func nodesOf(h *inventory.Host, vms []*inventory.VM) []*inventory.NUMANode {
	if nodes, known := h.NUMANodes.Value(); known {
		return nodes
	}
	var ids []int64
	for _, vm := range vms {
		for _, home := range valueOf(vm.NUMAHomes) {
			ids = append(ids, home.Nodes...)
		}
	}
	slices.Sort(ids)
	var nodes []*inventory.NUMANode
	for _, id := range slices.Compact(ids) {
		nodes = append(nodes, &inventory.NUMANode{ID: id})
	}
	return nodes
}

// drawNodes draws the NUMA nodes side by side, and below each the NICs that hang off it. It leaves those of no known node.
func (c *canvas) drawNodes(nodes []*inventory.NUMANode, nics []*inventory.PNIC) (astray []*inventory.PNIC) {
	under := map[int64][]*inventory.PNIC{}
	for _, n := range nics {
		node, ok := n.NUMANode.Value()
		if ok && slices.ContainsFunc(nodes, func(x *inventory.NUMANode) bool { return x.ID == node }) {
			under[node] = append(under[node], n)
		} else {
			astray = append(astray, n)
		}
	}
	c.lay(nodes)
	for i := range c.columns {
		x := &c.columns[i]
		c.y = c.nodeHeight
		c.drawNICs(under[x.id], x.x, x.width, true)
		x.y = c.y
	}
	c.y = c.bottom()
	return astray
}

// bottom is where the longest column ends.
func (c *canvas) bottom() float64 {
	y := 0.0
	for _, x := range c.columns {
		y = max(y, x.y)
	}
	return y
}

// lay puts the nodes side by side.
func (c *canvas) lay(nodes []*inventory.NUMANode) {
	const between = 6
	n := float64(len(nodes))
	width := (c.width - (n-1)*between) / n
	for i, node := range nodes {
		x := float64(i) * (width + between)
		c.columns = append(c.columns, column{id: node.ID, x: x, width: width})
		c.d.Nodes = append(c.d.Nodes, c.drawNode(node, x, width, valueOf(c.host.Cores)/int64(len(nodes))))
	}
}

func (c *canvas) drawNode(n *inventory.NUMANode, x, width float64, cores int64) nodeBox {
	name := "node " + strconv.FormatInt(n.ID, 10)
	var facts []string
	if cores > 0 {
		facts = append(facts, counted(int(cores), "core"))
	}
	if mb, ok := n.MemoryMB.Value(); ok {
		facts = append(facts, gigabytes(mb))
	}
	b := nodeBox{
		X: number(x + 0.5), Y: "0.5", Width: number(width - 1), Height: number(c.nodeHeight - 1), Title: "NUMA " + name + ": " + strings.Join(facts, ", "),
		NameX: number(x + 8), NameY: number(16), FactY: number(30),
	}
	if !c.text {
		b.NameX, b.NameY = number(x+4), number(c.nodeHeight-4)
	}
	if b.Name = fitting(name, width-12, 6.2); !c.text && width < 50 {
		b.Name = strconv.FormatInt(n.ID, 10)
	}
	if c.text {
		b.Facts = longest(facts, " · ", width-12, 5.6)
	}
	return b
}

// drawNICs draws NICs: below each other with their names where there is room for words, else side by side.
func (c *canvas) drawNICs(list []*inventory.PNIC, x, width float64, hang bool) {
	if len(list) == 0 {
		return
	}
	words := c.text && width >= 70
	if words {
		for _, n := range list {
			c.d.NICs = append(c.d.NICs, c.drawNIC(n, x+8, c.y+3, width-28, hang))
			c.y += c.pinRow
		}
		c.y += 3
		return
	}
	left := x + 3
	for _, n := range list {
		if left+c.pin > x+width {
			left, c.y = x+3, c.y+c.pinRow
		}
		c.d.NICs = append(c.d.NICs, c.drawNIC(n, left, c.y+2, 0, hang))
		left += c.pin + 4
	}
	c.y += c.pinRow + 1
}

func (c *canvas) drawNIC(n *inventory.PNIC, x, y, room float64, hang bool) nicPin {
	p := nicPin{
		X: number(x), Y: number(y), Size: number(c.pin), X2: number(x + c.pin), Y2: number(y + c.pin),
		TextX: number(x + c.pin + 5), TextY: number(y + c.pin - 0.5), Down: isDown(n), Title: nicTitle(n),
	}
	if room > 0 {
		p.Text = longest(nicWords(n), " ", room, 5.6)
	}
	if hang {
		middle := x + c.pin/2
		p.Stem = segment{number(middle), number(y - 3), number(middle), number(y)}
	}
	return p
}

func nicWords(n *inventory.PNIC) []string {
	words := []string{clean(n.Device)}
	if speed, ok := n.LinkMbps.Value(); ok {
		words = append(words, linkSpeed(speed))
	}
	if sw := valueOf(n.Switch); sw != "" {
		words = append(words, clean(sw))
	}
	return words
}

func linkSpeed(mbps int64) string {
	switch {
	case mbps == 0:
		return "down"
	case mbps%1000 == 0:
		return strconv.FormatInt(mbps/1000, 10) + "G"
	}
	return strconv.FormatInt(mbps, 10) + "M"
}

func nicTitle(n *inventory.PNIC) string {
	parts := []string{clean(n.Device)}
	switch speed, ok := n.LinkMbps.Value(); {
	case !ok:
		parts = append(parts, "link not read")
	case speed == 0:
		parts = append(parts, "link down")
	default:
		parts = append(parts, whole(int(speed))+" Mbit/s")
	}
	if d := valueOf(n.Driver); d != "" {
		parts = append(parts, "driver "+clean(d))
	}
	if sw := valueOf(n.Switch); sw != "" {
		parts = append(parts, "on "+clean(sw))
	} else {
		parts = append(parts, "on no switch")
	}
	if node, ok := n.NUMANode.Value(); ok {
		parts = append(parts, "NUMA node "+strconv.FormatInt(node, 10))
	} else {
		parts = append(parts, "NUMA node not known")
	}
	return strings.Join(parts, ", ")
}
