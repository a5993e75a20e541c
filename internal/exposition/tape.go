package exposition

import "time"

// Tape records families, to write them several times and in any format after their source is gone. It copies labels, so
// that it retains nothing else.
type Tape struct{ families []taped }

type taped struct {
	Family

	labels []Labels
	values []float64
}

// Record calls write with a writer that records families on a new tape, without time stamps.
func Record(write func(*Writer)) *Tape {
	t := new(Tape)
	write(NewCollector(t.add))
	return t
}

// Play writes the families of the tape, without the series that skip selects; nil selects none.
func (t *Tape) Play(w *Writer, skip func(Labels) bool) {
	for i := range t.families {
		f := &t.families[i]
		w.Family(f.Family)
		for j, l := range f.labels {
			if skip == nil || !skip(l) {
				w.Sample(l, f.values[j])
			}
		}
	}
}

// add records a series.
func (t *Tape) add(f Family, l Labels, v float64, _ time.Time) {
	if n := len(t.families); n == 0 || t.families[n-1].Name != f.Name {
		t.families = append(t.families, taped{Family: f})
	}
	to := &t.families[len(t.families)-1]
	to.labels, to.values = append(to.labels, l), append(to.values, v)
}
