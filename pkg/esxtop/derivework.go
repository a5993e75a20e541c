package esxtop

import "time"

// work is the state of deriving one frame.
type work struct {
	plan        *plan
	now, before *Sample // before is nil if the samples cannot be compared
	interval    time.Duration

	bundles []*bundle // by group of the schema
	picks   [objects]*pick
	rows    [objects][]Row

	byID      [objects]map[string]int
	vcpusOf   map[int]int    // by row of SchedGroup
	vmOfWorld map[uint64]int // rows of SchedGroup
}

// plan is the catalogue, bound to the fields of a host's schema.
type plan struct {
	schema *Schema
	tables [objects]*table // nil: the host does not know such a thing
}

// table describes how to derive the rows of an object.
type table struct {
	sources []source // of figures; the first is the object's own group
	numbers []numberColumn
	texts   []textColumn
}

type source struct {
	group *RawGroup
	link  link
}

type numberColumn struct {
	slot   int
	figure figure
}

type textColumn struct {
	metric *Metric
	words  wording
}

// place is the row whose figures are computed.
type place struct {
	*work
	row     *Row
	bundles []*bundle // by source
	raw     [][]int32 // by source: the rows that belong to the row
}

// figure is a formula bound to fields. NaN means absent, and makes absent every figure computed from it.
type figure func(at *place) float64

// wording is the same for texts.
type wording func(at *place) (string, bool)

// bundle is the rows of a group in two samples.
type bundle struct {
	now, before *Block
	earlier     []int32 // by row of now: the row of the same object in before; -1 if it was not there
	interval    time.Duration
}

// pick is the raw rows that become an object's rows.
type pick struct {
	raw []int32
	at  []int32 // by raw row: the row it became; -1 where it became none
}

// members maps the rows of a table to raw rows of a group: a group's worlds, an adapter's paths.
type members struct {
	start []int32 // one more than the table has rows
	list  []int32
}

// link finds the raw rows of b for the figures of an object's rows.
type link func(w *work, o Object, b *Block) members
