package measure

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/esxtop"
)

// BenchmarkTrialRound measures a round of a trial on the demo fleet: its clock moves on by a sample, and the sample is read.
func BenchmarkTrialRound(b *testing.B) {
	for _, names := range [][]string{{"host01"}, {"host01", "host02", "host03", "host04", "host05", "host06", "host07", "host08"}} {
		b.Run(fmt.Sprintf("hosts=%d", len(names)), func(b *testing.B) {
			clock := newPerfClock()
			s := benchFleet(b, simfleet.Config{Now: clock.now, VCenterOnly: true, Noise: load.RealNoise(1, .8)})
			roster, err := ReadRoster(b.Context(), s)
			require.NoError(b, err)
			hosts, err := roster.Choose(tree.Scope{Hosts: names})
			require.NoError(b, err)
			source := newPerformance(roster, hosts, PerformanceOptions{
				Request: esxtop.Request{Interval: 20 * time.Second, Objects: esxtop.ObjectsOf(esxtop.Host, esxtop.Port, esxtop.Group, esxtop.DiskVM)},
				Clock:   Clock{clock.now, clock.after},
			})
			require.NoError(b, source.start(b.Context(), 0))
			defer func() { require.NoError(b, source.Close(context.WithoutCancel(b.Context()))) }()
			for b.Loop() {
				_, err := source.Next(b.Context())
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkTrialSwitch measures a write of an option of a host and reading it back.
func BenchmarkTrialSwitch(b *testing.B) {
	clock := newPerfClock()
	s := benchFleet(b, simfleet.Config{Now: clock.now, VCenterOnly: true})
	roster, err := ReadRoster(b.Context(), s)
	require.NoError(b, err)
	hosts, err := roster.Choose(tree.Scope{Hosts: []string{"host01"}})
	require.NoError(b, err)
	host := object.NewHostSystem(s.Client(), types.ManagedObjectReference{Type: "HostSystem", Value: hosts[0].MoID})
	options, err := host.ConfigManager().OptionManager(b.Context())
	require.NoError(b, err)
	const key = "Net.NetNetqNumaIOCpuPinThreshold"
	value := int64(0)
	for b.Loop() {
		value = 60 - value
		require.NoError(b, options.Update(b.Context(), []types.BaseOptionValue{&types.OptionValue{Key: key, Value: value}}))
		read, err := options.Query(b.Context(), key)
		require.NoError(b, err)
		require.Equal(b, value, read[0].GetOptionValue().Value)
	}
}

// benchFleet returns a session with a fleet.
func benchFleet(b *testing.B, cfg simfleet.Config) *session.Session {
	b.Helper()
	f, err := simfleet.Start(cfg)
	require.NoError(b, err)
	b.Cleanup(f.Close)
	at := f.Endpoints()[0]
	s, err := session.Dial(b.Context(), session.Endpoint{
		URL: at.URL, User: at.User, Password: session.Secret(at.Password), CertificatePEM: at.CertificatePEM, CallTimeout: time.Minute,
	})
	require.NoError(b, err)
	return s
}
