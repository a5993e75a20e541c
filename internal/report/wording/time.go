package wording

import (
	"fmt"
	"strconv"
	"time"
)

// Span formats the duration of a measurement.
func Span(from, to time.Time) string { return longText(to.Sub(from)) }

// Taken returns when facts were read.
func Taken(t time.Time) string {
	if t.IsZero() {
		return "an unread time"
	}
	return t.UTC().Format(time.RFC3339)
}

// longText formats a duration in at most two units.
func longText(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return Number(d.Seconds()) + " s"
	case d < 2*time.Minute && d.Round(time.Second)%time.Minute != 0:
		return strconv.Itoa(int(d.Round(time.Second).Seconds())) + " s"
	case d < time.Hour:
		return parted(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return parted(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	}
	return parted(d.Round(time.Hour), 24*time.Hour, "days", time.Hour, "h")
}

// parted formats a duration in a large unit and, if it adds information, a small one.
func parted(d, large time.Duration, one string, small time.Duration, other string) string {
	s := fmt.Sprintf("%d %s", d/large, one)
	if rest := d % large / small; rest > 0 && d/large < 10 {
		s += fmt.Sprintf(" %d %s", rest, other)
	}
	return s
}

// Moment formats a time of day, with the date if the day differs from that of to, the end of the counters.
func Moment(t, to time.Time) string {
	t, to = t.UTC(), to.UTC()
	if t.Format(time.DateOnly) == to.Format(time.DateOnly) {
		return t.Format("15:04:05Z")
	}
	return t.Format("2006-01-02 15:04:05Z")
}
