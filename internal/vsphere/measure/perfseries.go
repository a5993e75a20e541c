package measure

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// perfInterval is how far real-time samples are apart.
const perfInterval = 20 * time.Second

// onGrid is the place of a sample among all: samples of one place belong together. Hosts take theirs at full twenty
// seconds of their clock; those of a server that does not are moved to the nearest.
func onGrid(t time.Time) int64 { return t.Round(perfInterval).Unix() }

// perfStamp is when a sample was taken, and over which time.
type perfStamp struct {
	time     time.Time
	interval time.Duration
}

// perfSeries is the values of one counter and instance. They are as many as there are stamps; a value that is not there is noSample.
type perfSeries struct {
	counter  int32
	instance string
	values   []int64
}

// noSample is what servers write for a sample that they do not have.
const noSample = -1

// perfAnswer is what came of one host or VM.
type perfAnswer struct {
	entity types.ManagedObjectReference
	stamps []perfStamp
	series []perfSeries
}

// perfReading reads answers, one after the other. What it made of one is good until the next.
type perfReading struct {
	info   string // the times that stamps were made of
	stamps []perfStamp
	series []perfSeries
	values []int64
}

// understands reports an answer in one of the two forms.
func (r *perfReading) understands(m types.BasePerfEntityMetricBase) bool {
	switch m := m.(type) {
	case *types.PerfEntityMetricCSV:
		return r.times(m.SampleInfoCSV)
	case *types.PerfEntityMetric:
		return true
	}
	return false
}

// read reads an answer in either form. A series that does not have a value for each sample is left out: a server that
// drops zeros does not say where they were.
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

// times reads when samples were taken. It is the same of nearly all in an answer.
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

// readStamps reads "20,2026-11-20T10:00:00Z,20,2026-11-20T10:00:20Z". Nothing is no samples.
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
		t, err := time.Parse(time.RFC3339, strings.TrimSpace(at))
		if err != nil {
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

// appendValues reads "5,0,,-1" behind values. What is empty is a value that is not there.
func appendValues(values []int64, text string) ([]int64, bool) {
	if text == "" {
		return values, true
	}
	if v, ok := smallNumber(text); ok { // one sample, as nearly always
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

// smallNumber reads up to 18 digits, which are in the range of any number.
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
