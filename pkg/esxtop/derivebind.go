package esxtop

import "math"

func newPlan(s *Schema) *plan {
	p := &plan{schema: s}
	for o := range objects {
		own := s.byName[o.rawGroup()]
		if own == nil {
			continue
		}
		b := &binder{schema: s, object: o, table: &table{sources: []source{{own, itself}}}}
		b.bind()
		p.tables[o] = b.table
	}
	return p
}

// bind binds the formulas over fields. Formulas over other figures of the row are evaluated when the frame is complete.
func (b *binder) bind() {
	for i, m := range catalogue.of[b.object] {
		switch m.Formula.op {
		case opNone, opComputed:
		case opText:
			b.table.texts = append(b.table.texts, textColumn{m, b.text(m.Formula.fields...)})
		case opOwn:
			if own := ownTexts[m.Formula.own]; own != nil {
				b.table.texts = append(b.table.texts, textColumn{m, own(b, &m.Formula)})
			} else {
				b.table.numbers = append(b.table.numbers, numberColumn{i, ownNumbers[m.Formula.own](b, &m.Formula)})
			}
		default:
			b.table.numbers = append(b.table.numbers, numberColumn{i, b.straight(m)})
		}
	}
}

func (b *binder) straight(m *Metric) figure {
	f := m.Formula
	switch f.op {
	case opGauge:
		return times(b.gauge(f.fields...), f.scale)
	case opRate:
		return times(b.rate(f.fields...), f.scale)
	case opMean:
		return b.mean(f.scale, f.fields[0], f.by...)
	}
	return b.capped(m, b.share(f.fields...))
}

// capped limits shares like esxtop. The CPU used by a world is not limited: with turbo it exceeds the time.
func (b *binder) capped(m *Metric, share figure) figure {
	switch {
	case b.object == World && m.ID != "cpu.used":
		return func(at *place) float64 { return min(share(at), 100) }
	case b.object == Group && m.ID == "cpu.wait":
		worlds := b.gauge("CPUClient.NumOfVCPUs")
		return func(at *place) float64 {
			if most := 100 * worlds(at); !math.IsNaN(most) {
				return min(share(at), most)
			}
			return share(at)
		}
	}
	return share
}
