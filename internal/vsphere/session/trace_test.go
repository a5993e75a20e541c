package session_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// TestTraceReportsEveryCall: a trace and the session's own sums agree, over SOAP and REST, and nothing in it is secret.
func TestTraceReportsEveryCall(t *testing.T) {
	vspheretest.Building.Lock()
	f, err := simfleet.Start(simfleet.Config{VCenterOnly: true})
	vspheretest.Building.Unlock()
	require.NoError(t, err)
	t.Cleanup(f.Close)
	var mu sync.Mutex
	calls, sent, received := map[string]int{}, int64(0), int64(0)
	text := ""
	ctx := session.WithTrace(t.Context(), func(c session.Call) {
		mu.Lock()
		defer mu.Unlock()
		calls[c.Method]++
		sent, received = sent+c.Sent, received+c.Received
		text += fmt.Sprintf("%+v\n", c)
		require.Equal(t, f.URL().Host, c.Host)
	})
	s, err := session.Dial(ctx, session.Endpoint{URL: f.URL(), User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM()})
	require.NoError(t, err)
	rest, err := s.OpenREST(context.WithoutCancel(t.Context()))
	require.NoError(t, err, "the context of the call is another one than that of the session")
	s.CloseREST(t.Context(), rest)
	_, err = s.Now(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))

	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, s.Calls(), calls)
	require.Positive(t, calls["REST login"])
	var wantSent, wantReceived int64
	for _, c := range s.Costs() {
		wantSent, wantReceived = wantSent+c.Sent, wantReceived+c.Received
	}
	require.Equal(t, []int64{wantSent, wantReceived}, []int64{sent, received})
	require.NotContains(t, text, f.Password())
}

func TestTraceHasTheError(t *testing.T) {
	vspheretest.Building.Lock()
	f, err := simfleet.Start(simfleet.Config{VCenterOnly: true})
	vspheretest.Building.Unlock()
	require.NoError(t, err)
	t.Cleanup(f.Close)
	var last session.Call
	ctx := session.WithTrace(t.Context(), func(c session.Call) { last = c })
	_, err = session.Dial(ctx, session.Endpoint{URL: f.URL(), User: f.User(), Password: "no-such-secret", CertificatePEM: f.CertificatePEM()})
	require.Error(t, err)
	require.Equal(t, "Login", last.Method)
	require.Error(t, last.Err)
	require.NotContains(t, last.Err.Error(), "no-such-secret")
}
