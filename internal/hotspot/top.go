package hotspot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Top returns at most n instances of each metric, worst first; metrics are in the order of the catalogue.
func (s *Spots) Top(n int) []Spot {
	var all []Spot
	for name, h := range s.hosts {
		for o, t := range h.tables {
			for i := range t.spots {
				all = append(all, t.spot(name, columns[o], &t.spots[i]))
			}
		}
	}
	slices.SortStableFunc(all, worstFirst)
	seen := map[*esxtop.Metric]int{}
	return slices.DeleteFunc(all, func(p Spot) bool {
		seen[p.Metric]++
		return seen[p.Metric] > n
	})
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

func worstFirst(a, b Spot) int {
	worse := cmp.Compare(b.Worst, a.Worst)
	if a.Metric.Threshold.Below {
		worse = -worse
	}
	return cmp.Or(cmp.Compare(places[a.Metric], places[b.Metric]), worse, cmp.Compare(b.Beyond, a.Beyond),
		strings.Compare(a.Host, b.Host), strings.Compare(a.Object, b.Object))
}
