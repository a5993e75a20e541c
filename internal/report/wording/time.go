package wording

import (
	"fmt"
	"strconv"
	"time"
)

// Span is how long something was watched, as people say it.
func Span(from, to time.Time) string { return longText(to.Sub(from)) }

// longText is a duration in at most two units.
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

// parted is a duration by a large unit and, where it tells something beside it, a small one.
func parted(d, large time.Duration, one string, small time.Duration, other string) string {
	s := fmt.Sprintf("%d %s", d/large, one)
	if rest := d % large / small; rest > 0 && d/large < 10 {
		s += fmt.Sprintf(" %d %s", rest, other)
	}
	return s
}

// Moment is a time of the day, or a date too where the day is another one than that of the end of the counters.
func Moment(t, to time.Time) string {
	t, to = t.UTC(), to.UTC()
	if t.Format(time.DateOnly) == to.Format(time.DateOnly) {
		return t.Format("15:04:05Z")
	}
	return t.Format("2006-01-02 15:04:05Z")
}
