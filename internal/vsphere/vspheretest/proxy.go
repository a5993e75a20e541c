package vspheretest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// Rewriter changes what passes between a client and a server.
type Rewriter interface {
	Request(body []byte) []byte
	Answer(request, body []byte) []byte
}

// FleetThrough opens a session with an endpoint of a demo fleet, through a proxy that changes requests and answers.
func FleetThrough(t *testing.T, endpoint string, rewrite Rewriter) *session.Session {
	t.Helper()
	Building.Lock()
	f, err := simfleet.Start(simfleet.Config{})
	Building.Unlock()
	require.NoError(t, err)
	t.Cleanup(f.Close)
	for _, e := range f.Endpoints() {
		if e.Name != endpoint {
			continue
		}
		p := faulty.New(t, e.URL, faulty.Hooks{Request: rewrite.Request, Answer: rewrite.Answer})
		return Dial(t, session.Endpoint{URL: p.URL, User: e.User, Password: session.Secret(e.Password), CertificatePEM: p.Certificate, CallTimeout: time.Minute})
	}
	require.FailNow(t, "no endpoint "+endpoint)
	return nil
}
