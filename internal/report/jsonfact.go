package report

import (
	"fmt"
	"math"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// This file writes facts, and the parts that several documents share, as JSON.

var absent = map[string]bool{"absent": true}

// factJSON returns the value of a fact, or an object that names its other state.
func factJSON[T any](f inventory.Fact[T]) any {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return valueJSON(v)
	case inventory.StateAbsent:
		return absent
	}
	return map[string]string{"unread": reason}
}

// valueJSON returns a value with its type: numbers stay numbers and booleans stay booleans. It omits NaN and infinities,
// which JSON cannot express.
func valueJSON(v any) any {
	switch x := v.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return absent
		}
	case []any:
		return collect.Map(x, valueJSON)
	case inventory.Value:
		return x.Native()
	}
	return v
}

// evidenceOf returns evidence by name.
func evidenceOf(all []advice.Measured) map[string]any {
	out := make(map[string]any, len(all))
	for _, m := range all {
		out[m.Name] = evidenceJSON(m.Value)
	}
	return out
}

// evidenceJSON returns a piece of evidence as JSON. A value that is not a number, such as 0/0, is written like an unread
// fact.
func evidenceJSON(f inventory.Fact[any]) any {
	v, _ := f.Value()
	if x, has := noNumber(v); has {
		return map[string]string{"unread": fmt.Sprintf("the computed value is not a number (%v)", x)}
	}
	return factJSON(f)
}

// noNumber finds NaN or an infinity in a value or in a list.
func noNumber(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, math.IsNaN(x) || math.IsInf(x, 0)
	case []any:
		for _, one := range x {
			if f, has := noNumber(one); has {
				return f, true
			}
		}
	}
	return 0, false
}

// notNil returns a list that is not nil but may be empty.
func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
