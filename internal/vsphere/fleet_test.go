package vsphere

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
)

// fleet opens a session with an endpoint of the demo fleet.
func fleet(t *testing.T, endpoint string, scenarios ...string) *Session {
	t.Helper()
	return fleetOf(t, endpoint, simfleet.Config{Scenarios: scenarios})
}

func fleetOf(t *testing.T, endpoint string, config simfleet.Config) *Session {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	f, err := simfleet.Start(config)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	for _, e := range f.Endpoints() {
		if e.Name == endpoint {
			s := dial(t, Endpoint{URL: e.URL, User: e.User, Password: Secret(e.Password), CertificatePEM: e.CertificatePEM, CallTimeout: time.Minute})
			return s
		}
	}
	require.FailNow(t, "no endpoint "+endpoint)
	return nil
}

// readFleet is a demo fleet that nobody changes.
var readFleet = sync.OnceValues(func() (*simfleet.Fleet, error) {
	building.Lock()
	defer building.Unlock()
	return simfleet.Start(simfleet.Config{})
})

// demo opens a session with the demo fleet's vCenter, whose hosts have a command line. It is for reading alone.
func demo(t *testing.T) *Session {
	t.Helper()
	f, err := readFleet()
	require.NoError(t, err)
	u := *f.URL()
	u.User = nil
	return dial(t, Endpoint{
		URL: &u, User: f.User(), Password: Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute,
	})
}
