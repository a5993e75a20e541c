package trialreport

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/pkg/trial"
)

// Live is what a terminal shows of a trial while it runs.
type Live struct {
	r       *trial.Registration
	blocks  []trial.Block // that are done
	current *trial.Block
	result  *trial.Result
	guards  []trial.GuardReading
	now     time.Time
	last    string // event
}

// NewLive returns the view of a trial that has not begun.
func NewLive(r *trial.Registration) *Live { return &Live{r: r} }

// Take adds a report of the trial.
func (l *Live) Take(p trial.Progress) {
	if p.Time.After(l.now) {
		l.now = p.Time
	}
	if p.Result != nil {
		l.result = p.Result
	}
	if len(p.Guards) > 0 {
		l.guards = append(l.guards[:0], p.Guards...)
	}
	switch p.Kind {
	case trial.BlockBegan, trial.SampleTaken:
		b := *p.Block
		l.current = &b
	case trial.BlockDone:
		l.done(*p.Block)
	case trial.GuardTripped:
		l.last = clock(p.Time) + " a guard ends the trial: " + wording.Clean(p.Trip.Text)
	}
}

// done keeps a block; a late event can report it again.
func (l *Live) done(b trial.Block) {
	i := slices.IndexFunc(l.blocks, func(o trial.Block) bool { return o.Pair == b.Pair && o.Half == b.Half })
	if i < 0 {
		l.blocks = append(l.blocks, b)
		if l.current != nil && l.current.Pair == b.Pair && l.current.Half == b.Half {
			l.current = nil
		}
	} else {
		l.blocks[i] = b
	}
	if why := droppedText(l.r, &b); why != "" {
		l.last = clock(b.End) + " " + why
	}
}

