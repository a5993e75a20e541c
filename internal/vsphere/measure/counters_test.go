package measure

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"
)

func TestCounterChoice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source CounterSource
		hosts  int
		want   counterChoice
		err    string
	}{
		"one host":         {hosts: 1, want: counterChoice{service: true, minInterval: 1250 * time.Millisecond}}, // the source itself enforces the minimum of two seconds
		"two hosts":        {hosts: 2, want: counterChoice{service: true, minInterval: 2500 * time.Millisecond, minReason: "2 hosts are not read more often without --source esxtop"}},
		"four hosts":       {source: CountersAuto, hosts: 4, want: counterChoice{service: true, minInterval: 5 * time.Second, minReason: "4 hosts are not read more often without --source esxtop"}},
		"five hosts":       {hosts: 5, want: counterChoice{minReason: "for more than 4 hosts, the Esxtop service is used only with --source esxtop"}},
		"a hundred hosts":  {hosts: 100, want: counterChoice{minReason: "100 hosts are too many for the Esxtop service"}},
		"four by name":     {source: CountersEsxtop, hosts: 4, want: counterChoice{service: true}},
		"five by name":     {source: CountersEsxtop, hosts: 5, want: counterChoice{service: true, many: true}},
		"sixteen by name":  {source: CountersEsxtop, hosts: 16, want: counterChoice{service: true, many: true}},
		"too many by name": {source: CountersEsxtop, hosts: 17, err: "reading the Esxtop service of 17 hosts: the maximum is 16; name fewer hosts, or use --source performance"},
		"performance":      {source: CountersPerformance, hosts: 1},
		"no such source":   {source: "esxcli", hosts: 1, err: `there is no counter source "esxcli"; use auto, esxtop or performance`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := CounterOptions{Source: c.source}.choose(c.hosts)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// A few hosts are not read at a higher rate than four hosts every five seconds, unless requested.
func TestCountersInterval(t *testing.T) {
	for name, c := range map[string]struct {
		hosts []string
		o     CounterOptions
		want  time.Duration
		note  string
	}{
		"one host":           {[]string{"a"}, CounterOptions{}, 2 * time.Second, ""},
		"two hosts":          {[]string{"a", "b"}, CounterOptions{}, 2500 * time.Millisecond, "every 2.5s instead of 2s: 2 hosts are not read more often without --source esxtop"},
		"one of several":     {[]string{"a"}, CounterOptions{OtherHosts: 3}, 5 * time.Second, "every 5s instead of 2s: 4 hosts are not read more often without --source esxtop"},
		"two hosts, by name": {[]string{"a", "b"}, CounterOptions{Source: CountersEsxtop}, 2 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				roster, hosts := newCounting(t, c.hosts...).roster()
				c.o.Request.Interval = 2 * time.Second
				s, err := roster.OpenCounters(t.Context(), hosts, c.o)
				require.NoError(t, err)
				require.Equal(t, c.want, s.About().Interval)
				require.Equal(t, c.note, s.About().Note)
				s.Configure(esxtop.Request{Interval: time.Minute})
				require.Empty(t, s.About().Note)
				require.NoError(t, s.Close(t.Context()))
			})
		})
	}
}

// More hosts than the default are read after a message.
func TestCountersTell(t *testing.T) {
	for _, c := range []struct{ hosts, told int }{{4, 0}, {5, 1}} {
		t.Run(strconv.Itoa(c.hosts), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				roster, hosts := newCounting(t, []string{"a", "b", "c", "d", "e"}[:c.hosts]...).roster()
				reported := 0
				s, err := roster.OpenCounters(t.Context(), hosts, CounterOptions{Source: CountersEsxtop, OnTraffic: func(string) { reported++ }})
				require.NoError(t, err)
				require.Equal(t, c.told, reported)
				require.NoError(t, s.Close(t.Context()))
			})
		})
	}
}

// After an error of the server itself no other source is tried.
func TestCountersFail(t *testing.T) {
	for name, c := range map[string]struct {
		source CounterSource
		answer error
		want   string
	}{
		"by name": {CountersEsxtop, vspheretest.Faulty(types.NoPermission{}), "reading counters of a: asking for esxtop's counters through vc.example: no permission: privilege " +
			"Global.ServiceManagers is missing on the inventory's root folder; assign the user a role with that privilege there"},
		"no server": {CountersAuto, &session.StatusError{Code: 404}, "reading counters of a: asking for esxtop's counters through vc.example: it answered HTTP 404 Not Found; is it a vCenter Server or an ESXi host, and is the port right? The URL is https://HOST[:PORT]/sdk"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				fake := newCounting(t, "a")
				fake.denied = c.answer
				roster, hosts := fake.roster()
				_, err := roster.OpenCounters(t.Context(), hosts, CounterOptions{Source: c.source})
				require.EqualError(t, err, c.want)
			})
		})
	}
}

// A user without the privilege for the service gets the PerformanceManager's counters and the reason.
func TestCountersWithoutPrivilege(t *testing.T) {
	t.Parallel()
	_, roster, hosts := countingFleet(t, simfleet.Config{Scenarios: []string{"no-esxtop"}}, 0)
	s, err := roster.OpenCounters(t.Context(), hosts("host01"), CounterOptions{})
	require.NoError(t, err)
	about := s.About()
	require.Equal(t, esxtop.Performance, about.Origin)
	require.Regexp(t, `^the Esxtop service cannot be reached: privilege Global\.ServiceManagers is missing on Folder:group-d1`, about.Note)
	require.NoError(t, s.Close(t.Context()))
}

func TestCountersOfManyHosts(t *testing.T) {
	t.Parallel()
	f, roster, hosts := countingFleet(t, simfleet.Config{}, 0)
	s, err := roster.OpenCounters(t.Context(), hosts(), CounterOptions{})
	require.NoError(t, err)
	require.Equal(t, esxtop.Performance, s.About().Origin)
	require.Contains(t, s.About().Note, "for more than 4 hosts, the Esxtop service is used only with --source esxtop")
	require.NoError(t, s.Close(t.Context()))
	require.Zero(t, f.Calls()["QueryServiceList"])
}

// countingFleet starts the demo fleet and opens a session with one of its servers.
func countingFleet(t *testing.T, cfg simfleet.Config, server int) (*simfleet.Fleet, *Roster, func(hosts ...string) []RosterHost) {
	t.Helper()
	vspheretest.Building.Lock()
	defer vspheretest.Building.Unlock()
	f, err := simfleet.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	at := f.Endpoints()[server]
	session := vspheretest.Dial(t, session.Endpoint{URL: at.URL, User: at.User, Password: session.Secret(at.Password), CertificatePEM: at.CertificatePEM, CallTimeout: time.Minute})
	roster, err := ReadRoster(t.Context(), session)
	require.NoError(t, err)
	return f, roster, func(names ...string) []RosterHost {
		hosts, err := roster.Choose(tree.Scope{Hosts: names})
		require.NoError(t, err)
		return hosts
	}
}
