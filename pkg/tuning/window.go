package tuning

import (
	"fmt"
	"strings"
	"time"
)

// ParseWindow parses a window such as 22:00-04:00.
func ParseWindow(s string) (*Window, error) {
	from, to, ok := strings.Cut(s, "-")
	start, errFrom := timeOfDay(from)
	end, errTo := timeOfDay(to)
	if !ok || errFrom != nil || errTo != nil || start == end {
		return nil, fmt.Errorf("window %q: write two different times of day, such as 22:00-04:00", s)
	}
	return &Window{From: start, To: end}, nil
}

func timeOfDay(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(s))
	return sinceMidnight(t), err
}

// sinceMidnight returns the time of day that the clock shows, also on days when daylight saving time starts or ends.
func sinceMidnight(t time.Time) time.Duration {
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second
}

// Contains reports whether a step may begin at t. The end is not part of the window.
func (w *Window) Contains(t time.Time) bool {
	now := sinceMidnight(t)
	if w.From <= w.To {
		return w.From <= now && now < w.To
	}
	return now >= w.From || now < w.To
}

// String formats the window as ParseWindow reads it.
func (w *Window) String() string { return clockTime(w.From) + "-" + clockTime(w.To) }

func clockTime(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60)
}
