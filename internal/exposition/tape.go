package exposition

// Tape keeps families, to be written more than once and in any format when what they were made of is gone. Labels are
// made of copies, so that nothing else is held.
type Tape struct{ families []taped }

type taped struct {
	Family

	labels []Labels
	values []float64
}

// Record gives write a writer whose families go onto a new tape. Time stamps do not.
func Record(write func(*Writer)) *Tape {
	t := new(Tape)
	write(&Writer{names: map[string]struct{}{}, keep: t.add})
	return t
}

// Play writes what is on the tape.
func (t *Tape) Play(w *Writer) {
	for i := range t.families {
		f := &t.families[i]
		w.Family(f.Family)
		for j, l := range f.labels {
			w.Sample(l, f.values[j])
		}
	}
}

// add keeps a series.
func (t *Tape) add(f Family, begun bool, l Labels, v float64) {
	if !begun {
		t.families = append(t.families, taped{Family: f})
	}
	to := &t.families[len(t.families)-1]
	to.labels, to.values = append(to.labels, l), append(to.values, v)
}
