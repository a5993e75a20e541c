package audit_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// fakeServer gives the same two hosts at every read and remembers whom it was asked about afterwards.
type fakeServer struct {
	readErr, fillErr error
	reads            int
	filled           []string
	asked            inventory.Needs
	load             map[string]float64 // cpu.utilization by host
}

func (f *fakeServer) Read(_ context.Context, _ inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	f.reads++
	f.asked = needs
	if f.readErr != nil {
		return nil, f.readErr
	}
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter, Hosts: []*inventory.Host{host("fast", 40_000), host("slow", 10_000)}}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, VCenters: []*inventory.VCenter{v}}
	for _, h := range v.Hosts {
		if p95, ok := f.load[h.Name]; ok {
			h.Live = inventory.NewLive(map[string]inventory.Series{"cpu.utilization": {P95: p95, Samples: 9}})
		}
	}
	s.Link()
	return s, nil
}

func (f *fakeServer) Fill(_ context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	for _, h := range hosts {
		f.filled = append(f.filled, h.Name)
		nics, _ := h.PNICs.Value()
		nics[0].DriverOptions, nics[0].RSS = inventory.Known("RSS=0"), inventory.Known(false)
	}
	if !needs.Any("PNIC.rss") {
		return errors.New("nobody needs it")
	}
	return f.fillErr
}

func host(name string, mbps int64) *inventory.Host {
	h := &inventory.Host{
		Cloud: inventory.Known(""), CloudEvidence: inventory.Known(""),
		Kind: inventory.Known(inventory.HostPhysical), Version: inventory.Known(inventory.Version{Major: 7}),
		PNICs: inventory.Known([]*inventory.PNIC{{
			Device: "vmnic0", Driver: inventory.Known("nmlx5_core"), Uplink: inventory.Known(true), LinkMbps: inventory.Known(mbps),
			EDP: inventory.Known(false), RSS: inventory.Unread[bool](inventory.PerHost), DriverOptions: inventory.Unread[string](inventory.PerHost),
		}}),
	}
	h.ID, h.Name, h.Path = name, name, "/dc/host/"+name
	h.Tags, h.Attributes = inventory.Known([]string{}), inventory.Known(map[string]string{})
	return h
}

func request(t *testing.T, ids ...string) audit.Request {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Rules: ids})
	require.NoError(t, err)
	return audit.Request{Rules: set}
}

func TestOnlyUndecidedHostsAreAskedAgain(t *testing.T) {
	f := new(fakeServer)
	a, err := audit.Run(t.Context(), f, request(t, "rss"))
	require.NoError(t, err)
	require.Equal(t, 1, f.reads)
	require.Equal(t, []string{"fast"}, f.filled, "a host that the rule does not apply to is skipped")
	require.Equal(t, map[advice.Outcome]int{advice.Fail: 1, advice.NotApplicable: 1}, a.Result.Counts)
}

func TestNobodyIsAskedAgainWhenAllIsDecided(t *testing.T) {
	f := new(fakeServer)
	_, err := audit.Run(t.Context(), f, request(t, "power-bios-control"))
	require.NoError(t, err)
	require.Empty(t, f.filled)
}

// Facts of causes that need a per-host call are fetched too, and only for hosts with the symptom.
func TestHostsAreAskedForCauses(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: fstest.MapFS{
		"busy.yaml": {Data: []byte("id: busy\ntitle: T\ncategory: monitoring\nscope: host\nseverity: low\nwhy: W.\nwant: host.live(\"cpu.utilization\").p95 < 90.0\n")},
		"why.yaml": {Data: []byte("id: why\ntitle: T\ncategory: diagnosis\nscope: host\nseverity: low\nwhy: W.\nexplains: [busy]\n" +
			"because: host.pnics.exists(n, !n.rss)\n")},
	}, User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	f := &fakeServer{load: map[string]float64{"fast": 95, "slow": 50}}
	a, err := audit.Run(t.Context(), f, audit.Request{Rules: set})
	require.NoError(t, err)
	require.Equal(t, []string{"fast"}, f.filled)
	require.Len(t, a.Result.Diagnoses, 1)
	require.Equal(t, advice.Fail, a.Result.Diagnoses[0].Finding.Outcome)
}

// Accepting findings comes last: after the second round, which found the fail.
func TestAcceptedFindings(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	r := request(t, "rss")
	found, err := audit.Run(t.Context(), new(fakeServer), r)
	require.NoError(t, err)

	r.Baseline = advice.NewBaseline(found.Result)
	a, err := audit.Run(t.Context(), new(fakeServer), r)
	require.NoError(t, err)
	require.Equal(t, &advice.BaselineCount{Known: 1}, a.Result.Baseline)

	r.Waivers = l.Waivers("2026-06-10")
	require.NoError(t, r.Waivers.Parse("w.yaml", []byte("waivers: [{rule: rss, object: fast, reason: x, until: 2026-06-10}]")))
	f := new(fakeServer)
	a, err = audit.Run(t.Context(), f, r)
	require.NoError(t, err)
	require.Equal(t, 1, a.Result.Counts[advice.Waived])
	require.Equal(t, new(advice.BaselineCount), a.Result.Baseline, "what is waived is not known")
	require.Empty(t, a.Result.Warnings)
	require.True(t, f.asked.Any("Host.attributes") && f.asked.Any("Host.tags"))

	r.Options.Profile = advice.ProfileGeneral
	_, err = audit.Run(t.Context(), f, r)
	require.NoError(t, err)
	require.True(t, f.asked.Any("Host.attributes"), "waivers read them, whoever decides the profile")
	require.False(t, f.asked.Any("Host.tags"))
}

// readOnly hides Fill, as a saved snapshot does.
type readOnly struct{ audit.Source }

func TestASourceThatCannotFillLeavesUnknowns(t *testing.T) {
	a, err := audit.Run(t.Context(), readOnly{new(fakeServer)}, request(t, "rss"))
	require.NoError(t, err)
	require.Equal(t, 1, a.Result.Counts[advice.Unknown])
	require.Equal(t, inventory.PerHost, a.Result.Unread[0].Reason)
}

func TestErrorsArePassedOn(t *testing.T) {
	broken := errors.New("broken")
	_, err := audit.Run(t.Context(), &fakeServer{readErr: broken}, request(t, "rss"))
	require.ErrorIs(t, err, broken)
	_, err = audit.Run(t.Context(), &fakeServer{fillErr: broken}, request(t, "rss"))
	require.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = audit.Run(ctx, new(fakeServer), request(t, "rss"))
	require.ErrorIs(t, err, context.Canceled)
}

// Waiting changes are judged by the boot time of their host, which is read only then.
func TestBootTimesAreReadForWhatWaits(t *testing.T) {
	f, r := new(fakeServer), request(t, "rss")
	_, err := audit.Run(t.Context(), f, r)
	require.NoError(t, err)
	require.False(t, f.asked.Any("Host.bootTime"))

	r.Options.Waiting = []advice.Waiting{{Rule: "rss", Kind: inventory.ScopeHost, ID: "fast"}}
	_, err = audit.Run(t.Context(), f, r)
	require.NoError(t, err)
	require.True(t, f.asked.Any("Host.bootTime"))
}
