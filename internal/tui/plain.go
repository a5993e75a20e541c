package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Plain prints a table for each round until the source ends or count rounds were printed; 0 is no count. Nothing moves a
// cursor: it is for pipes and for readers of screens. States are words in a column of their own.
func Plain(ctx context.Context, o Options, count int) error {
	o = o.normal()
	panel := esxtop.PanelOf(o.Settings.Panel)
	o.Source.Configure(request(panel, o.Settings, false))
	fl := newFleet()
	for printed := 0; count == 0 || printed < count; printed++ {
		round, err := o.Source.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fl.add(round)
		if printed > 0 {
			fmt.Fprintln(o.Out)
		}
		if err := plainRound(o.Out, fl, o, printed == 0); err != nil {
			return err
		}
	}
	return nil
}

func plainRound(w io.Writer, fl *fleet, o Options, first bool) error {
	out := bufio.NewWriter(w)
	t := collect(fl, o.Settings).arranged(o.Settings, o.Filter, nil)
	if first {
		fmt.Fprintln(out, sourceLine(o.Source.About()))
	}
	for _, l := range above(fl, t.panel, o.Width, 0, o.Now()) {
		fmt.Fprintln(out, l)
	}
	for _, a := range t.hostAlarms {
		fmt.Fprintln(out, "STATE: "+a.told(false))
	}
	fmt.Fprintln(out)
	v := t.window(0, 0)
	fmt.Fprintln(out, strings.TrimRight(v.plainHead()+"  STATE", " "))
	for _, l := range t.rows {
		fmt.Fprintln(out, strings.TrimRight(v.plainRow(t, l)+"  "+t.state(l), " "))
	}
	return out.Flush()
}

func (v view) plainHead() string {
	var b strings.Builder
	for _, c := range v.columns {
		b.WriteByte(' ')
		b.WriteString(pad(c.Label, c.width-1, c.left))
	}
	return b.String()
}

// plainRow does not cut names: there is no edge of a screen, and only later columns move.
func (v view) plainRow(t *table, l line) string {
	var b strings.Builder
	for i := range v.columns {
		c := &v.columns[i]
		text := t.text(l, c)
		b.WriteByte(' ')
		b.WriteString(pad(text, max(c.width-1, cells(text)), c.left))
	}
	return b.String()
}

// state describes the threshold state of a row.
func (t *table) state(l line) string {
	var words []string
	if l.late {
		words = append(words, "late: values of an earlier round")
	}
	for i := range t.columns {
		if level, m := t.level(l, &t.columns[i]); level > esxtop.Unremarkable {
			words = append(words, fmt.Sprintf("%s %s %s", levelWords[level], m.Column, m.Threshold.Word))
		}
	}
	if words == nil {
		return levelWords[esxtop.Unremarkable]
	}
	return strings.Join(words, "; ")
}

// above returns the lines above the table.
func above(fl *fleet, p *esxtop.Panel, width, rows int, now time.Time) []string {
	frames := fl.list()
	if len(fl.hosts) > 1 {
		return clusterLines(fl, now)
	}
	var lines []string
	if len(frames) == 1 {
		lines = hostLines(frames[0], p, width, rows)
	}
	return append(lines, lateLines(fl, now)...)
}

// sourceLine returns the source of the figures.
func sourceLine(about esxtop.About) string {
	line := about.Origin.String()
	if len(about.Hosts) == 1 {
		line = clean(about.Hosts[0]) + ": " + line
	}
	if about.Interval > 0 {
		line += ", every " + about.Interval.String()
	}
	if about.Note != "" {
		line += "; " + clean(about.Note)
	}
	return line
}

// request lists the objects that a panel needs.
func request(p *esxtop.Panel, s Settings, expanded bool) esxtop.Request {
	return esxtop.Request{Interval: s.Delay, Objects: p.Needs(s.shown(p), expanded)}
}
