package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// table is the content of a panel: columns and rows, in order, independent of drawing.
type table struct {
	panel      *esxtop.Panel
	columns    []column
	rows       []line
	alarms     []alarm // worst first
	hostAlarms []alarm
	matching   int                      // rows on top that were found, before the limit
	below      map[childKey]*esxtop.Row // rows that make columns
	order      Sort                     // of the rows
	hostNames  map[string]string        // names of hosts in the column HOST; nil: full names
	missing    []string                 // columns that are hidden: the source has no value for them
}

// line is a row of the table.
type line struct {
	frame *esxtop.Frame
	row   *esxtop.Row
	owner *esxtop.Row // the row on top; row itself where it is
	index int         // of the owner among its frame's rows
	late  bool        // its host has not answered since
}

// lineKey identifies a row in the next frame.
type lineKey struct {
	host   string
	object esxtop.Object
	owner  string
	id     string
}

func (l line) key() lineKey {
	return lineKey{l.frame.Host, l.row.Object, identity(l.owner), identity(l.row)}
}

// identity is the id of a row in all sources: of VMs their managed object. The Esxtop service has other ids for them than the
// PerformanceManager.
func identity(r *esxtop.Row) string {
	if r.VM && r.MoID != "" && (r.Object == esxtop.Group || r.Object == esxtop.DiskVM) {
		return r.MoID
	}
	return r.ID
}

func (l line) onTop() bool { return l.row == l.owner }

type childKey struct {
	frame  *esxtop.Frame
	object esxtop.Object
	parent int
	id     string
}

// collect finds all rows that the panel has, in the hosts' order, and the columns for them.
func collect(fl *fleet, s Settings) *table {
	p := esxtop.PanelOf(s.Panel)
	t := &table{panel: p}
	shown := s.shown(p)
	t.readBelow(fl, shown)
	t.layOut(fl, s, shown)
	for _, f := range fl.list() {
		_, late := fl.late[f.Host]
		if !late {
			t.judgeHost(f)
		}
		for _, o := range append([]esxtop.Object{p.Object}, p.With...) {
			t.addRows(f, o, late)
		}
	}
	return t
}

func (t *table) addRows(f *esxtop.Frame, o esxtop.Object, late bool) {
	rows := f.Rows(o)
	for i := range rows {
		if r := &rows[i]; t.panel.Shows(r) {
			t.rows = append(t.rows, line{frame: f, row: r, owner: r, index: i, late: late})
		}
	}
}

// arranged returns the table after filtering and sorting, with the rows below expanded rows.
func (t *table) arranged(s Settings, filter string, expanded map[lineKey]bool) *table {
	out := *t
	out.rows = nil
	for _, l := range t.rows {
		if l.matches(filter) && (!s.VMsOnly || l.row.VM || !ofVMs(l.row.Object)) {
			out.rows = append(out.rows, l)
		}
	}
	out.order = s.orderOf(&out)
	slices.SortStableFunc(out.rows, out.compare(out.order))
	out.judge()
	out.matching = len(out.rows)
	if s.Rows > 0 && len(out.rows) > s.Rows {
		out.rows = out.rows[:s.Rows]
	}
	out.expand(out.order, expanded)
	return &out
}

// ofVMs reports whether rows of an object may belong to VMs at all.
func ofVMs(o esxtop.Object) bool {
	return o == esxtop.Group || o == esxtop.Port || o == esxtop.DiskVM
}

func (l line) matches(filter string) bool {
	if filter == "" {
		return true
	}
	filter = strings.ToLower(filter)
	for _, s := range []string{l.row.Name, l.row.ID, l.frame.Host, usedBy(l.row)} {
		if strings.Contains(strings.ToLower(s), filter) {
			return true
		}
	}
	return false
}

// usedBy is the user of a port; empty: the row is not a port.
func usedBy(r *esxtop.Row) string {
	if r.Object != esxtop.Port {
		return ""
	}
	s, _ := r.Text(esxtop.Lookup("net.usedBy"))
	return s
}

// expand puts the rows below those that the user opened.
func (t *table) expand(order Sort, expanded map[lineKey]bool) {
	if len(t.panel.Expand) == 0 || len(expanded) == 0 {
		return
	}
	var all []line
	for _, l := range t.rows {
		all = append(all, l)
		if !expanded[l.key()] {
			continue
		}
		for _, o := range t.panel.Expand {
			all = append(all, t.under(l, o, order)...)
		}
	}
	t.rows = all
}

func (t *table) under(l line, o esxtop.Object, order Sort) []line {
	var list []line
	if o.Parent() != l.row.Object {
		return nil
	}
	rows := l.frame.Rows(o)
	for i := range rows {
		if rows[i].Parent == l.index {
			list = append(list, line{frame: l.frame, row: &rows[i], owner: l.row, index: l.index, late: l.late})
		}
	}
	if order.Metric != "" {
		slices.SortStableFunc(list, t.compare(order))
	}
	return list
}

// readBelow finds the rows that make columns.
func (t *table) readBelow(fl *fleet, shown []esxtop.Column) {
	var objects []esxtop.Object
	for _, c := range shown {
		if c.Each != esxtop.Host && !slices.Contains(objects, c.Each) {
			objects = append(objects, c.Each)
		}
	}
	if objects == nil {
		return
	}
	t.below = map[childKey]*esxtop.Row{}
	for _, f := range fl.list() {
		for _, o := range objects {
			rows := f.Rows(o)
			for i := range rows {
				t.below[childKey{f, o, rows[i].Parent, rows[i].ID}] = &rows[i]
			}
		}
	}
}

