package trialreport

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
)

// schedule is the picture of all blocks: a row for each unit.
type schedule struct {
	Rows []scheduleRow
	Text string
}

type scheduleRow struct {
	Name, Label string
	Width       int
	Cells       []scheduleCell
}

type scheduleCell struct {
	Class         string
	X, X2         int
	Y             int
	Width, Height int
	Cross         bool
}

// mostScheduled is how many units the picture shows; the table of blocks has all.
const mostScheduled = 24

func newSchedule(t *trials.Recorded) *schedule {
	r := t.Registration
	if !r.Design.Switches() || r.Pairs == 0 {
		return nil
	}
	pairs := expectedPairs(r, t.Blocks)
	s := &schedule{Text: fmt.Sprintf("%s of %s in %s; time runs from left to right.", plural.Count(2*pairs, "block"), lasting(r.Block), plural.Count(pairs, "pair"))}
	if spare := r.Pairs - pairs; spare > 0 {
		s.Text += fmt.Sprintf(" %s not needed.", plural.Form(spare, "1 spare pair was", fmt.Sprintf("%d spare pairs were", spare)))
	}
	for u := range min(len(r.Units), mostScheduled) {
		row := scheduleRow{Name: wording.Clean(r.Units[u].Name)}
		row.draw(strip(r, t.Blocks, u))
		s.Rows = append(s.Rows, row)
	}
	if more := len(r.Units) - len(s.Rows); more > 0 {
		s.Text += fmt.Sprintf(" %d more %s are not drawn.", more, kinds(r))
	}
	return s
}

// The sizes of a schedule: the blocks of a pair touch, and a gap separates pairs.
const (
	cellWidth = 10
	pairGap   = 2
	rowHeight = 10
)

func (row *scheduleRow) draw(cells []cell) {
	treated, untreated, dropped := 0, 0, 0
	for i, c := range cells {
		x := i*cellWidth + i/2*pairGap
		row.Width = x + cellWidth
		one := scheduleCell{X: x, X2: x + cellWidth, Width: cellWidth, Height: rowHeight}
		switch c {
		case cellTreated:
			one.Class = "treated"
			treated++
		case cellUntreated:
			one.Class, one.Y, one.Height = "untreated", 6, 4
			untreated++
		case cellDropped:
			one.Class, one.Cross = "lost", true
			dropped++
		default:
			continue
		}
		row.Cells = append(row.Cells, one)
	}
	row.Label = fmt.Sprintf("%s: %d blocks with the change, %d without, %d do not count", row.Name, treated, untreated, dropped)
}

// chart is a picture in a box of 1000 by 200 that stretches to any width, with all text outside it.
type chart struct {
	Title, About, Class, Label string
	Top, Middle, Bottom        string // of the axis
	First, Last                string
	Areas                      []area
	Lines                      []line
	Legend                     []legendEntry
}

type area struct{ Class, D string }

type line struct{ Class, X1, Y1, X2, Y2 string }

type legendEntry struct{ Class, Text string }

const (
	plotWidth  = 1000.
	plotHeight = 200.
)

// axis maps values to heights.
type axis struct{ low, high float64 }

// newAxis holds all values, with a margin.
func newAxis(values ...float64) axis {
	a := axis{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			a.low, a.high = min(a.low, v), max(a.high, v)
		}
	}
	if a.low > a.high {
		return axis{0, 1}
	}
	margin := (a.high - a.low) * .06
	if margin == 0 {
		margin = max(math.Abs(a.high)*.05, 1e-9)
	}
	return axis{a.low - margin, a.high + margin}
}

func (a axis) y(v float64) string {
	return length((a.high - max(a.low, min(a.high, v))) / (a.high - a.low) * plotHeight)
}

