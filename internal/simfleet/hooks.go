package simfleet

import (
	"net/http"

	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/internal/simfleet/esxcli"
)

// called returns the name of a call for tests: its method, or esxcli with the command or the method that describes commands.
func called(method *simulator.Method) string {
	if method.Name == "ExecuteSoap" {
		if command, _, own := esxcli.Command(method.Body); own {
			return "esxcli " + command
		}
		return "esxcli " + esxcli.Method(method.Body)
	}
	return method.Name
}

// before calls the test's hook before a call is executed; the hook may drop the connection.
func (d *dispatcher) before(method *simulator.Method) {
	if d.hooks.Before != nil && d.hooks.Before(called(method)) {
		panic(http.ErrAbortHandler)
	}
}
