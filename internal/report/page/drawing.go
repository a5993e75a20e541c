package page

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// drawing is a host in lengths of a picture whose width is fixed, so that its words stay readable at any width of the page.
type drawing struct {
	Width, Height string
	Label         string
	Nodes         []nodeBox
	NICs          []nicPin
	VMs           []vmBox
	Lines         []segment
	Text          bool // words fit
	VMTop         string
	VMHeight      string
}

type nodeBox struct {
	X, Y, Width, Height string
	Name, Facts, Title  string
	NameX, NameY, FactY string
}

type nicPin struct {
	X, Y, Size   string
	TextX, TextY string
	Text, Title  string
	Down         bool
	X2, Y2       string // of the cross of a link that is down
	Stem         segment
}

type segment struct{ X1, Y1, X2, Y2 string }

type vmBox struct {
	X, Y, Width, Height string
	Class               string // severity, off, wide
	Symbol              string // of the severity, or ""
	SymX, SymY, SymSize string
	Name, NameX, NameY  string
	Title               string
	Seams               []segment // where a VM that is wider than a node is split
}

// scale is how large things are drawn.
type scale struct {
	width, nodeHeight, pin, pinRow float64
	cell, gap, least, byVCPU       float64
	text                           bool
}

var (
	large = scale{width: 320, nodeHeight: 38, pin: 9, pinRow: 15, cell: 18, gap: 3, least: 18, byVCPU: 8, text: true}
	small = scale{width: 168, nodeHeight: 14, pin: 5, pinRow: 8, cell: 8, gap: 2, least: 8, byVCPU: 2}
)

// canvas is a drawing in the making.
type canvas struct {
	scale

	d drawing
	y float64
}

func (s *show) draw(h *inventory.Host, vms []*inventory.VM, compact bool) drawing {
	c := &canvas{scale: large}
	if compact {
		c.scale = small
	}
	nodes := valueOf(h.NUMANodes)
	nics := valueOf(h.PNICs)
	c.d.Text = c.text
	c.nodes(h, nodes, nics)
	perNode := 0
	if n := len(nodes); n > 1 {
		perNode = int(valueOf(h.Cores)) / n
	}
	c.vms(s, vms, perNode)
	c.d.Width, c.d.Height = number(c.width), number(c.y)
	c.d.Label = drawingLabel(h, nodes, nics, vms)
	return c.d
}

func drawingLabel(h *inventory.Host, nodes []*inventory.NUMANode, nics []*inventory.PNIC, vms []*inventory.VM) string {
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
	return "host " + clean(h.Name) + ": " + strings.Join(append(parts, counted(len(vms), "VM")), ", ")
}

// nodes draws the NUMA nodes side by side, and below each the NICs that hang off it.
func (c *canvas) nodes(h *inventory.Host, nodes []*inventory.NUMANode, nics []*inventory.PNIC) {
	at := map[int64]int{}
	width := c.width
	if len(nodes) > 0 {
		width = (c.width - float64(len(nodes)-1)*6) / float64(len(nodes))
	}
	cores := int64(0)
	if len(nodes) > 0 {
		cores = valueOf(h.Cores) / int64(len(nodes))
	}
	for i, n := range nodes {
		at[n.ID] = i
		c.d.Nodes = append(c.d.Nodes, c.node(n, float64(i)*(width+6), width, cores))
	}
	if len(nodes) > 0 {
		c.y = c.nodeHeight
	}
	under := make([][]*inventory.PNIC, len(nodes))
	var astray []*inventory.PNIC
	for _, n := range nics {
		node, ok := n.NUMANode.Value()
		if i, there := at[node]; ok && there {
			under[i] = append(under[i], n)
		} else {
			astray = append(astray, n)
		}
	}
	top, bottom := c.y, c.y
	for i, list := range under {
		c.y = top
		c.nics(list, float64(i)*(width+6), width, len(nodes) > 0)
		bottom = max(bottom, c.y)
	}
	c.y = bottom
	c.nics(astray, 0, c.width, false)
	if c.y > 0 {
		c.y += 8
	}
}

