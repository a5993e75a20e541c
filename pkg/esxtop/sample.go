package esxtop

import "time"

// Sample is what the Esxtop service of a host said at one moment: raw rows, most of them with counters that only grow.
// It refers to the text that it was read from, and copies none of it.
type Sample struct {
	Host, MoID string
	Clock      time.Duration // Server.TimeStampInUsec: since the host started, the only clock for differences
	Time       time.Time     // Server.Time

	schema *Schema
	blocks []*Block // by group of the schema; nil: no rows, or not decoded
	names  hierarchy
}

// Block is all rows of one group, in their order.
type Block struct {
	Group *RawGroup

	numbers []uint64 // a row has len(Group.Fields) of them; signed ones in two's complement
	strings []string // a row has Group.texts of them
	present []uint16 // how many fields a row had: a short one lacks the last
	parents []int32  // the row before it that owns it, in that row's block; -1 where there is none
}

// Schema is what CounterInfo says: the groups of rows, and their fields in order.
type Schema struct {
	groups []*RawGroup
	byName map[string]*RawGroup
}

// RawGroup is a kind of row.
type RawGroup struct {
	Name   string
	Fields []RawField

	index  int // in Schema.groups
	byName map[string]int
	texts  int
}

// RawField is a value of a row.
type RawField struct {
	Name string
	Type string // U32 U64 S32 S64 B STR CSTR

	text int // its place among the row's strings, plus one; 0: it is a number
}

// hierarchy is what the section NUM-OF-OBJ alone tells.
type hierarchy struct {
	portsets map[string]string // port id: portset
	display  map[string]string // device: display name
	vscsi    map[string]string // VscsiGroup's id: VM
	disks    map[string]string // disk of a VscsiGroup, as id and name: disk id
}
