package efficiency

import "github.com/vperf/vperf/pkg/inventory"

// Figure is one derived figure of an object.
type Figure struct {
	ID     string // such as gbps-per-core
	Object inventory.Ref
	Title  string                  // such as "throughput by core"
	Value  inventory.Fact[float64] // absent where there was nothing, such as no traffic; unread, with the reason, where something lacks
	Unit   string
	From   []string // what it was worked out of, in words with figures: the chain of evidence
	About  string   // how to read it, and what it must not be taken for
}

// kind is what all figures of one id have in common.
type kind struct{ id, title, unit, about string }

// of is the figure of an object: out of what it is reckoned, and what else people have to know of it.
func (k kind) of(object inventory.Ref, out func(v []float64) float64, from ...quantity) Figure {
	f := Figure{ID: k.id, Object: object, Title: k.title, Value: work(out, from...).amount, Unit: k.unit, About: k.about}
	for _, q := range from {
		if q.words != "" {
			f.From = append(f.From, q.words)
		}
	}
	return f
}

// also adds evidence that the figure was not reckoned with.
func (f Figure) also(words string) Figure {
	f.From = append(f.From, words)
	return f
}