// droppedText says which units of a block do not count, and why: "" if all do.
func droppedText(r *trial.Registration, b *trial.Block) string {
	var parts []string
	for u := range b.Units {
		if why := b.Units[u].Dropped; why != "" && u < len(r.Units) {
			parts = append(parts, fmt.Sprintf("%s: %s", wording.Clean(r.Units[u].Name), wording.Clean(why)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("block %d does not count, nor does its pair: %s", number(b), wording.FewOf(parts, 2, "; "))
}

// number is the place of a block in the schedule, from 1.
func number(b *trial.Block) int { return 2*b.Pair + b.Half + 1 }

// clock formats the time of day.
func clock(t time.Time) string { return t.UTC().Format("15:04Z") }

// mostStrips is how many units have a strip of their own.
const mostStrips = 8

// Lines returns the view in lines that are no longer than width.
func (l *Live) Lines(width int, style ...iostreams.Style) []string {
	var s iostreams.Style
	if len(style) > 0 {
		s = style[0]
	}
	width = max(width, 20)
	all := append([]string{s.Bold(cut(l.title(), width))}, l.strips(width, s)...)
	all = append(all, cut("  "+legendText(l.r), width))
	all = append(all, l.estimate(width, s)...)
	if g := l.guardLine(width, s); g != "" {
		all = append(all, g)
	}
	if l.last != "" {
		all = append(all, s.Yellow(cut("  last event: "+l.last, width)))
	}
	return all
}

func (l *Live) title() string {
	t := "Trial of " + wording.Clean(l.r.Rule)
	if b := l.current; b != nil {
		return fmt.Sprintf("%s: block %s, at most %s left", t, l.of(number(b)), lasting(l.left().Truncate(time.Minute)))
	}
	return fmt.Sprintf("%s: %s blocks done", t, l.of(len(l.blocks)))
}

// of says how many blocks a trial has with a number of them done.
func (l *Live) of(n int) string {
	expected := expectedPairs(l.r, l.blocks)
	text := fmt.Sprintf("%d of %d", n, 2*expected)
	if spare := l.r.Pairs - expected; spare > 0 {
		text += fmt.Sprintf(" + %d spare", 2*spare)
	}
	return text
}

// left is how long the trial still takes at most.
func (l *Live) left() time.Duration {
	b := l.current
	rest := time.Duration(2*l.r.Pairs-number(b)) * l.r.Block
	if now := b.End.Sub(l.now); now > 0 {
		rest += min(now, l.r.Block)
	}
	return rest
}

func (l *Live) strips(width int, s iostreams.Style) []string {
	units := min(len(l.r.Units), mostStrips)
	if len(l.r.Units) == mostStrips+1 { // instead of a line that counts one
		units++
	}
	names := 0
	for _, u := range l.r.Units[:units] {
		names = max(names, doc.Width(wording.Clean(u.Name)))
	}
	names = min(names, width/4)
	blocks, current := l.blocks, -1
	if l.current != nil {
		blocks, current = append(slices.Clone(blocks), *l.current), number(l.current)-1
	}
	var all []string
	at := -1
	for u := range units {
		name := cut(wording.Clean(l.r.Units[u].Name), names)
		text, column := drawStrip(strip(l.r, blocks, u), current, width-names-4, s)
		all, at = append(all, "  "+name+strings.Repeat(" ", names-doc.Width(name)+2)+text), column
	}
	if at >= 0 {
		all = append(all, strings.Repeat(" ", names+4+at)+"^")
	}
	if rest := len(l.r.Units) - units; rest > 0 {
		treated, untreated, dropped := count(l.r, blocks, units)
		all = append(all, cut(fmt.Sprintf("  and %d more: %d blocks with the change, %d without, %d do not count", rest, treated, untreated, dropped), width))
	}
	return all
}

// estimate returns the effect, its bar, and the e-value.
func (l *Live) estimate(width int, s iostreams.Style) []string {
	what := "  " + wording.Clean(l.r.Outcome.Title) + ": "
	res := l.result
	if res == nil || res.Used == 0 {
		return []string{cut(what+"no pair of blocks counts yet", width)}
	}
	f := newEffect(&l.r.Outcome, res.Estimate)
	all := []string{cut(what+f.text()+", "+plural.Count(res.Used, "pair"), width)}
	if bar := effectBar(l.r, f, width-2, s); bar != "" {
		all = append(all, "  "+bar)
	}
	head := fmt.Sprintf("  e-value %s, %d ends the trial  ", evidence(res.E), eBar)
	tail := "  p " + probability(res.P)
	if room := width - doc.Width(head) - doc.Width(tail); room >= 8 {
		head += gauge(math.Log(max(res.E, 1))/math.Log(eBar), min(room, 20), s)
	}
	return append(all, cut(head+tail, width+100*columnsHidden(head)))
}

// columnsHidden is 1 if a text has colour codes, which cut cannot count.
func columnsHidden(text string) int {
	if strings.Contains(text, "\x1b") {
		return 1
	}
	return 0
}

// eBar is the e-value that ends a trial.
const eBar = 20

// gauge draws a fraction of a bar.
func gauge(fraction float64, width int, s iostreams.Style) string {
	full := int(math.Round(max(0, min(1, fraction)) * float64(width)))
	return s.Green(strings.Repeat("█", full)) + s.Dim(strings.Repeat("░", width-full))
}

// effectBar draws the interval of an effect around 0, with the smallest effect that matters on both sides.
func effectBar(r *trial.Registration, f effect, width int, s iostreams.Style) string {
	mean, low, high := f.figures()
	matters := r.MinEffect
	if !f.absolute {
		matters *= 100
	}
	reach := scaleOf(max(math.Abs(low), math.Abs(high)), math.Abs(mean), matters)
	left, right := "-"+wording.Number(reach)+f.unit+" ", " +"+wording.Number(reach)+f.unit
	room := width - doc.Width(left) - doc.Width(right)
	if room < 15 {
		return ""
	}
	column := func(x float64) int {
		return int(math.Round((max(-reach, min(reach, x)) + reach) / (2 * reach) * float64(room-1)))
	}
	bar := []rune(strings.Repeat("·", room))
	bar[column(0)] = '|'
	bar[column(-matters)], bar[column(matters)] = '¦', '¦'
	from, to := column(low), column(high)
	for i := from; i <= to; i++ {
		if bar[i] == '·' {
			bar[i] = '─'
		}
	}
	bar[from], bar[to] = end(low < -reach, '‹', '['), end(high > reach, '›', ']')
	bar[column(mean)] = '●'
	return s.Dim(left) + string(bar[:from]) + s.Bold(string(bar[from:to+1])) + string(bar[to+1:]) + s.Dim(right)
}

func end(outside bool, open, closed rune) rune {
	if outside {
		return open
	}
	return closed
}

// scaleOf returns the end of the axis: a multiple of the effect that matters that holds the interval, but at most eight times the
// estimate, so that a wide interval does not hide it. It takes few values, so that the axis seldom changes.
func scaleOf(ends, mean, matters float64) float64 {
	want := min(ends, max(8*mean, 16*matters))
	reach := 2 * matters
	for reach < want {
		reach *= 2
	}
	return reach
}

// guardLine shows the guards that are closest to their limits.
func (l *Live) guardLine(width int, s iostreams.Style) string {
	worst := l.tightest()
	if len(worst) == 0 {
		return ""
	}
	head := "  guards:"
	line, colour := head, s.Dim
	for i, g := range worst {
		part := fmt.Sprintf(" %s %.0f %% of its limit", wording.Clean(g.id), 100*g.share)
		if i > 0 {
			part = fmt.Sprintf(", %s %.0f %%", wording.Clean(g.id), 100*g.share)
		}
		rest := len(worst) - i - 1
		more := ""
		if rest > 0 {
			more = fmt.Sprintf(", %d more", rest)
		}
		if doc.Width(line+part+more) > width {
			if line != head {
				line += fmt.Sprintf(", %d more", rest+1)
			}
			break
		}
		line += part
	}
	if worst[0].share >= tight {
		colour = s.Yellow
	}
	return colour(cut(line, width))
}

// tight is the share of its limit from which on a guard is shown in colour.
const tight = .8

// guardShare is how much of its limit a guard has reached, on the worst unit.
type guardShare struct {
	id    string
	share float64
}

// tightest returns the guards with limits, the closest first.
func (l *Live) tightest() []guardShare {
	var all []guardShare
	for _, g := range l.guards {
		share, ok := shareOf(l.r, &g)
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(s guardShare) bool { return s.id == g.Guard })
		if i < 0 {
			all = append(all, guardShare{g.Guard, share})
		} else {
			all[i].share = max(all[i].share, share)
		}
	}
	slices.SortStableFunc(all, func(a, b guardShare) int {
		switch {
		case a.share > b.share:
			return -1
		case a.share < b.share:
			return 1
		}
		return 0
	})
	return all
}

// shareOf returns how much of its limit a guard has reached.
func shareOf(r *trial.Registration, g *trial.GuardReading) (float64, bool) {
	if !g.Known || g.Limit <= 0 || g.Limit >= math.MaxFloat64 {
		return 0, false
	}
	i := slices.IndexFunc(r.Guards, func(o trial.Guard) bool { return o.ID == g.Guard })
	if i >= 0 && r.Guards[i].Below {
		if g.Value <= 0 {
			return 1, true
		}
		return g.Limit / g.Value, true
	}
	return g.Value / g.Limit, true
}

// cut shortens a text without colour to a width.
func cut(text string, width int) string {
	r := []rune(text)
	if len(r) <= width {
		return text
	}
	return string(r[:max(0, width-1)]) + "…"
}

// LiveLine returns the line that reports progress where there is no terminal: one for each block, and for a guard. "" is no news.
func LiveLine(r *trial.Registration, p trial.Progress) string {
	switch p.Kind {
	case trial.GuardTripped:
		return clock(p.Time) + " a guard ends the trial: " + wording.Clean(p.Trip.Text)
	case trial.BlockDone:
		return blockLine(r, p.Block, p.Result)
	}
	return ""
}

func blockLine(r *trial.Registration, b *trial.Block, res *trial.Result) string {
	dropped := 0
	if res != nil {
		dropped = res.Dropped
	}
	most := max(r.Expected(dropped), b.Pair+1)
	line := fmt.Sprintf("%s block %d of %d, %s", clock(b.End), number(b), 2*most, stateText(r, b))
	if why := droppedText(r, b); why != "" {
		line = clock(b.End) + " " + why
	}
	if res != nil && res.Used > 0 {
		line += fmt.Sprintf("; %s so far %s, e-value %s", lowerFirst(wording.Clean(r.Outcome.Title)), newEffect(&r.Outcome, res.Estimate).text(), evidence(res.E))
	}
	return line
}

// stateText says which units have the change in a block.
func stateText(r *trial.Registration, b *trial.Block) string {
	var on []string
	for u, treated := range b.Treated {
		if treated && u < len(r.Units) {
			on = append(on, r.Units[u].Name)
		}
	}
	switch {
	case len(on) == 0:
		return "without the change"
	case len(on) == len(b.Treated):
		return "with the change"
	}
	return "with the change on " + wording.SomeOf(on)
}
