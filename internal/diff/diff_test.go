package diff

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

var (
	monday = time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	friday = monday.AddDate(0, 0, 4)
)

// pairOf returns two states of a small server, to be changed by a test.
func pairOf() (from, to *inventory.Snapshot) { return small(monday), small(friday) }

func small(at time.Time) *inventory.Snapshot {
	host := func(id, name string) *inventory.Host {
		return &inventory.Host{
			Entity: inventory.Entity{ID: id, Name: name, Path: "/dc/" + name}, ClusterID: inventory.Known("domain-1"),
			PowerPolicy: inventory.Known("dynamic"), BootTime: inventory.Known(at), MemoryUsedMB: inventory.Known(at.Unix()),
			PNICs: inventory.Known([]*inventory.PNIC{{Device: "vmnic0", Driver: inventory.Known("nmlx5_core"), DriverOptions: inventory.Known("")}}),
		}
	}
	vm := func(id, host string) *inventory.VM {
		return &inventory.VM{
			Entity: inventory.Entity{ID: id, Name: "twin", Path: "/dc/twin"}, HostID: inventory.Known(host), PowerState: inventory.Known("poweredOn"),
			MemoryMB: inventory.Known(int64(4096)), VMX: inventory.Known(map[string]string{}),
		}
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: "vc", VCenters: []*inventory.VCenter{{
		Entity: inventory.Entity{ID: "uuid-1", Name: "vc", Path: "/"}, Kind: inventory.EndpointVCenter, TakenAt: at, Whole: true,
		Clusters: []*inventory.Cluster{{Entity: inventory.Entity{ID: "domain-1", Name: "cluster"}, HostIDs: inventory.Known([]string{"host-1", "host-2"})}},
		Hosts:    []*inventory.Host{host("host-1", "esx01"), host("host-2", "esx02")},
		VMs:      []*inventory.VM{vm("vm-1", "host-1"), vm("vm-2", "host-1")},
	}}}
	s.Link()
	return s
}

func factsOf(t *testing.T, from, to *inventory.Snapshot) *Diff {
	t.Helper()
	from.Link()
	to.Link()
	d, err := Facts(from, to)
	require.NoError(t, err)
	return d
}

