package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

const (
	usualRows = 10
	mostRows  = 25
)

type topArguments struct {
	Hosts []string `json:"hosts,omitempty" jsonschema:"hosts by name (default: all)"`
	Panel string   `json:"panel,omitempty" jsonschema:"esxtop's panel: c CPU (default), m memory, d adapters, u devices, v virtual disks, n network, i interrupts, p power, x vSAN"`
	Sort  string   `json:"sort,omitempty" jsonschema:"column to order by, such as %RDY (default: rows beyond a threshold, then the busiest)"`
	Name  string   `json:"name,omitempty" jsonschema:"only rows of this name, such as a VM's: a name or a shell pattern"`
	All   bool     `json:"all,omitempty" jsonschema:"in the panels c and m: also groups that are no VMs"`
	Limit int      `json:"limit,omitempty" jsonschema:"number of rows, at most 25 (default 10)"`
}

type topAnswer struct {
	Notice   string            `json:"notice"`
	Panel    string            `json:"panel"`
	Origin   string            `json:"origin"`
	Note     string            `json:"note,omitempty"`
	Hosts    []topHost         `json:"hosts"`
	MoreHost int               `json:"moreHosts,omitempty"`
	Troubles []string          `json:"troubles,omitempty"`
	Units    map[string]string `json:"units"`
	Matching int               `json:"matching"`
	Rows     []topRow          `json:"rows"`
}

type topHost struct {
	Name    string    `json:"name"`
	Time    time.Time `json:"time"`    // the end of the sample, by the host's clock
	Seconds float64   `json:"seconds"` // its length
}

type topRow struct {
	Host   string             `json:"host,omitempty"`
	Name   string             `json:"name"`
	ID     string             `json:"id"`
	Values map[string]float64 `json:"values"`
	Beyond []string           `json:"beyond,omitempty"` // columns beyond a threshold, with the condition

	worst esxtop.Level
	by    float64
}

func (a *topAnswer) shorten() bool {
	if n := len(a.Hosts); n > mostTexts {
		a.MoreHost += n - mostTexts
		a.Hosts = a.Hosts[:mostTexts]
		return true
	}
	if n := len(a.Rows); n > 1 {
		a.Rows = a.Rows[:n/2]
		return true
	}
	return false
}

func (s *server) topTool(ctx context.Context, in topArguments) (answer, error) {
	t, err := newTable(in)
	if err != nil {
		return nil, err
	}
	if err := checkNames(append([]string{in.Name}, in.Hosts...)); err != nil {
		return nil, err
	}
	if len(in.Hosts) > mostHosts {
		return nil, fmt.Errorf("%d hosts are too many: name at most %d, or none for all", len(in.Hosts), mostHosts)
	}
	sample, err := asking(ctx, s, func(ctx context.Context) (*Sample, error) { return s.Sample(ctx, in.Hosts, t.needs()) })
	if err != nil {
		return nil, err
	}
	a := &topAnswer{
		Notice: notice, Panel: t.panel.Title, Origin: sample.Origin, Note: sample.Note, Hosts: []topHost{}, Troubles: some(sample.Troubles, mostTexts), Units: map[string]string{},
	}
	var all []topRow
	for _, f := range sample.Frames {
		a.Hosts = append(a.Hosts, topHost{clean(f.Host, longestName), f.Time.UTC(), f.Interval.Seconds()})
		all = append(all, t.rows(f, len(sample.Frames) > 1)...)
	}
	slices.SortStableFunc(all, func(a, b topRow) int { return cmp.Or(cmp.Compare(b.worst, a.worst), cmp.Compare(b.by, a.by)) })
	a.Matching = len(all)
	if a.Rows, _, err = paged(all, 0, in.Limit, usualRows, mostRows); err != nil {
		return nil, err
	}
	a.Rows = append([]topRow{}, a.Rows...)
	for _, c := range t.columns {
		if c.Metric.Unit != esxtop.Words && slices.ContainsFunc(a.Rows, func(r topRow) bool { _, has := r.Values[c.Label]; return has }) {
			a.Units[c.Label] = string(c.Metric.Unit)
		}
	}
	if n := len(a.Hosts) - mostObjects; n > 0 {
		a.Hosts, a.MoreHost = a.Hosts[:mostObjects], n
	}
	return a, nil
}

