package tui

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/vperf/vperf/pkg/esxtop"
)

// leads are, by panel, the columns that answer most questions, in the order in which a screen shows them. The first is the name.
var leads = map[byte][]string{
	'c': {"NAME", "%USED", "%RDY", "%CSTP", "%MLMTD", "%SWPWT", "%RUN"},
	'm': {"NAME", "CNSM", "TCHD", "MCTLSZ", "SWCUR", "SWR/s", "SWW/s", "MEMSZ", "GRANT"},
	'd': {"ADAPTR", "CMDS/s", "MBREAD/s", "MBWRTN/s", "DAVG/cmd", "KAVG/cmd", "GAVG/cmd"},
	'u': {"DEVICE", "CMDS/s", "MBREAD/s", "MBWRTN/s", "DAVG/cmd", "KAVG/cmd", "QUED", "%USD"},
	'v': {"VMNAME", "CMDS/s", "READS/s", "WRITES/s", "LAT/rd", "LAT/wr", "MBREAD/s", "MBWRTN/s"},
	'n': {"USED-BY", "MbTX/s", "MbRX/s", "PKTTX/s", "PKTRX/s", "%DRPTX", "%DRPRX"},
	'i': {"VECTOR"},
	'p': {"CPU"},
	'x': {"ROLE"},
}

// trailing are columns of technical ids. A screen shows them last.
var trailing = []string{"ID", "GID", "LWID", "PORT-ID"}

// ownOrder reports whether the user has arranged the fields of a panel. The order is then the user's.
func (s Settings) ownOrder(p *esxtop.Panel) bool {
	return !strings.EqualFold(s.Fields[p.Key], p.DefaultFields())
}

// lead puts the columns that answer most questions first: name, host, then the lead columns. Only name and host stay while the
// others scroll.
func (t *table) lead(s Settings) {
	if s.ownOrder(t.panel) {
		return
	}
	order := leads[t.panel.Key]
	rank := func(c *column) int {
		switch i := slices.Index(order, c.Label); {
		case i == 0:
			return 0
		case c.Attribute == esxtop.RowHost:
			return 1
		case c.Attribute == esxtop.RowChild:
			return 2 // PATH, VDEVNAME: the names of rows below
		case i > 0:
			return 2 + i
		case slices.Contains(trailing, c.Label):
			return 1000
		}
		return 100
	}
	t.columns = slices.Clone(t.columns)
	slices.SortStableFunc(t.columns, func(a, b column) int { return rank(&a) - rank(&b) })
	expanded := slices.ContainsFunc(t.rows, func(l line) bool { return !l.onTop() })
	for i := range t.columns {
		c := &t.columns[i]
		at := rank(c)
		c.fixed = at < 2 || at == 2 && expanded
		c.left = c.left || at == 0 && c.width > 12
	}
	if !expanded { // no row has such a name yet
		t.columns = slices.DeleteFunc(t.columns, func(c column) bool { return rank(&c) == 2 })
	}
}

// hideMissing takes out the columns that have no value in any row, here or in the unfiltered table, and remembers their names. A
// column that had one before stays: a disk without I/O has no latency.
func (t *table) hideMissing(all *table, known map[string]bool) {
	if !all.measured() {
		return
	}
	t.columns = slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool {
		key := string(t.panel.Key) + c.Label
		if c.Metric == nil || known[key] {
			return false
		}
		if t.hasValues(&c, all.rows) || t.hasValues(&c, t.rows) {
			known[key] = true
			return false
		}
		if t.applies(&c) {
			t.missing = append(t.missing, c.Label)
		}
		return true
	})
}

// applies reports whether rows of the table have the metric of a column at all. Some are of worlds and paths alone, which are not shown
// until a row is expanded.
func (t *table) applies(c *column) bool {
	return slices.ContainsFunc(t.rows, func(l line) bool {
		r := t.row(l, c)
		return r != nil && c.Of(r.Object) != nil
	})
}

// measured reports whether rows have more than the first look at a host, which has no rates.
func (t *table) measured() bool {
	return slices.ContainsFunc(t.rows, func(l line) bool { return l.frame.Interval > 0 || l.frame.Origin == esxtop.Capture })
}

// shortHosts maps hosts to their names without the domain, where these differ from each other.
func shortHosts(hosts []string) map[string]string {
	short, seen := map[string]string{}, map[string]bool{}
	for _, h := range hosts {
		name, _, _ := strings.Cut(h, ".")
		if _, err := netip.ParseAddr(h); err == nil || name == "" {
			name = h
		}
		if seen[name] {
			return nil
		}
		seen[name] = true
		short[h] = name
	}
	return short
}

// shortenHosts makes the HOST column as narrow as the short names of the hosts are.
func (t *table) shortenHosts(hosts []string) {
	if t.hostNames = shortHosts(hosts); t.hostNames == nil {
		return
	}
	for i := range t.columns {
		if c := &t.columns[i]; c.Attribute == esxtop.RowHost {
			c.width = len("HOST")
			for _, name := range t.hostNames {
				c.width = max(c.width, cells(clean(name)))
			}
			c.width = min(c.width, 20) + 2
		}
	}
}
