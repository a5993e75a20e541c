package read

import (
	"crypto/tls"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// BenchmarkRead reads everything of 8 hosts and 40 VMs. The results include the simulator's work in the same process, so they
// only compare versions of the reader.
func BenchmarkRead(b *testing.B) {
	m := vspheretest.SmallVPX(8)
	m.Machine = 20
	require.NoError(b, m.Create())
	defer m.Remove()
	m.Service.TLS = new(tls.Config)
	m.Service.Listen = &url.URL{User: url.UserPassword(vspheretest.TestUser, vspheretest.TestPassword)}
	s := &vspheretest.Sim{Model: m, Server: m.Service.NewServer()}
	defer func() { _ = s.Server.Config.Close() }()
	session, err := session.Dial(b.Context(), s.Endpoint())
	require.NoError(b, err)
	defer func() { _ = session.Close(b.Context()) }()
	b.ReportAllocs()
	for b.Loop() {
		vc, err := Inventory(b.Context(), session, tree.Scope{}, inventory.Everything(), nil)
		require.NoError(b, err)
		require.Len(b, vc.VMs, 40)
	}
}
