package wire

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

var (
	planOfSamples = planOf(reflect.TypeFor[types.BasePerfEntityMetricBase]())
	planOfEntity  = planOf(reflect.TypeFor[types.ManagedObjectReference]())
)

// samples decodes the answer of QueryPerf. Each interval has hundreds of thousands of values, so the requested form, CSV, has
// hand-written code. The other form is decoded generically.
func (d *decoder) samples(into *types.QueryPerfResponse, t tag) error {
	for {
		c, more, err := d.child(t)
		switch {
		case err != nil || !more:
			return err
		case string(c.local) != "returnval":
			err = d.skip(c, d.depth)
		case string(d.xsi) == "PerfEntityMetricCSV":
			m := &types.PerfEntityMetricCSV{Value: d.room.take()}
			err = d.entity(m, c)
			m.Value = d.room.trimmed(m.Value)
			into.Returnval = append(into.Returnval, m)
		default:
			into.Returnval = append(into.Returnval, nil)
			err = d.value(planOfSamples, reflect.ValueOf(&into.Returnval[len(into.Returnval)-1]).Elem(), c)
		}
		if d.damage != nil { // nobody knows whose samples they are, or of when
			d.damage, into.Returnval = nil, into.Returnval[:len(into.Returnval)-1]
		}
		if err != nil {
			return err
		}
	}
}

// entity decodes the answer for one host or VM.
func (d *decoder) entity(m *types.PerfEntityMetricCSV, t tag) error {
	for {
		if d.series(m) {
			continue
		}
		c, more, err := d.child(t)
		if err != nil || !more {
			return err
		}
		switch string(c.local) {
		case "entity":
			err = d.value(planOfEntity, reflect.ValueOf(&m.Entity).Elem(), c)
		case "sampleInfoCSV":
			var text []byte
			text, err = d.leaf(c)
			m.SampleInfoCSV = d.string(text)
		case "value":
			m.Value = append(m.Value, types.PerfMetricSeriesCSV{})
			entity := d.damage
			d.damage = nil
			err = d.value(planOfSeries, reflect.ValueOf(&m.Value[len(m.Value)-1]).Elem(), c)
			if d.damage != nil {
				m.Value = m.Value[:len(m.Value)-1]
			}
			d.damage = entity
		default:
			err = d.skip(c, d.depth)
		}
		if err != nil {
			return err
		}
	}
}

var planOfSeries = planOf(reflect.TypeFor[types.PerfMetricSeriesCSV]())

// The constant parts of a series in the form that every server writes.
var (
	beforeCounter  = []byte("<value><id><counterId>")
	beforeInstance = []byte("</counterId><instance>")
	beforeValues   = []byte("</instance></id><value>")
	afterValues    = []byte("</value></value>")
	noInstance     = []byte("</counterId><instance/></id><value>")
)

// series decodes a series in the form that every server writes. In any other form it consumes nothing.
func (d *decoder) series(m *types.PerfEntityMetricCSV) bool {
	x := cursor{d.b, d.i}
	if !x.skip(beforeCounter) {
		return false
	}
	counter, err := strconv.ParseInt(string(x.plain()), 10, 32)
	if err != nil {
		return false
	}
	var instance []byte
	if x.skip(beforeInstance) {
		if instance = x.plain(); !x.skip(beforeValues) {
			return false
		}
	} else if !x.skip(noInstance) {
		return false
	}
	values := x.plain()
	if !x.skip(afterValues) {
		return false
	}
	s := types.PerfMetricSeriesCSV{Value: d.texts.of(values)}
	s.Id = types.PerfMetricId{CounterId: int32(counter), Instance: d.string(instance)}
	m.Value = append(m.Value, s)
	d.i = x.i
	return true
}

// cursor is a position in a document.
type cursor struct {
	b []byte
	i int
}

func (x *cursor) skip(text []byte) bool {
	if !bytes.HasPrefix(x.b[x.i:], text) {
		return false
	}
	x.i += len(text)
	return true
}

// plain reads text up to an escape or a tag.
func (x *cursor) plain() []byte {
	from := x.i
	for x.i < len(x.b) && bytesOf[x.b[x.i]] != special {
		x.i++
	}
	return x.b[from:x.i]
}

// arena holds the short texts of answers, one after the other in large pieces: an interval of a large fleet has a million of them.
// Keeping one of them keeps its piece in memory.
type arena struct{ piece strings.Builder }

// pieceOfArena is the size of a piece, in bytes.
const pieceOfArena = 64 << 10

// of returns a copy of a text. A piece is never enlarged, so that the texts in it stay where they are.
func (a *arena) of(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if a.piece.Cap()-a.piece.Len() < len(text) {
		a.piece = strings.Builder{}
		a.piece.Grow(max(pieceOfArena, len(text)))
	}
	from := a.piece.Len()
	a.piece.Write(text)
	return a.piece.String()[from:]
}

// Room is memory for the series of several entities, one after the other: each interval of a large fleet has thousands of entities.
// It can be used for one answer after the other. The zero value is ready for use.
type Room struct {
	pieces [][]types.PerfMetricSeriesCSV // empty; those before next are in use
	next   int
	free   []types.PerfMetricSeriesCSV // empty; its capacity is free
	last   int                         // number of series of the last entity
}

// seriesOfRoom is how many series a piece of a room has, 40 bytes each.
const seriesOfRoom = 1024

// Reset makes the room ready for another answer. The series of the last one must not be used any more.
func (r *Room) Reset() {
	for _, piece := range r.pieces[:r.next] {
		clear(piece[:cap(piece)]) // so that it keeps no texts
	}
	r.free, r.next = nil, 0
}

// take returns an empty list for an entity, which likely has as many series as the last one.
func (r *Room) take() []types.PerfMetricSeriesCSV {
	if need := max(1, r.last); cap(r.free) < need {
		r.free = r.piece(need)
	}
	return r.free
}

// piece returns free memory for a number of series, at least.
func (r *Room) piece(need int) []types.PerfMetricSeriesCSV {
	if r.next == len(r.pieces) || cap(r.pieces[r.next]) < need {
		r.pieces = append(r.pieces[:r.next], make([]types.PerfMetricSeriesCSV, 0, max(seriesOfRoom, need)))
	}
	r.next++
	return r.pieces[r.next-1]
}

// trimmed returns a filled list, without the free capacity; nil if it is empty. A list that became too long is not in the room any more.
func (r *Room) trimmed(list []types.PerfMetricSeriesCSV) []types.PerfMetricSeriesCSV {
	n := len(list)
	r.last = n
	if n == 0 {
		return nil
	}
	if n <= cap(r.free) {
		r.free = r.free[n:n]
	}
	return list[:n:n]
}
