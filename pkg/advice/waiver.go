package advice

import (
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/advice/internal/mark"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
)

// WaiverSchema is the version of the format of waiver files.
const WaiverSchema = "vperf.waivers/v1"

// Waiver accepts the failed findings of rules on some objects until a day, for a reason.
type Waiver struct {
	Rule   string `yaml:"rule"`   // id, or a pattern of ids such as numa-*
	Object string `yaml:"object"` // pattern of names or inventory paths of the object or its owner
	Tag    string `yaml:"tag"`    // pattern of tags as CATEGORY/NAME
	Reason string `yaml:"reason"`
	Owner  string `yaml:"owner"` // contact; may be empty
	Until  Date   `yaml:"until"` // the last day on which it applies
	From   string `yaml:"-"`     // its source

	rules mark.Glob
	pick  mark.Pick
}

// ready compiles the patterns.
func (x Waiver) ready() Waiver {
	x.rules = mark.NewGlob(x.Rule)
	x.pick.Name, x.pick.Tag = mark.NewGlob(x.Object), mark.NewGlob(x.Tag)
	return x
}

// String describes the waiver for messages.
func (x *Waiver) String() string {
	return fmt.Sprintf("the waiver of %s for %s (%s)", x.Rule, x.pick, x.From)
}

// accepted returns the reason of a waived finding.
func (x *Waiver) accepted() string {
	s := "accepted until " + string(x.Until)
	if x.Owner != "" {
		s += " by " + x.Owner
	}
	return s + ": " + strictyaml.OneLine(x.Reason)
}

// Date is a calendar day as YYYY-MM-DD, so that earlier days compare as less. It has no time zone: it begins at the
// reader's local midnight.
type Date string

// DateOf returns the day of a time, in its own time zone.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// parseDate parses a date.
func parseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%q is not a date: write YYYY-MM-DD, such as 2027-01-31", s)
	}
	return DateOf(t), nil
}
