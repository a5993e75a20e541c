package esxtop

import (
	"math"
	"strconv"
	"strings"
)

// binder binds the formulas of one object.
type binder struct {
	schema *Schema
	object Object
	table  *table
}

// field is the position of a field.
type field struct {
	source int // of the table
	counter
}

// find returns the first of the fields that the host has.
func (b *binder) find(names []string) (f field, ok bool) {
	for _, name := range names {
		group, name, found := strings.Cut(name, ".")
		if !found {
			group, name = b.object.rawGroup(), group
		}
		if f, ok := b.in(group, name); ok {
			return f, true
		}
		if from := inherits[b.object]; from != "" && !found {
			if f, ok := b.in(from, name); ok {
				return f, true
			}
		}
	}
	return field{}, false
}

func (b *binder) in(group, name string) (field, bool) {
	g := b.schema.byName[group]
	if g == nil || g.Field(name) < 0 || !b.reaches(g) {
		return field{}, false
	}
	i := g.Field(name)
	typ := g.Fields[i].Type
	bits, _ := strconv.Atoi(strings.TrimLeft(typ, "US"))
	return field{b.source(g), counter{index: i, bits: bits, signed: g.Fields[i].signed}}, true
}

// reaches reports whether rows of a group belong to rows of the object.
func (b *binder) reaches(g *RawGroup) bool {
	return g.Name == b.object.rawGroup() || links[b.object][g.Name] != nil
}

func (b *binder) source(g *RawGroup) int {
	for k, s := range b.table.sources {
		if s.group == g {
			return k
		}
	}
	b.table.sources = append(b.table.sources, source{g, links[b.object][g.Name]})
	return len(b.table.sources) - 1
}

func absent(*place) float64 { return math.NaN() }

func noWords(*place) (string, bool) { return "", false }

// gauge returns a field's value, or its sum over the rows that belong to the row.
func (b *binder) gauge(names ...string) figure {
	f, ok := b.find(names)
	if !ok {
		return absent
	}
	return f.sum((*bundle).gauge)
}

// delta returns the growth of a field, or its sum over the rows that belong to the row and were there before.
func (b *binder) delta(names ...string) figure {
	f, ok := b.find(names)
	if !ok {
		return absent
	}
	return f.sum((*bundle).delta)
}

// sum adds the values of the rows that have one; absent if none has.
func (f field) sum(of func(b *bundle, row int32, c counter) (float64, bool)) figure {
	return func(at *place) float64 {
		sum, present := 0.0, false
		for _, row := range at.raw[f.source] {
			if n, ok := of(at.bundles[f.source], row, f.counter); ok {
				sum, present = sum+n, true
			}
		}
		return known(sum, present)
	}
}

// rate returns the growth of a field per second.
func (b *binder) rate(names ...string) figure {
	delta := b.delta(names...)
	return func(at *place) float64 { return delta(at) / at.interval.Seconds() }
}

// share returns the growth of a time in percent of the interval.
func (b *binder) share(names ...string) figure {
	f, ok := b.find(names)
	if !ok {
		return absent
	}
	f.time = true
	delta := f.sum((*bundle).delta)
	return func(at *place) float64 { return delta(at) / at.micros() * 100 }
}

// mean returns the growth of a field per operation. Over several rows, it is the mean of all operations, for rows that
// have both.
func (b *binder) mean(scale float64, name string, operations ...string) figure {
	f, ok := b.find([]string{name})
	if !ok {
		return absent
	}
	by := make([]field, len(operations))
	for i, name := range operations {
		if by[i], ok = b.find([]string{name}); !ok || by[i].source != f.source {
			return absent
		}
	}
	return func(at *place) float64 {
		bundle, sum, count := at.bundles[f.source], 0.0, 0.0
		for _, row := range at.raw[f.source] {
			n, ok := bundle.delta(row, f.counter)
			ops := 0.0
			for _, by := range by {
				more, known := bundle.delta(row, by.counter)
				ops, ok = ops+more, ok && known
			}
			if ok {
				sum, count = sum+n, count+ops
			}
		}
		return ratio(sum, count) * scale
	}
}

func (b *binder) text(names ...string) wording {
	f, ok := b.find(names)
	if !ok {
		return noWords
	}
	return func(at *place) (string, bool) {
		for _, row := range at.raw[f.source] {
			if s, ok := at.bundles[f.source].now.Text(int(row), f.index); ok {
				return s, true
			}
		}
		return "", false
	}
}

func times(f figure, scale float64) figure {
	if scale == 1 {
		return f
	}
	return func(at *place) float64 { return f(at) * scale }
}

func known(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// micros returns the interval in µs, by the service's clock.
func (w *work) micros() float64 { return float64(w.interval.Microseconds()) }

func (b *bundle) gauge(row int32, f counter) (float64, bool) {
	n, ok := b.now.Number(int(row), f.index)
	if f.signed {
		return float64(int64(n)), ok
	}
	return float64(n), ok
}

// kept returns a copy of a text, so that a row does not retain a whole answer of the service. If the previous row has
// the same text, as for units and masks, it returns that one.
func kept(rows []Row, i, k int, s string) string {
	if i > 0 && k < len(rows[i-1].texts) && rows[i-1].texts[k] == s {
		return rows[i-1].texts[k]
	}
	return strings.Clone(s)
}
