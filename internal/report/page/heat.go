package page

import (
	"math"
	"strconv"
	"time"
)

// heatMap describes a heat map.
type heatMap struct {
	title  string
	unit   string
	of     string
	most   int
	curves func(*show) []curve
	limits [2]limit // the noticeable and the bad value
}

var maps = []heatMap{
	{
		title: "CPU ready by VM", unit: "percent of one vCPU's time", of: "VM", most: mostHeat, curves: func(s *show) []curve { return s.vmCurves("cpu.ready") },
		limits: [2]limit{{"cpu-ready", "ok"}, {"cpu-ready", "bad"}},
	},
	{
		title: "Processors in use by host", unit: "percent of the host's cores", of: "host", most: mostHostMap,
		curves: ofHosts(hostMetric("cpu.coreUtilization", "cpu.utilization")), limits: [2]limit{{"host-cpu-headroom", "latency"}, {"host-cpu-headroom", "others"}},
	},
	{
		title: "Latency by disk", unit: "ms", of: "disk", most: mostHeat, curves: func(s *show) []curve { return s.lunCurves("disk.deviceLatency") },
		limits: [2]limit{{"datastore-latency", "ok"}, {"datastore-latency", "bad"}},
	},
}

// heat is a heat map ready to draw: one strip per object, with higher and stronger coloured cells for worse values.
type heat struct {
	Title, Unit, Which string
	Rows               []heatRow
	Steps              []heatStep
}

type heatRow struct {
	Name, On, Link string
	Worst          string
	At             string
	Cells          []heatCell
	Label          string
}

// heatCell is a period of one level.
type heatCell struct{ X, Width, Y, Height, Class string }

type heatStep struct{ Class, Text string }

// The size of a strip of cells, and the number of levels.
const (
	stripHeight = 20
	levels      = 4
)

func (s *show) heat(m heatMap, w window) (heat, bool) {
	all := m.curves(s)
	total := len(all)
	shown := worstCurves(all, s.limit(m.most))
	if len(shown) == 0 {
		return heat{}, false
	}
	h := heat{Title: m.title, Unit: m.unit}
	if total > len(shown) {
		h.Which = "the " + strconv.Itoa(len(shown)) + " worst of " + counted(total, m.of)
	}
	steps := s.steps(m, shown)
	h.Steps = stepWords(steps, m.unit)
	for _, c := range shown {
		h.Rows = append(h.Rows, s.heatRow(c, w, steps, m.unit))
	}
	return h, true
}

// steps returns the lowest value of each next level: half of the noticeable value, the noticeable value, and the bad value;
// without a rule that defines these, quarters of the highest value.
func (s *show) steps(m heatMap, shown []curve) [levels - 1]float64 {
	ok, known := s.param(m.limits[0])
	bad, both := s.param(m.limits[1])
	if known && both && ok > 0 && bad > ok {
		return [levels - 1]float64{ok / 2, ok, bad}
	}
	peak := 0.0
	for _, c := range shown {
		peak = max(peak, thinned(c.track, heatCells, false).top())
	}
	peak = round(peak)
	return [levels - 1]float64{peak / 4, peak / 2, peak * 3 / 4}
}

func stepWords(steps [levels - 1]float64, unit string) []heatStep {
	return []heatStep{
		{"h1", "to " + measured(steps[0], unit)}, {"h2", "to " + measured(steps[1], unit)},
		{"h3", "to " + measured(steps[2], unit)}, {"h4", "more"},
	}
}

func (s *show) heatRow(c curve, w window, steps [levels - 1]float64, unit string) heatRow {
	t := thinned(c.track, heatCells, false)
	row := heatRow{Name: c.name, On: c.on, Link: c.link, Worst: measured(t.top(), unit)}
	for i, v := range t.values {
		if v == t.top() {
			row.At = s.clock(t.from.Add(t.step * time.Duration(i+1)))
			break
		}
	}
	row.Cells = cells(t, w, steps)
	row.Label = c.name + ": at worst " + row.Worst + " at " + row.At
	return row
}

// cells returns the periods in which a trace stays on a level; periods without samples stay empty.
func cells(t trace, w window, steps [levels - 1]float64) []heatCell {
	var out []heatCell
	for i := 0; i < len(t.values); {
		n := i + 1
		for n < len(t.values) && level(t.values[n], steps) == level(t.values[i], steps) {
			n++
		}
		if l := level(t.values[i], steps); l > 0 {
			x, end := w.place(t.from.Add(t.step*time.Duration(i)), plotWidth), w.place(t.from.Add(t.step*time.Duration(n)), plotWidth)
			height := float64(stripHeight * l / levels)
			out = append(out, heatCell{number(x), number(end - x), number(stripHeight - height), number(height), "h" + strconv.Itoa(l)})
		}
		i = n
	}
	return out
}

func levelClass(v float64, steps [levels - 1]float64) string {
	return "h" + strconv.Itoa(level(v, steps))
}

// level returns 1 to 4, 4 being the worst, or 0 if there is no sample.
func level(v float64, steps [levels - 1]float64) int {
	if math.IsNaN(v) {
		return 0
	}
	l := 1
	for _, from := range steps {
		if v > from {
			l++
		}
	}
	return l
}
