package perhost

import (
	"context"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
)

// Commands of the Esxtop service.
const (
	EsxtopSchema = "CounterInfo"
	EsxtopFetch  = "FetchStats"
	EsxtopFree   = "FreeStats" // frees the data that the host keeps for the client
)

const (
	esxtopService  = "Esxtop"
	esxtopLocation = "vmware.host."
)

// FindEsxtop finds the Esxtop service of a host by its name in the inventory; found is false if the server offers none. It never
// reads properties of the service manager, which a vCenter reports as invalid.
func FindEsxtop(ctx context.Context, s *session.Session, host string) (service types.ManagedObjectReference, found bool, err error) {
	manager := s.Client().ServiceContent.ServiceManager
	if manager == nil {
		return ref{}, false, nil
	}
	ask := &types.QueryServiceList{This: *manager, ServiceName: esxtopService}
	if s.Client().IsVC() {
		ask.ServiceName, ask.Location = "", []string{esxtopLocation + host}
	}
	res, err := methods.QueryServiceList(ctx, s, ask)
	if err != nil {
		return ref{}, false, err
	}
	for _, offered := range res.Returnval {
		if offered.ServiceName == esxtopService {
			return offered.Service, true, nil
		}
	}
	return ref{}, false, nil
}

// EsxtopCommand runs a command of a host's service.
func EsxtopCommand(ctx context.Context, s *session.Session, service ref, command string) (string, error) {
	res, err := methods.ExecuteSimpleCommand(ctx, s, &types.ExecuteSimpleCommand{This: service, Arguments: []string{command}})
	if err != nil {
		return "", err
	}
	return res.Returnval, nil
}
