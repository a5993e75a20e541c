package trial

import "time"

// Block is a period in which no unit is switched.
type Block struct {
	Pair    int         `json:"pair"` // from 0
	Half    int         `json:"half"` // 0 or 1. Of randomised designs: before and after
	Begin   time.Time   `json:"begin"`
	End     time.Time   `json:"end"`
	Treated []bool      `json:"treated"` // by unit
	Units   []UnitBlock `json:"units"`   // by unit
}

// UnitBlock is what was measured of a unit in a block.
type UnitBlock struct {
	Dropped  string      `json:"dropped,omitempty"` // why the unit's pair does not count; empty: it counts
	Outcomes []Value     `json:"outcomes"`          // by Registration.Outcomes
	Guards   []float64   `json:"guards,omitempty"`  // means by Registration.Guards; -1: unknown
	Samples  []RawSample `json:"samples"`
}

// Value is an outcome in one block: the sums over its samples and what follows from them.
type Value struct {
	Cost  float64 `json:"cost"`  // Σ of the samples' cost, each multiplied by its seconds
	Work  float64 `json:"work"`  // Σ of the samples' work, likewise; without work: seconds
	Value float64 `json:"value"` // on the scale of the form: log(cost/work), cost/work, or mean log(1 + x)
	Known bool    `json:"known"` // false: no work was done, or a counter is absent
}

// RawSample is one sample of one host, before any arithmetic but that of its terms.
type RawSample struct {
	Time    time.Time `json:"time"` // the end of its interval, by the host's clock
	Host    string    `json:"host"` // managed object id
	Seconds float64   `json:"seconds"`
	Cost    []float64 `json:"cost"`             // by outcome; -1: unknown
	Work    []float64 `json:"work"`             // by outcome; -1: unknown. Without work: 1
	Guards  []float64 `json:"guards,omitempty"` // by guard; -1: unknown
}
