package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/esxtop"
)

func TestEsxtopOfTheFleet(t *testing.T) {
	t.Parallel()
	clock := time.Now()
	f, roster, hosts := countingFleet(t, simfleet.Config{Now: func() time.Time { return clock }}, 0)
	e, err := roster.Esxtop(t.Context(), hosts("host01", "host03"), EsxtopOptions{Request: esxtop.Request{Objects: esxtop.AllObjects}})
	require.NoError(t, err)
	r := oneRound(t, e)
	require.Empty(t, r.Troubles)
	require.Len(t, r.Frames, 2)
	require.Equal(t, 2, f.StatsKept())
	for _, frame := range r.Frames {
		host, known := roster.host(frame.MoID)
		require.True(t, known)
		require.Equal(t, host.Name, frame.Host)
		vms := 0
		for _, g := range frame.Rows(esxtop.Group) {
			if g.VM {
				vms++
				vm, found := roster.vm(frame.MoID, g.Name)
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
	require.Len(t, oneRound(t, e).Frames, 1)
	require.NoError(t, e.Close(t.Context()))
}

// A host that accepts calls and never answers delays neither the start nor the end.
func TestEsxtopOfAHungHost(t *testing.T) {
	t.Parallel()
	_, roster, hosts := countingFleet(t, simfleet.Config{Scenarios: []string{"hung-esxtop"}}, 0)
	e := newEsxtopSource(roster, hosts("host07", "host08"), EsxtopOptions{})
	e.interval = time.Second / 4
	r := oneRound(t, e)
	for n := 0; len(r.Frames) == 0 && n < 40; n++ { // a slow machine takes a few ticks
		r = oneRound(t, e)
	}
	require.Len(t, r.Frames, 1)
	require.Equal(t, "host08.demo.local", r.Troubles[0].Host)
	require.NoError(t, r.Troubles[0].Err)
	require.NoError(t, e.Close(t.Context()))
}

// A session that expires again and again costs only additional calls.
func TestEsxtopOfAShortSession(t *testing.T) {
	t.Parallel()
	f, roster, hosts := countingFleet(t, simfleet.Config{Scenarios: []string{"session-expires"}}, 0)
	e := newEsxtopSource(roster, hosts("host01"), EsxtopOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host)}})
	for range 12 {
		e.began = time.Time{} // no wait
		e.readers[0].last = time.Time{}
		r := oneRound(t, e)
		require.Empty(t, r.Troubles)
	}
	require.Greater(t, f.Calls()["Login"], 1)
	require.NoError(t, e.Close(t.Context()))
}

// TestPeople: a name that two VMs share identifies neither, and a host process with the name of a VM is not that VM.
func TestPeople(t *testing.T) {
	vms := []RosterVM{{MoID: "vm-1", Name: "one", VCPUs: 4}, {MoID: "vm-2", Name: "twin"}, {MoID: "vm-3", Name: "twin"}}
	p := namer{roster: &Roster{vms: map[string][]RosterVM{"host-1": vms}}}
	group := func(name string, vm bool, vcpus int) esxtop.Row {
		r := esxtop.NewRow(esxtop.Group, name, name)
		r.VM, r.VCPUs = vm, vcpus
		return r
	}
	name := func(groups ...esxtop.Row) (rows []esxtop.Row, unknown bool) {
		f := new(esxtop.Frame)
		f.Put(esxtop.Group, groups)
		unknown = p.name(f, RosterHost{MoID: "host-1", Name: "esx"})
		return f.Rows(esxtop.Group), unknown
	}
	rows, unknown := name(group("one", true, 0), group("one", true, 2), group("one", false, 0), group("twin", true, 0), group("stranger", false, 0))
	require.False(t, unknown)
	var got []any
	for _, r := range rows {
		got = append(got, r.MoID, r.VCPUs)
	}
	require.Equal(t, []any{"vm-1", 4, "vm-1", 2, "", 0, "", 0, "", 0}, got)
	_, unknown = name(group("stranger", true, 0))
	require.True(t, unknown)
}
