package comparison

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Age is how old the old side has to be: a duration that may be in days or weeks. It is the value of a flag.
type Age struct {
	text  string
	long  time.Duration
	Given bool
}

// Set parses 7d, 2w, 12h or 90m.
func (a *Age) Set(s string) error {
	long, err := parseAge(s)
	if err != nil {
		return err
	}
	*a = Age{text: s, long: long, Given: true}
	return nil
}

func parseAge(s string) (time.Duration, error) {
	for unit, day := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if digits, ok := strings.CutSuffix(s, unit); ok {
			if n, err := strconv.ParseUint(digits, 10, 12); err == nil {
				return time.Duration(n) * day, nil
			}
		}
	}
	long, err := time.ParseDuration(s)
	if err != nil || long < 0 {
		return 0, fmt.Errorf("%q is no age: type a number with a unit, such as 7d, 2w or 12h", s)
	}
	return long, nil
}

// String returns the age as it was typed.
func (a *Age) String() string { return a.text }

// Type returns the placeholder of the value in help.
func (*Age) Type() string { return "AGE" }

// Before returns the latest time of a snapshot that is old enough.
func (a *Age) Before(now time.Time) time.Time { return now.Add(-a.long) }
