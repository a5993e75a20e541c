package vsphere

import (
	"crypto/tls"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// BenchmarkRead reads everything of 8 hosts and 40 VMs. The simulator's work, in the same process, is in the figures:
// they compare versions of the reader, no more.
func BenchmarkRead(b *testing.B) {
	m := smallVPX(8)
	m.Machine = 20
	require.NoError(b, m.Create())
	defer m.Remove()
	m.Service.TLS = new(tls.Config)
	m.Service.Listen = &url.URL{User: url.UserPassword(testUser, testPassword)}
	s := &sim{Model: m, server: m.Service.NewServer()}
	defer func() { _ = s.server.Config.Close() }()
	session, err := Dial(b.Context(), s.endpoint())
	require.NoError(b, err)
	defer func() { _ = session.Close(b.Context()) }()
	b.ReportAllocs()
	for b.Loop() {
		vc, err := Inventory(b.Context(), session, Scope{}, inventory.Everything(), nil)
		require.NoError(b, err)
		require.Len(b, vc.VMs, 40)
	}
}
