package advice

import (
	"slices"

	"github.com/vperf/vperf/pkg/advice/vendor"
	"github.com/vperf/vperf/pkg/inventory"
)

// Exported for the tests in package advice_test.
var (
	ProfileOf = profileOf
	ParseDate = parseDate
)

// NothingToSwitch is the reason why a rule without a remedy has no trial.
const NothingToSwitch = nothingToSwitch

// Cite names the article as sources of rules do.
func (a *Article) Cite() string { return a.cite() }

// Vendors are the published settings that the rules ask.
func (l *Library) Vendors() *vendor.List { return &l.vendors }

// TrialUnits lists the kinds of objects that a trial changes as one.
func TrialUnits() []inventory.Scope { return slices.Clone(trialUnits) }
