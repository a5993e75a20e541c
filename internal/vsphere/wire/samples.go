package wire

import (
	"bytes"
	"reflect"
	"strconv"

	"github.com/vmware/govmomi/vim25/types"
)

var (
	planOfSamples = planOf(reflect.TypeFor[types.BasePerfEntityMetricBase]())
	planOfEntity  = planOf(reflect.TypeFor[types.ManagedObjectReference]())
)

// samples decodes the answer of QueryPerf. Each interval has hundreds of thousands of values, so the requested form, CSV, has
// hand-written code. The other form is decoded generically.
func (d *decoder) samples(into *types.QueryPerfResponse, t tag) error {
	for n := 0; ; {
		c, more, err := d.child(t)
		switch {
		case err != nil || !more:
			return err
		case string(c.local) != "returnval":
			err = d.skip(c, d.depth)
		case string(d.xsi) == "PerfEntityMetricCSV":
			m := &types.PerfEntityMetricCSV{Value: make([]types.PerfMetricSeriesCSV, 0, n)}
			err = d.entity(m, c)
			if n = len(m.Value); n == 0 {
				m.Value = nil
			}
			into.Returnval = append(into.Returnval, m)
		default:
			into.Returnval = append(into.Returnval, nil)
			err = d.value(planOfSamples, reflect.ValueOf(&into.Returnval[len(into.Returnval)-1]).Elem(), c)
		}
		if err != nil {
			return err
		}
	}
}

// entity decodes the answer for one host or VM.
func (d *decoder) entity(m *types.PerfEntityMetricCSV, t tag) error {
	texts := texts{d: d}
	for {
		if d.series(m, &texts) {
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
			err = d.value(planOfSeries, reflect.ValueOf(&m.Value[len(m.Value)-1]).Elem(), c)
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
func (d *decoder) series(m *types.PerfEntityMetricCSV, texts *texts) bool {
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
	s := types.PerfMetricSeriesCSV{Value: texts.of(values, x.i)}
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

// texts returns parts of a copy of a piece of the document, so that thousands of short texts take one allocation. Keeping one of
// them keeps all in memory.
type texts struct {
	d        *decoder
	copy     string
	from, to int // position in the document
}

// pieceOfTexts is how much is copied at a time, unless the element ends before.
const pieceOfTexts = 4 << 10

// of returns the text that ends before a position.
func (t *texts) of(text []byte, before int) string {
	if len(text) == 0 {
		return ""
	}
	from := before - len(afterValues) - len(text)
	if from < t.from || from+len(text) > t.to {
		t.from = from
		t.to = max(from+len(text), min(from+pieceOfTexts, len(t.d.b)))
		t.copy = string(t.d.b[t.from:t.to])
	}
	return t.copy[from-t.from : from-t.from+len(text)]
}
