package report

import (
	"math"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// How facts, and what several documents have in common, are written for machines.

var absent = map[string]bool{"absent": true}

// factJSON is the value of a fact, or an object that says which of the two other states it has.
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

// valueJSON is a value as it is: settings that are numbers or booleans stay what they are. What is no number, such as nothing by
// nothing, is absent: JSON has no word for it.
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

// waiverJSON is the waiver of a finding; nil where none counts.
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

// notNil is a list that is there, though nothing may be in it.
func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
