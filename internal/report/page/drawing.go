package page

import (
	"math"
	"strconv"
	"strings"

	"github.com/vperf/vperf/pkg/inventory"
)

// drawing is a host in lengths of a picture whose width is fixed, so that its words stay readable at any width of the page.
type drawing struct {
	Width, Height string
	Label         string
	Rooms         []rectangle // of nodes, around the VMs that are at home there
	Nodes         []nodeBox
	NICs          []nicPin
	VMs           []vmBox
	Rest          label // of the VMs below the nodes
}

type rectangle struct{ X, Y, Width, Height string }

type label struct{ X, Y, Text string }

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
	Class               string // severity, off, wide, was
	Symbol              string // of the severity, or ""
	SymX, SymY, SymSize string
	Name, NameX, NameY  string
	Title               string
	Seams               []segment   // where a VM that is wider than a node is split
	More                []rectangle // of a VM whose nodes do not lie side by side
	Joins               []segment   // between those
	Near                label       // the share of its memory that is local
	Far                 *rectangle  // that of its memory on other nodes
	Cross               *rectangle  // its network is on other nodes
}

// scale is how large things are drawn.
type scale struct {
	class                          string
	width, nodeHeight, pin, pinRow float64
	cell, gap, least, byVCPU       float64
	text                           bool
}

// A host or a few have room for the names of VMs, a fleet for its VMs alone.
var (
	roomy = scale{class: "roomy", width: 640, nodeHeight: 38, pin: 9, pinRow: 15, cell: 20, gap: 3, least: 24, byVCPU: 24, text: true}
	large = scale{width: 320, nodeHeight: 38, pin: 9, pinRow: 15, cell: 18, gap: 3, least: 18, byVCPU: 8, text: true}
	small = scale{class: "small", width: 168, nodeHeight: 14, pin: 5, pinRow: 8, cell: 8, gap: 2, least: 8, byVCPU: 2}
)

// canvas is a drawing in the making.
type canvas struct {
	scale

	show    *show
	host    *inventory.Host
	d       drawing
	y       float64
	perNode int      // cores of a node; 0: one node, or unknown
	columns []column // of the nodes
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

// fitting returns as much of a text as the room holds at the given width per character, or "".
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

// column is the part of a drawing that a NUMA node has.
type column struct {
	id       int64
	x, width float64
	left, y  float64 // where the next VM goes
}

// appendNumber writes a coordinate with one digit behind the point, which is finer than any screen.
func appendNumber(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, math.Round(v*10)/10, 'f', -1, 64)
}

func number(v float64) string { return string(appendNumber(nil, v)) }
