package page

import (
	"cmp"
	"strconv"
)

// spotTable is the worst instances of each counter.
type spotTable struct {
	Gist string
	Open bool
	Rows []spot
}

type spot struct {
	Metric, About       string
	Object, Host        string
	Worst, Mean         string
	WorstSort, MeanSort string
	At                  string
	Beyond              string
	Longest             string
	LongestSort         string
}

func (s *show) spots() spotTable {
	var t spotTable
	for _, x := range s.Spots {
		r := spot{
			Object: clean(x.Object), Host: clean(x.Host), At: s.clock(x.At), Longest: lasted(x.Longest), LongestSort: figure(x.Longest.Seconds()),
			Beyond:    whole(x.Beyond) + " of " + whole(x.Samples),
			WorstSort: strconv.FormatFloat(x.Worst, 'g', -1, 64), MeanSort: strconv.FormatFloat(x.Mean, 'g', -1, 64),
		}
		if x.Longest <= 0 {
			r.Longest = "–"
		}
		unit := ""
		if x.Metric != nil {
			unit, r.Metric, r.About = string(x.Metric.Unit), clean(cmp.Or(x.Metric.Column, x.Metric.ID)), clean(x.Metric.ID)+": "+prose(x.Metric.About)
		}
		r.Worst, r.Mean = measured(x.Worst, unit), measured(x.Mean, unit)
		t.Rows = append(t.Rows, r)
	}
	t.Gist, t.Open = counted(len(t.Rows), "instance")+" beyond a threshold", len(t.Rows) <= openRows
	return t
}
