package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/privilege"
	"github.com/vperf/vperf/internal/vsphere/session"
)

const (
	esxtopLeast = 2 * time.Second // between two fetches: a host does not sample more often
)

// errNoService stands for the empty list that a server returns for any host it cannot reach.
var errNoService = &missError{"the server offers no Esxtop service for it: the host is disconnected, has a different name in the inventory, or has no such service", session.ReasonHostDown}

// findEsxtop finds the service of a host.
func findEsxtop(ctx context.Context, s *session.Session, host string) (ref, error) {
	service, found, err := perhost.FindEsxtop(ctx, s, host)
	if err == nil && !found {
		err = errNoService
	}
	return service, err
}

// esxtopError adds to an error which host's counters could not be read. The service requires a privilege that reading facts does
// not.
func esxtopError(s *session.Session, host string, err error) error {
	if denied, is := errors.AsType[*session.PermissionError](err); is {
		err = &session.PermissionError{
			Privilege: cmp.Or(denied.Privilege, privilege.ServiceManagers), Object: cmp.Or(denied.Object, "the inventory's root folder"),
			Host: denied.Host, Operation: denied.Operation, Write: true,
		}
	}
	if words := esxtopFault(session.FaultOf(err)); words != "" {
		err = &session.ServerError{Host: s.Host(), Operation: session.Describe("ExecuteSimpleCommand"), Words: words, Fault: session.FaultOf(err)}
	}
	return fmt.Errorf("reading counters of %s: %w", session.Plain(host), err)
}

// esxtopFault explains a fault specific to the service; other faults have an explanation already.
func esxtopFault(f types.BaseMethodFault) string {
	switch f.(type) {
	case *types.NotSupported, *types.MethodNotFound:
		return "it does not offer an Esxtop service"
	case *types.ManagedObjectNotFound:
		return "the host's Esxtop service is gone, for example because the host restarted"
	case *types.InvalidArgument:
		return "the host's Esxtop service rejected the request"
	}
	return ""
}
