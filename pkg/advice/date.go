package advice

import (
	"fmt"
	"time"
)

// Date is a day of the calendar as YYYY-MM-DD, so that an earlier one is less. It has no time zone: it begins where the
// reader's day does.
type Date string

// DateOf is the day of a moment, in that moment's own time zone.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// ParseDate reads a date as people type it.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%q is no date: want YYYY-MM-DD, as 2027-01-31", s)
	}
	return DateOf(t), nil
}
