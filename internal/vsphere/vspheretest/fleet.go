package vspheretest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// Fleet opens a session with an endpoint of the demo fleet.
func Fleet(t *testing.T, endpoint string, scenarios ...string) *session.Session {
	t.Helper()
	return FleetOf(t, endpoint, simfleet.Config{Scenarios: scenarios})
}

// FleetOf starts a demo fleet with this configuration and opens a session with the endpoint of that name. Both end with the test.
func FleetOf(t *testing.T, endpoint string, config simfleet.Config) *session.Session {
	t.Helper()
	Building.Lock()
	defer Building.Unlock()
	f, err := simfleet.Start(config)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	for _, e := range f.Endpoints() {
		if e.Name == endpoint {
			s := Dial(t, session.Endpoint{URL: e.URL, User: e.User, Password: session.Secret(e.Password), CertificatePEM: e.CertificatePEM, CallTimeout: time.Minute})
			return s
		}
	}
	require.FailNow(t, "no endpoint "+endpoint)
	return nil
}

// readFleet is a demo fleet that no test changes.
var readFleet = sync.OnceValues(func() (*simfleet.Fleet, error) {
	Building.Lock()
	defer Building.Unlock()
	return simfleet.Start(simfleet.Config{})
})

// Demo opens a session with the demo fleet's vCenter, whose hosts have esxcli. It is read-only.
func Demo(t testing.TB) *session.Session {
	t.Helper()
	f, err := readFleet()
	require.NoError(t, err)
	u := *f.URL()
	u.User = nil
	return Dial(t, session.Endpoint{
		URL: &u, User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute,
	})
}
