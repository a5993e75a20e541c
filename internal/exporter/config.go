package exporter

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// TargetConfig is a server to sample, and how.
type TargetConfig struct {
	// Name identifies the target in scrapes.
	Name string
	// Address is the server's host name for display, without a user.
	Address string
	// Dial opens a session; passwords are got anew each time.
	Dial    func(context.Context) (*session.Session, error)
	Modules []module.Name
	// Filter selects the exported hosts and VMs.
	Filter Filter
	// Shard is the part of the server's hosts, with their VMs, that is exported; the zero value is all of them.
	Shard shard.Shard
	// IncludeMetrics and ExcludeMetrics are shell patterns of the names of metrics of the server, which begin with esxi_. A
	// metric is exported if it matches an include, or there is none, and no exclude.
	IncludeMetrics, ExcludeMetrics []string
	// MaxSeries is the hard limit of measured series; 0: DefaultMaxSeries.
	MaxSeries int
	// Stale is how long a host's figures are shown after its newest sample; 0: three intervals.
	Stale time.Duration
	// SurveyEvery is how often configuration is read and judged; 0: DefaultSurveyEvery.
	SurveyEvery time.Duration
	// TagCategories are those whose tags become labels of info series: tag_CATEGORY.
	TagCategories []string
	// CustomAttributes are the names of those that become labels of info series: attribute_NAME. They select the module.
	CustomAttributes []string
	// EsxtopHosts are patterns of the hosts whose Esxtop service is asked, too.
	EsxtopHosts []string
	// Audit returns, before each survey, the request and the waivers of that day; nil: there is no audit.
	Audit func() (audit.Request, error)
	// History is the period of stored samples that is read at the start.
	History time.Duration
	// Counters is the file in which counters are kept, so that they continue after a restart; "": they begin at 0.
	Counters string
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

// Filter selects exported objects by name, path and tag. It keeps an object that matches an include, or if there is
// none, and that matches no exclude.
type Filter struct {
	Include, Exclude []Pattern
}

// Pattern matches objects. In name and path, * is any text; at the end of a path, /** is everything below; a tag is
// category:name. Empty parts match all.
type Pattern struct{ Name, Path, Tag string }
