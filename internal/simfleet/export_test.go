package simfleet

import (
	"time"

	"github.com/vperf/vperf/internal/simfleet/load"
)

// Noon is when the common fleet is.
var Noon = noon

// Common is a fleet at noon that tests share; they leave its inventory as it is.
var Common = commonFleet

// Watched is a host whose Esxtop service can be asked for any time, as often as anybody likes, without waiting for it.
type Watched struct {
	Site, Name, MoID, Schema string

	ask func(at time.Time) (string, bool)
}

// Text is what the service says at a moment; moments only go forward.
func (w Watched) Text(at time.Time) (string, bool) { return w.ask(at) }

// Watch looks at all hosts of the fleet anew, as if its people lived in a zone, and so much faster than clocks go.
func (f *Fleet) Watch(zone time.Duration, speed float64) (list []Watched) {
	for _, s := range f.servers {
		loads := load.New(s.built.loads.History, speed, zone)
		for _, e := range s.built.hostOrder {
			ask := func(at time.Time) (string, bool) {
				return (&simpleCommand{node: e.node, loads: loads, now: func() time.Time { return at }}).fetch()
			}
			list = append(list, Watched{s.site.name, e.row.Name, e.host.Self.Value, counterInfo(e.row.Version), ask})
		}
	}
	return list
}