// children are the ids of all rows of an object, in natural order.
func (t *table) children(o esxtop.Object) []string {
	seen := map[string]bool{}
	var ids []string
	for k := range t.below {
		if k.object == o && !seen[k.id] {
			seen[k.id] = true
			ids = append(ids, k.id)
		}
	}
	slices.SortFunc(ids, esxtop.CompareIDs)
	return ids
}

// row is the row that provides the figure of a cell; nil: none does.
func (t *table) row(l line, c *column) *esxtop.Row {
	if c.Each == esxtop.Host {
		return l.row
	}
	if !l.onTop() {
		return nil
	}
	return t.below[childKey{l.frame, c.Each, l.index, c.child}]
}

// value is the figure of a cell.
func (t *table) value(l line, c *column) (float64, bool) {
	r := t.row(l, c)
	if r == nil {
		return 0, false
	}
	if m := c.Of(r.Object); m != nil {
		return r.Value(m)
	}
	return 0, false
}

// text is the text of a cell, without padding.
func (t *table) text(l line, c *column) string {
	if c.Attribute == esxtop.NoAttribute {
		r := t.row(l, c)
		if r == nil {
			return absent
		}
		return clean(figure(r, c.Of(r.Object), c.Decimals, c.width-1))
	}
	s := l.called(c.Attribute)
	if c.Attribute == esxtop.RowHost {
		s = cmp.Or(t.hostNames[s], s)
	}
	if s != "" {
		return clean(s)
	}
	return absent
}

// called is a name or id of the row; empty: it has none of that kind.
func (l line) called(a esxtop.Attribute) string {
	switch a {
	case esxtop.RowHost:
		return l.frame.Host
	case esxtop.RowID:
		return l.row.ID
	case esxtop.RowGID:
		return l.owner.ID
	case esxtop.RowLeader:
		return l.row.Leader
	case esxtop.RowOwner:
		return l.owner.Name
	case esxtop.RowName, esxtop.RowChild:
		if a == esxtop.RowChild && l.onTop() {
			return ""
		}
		return cmp.Or(l.row.Name, l.row.ID)
	}
	return ""
}

// level returns the threshold level of a cell. It ignores figures of a late host.
func (t *table) level(l line, c *column) (esxtop.Level, *esxtop.Metric) {
	r := t.row(l, c)
	if r == nil || l.late {
		return esxtop.Unremarkable, nil
	}
	m := c.Of(r.Object)
	if m == nil {
		return esxtop.Unremarkable, nil
	}
	return m.JudgeIn(l.frame, r), m
}

// compare orders rows: figures from the highest, absent ones last; ids from the lowest.
func (t *table) compare(order Sort) func(a, b line) int {
	byID := func(a, b line) int {
		return cmp.Or(cmp.Compare(a.frame.Host, b.frame.Host), cmp.Compare(a.row.Object, b.row.Object), esxtop.CompareIDs(a.row.ID, b.row.ID))
	}
	c := t.columnOf(order)
	if c == nil {
		byName := func(a, b line) int {
			return cmp.Or(esxtop.CompareIDs(a.called(order.Attribute), b.called(order.Attribute)), byID(a, b))
		}
		if order.Reversed {
			return func(a, b line) int { return byName(b, a) }
		}
		return byName
	}
	sign := -1
	if order.Reversed {
		sign = 1
	}
	return func(a, b line) int {
		x, hasX := t.value(a, c)
		y, hasY := t.value(b, c)
		switch {
		case hasX != hasY && hasX:
			return -1
		case hasX != hasY:
			return 1
		case hasX && x != y:
			return sign * cmp.Compare(x, y)
		case c.Metric.Kind == esxtop.Text:
			return cmp.Or(-sign*strings.Compare(t.text(a, c), t.text(b, c)), byID(a, b))
		}
		return byID(a, b)
	}
}

// fixedCount returns the number of columns that do not scroll.
func (t *table) fixedCount() (n int) {
	for i := range t.columns {
		if t.columns[i].fixed {
			n++
		}
	}
	return n
}

// columnOf is the column to sort by. It need not be shown.
func (t *table) columnOf(order Sort) *column {
	m := esxtop.Lookup(order.Metric)
	if m == nil {
		return nil
	}
	for i := range t.columns {
		if c := &t.columns[i]; c.Metric == m && c.child == order.Child {
			return c
		}
	}
	for _, f := range t.panel.Fields {
		for _, c := range f.Columns {
			if c.Metric == m && (c.Each == esxtop.Host) == (order.Child == "") {
				return &column{Column: c, child: order.Child, width: 8}
			}
		}
	}
	return nil
}

// layOut makes the columns of the shown fields. With several hosts, HOST is the first.
func (t *table) layOut(fl *fleet, s Settings, shown []esxtop.Column) {
	if len(fl.hosts) > 1 {
		t.columns = append(t.columns, column{Column: esxtop.Column{Label: "HOST", Attribute: esxtop.RowHost}, width: hostWidth(fl), left: true, fixed: true})
	}
	leading := true
	for _, c := range shown {
		leading = leading && c.Metric == nil
		if c.Each == esxtop.Host {
			t.columns = append(t.columns, placed(c, s, leading))
			continue
		}
		for _, id := range t.children(c.Each) {
			child := placed(c, s, false)
			child.Label, child.child = c.Label+clean(id), id
			child.width = max(child.width, len(child.Label)+1)
			t.columns = append(t.columns, child)
		}
	}
}
