package simfleet

import (
	"net/http"

	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
)

// called is what tests know a call by: its method, or the command that a host's command line is to run.
func called(method *simulator.Method) string {
	if method.Name == "ExecuteSoap" {
		if command, _, own := esxcli.Command(method.Body); own {
			return "esxcli " + command
		}
	}
	return method.Name
}

// before lets a test in before anything is done, which may drop the connection.
func (d *dispatcher) before(method *simulator.Method) {
	if d.hooks.Before != nil && d.hooks.Before(called(method)) {
		panic(http.ErrAbortHandler)
	}
}
