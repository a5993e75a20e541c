package module

import (
	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/pkg/inventory"
)

// column is a family with one series an object.
type column[O any] struct {
	name, help string
	value      func(O) (float64, bool) // false: the object has no value
}

// writeColumns writes families one after the other. An object's labels are the same in all of them.
func writeColumns[O any](w *exposition.Writer, objects []O, labels func(O) exposition.Labels, columns []column[O]) {
	of := make([]exposition.Labels, len(objects))
	for i, o := range objects {
		of[i] = labels(o)
	}
	for _, c := range columns {
		w.Family(exposition.Family{Name: c.name, Help: c.help})
		for i, o := range objects {
			if v, exists := c.value(o); exists {
				w.Sample(of[i], v)
			}
		}
	}
}

// writeInfo writes a family that carries texts: 1 for each object.
func writeInfo[O any](w *exposition.Writer, name, help string, objects []O, labels func(O) exposition.Labels) {
	w.Family(exposition.Family{Name: name, Help: help})
	for _, o := range objects {
		w.Sample(labels(o), 1)
	}
}

// The ways in which facts become numbers. One that is not known has none.

func number[N int64 | float64](f inventory.Fact[N], times float64) (float64, bool) {
	n, known := f.Value()
	return float64(n) * times, known
}

const (
	mib = 1 << 20
	// megabit a second in bytes a second
	mbit = 1e6 / 8
)

func yes(f inventory.Fact[bool]) (float64, bool) {
	b, known := f.Value()
	return exposition.Bool(b), known
}

func length[T any](f inventory.Fact[[]T]) (float64, bool) {
	list, known := f.Value()
	return float64(len(list)), known
}

// text is a fact as the value of a label: "", which is no label, where it is not known.
func text(f inventory.Fact[string]) string {
	s, _ := f.Value()
	return s
}
