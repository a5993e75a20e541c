package exporter

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// TargetConfig is a server to sample, and how.
type TargetConfig struct {
	// Name is what scrapes ask for.
	Name string
	// Address is where the server is, for people: a host name, with no user.
	Address string
	// Dial opens a session; passwords are got anew each time.
	Dial    func(context.Context) (*session.Session, error)
	Modules []Module
	// Keep decides which hosts and VMs are told of.
	Keep Filter
	// MaxSeries is the hard limit of measured series; 0: DefaultMaxSeries.
	MaxSeries int
	// Stale is how long a host's figures are shown after its newest sample; 0: three intervals.
	Stale time.Duration
	// SurveyEvery is how often configuration is read and judged; 0: DefaultSurveyEvery.
	SurveyEvery time.Duration
	// TagCategories are those whose tags become labels of info series: tag_CATEGORY.
	TagCategories []string
	// EsxtopHosts are patterns of the hosts whose Esxtop service is asked, too.
	EsxtopHosts []string
	// Audit is asked before each survey what is judged and which waivers count that day; nil: nothing is judged.
	Audit func() (audit.Request, error)
	// History is how much of what the server has kept is taken in at the start.
	History time.Duration
	// Clock is the machine's, but in tests.
	Clock source.Clock
	// Fingerprint differs where any of these settings do: a target whose fingerprint a reload leaves as it was goes on.
	Fingerprint string
}

// Defaults of a target.
const (
	DefaultMaxSeries   = 500_000
	DefaultSurveyEvery = 5 * time.Minute
)

// Filter decides what is told of by name, path and tag. An object is kept when it matches an include, or there is none, and no exclude.
type Filter struct {
	Include, Exclude []Pattern
}

// Pattern matches objects. Of name and path * stands for any words, of a path /** for all below; a tag is category:name. Empty parts match all.
type Pattern struct{ Name, Path, Tag string }
