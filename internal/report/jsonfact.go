package report

import (
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

type jsonWaiver struct {
	Reason string `json:"reason"`
	Owner  string `json:"owner,omitempty"`
	Until  string `json:"until"`
	From   string `json:"from"`
}

// waiverJSON returns the waiver of a finding, or nil if no waiver applies.
func waiverJSON(w *advice.Waiver) *jsonWaiver {
	if w == nil {
		return nil
	}
	return &jsonWaiver{Reason: w.Reason, Owner: w.Owner, Until: string(w.Until), From: w.From}
}

type jsonUnread struct {
	Object inventory.Ref `json:"object"`
	Fact   string        `json:"fact"`
	Reason string        `json:"reason"`
}

func gapJSON(g advice.Gap) jsonUnread { return jsonUnread(g) }

// notNil returns a list that is not nil but may be empty.
func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