// length formats a coordinate.
func length(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (a axis) label(c *chart, show func(float64) string) {
	c.Top, c.Middle, c.Bottom = show(a.high), show((a.low+a.high)/2), show(a.low)
}

// charts returns the pictures of a switching trial: its pairs, the estimate closing in, and the evidence.
func charts(t *trials.Recorded) []chart {
	r := t.Registration
	if r.Design == inventory.DesignRandomised && t.Result.Used > 0 {
		return []chart{lotChart(t)}
	}
	course := r.Course(t.Result, mostCourse)
	if len(course) == 0 {
		return nil
	}
	return []chart{pairsChart(t), estimateChart(t, course), evidenceChart(course), probabilityChart(course, r.Alpha)}
}

// mostCourse is how many points of a trial's course are drawn.
const mostCourse = 40

// pairsChart draws both states of each pair, and their means.
func pairsChart(t *trials.Recorded) chart {
	o := &t.Registration.Outcome
	used := usedPairs(t.Result)
	values := make([]float64, 0, 2*len(used))
	for _, p := range used {
		values = append(values, o.Form.Shown(p.Treated), o.Form.Shown(p.Untreated))
	}
	a := newAxis(values...)
	c := chart{
		Title: wording.Clean(o.Title) + " in each pair", Class: "pair", First: "first pair", Last: "last pair",
		About: "Both states of each pair that counts, in " + wording.Clean(o.Unit) + ". Load and time of day move both.",
		Label: fmt.Sprintf("%s: %s on average with the change, %s without", wording.Clean(o.Title), wording.Number(t.Result.Treated), wording.Number(t.Result.Untreated)),
		Legend: []legendEntry{
			{"on", "filled: with the change, mean " + wording.Number(t.Result.Treated)}, {"off", "ring: without, mean " + wording.Number(t.Result.Untreated)},
		},
	}
	a.label(&c, wording.Number)
	for _, m := range []struct {
		class string
		v     float64
	}{{"mean on", t.Result.Treated}, {"mean off", t.Result.Untreated}} {
		c.Lines = append(c.Lines, line{m.class, "0", a.y(m.v), length(plotWidth), a.y(m.v)})
	}
	for i, p := range used {
		x := length((float64(i) + .5) / float64(len(used)) * plotWidth)
		on, off := a.y(o.Form.Shown(p.Treated)), a.y(o.Form.Shown(p.Untreated))
		c.Lines = append(c.Lines, line{"tie", x, on, x, off}, line{"dot off", x, off, x, off}, line{"hole", x, off, x, off}, line{"dot on", x, on, x, on})
	}
	return c
}

func usedPairs(res *trial.Result) (used []trial.PairResult) {
	for _, p := range res.Pairs {
		if p.Dropped == "" {
			used = append(used, p)
		}
	}
	return used
}

// estimateChart draws the estimate and its interval after each pair, with the smallest effect that matters.
func estimateChart(t *trials.Recorded, course []trial.CoursePoint) chart {
	r := t.Registration
	last := newEffect(&r.Outcome, course[len(course)-1].Estimate)
	mean, low, high := last.figures()
	matters := r.MinEffect
	if !last.absolute {
		matters *= 100
	}
	reach := scaleOf(1.5*max(math.Abs(low), math.Abs(high)), math.Abs(mean), matters)
	if !last.e.Bounded() {
		reach = scaleOf(2*math.Abs(mean), math.Abs(mean), matters)
	}
	a := axis{-reach, reach}
	c := chart{
		Title: "Effect so far", Class: "course", First: "after 1 pair", Last: "after " + plural.Count(course[len(course)-1].Pairs, "pair"),
		About: "The estimate and its 95 % interval after each pair: they close in. Dotted: ±" + least(r, last) + ", the smallest effect that matters.",
		Label: "Effect over the pairs, at the end " + last.text(), Legend: []legendEntry{{"now", "estimate"}, {"", "shaded: 95 % interval"}},
	}
	a.label(&c, func(v float64) string { return signed(v, digitsFor(reach)) + last.unit })
	var middle, upper, lower []string
	for i, p := range course {
		f := newEffect(&r.Outcome, p.Estimate)
		m, lo, hi := f.figures()
		x := courseX(i, len(course))
		middle = append(middle, x+" "+a.y(m))
		if f.e.Bounded() {
			upper, lower = append(upper, x+" "+a.y(hi)), append([]string{x + " " + a.y(lo)}, lower...)
		}
	}
	if len(upper) > 0 {
		c.Areas = append(c.Areas, area{"within", "M" + strings.Join(append(upper, lower...), "L") + "Z"})
	}
	c.Areas = append(c.Areas, area{"now", "M" + strings.Join(middle, "L")})
	c.Lines = []line{{"zero", "0", a.y(0), length(plotWidth), a.y(0)}}
	for _, v := range []float64{matters, -matters} {
		c.Lines = append(c.Lines, line{"matters", "0", a.y(v), length(plotWidth), a.y(v)})
	}
	return c
}

func courseX(i, n int) string {
	if n == 1 {
		return length(plotWidth)
	}
	return length(float64(i) / float64(n-1) * plotWidth)
}

// evidenceChart draws the e-value after each pair, on a logarithmic axis.
func evidenceChart(course []trial.CoursePoint) chart {
	values := make([]float64, len(course))
	for i, p := range course {
		values[i] = math.Log10(max(p.E, 1e-3))
	}
	a := newAxis(append(values, 0, math.Log10(2*eBar))...)
	c := courseChart(course, values, a, math.Log10(eBar))
	c.Title, c.About = "e-value", fmt.Sprintf("Evidence against no effect, on a logarithmic axis. Dashed: %d, which ends the trial.", eBar)
	c.Label = "e-value over the pairs, at the end " + evidence(course[len(course)-1].E)
	a.label(&c, func(v float64) string {
		if v >= 6 {
			return fmt.Sprintf("10^%.0f", v)
		}
		return wording.Number(math.Pow(10, v))
	})
	return c
}

// probabilityChart draws the p value after each pair, on a logarithmic axis.
func probabilityChart(course []trial.CoursePoint, alpha float64) chart {
	values := make([]float64, len(course))
	for i, p := range course {
		values[i] = math.Log10(max(p.P, 1e-6))
	}
	a := newAxis(append(values, 0, math.Log10(alpha/2))...)
	c := courseChart(course, values, a, math.Log10(alpha))
	c.Title, c.About = "p value", fmt.Sprintf("By exact sign flip, on a logarithmic axis. Dashed: %s. It counts at the end only; the e-value is valid at any time.", wording.Number(alpha))
	c.Label = "p value over the pairs, at the end " + probability(course[len(course)-1].P)
	a.label(&c, func(v float64) string { return wording.Number(math.Pow(10, min(v, 0))) })
	return c
}

func courseChart(course []trial.CoursePoint, values []float64, a axis, bar float64) chart {
	points := make([]string, len(values))
	for i, v := range values {
		points[i] = courseX(i, len(values)) + " " + a.y(v)
	}
	return chart{
		Class: "course", First: "after 1 pair", Last: "after " + plural.Count(course[len(course)-1].Pairs, "pair"),
		Areas: []area{{"now", "M" + strings.Join(points, "L")}}, Lines: []line{{"bar", "0", a.y(bar), length(plotWidth), a.y(bar)}},
	}
}
