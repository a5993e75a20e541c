package hotspot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Top returns at most n instances of each metric, worst first; metrics are in the order of the catalogue. It keeps no more than
// these, because a large fleet has a hundred thousand spots.
func (s *Spots) Top(n int) []Spot {
	by := make([][]Spot, len(places))
	for name, h := range s.hosts {
		for o, t := range h.tables {
			for i := range t.spots {
				p := t.spot(name, columns[o], &t.spots[i])
				list := &by[places[p.Metric]]
				*list = insert(*list, p, n)
			}
		}
	}
	return slices.Concat(by...)
}

// insert adds a spot to the n worst of its metric.
func insert(worst []Spot, p Spot, n int) []Spot {
	at := len(worst)
	for at > 0 && worstFirst(p, worst[at-1]) < 0 {
		at--
	}
	if at >= n {
		return worst
	}
	worst = slices.Insert(worst, at, p)
	return worst[:min(n, len(worst))]
}

func (t *table) spot(host string, of []column, p *spot) Spot {
	row, kept := &t.rows[p.row], t.cells[p.row*len(of)+p.column]
	return Spot{
		Metric: of[p.column].metric, Host: host, Object: row.name, MoID: row.moID,
		Worst: p.worst, At: p.at, Mean: kept.sum / float64(kept.samples),
		Samples: int(kept.samples), Beyond: p.beyond, Longest: p.longest,
	}
}

// places maps metrics to their index in the catalogue.
var places = func() map[*esxtop.Metric]int {
	at := map[*esxtop.Metric]int{}
	for i, m := range esxtop.Catalogue() {
		at[m] = i
	}
	return at
}()

// worstFirst orders spots of one metric.
func worstFirst(a, b Spot) int {
	worse := cmp.Compare(b.Worst, a.Worst)
	if a.Metric.Threshold.Below {
		worse = -worse
	}
	return cmp.Or(worse, cmp.Compare(b.Beyond, a.Beyond),
		strings.Compare(a.Host, b.Host), strings.Compare(a.Object, b.Object))
}
