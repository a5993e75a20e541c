package esxcli

import (
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// cliHost is a host with the load of its NICs.
type cliHost struct {
	*world.Host
	loads *load.Model
}
