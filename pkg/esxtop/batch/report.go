package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// csvReport collects the defects of a file, for users of its figures.
type csvReport struct {
	notes      []string
	dropped    []string // the first few
	drops      int
	line       int
	furthest   int  // line that was looked at
	known      bool // this one was looked at before
	unreadable int
	where      string // the first of them is
	backward   int
	dayFirst   bool
	timeOnly   bool
	minutes    bool
}

const namedDrops = 3

func (r *csvReport) note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); len(r.notes) < 50 && !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
}

// selectLine selects a line. Defects of a line count once, even if a replay reads it again. Lines are counted as in the file:
// the header is line 1.
func (r *csvReport) selectLine(line int) {
	r.line, r.known = line, line <= r.furthest
	r.furthest = max(r.furthest, line)
}

// drop reports a skipped row.
func (r *csvReport) drop(format string, args ...any) {
	if r.known {
		return
	}
	r.drops++
	if len(r.dropped) < namedDrops {
		r.dropped = append(r.dropped, fmt.Sprintf("row %d: ", r.line)+fmt.Sprintf(format, args...)+", dropped")
	}
}

func (r *csvReport) wentBack() {
	if !r.known {
		r.backward++
	}
}

func (r *csvReport) unread(bad unreadable) {
	if r.known || bad.n == 0 {
		return
	}
	if r.unreadable == 0 {
		r.where = fmt.Sprintf("line %d, column %d: %q", r.line, bad.field+1, bad.text)
	}
	r.unreadable += bad.n
}

func (r *csvReport) header(h *csvHeader, c *csvColumns) {
	if h.junk {
		r.note("text before the header was skipped")
	}
	if h.bare {
		r.note("the header has lost its first field, times are taken for UTC")
	}
	if h.cut {
		r.note("the header is cut off in field %d, which is skipped", len(h.fields))
	}
	if c.nameless > 0 {
		r.note("%s skipped, whose names are not paths of counters", plural(c.nameless, "column"))
	}
	if c.twice > 0 {
		r.note("%s skipped that are repeated", plural(c.twice, "column"))
	}
	if len(c.unknown) > 0 {
		n := 0
		for _, columns := range c.unknown {
			n += columns
		}
		names := slices.Sorted(maps.Keys(c.unknown))
		more := ""
		if len(names) > namedDrops {
			names, more = names[:namedDrops], " and others"
		}
		for i := range names {
			names[i] = fmt.Sprintf("%q", names[i])
		}
		r.note("%s skipped that vperf does not know: %s%s", plural(n, "column"), strings.Join(names, ", "), more)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r *csvReport) noSamples() string {
	if r.drops > 0 {
		return "no row matches the header; " + r.dropped[0]
	}
	return "the file has a header and nothing else"
}

func (r *csvReport) lines() []string {
	lines := slices.Concat(r.notes, r.dropped)
	if more := r.drops - len(r.dropped); more > 0 {
		lines = append(lines, plural(more, "further row")+" dropped")
	}
	if r.unreadable > 0 {
		lines = append(lines, plural(r.unreadable, "field")+" skipped that are not numbers, first "+r.where)
	}
	if r.minutes {
		lines = append(lines, "times have no seconds: intervals are not known")
	}
	if r.dayFirst {
		lines = append(lines, "dates are read with the day first; a spreadsheet may have exchanged day and month before")
	}
	if r.timeOnly {
		lines = append(lines, "times have no date: the first day is called 1970-01-01")
	}
	if r.backward > 0 {
		lines = append(lines, plural(r.backward, "row")+" not later than the row above: the interval is not known")
	}
	return lines
}
