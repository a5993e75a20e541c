package trials

import (
	"context"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/vsphere/eventlog"
	"github.com/vperf/vperf/pkg/trial"
)

// events hears what happens to units on a server.
type events struct {
	reader   *eventlog.Reader
	units    []unit
	clusters map[string][]string // ids of the hosts by that of the cluster
	away     patience
	moved    func()    // called when VMs may have moved
	unread   time.Time // since when events were not read, because the server was away; zero: all were
}

// Since implements trial.Events. It omits events of hosts without a unit. While the server is away, it returns none; the next call
// returns them.
func (e *events) Since(ctx context.Context, after time.Time) ([]trial.Event, error) {
	if !e.unread.IsZero() && e.unread.Before(after) {
		after = e.unread
	}
	occurrences, err := e.reader.Since(ctx, after)
	if e.away.excuses(err) {
		e.unread = after
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e.unread = time.Time{}
	var all []trial.Event
	for _, o := range occurrences {
		units, concerns := e.concerned(o)
		if !concerns {
			continue
		}
		e.moved()
		kind := trial.Contaminates
		if o.Effect == eventlog.Endangers {
			kind = trial.Stops
		}
		all = append(all, trial.Event{Time: o.Time, Units: units, Kind: kind, Text: o.Text})
	}
	return all, nil
}

// concerned returns the units that an event is about; none and true means all of them.
func (e *events) concerned(o eventlog.Occurrence) (units []int, concerns bool) {
	hosts := o.Hosts
	if len(hosts) == 0 && o.Cluster != "" {
		hosts = e.clusters[o.Cluster]
		if len(hosts) == 0 {
			return nil, false // a cluster without a unit
		}
	}
	if len(hosts) == 0 {
		return nil, true
	}
	for i, u := range e.units {
		if slices.ContainsFunc(u.Hosts, func(h string) bool { return slices.Contains(hosts, h) }) {
			units = append(units, i)
		}
	}
	return units, len(units) > 0
}
