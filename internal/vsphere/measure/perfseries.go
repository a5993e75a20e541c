package measure

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// perfInterval is the time between real-time samples.
const perfInterval = 20 * time.Second

// onGrid returns the place of a sample on the time grid: samples of the same place belong together. Hosts sample at full
// multiples of twenty seconds of their clock; other times are rounded to the nearest place.
func onGrid(t time.Time) int64 { return t.Round(perfInterval).Unix() }

// perfStamp is the time of a sample and the interval it covers.
type perfStamp struct {
	time     time.Time
	interval time.Duration
}

// perfSeries holds the values of one counter and instance, one for each stamp; a missing value is noSample.
type perfSeries struct {
	counter  int32
	instance string
	values   []int64
}

// noSample is the value that servers send for a missing sample.
const noSample = -1

// perfAnswer is the answer for one host or VM.
type perfAnswer struct {
	entity types.ManagedObjectReference
	stamps []perfStamp
	series []perfSeries
}

// perfReading decodes answers one after the other. The result of read is valid until the next call.
type perfReading struct {
	info   string // the text from which stamps was made
	stamps []perfStamp
	series []perfSeries
	values []int64
}

// understands reports whether an answer has one of the two supported forms.
func (r *perfReading) understands(m types.BasePerfEntityMetricBase) bool {
	switch m := m.(type) {
	case *types.PerfEntityMetricCSV:
		return r.times(m.SampleInfoCSV)
	case *types.PerfEntityMetric:
		return true
	}
	return false
}

// read decodes an answer in either form. A series that does not have a value for each sample is skipped: a server that drops
// zeros does not show where they were.
func (r *perfReading) read(m types.BasePerfEntityMetricBase) (perfAnswer, bool) {
	r.series, r.values = r.series[:0], r.values[:0]
	switch m := m.(type) {
	case *types.PerfEntityMetricCSV:
		if !r.times(m.SampleInfoCSV) {
			return perfAnswer{}, false
		}
		r.readCSV(m)
		return perfAnswer{m.Entity, r.stamps, r.series}, true
	case *types.PerfEntityMetric:
		r.readList(m)
		return perfAnswer{m.Entity, r.stamps, r.series}, true
	}
	return perfAnswer{}, false
}

func (r *perfReading) readList(m *types.PerfEntityMetric) {
	r.info, r.stamps = "", r.stamps[:0]
	for i := range m.SampleInfo {
		r.stamps = append(r.stamps, stampOf(m.SampleInfo[i].Timestamp, int64(m.SampleInfo[i].Interval)))
	}
	for _, s := range m.Value {
		if s, ok := s.(*types.PerfMetricIntSeries); ok && len(s.Value) == len(r.stamps) {
			r.series = append(r.series, perfSeries{s.Id.CounterId, s.Id.Instance, s.Value})
		}
	}
}

func (r *perfReading) readCSV(m *types.PerfEntityMetricCSV) {
	r.values = slices.Grow(r.values, len(m.Value)*len(r.stamps)) // series point into it
	for i := range m.Value {
		s := &m.Value[i]
		from := len(r.values)
		values, ok := appendValues(r.values, s.Value)
		if !ok || len(values)-from != len(r.stamps) {
			continue
		}
		r.values = values
		r.series = append(r.series, perfSeries{s.Id.CounterId, s.Id.Instance, values[from:len(values):len(values)]})
	}
}

// times decodes the sample times, which are the same for nearly all entities of an answer.
func (r *perfReading) times(text string) (ok bool) {
	if text == r.info && text != "" {
		return true
	}
	r.info = ""
	if r.stamps, ok = readStamps(text); ok {
		r.info = text
	}
	return ok
}

// readStamps parses "20,2026-11-20T10:00:00Z,20,2026-11-20T10:00:20Z". An empty text has no samples.
func readStamps(text string) ([]perfStamp, bool) {
	if text == "" {
		return nil, true
	}
	stamps := make([]perfStamp, 0, strings.Count(text, ",")/2+1)
	for more := true; more; {
		var interval, at string
		if interval, text, more = strings.Cut(text, ","); !more {
			return nil, false
		}
		at, text, more = strings.Cut(text, ",")
		seconds, err := strconv.ParseInt(strings.TrimSpace(interval), 10, 32)
		if err != nil {
			return nil, false
		}
		t, ok := soapwire.Moment(strings.TrimSpace(at))
		if !ok {
			return nil, false
		}
		stamps = append(stamps, stampOf(t, seconds))
	}
	return stamps, true
}

func stampOf(t time.Time, seconds int64) perfStamp {
	if seconds <= 0 {
		return perfStamp{t.UTC(), perfInterval}
	}
	return perfStamp{t.UTC(), time.Duration(seconds) * time.Second}
}

// appendValues parses "5,0,,-1" and appends it to values. An empty element is a missing value.
func appendValues(values []int64, text string) ([]int64, bool) {
	if text == "" {
		return values, true
	}
	if v, ok := smallNumber(text); ok { // one sample, the usual case
		return append(values, v), true
	}
	for more := true; more; {
		var word string
		word, text, more = strings.Cut(text, ",")
		if word = strings.TrimSpace(word); word == "" {
			values = append(values, noSample)
			continue
		}
		v, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return values, false
		}
		values = append(values, v)
	}
	return values, true
}

// smallNumber parses up to 18 digits, which cannot overflow.
func smallNumber(text string) (v int64, ok bool) {
	if len(text) > 18 {
		return 0, false
	}
	for i := range len(text) {
		c := text[i] - '0'
		if c > 9 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	return v, true
}