// table computes the rows of a panel.
type table struct {
	panel   *esxtop.Panel
	columns []esxtop.Column
	sort    *esxtop.Column // nil: by load
	name    string
	all     bool
}

func newTable(in topArguments) (*table, error) {
	key := cmp.Or(in.Panel, "c")
	var panel *esxtop.Panel
	if len(key) == 1 {
		panel = esxtop.PanelOf(key[0])
	}
	if panel == nil {
		var keys []string
		for _, p := range esxtop.Panels() {
			keys = append(keys, fmt.Sprintf("%c (%s)", p.Key, p.Title))
		}
		return nil, fmt.Errorf("there is no panel %q: panels are %s", clean(key, longestName), strings.Join(keys, ", "))
	}
	if in.Limit < 0 || in.Limit > mostRows {
		return nil, fmt.Errorf("limit is from 1 to %d", mostRows)
	}
	t := &table{panel: panel, columns: figures(panel), name: in.Name, all: in.All}
	if in.Sort == "" {
		return t, nil
	}
	i := slices.IndexFunc(t.columns, func(c esxtop.Column) bool { return strings.EqualFold(c.Label, in.Sort) })
	if i < 0 {
		var labels []string
		for _, c := range t.columns {
			labels = append(labels, c.Label)
		}
		return nil, fmt.Errorf("panel %c has no column %q: columns are %s", panel.Key, clean(in.Sort, longestName), strings.Join(labels, ", "))
	}
	t.sort = &t.columns[i]
	return t, nil
}

// figures returns the columns with numbers that esxtop shows by default.
func figures(p *esxtop.Panel) (columns []esxtop.Column) {
	for _, f := range p.Fields {
		if !strings.ContainsRune(p.DefaultFields(), rune(f.Letter)) {
			continue
		}
		for _, c := range f.Columns {
			if c.Metric != nil && c.Each == esxtop.Host && c.Metric.Kind != esxtop.Text {
				columns = append(columns, c)
			}
		}
	}
	return columns
}

func (t *table) needs() esxtop.Objects { return t.panel.Needs(t.columns, false) }

// rows returns the rows of a host that match.
func (t *table) rows(f *esxtop.Frame, named bool) (all []topRow) {
	for _, o := range append([]esxtop.Object{t.panel.Object}, t.panel.With...) {
		rows := f.Rows(o)
		for i := range rows {
			r := &rows[i]
			if !t.panel.Shows(r) || !t.all && o == esxtop.Group && !r.VM || t.name != "" && !matches(t.name, r.Name) {
				continue
			}
			row := t.row(f, r)
			if named {
				row.Host = clean(f.Host, longestName)
			}
			all = append(all, row)
		}
	}
	return all
}

func (t *table) row(f *esxtop.Frame, r *esxtop.Row) topRow {
	out := topRow{Name: clean(r.Name, longestName), ID: clean(cmp.Or(r.MoID, r.ID), longestName), Values: map[string]float64{}, by: math.Inf(-1)}
	load := false
	for _, c := range t.columns {
		m := c.Of(r.Object)
		if m == nil {
			continue
		}
		v, known := r.Value(m)
		if !known || math.IsInf(v, 0) {
			continue
		}
		out.Values[c.Label] = rounded(v, c.Decimals)
		if level := m.JudgeIn(f, r); level > esxtop.Unremarkable {
			out.worst = max(out.worst, level)
			out.Beyond = append(out.Beyond, c.Label+" "+m.Threshold.Word+map[esxtop.Level]string{esxtop.Critical: " (critical)"}[level])
		}
		switch byLoad := m.Kind == esxtop.Share || m.Kind == esxtop.Rate; {
		case t.sort != nil && c.Label == t.sort.Label, t.sort == nil && byLoad && !load:
			out.by, load = v, true
		case t.sort == nil && !load && math.IsInf(out.by, -1):
			out.by = v // a panel without rates is ordered by its first figure
		}
	}
	if t.sort != nil {
		out.worst = 0 // the user's order
	}
	return out
}

func rounded(v float64, decimals int) float64 {
	scale := math.Pow10(min(max(decimals, 0), 6))
	return math.Round(v*scale)/scale + 0 // no negative zero
}

// ErrNoSample means that no host had a sample in time.
var ErrNoSample = errors.New("no host had a sample of its counters")
