package session_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// TestRoute connects in ways that end at each part of the route.
func TestRoute(t *testing.T) {
	t.Parallel()
	base := vspheretest.Start(t, vspheretest.SmallVPX(1), nil).Endpoint()
	dial := func(ctx context.Context, e session.Endpoint) (session.Route, error) {
		ctx, route := session.WatchRoute(ctx, e.URL)
		s, err := session.Dial(ctx, e)
		if err == nil {
			defer func() { _ = s.Close(ctx) }()
		}
		return route(), err
	}
	at := func(host string) session.Endpoint {
		e := base
		e.URL = mustURL("https://" + host + "/sdk")
		return e
	}

	r, err := dial(t.Context(), base)
	require.NoError(t, err)
	require.True(t, r.Dialled && r.TLSBegun && r.Secure)
	require.Equal(t, base.URL.Host, r.Address)
	require.NotNil(t, r.Certificate)
	require.Empty(t, r.Addresses, "it is an address")
	why, verified := base.Trusted(r.Certificate)
	require.Equal(t, "it is the certificate of this fleet", why)
	require.True(t, verified)

	_, port, err := net.SplitHostPort(base.URL.Host)
	require.NoError(t, err)
	r, err = dial(t.Context(), at("localhost:"+port))
	require.NoError(t, err)
	require.NotEmpty(t, r.Addresses)

	r, err = dial(t.Context(), at("no-such-host.invalid"))
	require.Error(t, err)
	require.Error(t, r.LookupErr)
	require.False(t, r.Dialled)

	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended, end := vspheretest.Ending(t)
	accepted := make(chan net.Conn, 8)
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			accepted <- c
			end() // the server accepts and says nothing
		}
	}()
	r, err = dial(ended, at(l.Addr().String()))
	require.Error(t, err)
	require.True(t, r.Dialled)
	require.False(t, r.Secure)
	require.NoError(t, l.Close())
	_ = (<-accepted).Close()

	r, err = dial(t.Context(), at(l.Addr().String()))
	require.ErrorContains(t, err, "connection refused")
	require.Error(t, r.ConnectErr)
	require.Empty(t, r.Address)

	stranger := base
	stranger.CertificatePEM = nil
	r, err = dial(t.Context(), stranger)
	untrusted := new(session.TLSError)
	require.ErrorAs(t, err, &untrusted)
	require.False(t, untrusted.Pinned())
	require.True(t, r.TLSBegun)
	require.False(t, r.Secure)
	stranger.Insecure = true
	r, err = dial(t.Context(), stranger)
	require.NoError(t, err)
	why, verified = stranger.Trusted(r.Certificate)
	require.Equal(t, "any certificate is accepted", why)
	require.False(t, verified)
}
