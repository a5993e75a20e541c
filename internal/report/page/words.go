package page

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/pkg/inventory"
)

// clean turns untrusted text into one line; it shows control and bidirectional characters and invalid bytes as escapes.
func clean(s string) string { return iostreams.Sanitize(s) }

// prose returns text of vperf or of a rule as one line.
func prose(s string) string { return clean(strings.Join(strings.Fields(s), " ")) }

func counted(n int, what string) string { return whole(n) + " " + plural.Noun(n, what) }

// whole formats a count with separated thousands.
func whole(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// figure formats a number with three significant digits.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a >= 100 || v == math.Trunc(v):
		if a >= 1e15 {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return whole(int(math.Round(v)))
	case a >= 10:
		return trimmed(v, 1)
	case a >= 1:
		return trimmed(v, 2)
	case a >= 0.001:
		return trimmed(v, 3)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func trimmed(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// measured formats a figure with its unit.
func measured(v float64, unit string) string {
	u := shortUnit(unit)
	if u == "" {
		return figure(v)
	}
	return figure(v) + noBreak + u
}

// shortUnit returns the unit to append to a figure; the full name is shown once beside the figures.
func shortUnit(unit string) string {
	switch {
	case strings.HasPrefix(unit, "percent"):
		return "%"
	case unit == "ratio" || unit == "number" || strings.HasPrefix(unit, "0 high") || strings.HasPrefix(unit, "of "):
		return ""
	}
	return clean(unit)
}

// noBreak is a space that keeps a figure and its unit on one line.
const noBreak = "\u00a0"

// part formats a share (0 to 1) in percent.
func part(v float64) string { return figure(math.Round(v*100)) + noBreak + "%" }

// known formats a fact in any state.
func known[T any](f inventory.Fact[T], show func(T) string) string {
	v, state, reason := f.Get()
	switch {
	case state == inventory.StateKnown:
		return show(v)
	case state == inventory.StateAbsent:
		return "not there"
	case reason == "":
		return "not read"
	}
	return "not read (" + clean(reason) + ")"
}

// setting formats the value of a setting.
func setting(f inventory.Fact[inventory.Value]) string {
	return known(f, func(v inventory.Value) string {
		if v.Text == "" {
			return "unset"
		}
		return clean(v.Text)
	})
}

// someOf names the first few.
func someOf(names []string, few int) string {
	if len(names) <= few+1 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + " and " + whole(len(names)-few) + " more"
}

const zone = " UTC"

// moment formats a time.
func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04") + zone
}

// span formats a period, with one date if it is within a day.
func span(from, to time.Time) string {
	from, to = from.UTC(), to.UTC()
	layout := "2006-01-02 15:04:05"
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		layout = "15:04:05"
	}
	return from.Format("2006-01-02 15:04:05") + " to " + to.Format(layout) + zone + ", " + lasted(to.Sub(from))
}

// lasted formats a duration in its largest useful units.
func lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return figure(d.Seconds()) + " s"
	case d < time.Hour:
		return joined(int(d.Minutes()), "min", int(d.Seconds())%60, "s")
	case d < 48*time.Hour:
		return joined(int(d.Hours()), "h", int(d.Minutes())%60, "min")
	}
	return joined(int(d.Hours())/24, "d", int(d.Hours())%24, "h")
}

func joined(a int, unit string, b int, small string) string {
	if b == 0 {
		return strconv.Itoa(a) + " " + unit
	}
	return strconv.Itoa(a) + " " + unit + " " + strconv.Itoa(b) + " " + small
}

// named is a name and a value.
type named struct{ Name, Value string }

func valueOf[T any](f inventory.Fact[T]) T {
	v, _ := f.Value()
	return v
}

func gigabytes(mb int64) string {
	if mb >= 4*1024*1024 {
		return figure(float64(mb)/1024/1024) + " TB"
	}
	return figure(float64(mb)/1024) + " GB"
}

// first returns the first entries of a list, and the number of omitted ones. It never omits a single entry.
func first[T any](list []T, most int) (shown []T, more int) {
	if len(list) <= most || len(list)-1 == most {
		return list, 0
	}
	return list[:most], len(list) - most
}

// firstOf returns the first entries of a list, and a last one with the number of the others.
func firstOf(list []string, most int) []string {
	shown, more := first(list, most)
	if more > 0 {
		shown = append(slices.Clone(shown), "and "+whole(more)+" more")
	}
	return shown
}

func moreWords(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "and " + whole(n) + " more " + plural.Noun(n, what)
}
