package page

import (
	"slices"

	"github.com/vperf/vperf/internal/report/collect"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// proof is the evidence for a cause at one object: measurements or settings.
type proof struct {
	At       object
	Evidence []named
}

// proofs groups links of a chain by object, up to a limit, and returns the number of the others. Unread values prove
// nothing.
func (s *show) proofs(chain []view.Piece, kind view.LinkKind) (out []proof, more int) {
	var by collect.ByKey[key, proof]
	limit, beyond := s.limit(mostCauses), map[key]bool{} // these are counted, and not evaluated further
	for _, piece := range chain {
		if piece.Kind() != kind || !piece.Named() {
			continue
		}
		at := keyOf(piece.Object())
		if beyond[at] {
			continue
		}
		l := piece.Link()
		if _, state, _ := l.Value.Get(); state == inventory.StateUnread {
			continue
		}
		if len(by.Keys) >= limit && !slices.Contains(by.Keys, at) {
			beyond[at] = true
			continue
		}
		p := by.At(at)
		p.At, p.Evidence = s.object(l.Object), collect.AddOnce(p.Evidence, s.piece(l))
	}
	return by.Values(), len(beyond)
}

func (s *show) evidence(f *advice.Finding) []named { return collect.Map(view.Evidence(f), s.piece) }

// piece returns a piece of evidence. It omits the reason of an unread value if the whole object is unread for that reason: the
// page shows it once, with the unread data.
func (s *show) piece(l view.Link) named {
	name, value := l.NameAndValue()
	if _, state, _ := l.Value.Get(); state == inventory.StateUnread && s.allUnread(l.Object) {
		value = "not read"
	}
	return named{clean(name), clean(value)}
}

// allUnread reports whether an object, or its host, could not be read at all.
func (s *show) allUnread(o inventory.Ref) bool {
	k := ownerOf(o)
	if vm := s.vms[k]; vm != nil {
		return vm.Unread != ""
	}
	h := s.hosts[k]
	return h != nil && h.Unread != ""
}

// benefit is a benefit that was measured elsewhere, and whether the conditions are comparable.
type benefit struct {
	Text, When, Source string
	Holds              string
	Class              string
}

func benefitOf(e advice.Expected) benefit {
	b := benefit{Text: prose(e.Text), When: prose(e.When), Source: prose(e.Source)}
	if b.Text == "" {
		b.Text = clean(e.Metric)
		if e.Change != nil {
			b.Text += " " + signed(*e.Change)
		}
	}
	holds, state, _ := e.Holds.Get()
	switch {
	case e.When == "":
		return b
	case state == inventory.StateKnown && holds:
		b.Holds, b.Class = "conditions here are comparable", "good"
	case state == inventory.StateKnown:
		b.Holds, b.Class = "conditions here differ: expect something else", "warn"
	case state == inventory.StateUnread:
		b.Holds, b.Class = "comparability unknown: not read", "faint"
	default:
		b.Holds, b.Class = "comparability unknown", "faint"
	}
	return b
}

func signed(change float64) string {
	if change > 0 {
		return "+" + part(change)
	}
	return "−" + part(-change)
}
