package esxtop

import "strings"

// Formula says how a metric is computed from raw fields of the Esxtop service. A field is written Group.Field if the
// group is not the object's own; for a scheduler group, VCPU.Field is the sum over its worlds.
type Formula struct {
	op     op
	fields []string // the first that a host's schema has counts, where a release renamed one
	by     []string // of means: the fields that count the operations
	scale  float64
	words  string // for the docs, instead of text derived from the fields
	own    string // the derivation's own function for it

	of      []string                   // other metrics of the row
	compute func(of []float64) float64 // the function of them; it is called only if all are present
	perVCPU bool                       // that is divided by the row's vCPUs
}

type op int

const (
	opNone op = iota // no raw field is known: the service does not have it
	opGauge
	opRate
	opShare
	opMean
	opText
	opComputed // from other metrics of the row, whatever the source
	opOwn      // the derivation has a function for it
)

func share(fields ...string) Formula { return Formula{op: opShare, fields: fields, scale: 100} }
func text(fields ...string) Formula  { return Formula{op: opText, fields: fields} }

// Derived reports whether the formula uses other metrics of the row, whatever the source.
func (f Formula) Derived() bool { return f.op == opComputed }

// String returns the formula with the service's own names; empty if the service does not have the metric.
func (f Formula) String() string {
	if f.words != "" {
		return f.words
	}
	field := strings.Join(f.fields, " or ")
	switch f.op {
	case opGauge:
		return field + factors[f.scale]
	case opText:
		return field
	case opRate:
		return "Δ " + field + factors[f.scale] + " / Δt"
	case opShare:
		return "Δ " + field + " / Δt × 100"
	case opMean:
		return "Δ " + field + " / Δ " + strings.Join(f.by, " or ") + " / 1000"
	}
	return ""
}

// factors maps scales to their text.
var factors = map[float64]string{
	0.01: " / 100", 1e-6: " / 10⁶", fromKB: " / 1024", 4 * fromKB: " × 4 / 1024", fromBlocks: " × 512 / 2²⁰", fromBytes: " / 2²⁰", fromBits: " × 8 / 2²⁰",
}

// Scales of formulas.
const (
	fromKB     = 1.0 / 1024
	fromBlocks = 512.0 / (1 << 20)
	fromBytes  = 1.0 / (1 << 20)
	fromBits   = 8.0 / (1 << 20)
)

// scales of fields, by their unit.
var scales = map[string]float64{
	"hundredths": 0.01, "µs": 1e-6, "KB": fromKB, "pages": 4 * fromKB, "blocks": fromBlocks, "bytes": fromBytes, "bytes to bits": fromBits,
}
