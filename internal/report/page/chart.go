package page

import (
	"math"
	"strconv"
	"time"

	"github.com/vperf/vperf/pkg/advice"
)

// plot describes a chart.
type plot struct {
	title  string
	unit   string
	whole  float64 // the top of the axis, where it is known
	about  string
	of     string // the objects that have a line
	quiet  bool   // not drawn if all values are zero
	curves func(*show) []curve
	limits []limit
}

var plots = []plot{
	{
		title: "Processors in use", unit: "percent of the host's cores", whole: 100, of: "host", curves: ofHosts(hostMetric("cpu.coreUtilization", "cpu.utilization")),
		about: "cores that were busy", limits: []limit{{"host-cpu-headroom", "latency"}, {"host-cpu-headroom", "others"}},
	},
	{title: "Memory in use", unit: "percent of the host's memory", whole: 100, of: "host", curves: ofHosts(memoryInUse), about: "memory that is not free"},
	{
		title: "CPU ready of VMs", unit: "percent of one vCPU's time", of: "VM", curves: func(s *show) []curve { return s.vmCurves("cpu.ready") },
		about: "ready to run and waiting for a core, without time throttled by a limit", limits: []limit{{"cpu-ready", "ok"}, {"cpu-ready", "bad"}},
	},
	{
		title: "Disk latency", unit: "ms", of: "host", curves: ofHosts(hostMetric("disk.deviceLatency")),
		about: "in the array, of the slowest device with at least 10 commands per second", limits: []limit{{"datastore-latency", "ok"}, {"datastore-latency", "bad"}},
	},
	{title: "Network throughput", unit: "Mb/s", of: "host", curves: ofHosts(throughput), about: "received and sent by the host's NICs", quiet: true},
	{
		title: "Packets dropped on receipt", unit: "percent of received packets", of: "host", curves: ofHosts(hostMetric("net.droppedRx")), quiet: true,
		about: "at the host's NICs",
	},
	{title: "Memory read back from swap", unit: "KB/s", of: "host", curves: ofHosts(hostMetric("mem.swapIn")), about: "by all VMs on the host", quiet: true},
	{title: "Memory taken by ballooning", unit: "MB", of: "host", curves: ofHosts(hostMetric("mem.balloon")), about: "from all VMs on the host", quiet: true},
	{title: "Power", unit: "W", of: "host", curves: ofHosts(hostMetric("power.watts")), about: "power drawn by the host", quiet: true},
}

// chart is a plot ready to draw: the curve in a box of 1000 by 200 that stretches to any width, with all text outside it.
type chart struct {
	ID        string
	Title     string
	Unit      string
	About     string
	Which     string // lines are shown, where not all are
	Top       string // of the axis
	Middle    string
	Lines     []chartLine
	Limits    []chartLimit
	LimitText string
	Label     string // for screen readers
	Quiet     bool
}

type chartLine struct {
	Name, Link, Class  string
	Points             []string
	Median, P95, Worst string
	WorstAt            string
}

type chartLimit struct{ Y, Text string }

// The box that curves are drawn in.
const (
	plotWidth  = 1000
	plotHeight = 200
)

func (s *show) chart(p plot, w window) (chart, bool) {
	all := p.curves(s)
	shown := worstCurves(all, mostLines)
	if len(shown) == 0 {
		return chart{}, false
	}
	traces := make([]trace, len(shown))
	peak := 0.0
	for i, c := range shown {
		traces[i] = thinned(c.track, chartPoints, false)
		peak = max(peak, traces[i].top())
	}
	if p.quiet && peak == 0 {
		return chart{}, false
	}
	c := chart{Title: p.title, Unit: p.unit, About: p.about}
	if len(all) > len(shown) {
		c.Which = "the " + strconv.Itoa(len(shown)) + " worst of " + counted(len(all), p.of)
	}
	top := p.whole
	limits := s.limits(p)
	if top == 0 {
		top = axisTop(peak, limits)
	}
	c.Top, c.Middle = figure(top), figure(top/2)
	c.addLimits(limits, top, p.unit)
	for i, x := range shown {
		c.Lines = append(c.Lines, s.chartLine(x, traces[i], w, top, i))
	}
	worst := c.Lines[0]
	c.Label = p.title + " over time, " + p.unit + "; the highest line is that of " + worst.Name + ", at worst " + worst.Worst
	return c, true
}

func (s *show) chartLine(c curve, t trace, w window, top float64, i int) chartLine {
	values := sorted(c.track)
	at, highest := time.Time{}, math.Inf(-1)
	for j, v := range c.track.Values {
		if float64(v) > highest {
			highest, at = float64(v), c.track.Start.Add(c.track.Every*time.Duration(j))
		}
	}
	return chartLine{
		Name: c.name, Link: c.link, Class: "c" + strconv.Itoa(i), Points: t.polylines(w, 0, top, plotWidth, plotHeight),
		Median: figure(rankOf(values, 0.5)), P95: figure(rankOf(values, 0.95)), Worst: figure(highest), WorstAt: s.clock(at),
	}
}

// axisTop is a round number that peak and limits lie below; limits that are far above all there is would flatten it.
func axisTop(peak float64, limits []float64) float64 {
	for _, l := range limits {
		if l <= 3*peak {
			peak = max(peak, l*1.05)
		}
	}
	return round(peak)
}

func (c *chart) addLimits(limits []float64, top float64, unit string) {
	for _, l := range limits {
		text := measured(l, unit)
		if l > top {
			c.LimitText = "all values are far below the limit of " + text
			return
		}
		c.Limits = append(c.Limits, chartLimit{number(plotHeight - l/top*plotHeight), text})
	}
}

// limit is a parameter of a rule that a chart draws a line at.
type limit struct{ rule, param string }

// limits returns the parameters of a plot's rules, for rules that were evaluated.
func (s *show) limits(p plot) []float64 {
	var out []float64
	for _, l := range p.limits {
		if v, ok := s.param(l); ok && v > 0 {
			out = append(out, v)
		}
	}
	return out
}

func (s *show) param(l limit) (float64, bool) {
	r := s.rules[l.rule]
	if r == nil {
		return 0, false
	}
	return paramOf(r, l.param)
}

// paramOf returns a rule's parameter as a number.
func paramOf(r *advice.Rule, name string) (float64, bool) {
	switch v := r.Params[name].Value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}