func (c *canvas) node(n *inventory.NUMANode, x, width float64, cores int64) nodeBox {
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

// nics draws NICs: below each other with their names where there is room for words, else side by side.
func (c *canvas) nics(list []*inventory.PNIC, x, width float64, hang bool) {
	if len(list) == 0 {
		return
	}
	words := c.text && width >= 70
	if words {
		for _, n := range list {
			c.d.NICs = append(c.d.NICs, c.nic(n, x+8, c.y+3, width-28, hang))
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
		c.d.NICs = append(c.d.NICs, c.nic(n, left, c.y+2, 0, hang))
		left += c.pin + 4
	}
	c.y += c.pinRow + 1
}

func (c *canvas) nic(n *inventory.PNIC, x, y, room float64, hang bool) nicPin {
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

func isDown(n *inventory.PNIC) bool {
	speed, ok := n.LinkMbps.Value()
	return ok && speed == 0
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

// vms draws VMs in rows, as wide as they have vCPUs.
func (c *canvas) vms(s *show, vms []*inventory.VM, perNode int) {
	x, top := 0.0, c.y
	for _, vm := range vms {
		width := min(max(c.least, c.byVCPU*float64(valueOf(vm.VCPUs))), c.width)
		if x > 0 && x+width > c.width {
			x, c.y = 0, c.y+c.cell+c.gap
		}
		c.d.VMs = append(c.d.VMs, c.vm(s, vm, x, width, perNode))
		x += width + c.gap
	}
	if len(vms) > 0 {
		c.y += c.cell
	}
	c.d.VMTop, c.d.VMHeight = number(top), number(c.y-top)
	c.y++
}

func (c *canvas) vm(s *show, vm *inventory.VM, x, width float64, perNode int) vmBox {
	k := keyOf(vm.Ref())
	b := vmBox{X: number(x + 0.5), Y: number(c.y + 0.5), Width: number(width - 1), Height: number(c.cell - 1), Class: "vm"}
	symbol := c.cell - 6
	if !c.text {
		symbol = c.cell - 3
	}
	if w, ok := s.worst[k]; ok {
		m := markOf(w)
		b.Class += " " + m.Class
		b.Symbol = m.Class
		b.SymX, b.SymY, b.SymSize = number(x+(c.least-symbol)/2), number(c.y+(c.cell-symbol)/2), number(symbol)
	}
	vcpus := int(valueOf(vm.VCPUs))
	parts := []string{clean(vm.Name), counted(vcpus, "vCPU")}
	if mb, ok := vm.MemoryMB.Value(); ok {
		parts = append(parts, gigabytes(mb))
	}
	if state := valueOf(vm.PowerState); state != "" && state != "poweredOn" {
		b.Class += " off"
		parts = append(parts, cmp.Or(map[string]string{"poweredOff": "powered off"}[state], clean(state)))
	}
	if perNode > 0 && vcpus > perNode {
		b.Class += " wide"
		parts = append(parts, "wider than a NUMA node of "+counted(perNode, "core"))
		b.Seams = c.seams(x, width, vcpus, perNode)
	}
	if vm.Unread != "" {
		parts = append(parts, "not read: "+prose(vm.Unread))
	} else {
		parts = append(parts, s.found(k))
	}
	b.Title = strings.Join(parts, ", ")
	if c.text && width >= 48 {
		left := c.least
		if b.Symbol == "" {
			left = 5
		}
		b.Name, b.NameX, b.NameY = fitting(clean(vm.Name), width-left-4, 5.8), number(x+left), number(c.y+c.cell-5.5)
	}
	return b
}

// seams are where a VM goes on in the next node.
func (c *canvas) seams(x, width float64, vcpus, perNode int) []segment {
	var out []segment
	for at := perNode; at < vcpus; at += perNode {
		mid := x + width*float64(at)/float64(vcpus)
		out = append(out, segment{number(mid), number(c.y + 1), number(mid), number(c.y + c.cell - 1)})
	}
	return out
}

// longest is as many words as fit; of the first one as much as does.
func longest(words []string, between string, room, each float64) string {
	for n := len(words); n > 1; n-- {
		if s := strings.Join(words[:n], between); fitting(s, room, each) == s {
			return s
		}
	}
	return fitting(strings.Join(words[:min(len(words), 1)], ""), room, each)
}

// fitting is as much of a text as fits, each character taken to be so wide; "" where nothing does.
func fitting(s string, room, each float64) string {
	runes := []rune(s)
	most := int(room / each)
	switch {
	case len(runes) <= most:
		return s
	case most < 3:
		return ""
	}
	return string(runes[:most-1]) + "…"
}
