package vsphere

import (
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

// readPerf reads an answer in either form. A series that does not have a value for each sample is left out: a server that
// drops zeros does not say where they were.
func readPerf(m types.BasePerfEntityMetricBase) (perfAnswer, bool) {
	switch m := m.(type) {
	case *types.PerfEntityMetricCSV:
		return readPerfCSV(m)
	case *types.PerfEntityMetric:
		return readPerfList(m), true
	}
	return perfAnswer{}, false
}

func readPerfList(m *types.PerfEntityMetric) perfAnswer {
	a := perfAnswer{entity: m.Entity}
	for _, info := range m.SampleInfo {
		a.stamps = append(a.stamps, stampOf(info.Timestamp, int64(info.Interval)))
	}
	for _, s := range m.Value {
		if s, ok := s.(*types.PerfMetricIntSeries); ok && len(s.Value) == len(a.stamps) {
			a.series = append(a.series, perfSeries{s.Id.CounterId, s.Id.Instance, s.Value})
		}
	}
	return a
}

func readPerfCSV(m *types.PerfEntityMetricCSV) (perfAnswer, bool) {
	a := perfAnswer{entity: m.Entity}
	var ok bool
	if a.stamps, ok = readStamps(m.SampleInfoCSV); !ok {
		return a, false
	}
	a.series = make([]perfSeries, 0, len(m.Value))
	values := make([]int64, 0, len(m.Value)*len(a.stamps))
	for i := range m.Value {
		s := &m.Value[i]
		from := len(values)
		if values, ok = appendValues(values, s.Value); !ok || len(values)-from != len(a.stamps) {
			values = values[:from]
			continue
		}
		a.series = append(a.series, perfSeries{s.Id.CounterId, s.Id.Instance, values[from:len(values):len(values)]})
	}
	return a, true
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