// Times of boot and memory in use differ in the two states, and are no change.
func TestWhatChangesByItselfIsNoChange(t *testing.T) {
	from, to := pairOf()
	to.VCenters[0].Hosts[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.load": {Median: 9, Samples: 3}})
	require.True(t, factsOf(t, from, to).Empty())
}

func TestThreeStates(t *testing.T) {
	known, absent, unread := inventory.Known("static"), inventory.Absent[string](), inventory.Unread[string]("no answer")
	for name, test := range map[string]struct {
		from, to inventory.Fact[string]
		want     Kind
		side     string // where it was not read
	}{
		"the same": {known, known, "", ""}, "another value": {known, inventory.Known("low"), Changed, ""}, "became absent": {known, absent, BecameAbsent, ""},
		"appeared": {absent, known, BecamePresent, ""}, "both absent": {absent, absent, "", ""}, "unread before": {unread, known, "", OldSide},
		"unread now": {known, unread, "", NewSide}, "unread on both": {unread, unread, "", BothSide}, "absent, then unread": {absent, unread, "", NewSide},
		"unread, then absent": {unread, absent, "", OldSide}, "not read at all": {inventory.Fact[string]{}, known, "", OldSide},
	} {
		from, to := pairOf()
		from.VCenters[0].Hosts[0].PowerPolicy, to.VCenters[0].Hosts[0].PowerPolicy = test.from, test.to
		d := factsOf(t, from, to)
		if test.want == "" {
			require.Empty(t, d.Changes, name)
		} else {
			require.Len(t, d.Changes, 1, name)
			require.Equal(t, test.want, d.Changes[0].Kind, name)
			require.Equal(t, "uuid-1/host/host-1/powerPolicy", d.Changes[0].Address, name)
		}
		found := ""
		for _, u := range d.Uncompared {
			for _, f := range u.Facts {
				if f == "Host.powerPolicy" && u.Object.ID == "host-1" {
					found = u.Side
					require.NotEmpty(t, u.Reason)
				}
			}
		}
		require.Equal(t, test.side, found, name)
	}
}

// A VM that moved has moved and nothing else; its twin stays apart; a renamed host is the same host.
func TestIdentity(t *testing.T) {
	from, to := pairOf()
	v := to.VCenters[0]
	v.VMs[1].HostID = inventory.Known("host-2")
	v.Hosts[0].Name = "esx01-new"
	d := factsOf(t, from, to)
	require.Len(t, d.Changes, 1)
	c := d.Changes[0]
	require.Equal(t, Moved, c.Kind)
	require.Equal(t, "vm-2", c.Object.ID)
	require.Equal(t, []string{"esx01"}, c.FromNames)
	require.Equal(t, []string{"esx02"}, c.ToNames)
	require.Equal(t, []Renamed{{v.Hosts[0].Ref(), "esx01", "esx01-new"}}, d.Renamed)
	require.Empty(t, d.Came)
	require.Empty(t, d.Went)
}

func TestCameAndWent(t *testing.T) {
	from, to := pairOf()
	to.VCenters[0].VMs[1].ID = "vm-9" // registered again
	d := factsOf(t, from, to)
	require.Len(t, d.Came, 1)
	require.Len(t, d.Went, 1)
	require.Equal(t, "esx01", d.Came[0].Host)
	require.Equal(t, "another VM with this name is gone: vm-2", d.Came[0].Note)

	from, to = pairOf()
	to.VCenters[0].Hosts = to.VCenters[0].Hosts[:1]
	d = factsOf(t, from, to)
	require.Empty(t, d.Went, "its cluster still has the host")
	require.GreaterOrEqual(t, indexOf(d, "host-2", "its cluster lists it, but it was not read"), 0)

	from, to = pairOf()
	to.VCenters[0].Whole = false
	to.VCenters[0].VMs = to.VCenters[0].VMs[:1]
	d = factsOf(t, from, to)
	require.True(t, d.Empty(), "nobody knows of a VM outside the scope")
	require.GreaterOrEqual(t, indexOf(d, "uuid-1", "1 VM of the old side: the new side is a part of the inventory"), 0)
}

func TestServersAreMatchedByUUID(t *testing.T) {
	from, to := pairOf()
	to.VCenters[0].Name = "alias"
	d := factsOf(t, from, to)
	require.Equal(t, "alias", d.Renamed[0].To)
	to.VCenters[0].ID = "uuid-2"
	_, err := Facts(from, to)
	require.ErrorIs(t, err, ErrOtherServer)
	from, to = pairOf()
	from.VCenters[0].ID, to.VCenters[0].ID = "", "" // an ESXi host
	require.True(t, factsOf(t, from, to).Empty())
}

func TestOptions(t *testing.T) {
	option := func(value string) inventory.Option {
		return inventory.Option{Value: inventory.Value{Type: inventory.TypeLong, Text: value}, Default: &inventory.Value{Type: inventory.TypeLong, Text: "1"}}
	}
	from, to := pairOf()
	a, b := from.VCenters[0].Hosts[0], to.VCenters[0].Hosts[0]
	a.Options = inventory.Known(map[string]inventory.Option{"Mem.Old": option("2"), "Mem.Both": option("1"), "Mem.Gone": option("1")})
	b.Options = inventory.Known(map[string]inventory.Option{"Mem.New": option("3"), "Mem.Both": option("5")})
	a.OffDefault, b.OffDefault = inventory.Known([]string{"Mem.Old"}), inventory.Known([]string{"Mem.Both", "Mem.New"})
	d := factsOf(t, from, to)
	got := map[string]Kind{}
	for _, c := range d.Changes {
		got[c.Key] = c.Kind
	}
	require.Equal(t, map[string]Kind{"Mem.Old": Removed, "Mem.Both": Changed, "Mem.New": Added}, got)
	require.Equal(t, []string{"Host.options Mem.Gone"}, d.Uncompared[indexOf(d, "host-1", notSaved)].Facts, "an option at its default is not saved by every vperf")

	b.OffDefault = inventory.Unread[[]string]("no defaults")
	for _, c := range factsOf(t, from, to).Changes {
		require.Equal(t, "Mem.Both", c.Key, "without the list nobody knows")
	}
}

func indexOf(d *Diff, id, reason string) int {
	for i, u := range d.Uncompared {
		if u.Object.ID == id && u.Reason == reason {
			return i
		}
	}
	return -1
}

func TestCounters(t *testing.T) {
	from, to := pairOf()
	series := func(median float64, samples int64) inventory.Series {
		return inventory.Series{Median: median, Samples: samples}
	}
	from.VCenters[0].VMs[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.ready": series(2, 9), "net.rx": series(0, 0)})
	to.VCenters[0].VMs[0].Live = inventory.NewLive(map[string]inventory.Series{"cpu.ready": series(5, 8), "net.rx": series(3, 8), "cpu.costop": series(1, 8)})
	d := factsOf(t, from, to)
	require.True(t, d.Empty())
	require.Equal(t, []Counter{{
		Object: to.VCenters[0].VMs[0].Ref(), Metric: "cpu.ready", Unit: "percent of one vCPU's time", Old: 2, New: 5, OldSamples: 9, NewSamples: 8,
	}}, d.Counters, "no samples are no figure")
}

// run returns a run of vperf that set a value.
func run(id string, at time.Time, target tuning.Target, address tuning.Address, value string) *tuning.Run {
	return &tuning.Run{ID: id, Begin: tuning.Begin{Server: tuning.Server{Name: "vc", UUID: "uuid-1"}, User: "ann"}, Results: []tuning.Result{{
		Target: target, Address: address, State: tuning.StateDone, Since: at, Now: inventory.Known(inventory.StringValue(value)), Rules: []string{"a-rule"},
	}}}
}

func TestCreditRuns(t *testing.T) {
	esx01, vm1 := tuning.Target{Kind: inventory.ScopeHost, ID: "host-1"}, tuning.Target{Kind: inventory.ScopeVM, ID: "vm-1"}
	policy := tuning.Address{Setting: "power-policy"}
	credited := func(change func(from, to *inventory.VCenter), runs ...*tuning.Run) *Run {
		from, to := pairOf()
		change(from.VCenters[0], to.VCenters[0])
		d := factsOf(t, from, to)
		require.Len(t, d.Changes, 1)
		d.CreditRuns(runs)
		return d.Changes[0].Run
	}
	static := func(_, to *inventory.VCenter) { to.Hosts[0].PowerPolicy = inventory.Known("static") }
	tuesday := monday.AddDate(0, 0, 1)

	require.Equal(t, &Run{ID: "r1", User: "ann", When: tuesday, Rules: []string{"a-rule"}}, credited(static, run("r1", tuesday, esx01, policy, "static")))
	require.True(t, credited(static, run("r1", tuesday, esx01, policy, "low")).Since, "somebody else changed it after the run")
	require.Equal(t, "r2", credited(static, run("r2", tuesday.Add(time.Hour), esx01, policy, "static"), run("r1", tuesday, esx01, policy, "low")).ID, "the last one counts")
	require.Nil(t, credited(static, run("r1", monday.Add(-time.Hour), esx01, policy, "static")), "before the old side")
	require.Nil(t, credited(static, run("r1", friday.Add(time.Hour), esx01, policy, "static")), "after the new side")
	require.Nil(t, credited(static, run("r1", tuesday, tuning.Target{Kind: inventory.ScopeHost, ID: "host-2"}, policy, "static")), "another host")
	require.Nil(t, credited(static, run("r1", tuesday, esx01, tuning.Address{Setting: "hyperthreading"}, "static")), "another setting")
	elsewhere := run("r1", tuesday, esx01, policy, "static")
	elsewhere.Server.UUID = "uuid-2"
	elsewhere.Server.Name = "other"
	require.Nil(t, credited(static, elsewhere), "another server has the same ids")
	untouched := run("r1", tuesday, esx01, policy, "static")
	untouched.Results[0].State = tuning.StateUntouched
	require.Nil(t, credited(static, untouched))

	key := func(_, to *inventory.VCenter) { to.VMs[0].VMX = inventory.Known(map[string]string{"Sched.mem.x": "1"}) }
	require.Equal(t, "r1", credited(key, run("r1", tuesday, vm1, tuning.Address{Setting: "vm-vmx/sched.MEM.x"}, "1")).ID, "ESXi ignores case")
	require.Nil(t, credited(key, run("r1", tuesday, vm1, tuning.Address{Setting: "vm-vmx/other"}, "1")))
	driver := func(_, to *inventory.VCenter) {
		nics, _ := to.Hosts[0].PNICs.Value()
		nics[0].DriverOptions = inventory.Known("RSS=4")
	}
	require.Equal(t, "r1", credited(driver, run("r1", tuesday, esx01, tuning.Address{Setting: "driver-options/RSS", Device: "nmlx5_core"}, "4")).ID)
	require.Nil(t, credited(driver, run("r1", tuesday, esx01, tuning.Address{Setting: "driver-options/RSS", Device: "ixgben"}, "4")))
}

func TestCreditEvents(t *testing.T) {
	from, to := pairOf()
	to.VCenters[0].VMs[0].MemoryMB = inventory.Known(int64(8192))
	to.VCenters[0].VMs[0].HostID = inventory.Known("host-2")
	d := factsOf(t, from, to)
	event := func(about inventory.Role, id string, at time.Time) Event {
		return Event{Server: "vc", ID: id, About: about, When: at, User: "bob", Class: "VmReconfiguredEvent"}
	}
	late, early := event(inventory.RoleSetting, "vm-1", friday.Add(-time.Hour)), event(inventory.RoleSetting, "vm-1", monday.Add(time.Hour))
	move := event(inventory.RolePlacement, "vm-1", monday.Add(time.Hour))
	d.CreditEvents([]Event{late, event(inventory.RoleSetting, "vm-2", friday.Add(-time.Hour)), early, move, event(inventory.RoleSetting, "vm-1", monday.Add(-time.Hour))})
	require.Len(t, d.Changes, 2)
	require.Equal(t, []Event{early, late}, d.Changes[0].Events)
	require.Equal(t, []Event{move}, d.Changes[1].Events)
}
