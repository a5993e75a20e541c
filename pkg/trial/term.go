package trial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// boundTerm is a term with its metrics looked up.
type boundTerm struct {
	Term
	object                esxtop.Object
	metric, weight, needs *esxtop.Metric
}

var uplinkMetric = esxtop.Lookup("net.uplink")

// bind looks up the term's names; fold and scale get their defaults.
func (t Term) bind() (boundTerm, error) {
	b := boundTerm{Term: t}
	var ok bool
	if b.object, ok = objectNamed(t.Object); !ok {
		return b, fmt.Errorf("no object %q%s", t.Object, inventory.DidYouMean(t.Object, objectNames()))
	}
	for _, m := range []struct {
		id   string
		into **esxtop.Metric
	}{{t.Metric, &b.metric}, {t.Weight, &b.weight}, {t.Needs, &b.needs}} {
		if m.id == "" && m.into != &b.metric {
			continue
		}
		*m.into = esxtop.Lookup(m.id)
		if *m.into == nil {
			return b, fmt.Errorf("the catalogue of counters has no %q", m.id)
		}
		if (*m.into).Slot(b.object) < 0 || (*m.into).Kind == esxtop.Text {
			return b, fmt.Errorf("%s is not a figure of a %s", m.id, t.Object)
		}
	}
	if b.Fold == "" {
		b.Fold = Sum
	}
	if b.Scale == 0 {
		b.Scale = 1
	}
	return b, nil
}

func objectNames() []string {
	names := make([]string, esxtop.NumObjects)
	for o := range esxtop.NumObjects {
		names[o] = o.String()
	}
	return names
}

func bindTerms(list []Term) ([]boundTerm, error) {
	bound := make([]boundTerm, len(list))
	for i, t := range list {
		b, err := t.bind()
		if err != nil {
			return nil, err
		}
		bound[i] = b
	}
	return bound, nil
}

// read folds the unit's rows of a frame into one number. ok is false if no row has the figure.
func (t *boundTerm) read(f *esxtop.Frame, u *Unit) (v float64, ok bool) {
	rows, n := f.Rows(t.object), 0
	for i := range rows {
		r := &rows[i]
		if !t.counts(r) || !u.owns(f, r) {
			continue
		}
		x, known := t.value(r)
		if !known {
			continue
		}
		switch n++; {
		case n == 1:
			v = x
		case t.Fold == Max:
			v = max(v, x)
		case t.Fold == Min:
			v = min(v, x)
		default:
			v += x
		}
	}
	if t.Fold == Mean && n > 0 {
		v /= float64(n)
	}
	return v * t.Scale, n > 0 || t.idle(f, u)
}

// idle reports whether the frame shows the unit and how much work it did, but no row of it fulfils a condition: then the
// figure is 0, not absent. A latency of a disk without commands is such a figure; only sums can have it.
func (t *boundTerm) idle(f *esxtop.Frame, u *Unit) bool {
	if t.Fold != Sum || t.needs == nil && t.weight == nil {
		return false
	}
	work := cmp.Or(t.needs, t.weight)
	rows := f.Rows(t.object)
	for i := range rows {
		if _, known := rows[i].Value(work); known && t.counts(&rows[i]) && u.owns(f, &rows[i]) {
			return true
		}
	}
	return false
}

// counts reports whether the term is about this row.
func (t *boundTerm) counts(r *esxtop.Row) bool {
	switch t.Only {
	case VMRows:
		return r.VM
	case Uplinks:
		if is, ok := r.Value(uplinkMetric); ok {
			return is != 0
		}
		return strings.HasPrefix(r.Name, "vmnic") // captures do not mark uplinks
	}
	return true
}

// value returns the row's figure; rows without the work that it needs have none.
func (t *boundTerm) value(r *esxtop.Row) (v float64, ok bool) {
	if t.needs != nil {
		if has, ok := r.Value(t.needs); !ok || has < t.AtLeast {
			return 0, false
		}
	}
	if v, ok = r.Value(t.metric); !ok {
		return 0, false
	}
	if t.weight != nil {
		w, ok := r.Value(t.weight)
		if !ok {
			return 0, false
		}
		v *= w
	}
	if t.PerVCPU {
		if r.VCPUs == 0 {
			return 0, false
		}
		v /= float64(r.VCPUs)
	}
	return v, true
}

// owns reports whether a row of a frame belongs to the unit. The frame is one of the unit's hosts. Rows of objects that
// the unit does not consist of, such as the VMs of a LUN's hosts, belong to its surroundings, which guards look at.
func (u *Unit) owns(f *esxtop.Frame, r *esxtop.Row) bool {
	if of := unitObjects[u.Kind]; of == nil || !slices.Contains(of, r.Object) {
		return true
	}
	if u.Kind == inventory.ScopeLUN {
		return r.ID == u.ID
	}
	id := r.MoID
	if owner := f.Owner(r); id == "" && owner != nil {
		id = owner.MoID
	}
	if u.Kind == inventory.ScopePool {
		return id != "" && slices.Contains(u.VMs, id)
	}
	return id == u.ID
}

// Figure is a figure of rows of an object that an outcome is computed from.
type Figure struct {
	Object esxtop.Object
	Metric *esxtop.Metric
}

// Figures returns the figures that samples of the outcome need, each once.
func (o *Outcome) Figures() (list []Figure, err error) {
	for _, t := range slices.Concat(o.Cost, o.Work) {
		b, err := t.bind()
		if err != nil {
			return nil, fmt.Errorf("outcome %s: %w", o.ID, err)
		}
		for _, m := range []*esxtop.Metric{b.metric, b.weight, b.needs} {
			if f := (Figure{b.object, m}); m != nil && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list, nil
}
