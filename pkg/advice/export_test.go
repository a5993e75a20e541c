package advice

import "github.com/vperf/vperf/pkg/advice/vendor"

// Exported for the tests in package advice_test.
var (
	ProfileOf = profileOf
	ParseDate = parseDate
)

// Cite names the article as sources of rules do.
func (a *Article) Cite() string { return a.cite() }

// Vendors are the published settings that the rules ask.
func (l *Library) Vendors() *vendor.List { return &l.vendors }
