package vsphere

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/esxtop"
)

// countingFleet starts the demo fleet and opens a session with one of its servers.
func countingFleet(t *testing.T, cfg simfleet.Config, server int) (*simfleet.Fleet, *Roster, func(hosts ...string) []RosterHost) {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	f, err := simfleet.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	at := f.Endpoints()[server]
	session := dial(t, Endpoint{URL: at.URL, User: at.User, Password: Secret(at.Password), CertificatePEM: at.CertificatePEM, CallTimeout: time.Minute})
	roster, err := session.Roster(t.Context())
	require.NoError(t, err)
	return f, roster, func(names ...string) []RosterHost {
		hosts, err := roster.Choose(Scope{Hosts: names})
		require.NoError(t, err)
		return hosts
	}
}

func TestEsxtopOfTheFleet(t *testing.T) {
	t.Parallel()
	clock := time.Now()
	f, roster, hosts := countingFleet(t, simfleet.Config{Now: func() time.Time { return clock }}, 0)
	e, err := roster.Esxtop(t.Context(), hosts("host01", "host03"), EsxtopOptions{Request: esxtop.Request{Objects: esxtop.AllObjects}})
	require.NoError(t, err)
	r := nextRound(t, e)
	require.Empty(t, r.Troubles)
	require.Len(t, r.Frames, 2)
	require.Equal(t, 2, f.StatsKept())
	for _, frame := range r.Frames {
		host, known := roster.Host(frame.MoID)
		require.True(t, known)
		require.Equal(t, host.Name, frame.Host)
		vms := 0
		for _, g := range frame.Rows(esxtop.Group) {
			if g.VM {
				vms++
				vm, found := roster.VM(frame.MoID, g.Name)
				require.True(t, found, g.Name)
				require.Equal(t, vm.MoID, g.MoID)
				require.Equal(t, vm.VCPUs, g.VCPUs, g.Name)
			}
		}
		require.Positive(t, vms)
		for _, p := range frame.Rows(esxtop.Port) {
			require.Equal(t, p.VM, p.MoID != "", p.Name)
		}
		for _, d := range frame.Rows(esxtop.VDisk) {
			require.NotEmpty(t, d.MoID, d.Name)
		}
	}
	require.NoError(t, e.Close(t.Context()))
	require.Zero(t, f.StatsKept())
}

func TestEsxtopOfAFleetHost(t *testing.T) {
	t.Parallel()
	_, roster, hosts := countingFleet(t, simfleet.Config{}, 1)
	e, err := roster.Esxtop(t.Context(), hosts(), EsxtopOptions{Request: esxtop.Request{Objects: esxtop.AllObjects}})
	require.NoError(t, err)
	require.Len(t, nextRound(t, e).Frames, 1)
	require.NoError(t, e.Close(t.Context()))
}
