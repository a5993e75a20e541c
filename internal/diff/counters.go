package diff

import (
	"math"
	"reflect"

	"github.com/vperf/vperf/pkg/inventory"
)

// Counter is a counter that both sides measured on an object. The difference proves nothing: load and time of day are in it.
type Counter struct {
	Object inventory.Ref `json:"object"`
	Metric string        `json:"metric"`
	Unit   string        `json:"unit"`
	Old    float64       `json:"old"` // the median, in Unit
	New    float64       `json:"new"`
	// OldSamples and NewSamples are how many samples the medians are of.
	OldSamples int64 `json:"oldSamples"`
	NewSamples int64 `json:"newSamples"`
}

// counters compares the counters of an object that has some.
func (c *comparison) counters(ref inventory.Ref, kind inventory.Scope, from, to reflect.Value) {
	was, is := liveOf(from), liveOf(to)
	if len(was) == 0 || len(is) == 0 {
		return
	}
	for name, after := range is.All() {
		before, both := was.Get(name)
		if !both || before.Samples == 0 || after.Samples == 0 || math.IsNaN(before.Median+after.Median) {
			continue
		}
		m, _ := inventory.LookupLive(kind, name)
		c.diff.Counters = append(c.diff.Counters, Counter{
			Object: ref, Metric: name, Unit: m.Unit, Old: before.Median, New: after.Median, OldSamples: before.Samples, NewSamples: after.Samples,
		})
	}
}

func liveOf(v reflect.Value) inventory.Live {
	f := v.FieldByName("Live")
	if !f.IsValid() {
		return nil
	}
	all, _ := reflect.TypeAssert[inventory.Live](f)
	return all
}
