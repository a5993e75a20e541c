package esxtop

import (
	"sync/atomic"
	"time"
)

// Sample is the data of a host's Esxtop service at one moment: raw rows, mostly with growing counters. It refers to the
// text that it was parsed from, without copying.
type Sample struct {
	Host, MoID string
	Clock      time.Duration // Server.TimeStampInUsec: since the host started, the only clock for differences
	Time       time.Time     // Server.Time

	schema *Schema
	wanted Objects
	blocks []*Block // by group of the schema; nil: no rows, or not decoded
	names  hierarchy
}

// Block is all rows of one group, in their order.
type Block struct {
	Group *RawGroup

	numbers []uint64     // a row has len(Group.Fields) of them; signed ones in two's complement
	strings []string     // a row has Group.texts of them
	present []uint16     // the number of fields in a row: a short one does not have the last ones
	parents []int32      // the row before it that owns it, in that row's block; -1 where there is none
	absent  map[int]bool // places in numbers without a number, though the row goes on
}

// Schema is the content of CounterInfo: the groups of rows, and their fields in order.
type Schema struct {
	groups []*RawGroup
	byName map[string]*RawGroup
}

// RawGroup is a kind of row.
type RawGroup struct {
	Name   string
	Fields []RawField

	index    int // in Schema.groups
	byName   map[string]int
	texts    int
	leftover int          // the field that values too many belong to: a name with a | in it; -1: they are dropped
	parent   *RawGroup    // the group whose rows own those of this group; nil: none
	ends     []int        // the groups right below it, by index
	rows     atomic.Int64 // in the last sample
}

// RawField is a value of a row.
type RawField struct {
	Name string
	Type string // U32 U64 S32 S64 B STR CSTR

	text   int // its place among the row's strings, plus one; 0: it is a number
	signed bool
}

// hierarchy is the data that is only in the section NUM-OF-OBJ.
type hierarchy struct {
	portsets map[string]string // port id: portset
	vscsi    map[string]string // VscsiGroup's id: VM
}

// Block returns the rows of a group; nil if there are none, or they were not requested.
func (s *Sample) Block(group string) *Block {
	if g := s.schema.byName[group]; g != nil {
		return s.blocks[g.index]
	}
	return nil
}

// portset returns the virtual switch of a port, and diskVM the VM of a VscsiGroup. They are empty if the host does not provide them.
func (s *Sample) portset(port string) string { return s.names.portsets[port] }
func (s *Sample) diskVM(group string) string { return s.names.vscsi[group] }

// Len returns the number of rows; a nil block has none.
func (b *Block) Len() int {
	if b == nil {
		return 0
	}
	return len(b.present)
}

// Number returns a numeric value of a row, by the field's index in the group; false if the row has none.
func (b *Block) Number(row, field int) (uint64, bool) {
	if field < 0 || field >= int(b.present[row]) || b.Group.Fields[field].text > 0 {
		return 0, false
	}
	at := row*len(b.Group.Fields) + field
	return b.numbers[at], !b.absent[at]
}

// Signed is Number for values that may be negative, such as -1 for no limit.
func (b *Block) Signed(row, field int) (int64, bool) {
	n, ok := b.Number(row, field)
	return int64(n), ok
}

// Text returns a text value; false if the row has none.
func (b *Block) Text(row, field int) (string, bool) {
	if field < 0 || field >= int(b.present[row]) || b.Group.Fields[field].text == 0 {
		return "", false
	}
	return b.strings[row*b.Group.texts+b.Group.Fields[field].text-1], true
}

// Parent returns the row that owns this one, in the block of the group above; -1 if there is none.
func (b *Block) Parent(row int) int { return int(b.parents[row]) }
