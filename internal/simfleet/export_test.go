package simfleet

import (
	"time"

	"github.com/vperf/vperf/internal/simfleet/esxtopservice"
	"github.com/vperf/vperf/internal/simfleet/load"
)

// Noon is the time of the common fleet.
var Noon = noon

// Common returns a fleet at noon that tests share; they must not change its inventory.
var Common = commonFleet

// Watched is a host whose Esxtop service can be read at any simulated time without waiting.
type Watched struct {
	Site, Name, MoID, Schema string

	ask func(at time.Time) (string, bool)
}

// Text returns the service's answer at a time; times must not decrease.
func (w Watched) Text(at time.Time) (string, bool) { return w.ask(at) }

// Watch returns all hosts of the fleet with a new load model, for users in a time zone and with load that changes faster by a
// factor.
func (f *Fleet) Watch(zone time.Duration, speed float64) (list []Watched) {
	for _, s := range f.servers {
		loads := load.New(s.built.loads.History, speed, zone, load.Noise{})
		for _, e := range s.built.hostOrder {
			ask := func(at time.Time) (string, bool) {
				return esxtopservice.NewCommand(e.Host, loads, func() time.Time { return at }, nil).Fetch()
			}
			list = append(list, Watched{s.site.name, e.Row.Name, e.System.Self.Value, esxtopservice.CounterInfo(e.Row.Version), ask})
		}
	}
	return list
}
