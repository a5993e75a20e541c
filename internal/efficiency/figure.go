package efficiency

import "github.com/vperf/vperf/pkg/inventory"

// Figure is one derived figure of an object.
type Figure struct {
	ID     string // such as gbps-per-core
	Object inventory.Ref
	Title  string                  // such as "throughput by core"
	Value  inventory.Fact[float64] // absent if there was nothing to measure, such as no traffic; unread, with the reason, if an input is missing
	Unit   string
	From   []string // the inputs, as texts with numbers
	About  string   // how to read it, and its limits
}

// kind is the common data of all figures with one id.
type kind struct{ id, title, unit, about string }

// of returns the figure of an object, computed with out from quantities, and their texts.
func (k kind) of(object inventory.Ref, out func(v []float64) float64, from ...quantity) Figure {
	f := Figure{ID: k.id, Object: object, Title: k.title, Value: work(out, from...).amount, Unit: k.unit, About: k.about}
	for _, q := range from {
		if q.words != "" {
			f.From = append(f.From, q.words)
		}
	}
	return f
}

// also adds a text about data that is not an input.
func (f Figure) also(words string) Figure {
	f.From = append(f.From, words)
	return f
}
