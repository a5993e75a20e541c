package vsphere

import (
	"context"
	"fmt"
	"time"

	"github.com/vperf/vperf/pkg/esxtop"
)

// CounterSource is where counters are to come from.
type CounterSource string

// Sources of counters.
const (
	CountersAuto        CounterSource = "auto"        // whichever fits
	CountersEsxtop      CounterSource = "esxtop"      // the Esxtop service of the hosts: everything, at any interval
	CountersPerformance CounterSource = "performance" // the PerformanceManager: less, every 20 seconds
)

// CounterSources lists them.
var CounterSources = []CounterSource{CountersAuto, CountersEsxtop, CountersPerformance}

// CounterOptions say which counters are wanted.
type CounterOptions struct {
	Source  CounterSource
	Request esxtop.Request // an interval of nothing is the source's own: 5 or 20 seconds
	History bool           // with what the server kept from before the start, where it keeps any
	Beside  int            // hosts of other servers that are asked at the same time: they count, too
	// Tell hears, before it happens, how much many hosts will draw through the server; nil: nobody wants to know.
	Tell func(words string)
}

// What the Esxtop service is asked for unless somebody names it: no more than four hosts give every five seconds. Fewer hosts may
// be asked as much more often.
const (
	autoHosts   = 4
	autoPerHost = defaultInterval / autoHosts
)

// OpenCounters opens counters of some hosts. The Esxtop service tells more, and at any interval from two seconds on; but each answer
// goes through the server whole. So by itself it is taken for up to four hosts, every five seconds, or a single host every two.
// For more hosts, and where the service is missing or takes a privilege that the user has not got, it is the PerformanceManager, and
// the source's note says why.
func (r *Roster) OpenCounters(ctx context.Context, hosts []RosterHost, o CounterOptions) (esxtop.Source, error) {
	all := len(hosts) + o.Beside
	switch o.Source {
	case CountersPerformance:
		return r.performance(ctx, hosts, o, "")
	case CountersEsxtop:
		if all > MaxEsxtopHosts {
			return nil, tooManyHosts(all)
		}
		service := EsxtopOptions{Request: o.Request}
		if all > autoHosts {
			service.Tell = o.Tell
		}
		return r.Esxtop(ctx, hosts, service)
	case CountersAuto, "":
	default:
		return nil, fmt.Errorf("no source of counters is called %q; type one of auto, esxtop, performance", string(o.Source))
	}
	if all > autoHosts {
		return r.performance(ctx, hosts, o, manyHosts(all))
	}
	source, err := r.Esxtop(ctx, hosts, EsxtopOptions{Request: o.Request, Least: time.Duration(all) * autoPerHost})
	if err == nil || ctx.Err() != nil || sessionOver(err) {
		return source, err
	}
	return r.performance(ctx, hosts, o, "the Esxtop service is out of reach, "+why(err))
}

func tooManyHosts(n int) error {
	return fmt.Errorf("asking the Esxtop service of %d hosts: it is asked of %d at most; name fewer hosts, or type --source performance", n, MaxEsxtopHosts)
}

// manyHosts is why the service is not asked.
func manyHosts(n int) string {
	if n > MaxEsxtopHosts {
		return fmt.Sprintf("%d hosts are too many for the Esxtop service", n)
	}
	return fmt.Sprintf("%d hosts: the Esxtop service is asked of more than %d with --source esxtop only", n, autoHosts)
}

// performance opens the PerformanceManager.
func (r *Roster) performance(ctx context.Context, hosts []RosterHost, o CounterOptions, because string) (esxtop.Source, error) {
	return nil, fmt.Errorf("TODO %s", because)
}
