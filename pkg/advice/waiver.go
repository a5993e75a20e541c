package advice

import (
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// WaiverSchema is the version of the format of waiver files.
const WaiverSchema = "vperf.waivers/v1"

// Waiver accepts the fails of rules on some objects until a day, for a reason.
type Waiver struct {
	Rule   string `yaml:"rule"`   // id, or a pattern of ids as numa-*
	Object string `yaml:"object"` // pattern of names or inventory paths; a device is also meant by its owner's
	Tag    string `yaml:"tag"`    // pattern of tags as CATEGORY/NAME
	Reason string `yaml:"reason"`
	Owner  string `yaml:"owner"` // whom to ask; may be empty
	Until  Date   `yaml:"until"` // the last day that it holds
	From   string `yaml:"-"`     // where it is written

	rules mark.Glob
	pick  mark.Pick
}

// ready makes the patterns.
func (x Waiver) ready() Waiver {
	x.rules = mark.NewGlob(x.Rule)
	x.pick.Name, x.pick.Tag = mark.NewGlob(x.Object), mark.NewGlob(x.Tag)
	return x
}

// String names the waiver for people.
func (x *Waiver) String() string {
	return fmt.Sprintf("the waiver of %s for %s (%s)", x.Rule, x.pick, x.From)
}

// accepted is the reason of a finding that is waived.
func (x *Waiver) accepted() string {
	s := "accepted until " + string(x.Until)
	if x.Owner != "" {
		s += " by " + x.Owner
	}
	return s + ": " + strictyaml.OneLine(x.Reason)
}

// Date is a day of the calendar as YYYY-MM-DD, so that an earlier one is less. It has no time zone: it begins where the
// reader's day does.
type Date string

// DateOf is the day of a moment, in that moment's own time zone.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// parseDate reads a date as people type it.
func parseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%q is no date: want YYYY-MM-DD, as 2027-01-31", s)
	}
	return DateOf(t), nil
}
