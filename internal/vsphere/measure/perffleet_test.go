package measure

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"
)

var everything = PerformanceOptions{Request: esxtop.Request{Objects: esxtop.AllObjects}}

// TestPerformanceOfTheFleet reads the vCenter and an ESXi host, whose counter ids differ.
func TestPerformanceOfTheFleet(t *testing.T) {
	for _, endpoint := range []string{"vcenter", "esxi-a"} {
		t.Run(endpoint, func(t *testing.T) {
			clock := newPerfClock()
			s := vspheretest.FleetOf(t, endpoint, simfleet.Config{Now: clock.now})
			source := performanceOf(t, s, clock, everything)
			before := s.Calls()["QueryPerf"]
			var last time.Time
			for range 3 {
				r := nextRound(t, source)
				require.Empty(t, troubles(r))
				require.Len(t, r.Frames, len(source.hosts))
				require.True(t, slices.IsSortedFunc(r.Frames, func(a, b *esxtop.Frame) int { return esxtop.CompareIDs(a.Host, b.Host) }))
				require.True(t, last.IsZero() || r.Time.Equal(last.Add(20*time.Second)))
				last = r.Time
				for i, f := range r.Frames {
					require.Len(t, f.Rows(esxtop.Group), len(source.hosts[i].vms))
					require.NotEmpty(t, f.Rows(esxtop.PCPU))
					usage := value(t, f, esxtop.Host, 0, "pcpu.usedAvg")
					require.False(t, math.IsNaN(usage))
					require.Positive(t, usage)
					for i := range f.Rows(esxtop.Group) {
						ready, each := value(t, f, esxtop.Group, i, "cpu.ready"), value(t, f, esxtop.Group, i, "cpu.readyPerVCPU")
						require.InDelta(t, ready, each*float64(f.Rows(esxtop.Group)[i].VCPUs), 1e-6)
						sum := 0.0
						for w := range f.Rows(esxtop.World) {
							if f.Rows(esxtop.World)[w].Parent == i {
								sum += value(t, f, esxtop.World, w, "cpu.ready")
							}
						}
						require.InDelta(t, ready, sum, 1e-3, "the sum over its vCPUs")
					}
				}
			}
			require.LessOrEqual(t, s.Calls()["QueryPerf"]-before, 3*max(1, len(source.hosts)/4), "the calls depend on the hosts, not on their devices")
		})
	}
}

// TestPerformanceOfTheStockSimulator: the simulator does not know "*" and generates samples on request; available values are
// read.
func TestPerformanceOfTheStockSimulator(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) {
		for _, vm := range m.Map().All(property.TypeVM) {
			vm.(*simulator.VirtualMachine).Runtime.PowerState = types.VirtualMachinePowerStatePoweredOn
		}
	})
	source := performanceOf(t, s.Dial(t), nil, PerformanceOptions{Request: everything.Request, History: 2 * time.Minute})
	r := nextRound(t, source)
	require.Empty(t, troubles(r))
	require.True(t, r.Past)
	require.Len(t, r.Frames, 2)
	for _, o := range []esxtop.Object{esxtop.PCPU, esxtop.Adapter, esxtop.Device, esxtop.Port} {
		require.Empty(t, r.Frames[0].Rows(o), "there is none of the name *")
	}
	vms := 0
	for _, f := range r.Frames {
		vms += len(f.Rows(esxtop.Group))
		require.False(t, math.IsNaN(value(t, f, esxtop.Host, 0, "pcpu.utilAvg")))
	}
	require.Positive(t, vms)
}

// TestStockSimulatorWithoutCSV: zeros are lost in transit, so that a series with a zero is absent and never shifted.
func TestStockSimulatorWithoutCSV(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), nil)
	source := performanceOf(t, s.Dial(t), nil, PerformanceOptions{Request: everything.Request, History: time.Hour})
	source.plain.Store(true)
	for range 20 {
		r := nextRound(t, source)
		require.Empty(t, troubles(r))
		for _, f := range r.Frames {
			if balloon, ok := f.Of(esxtop.Lookup("mem.hostBalloon")); ok {
				require.NotZero(t, balloon)
			}
		}
	}
}

// TestHostThatIsNotConnected: a disconnected host is not asked, and the reason is reported.
func TestHostThatIsNotConnected(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) {
		vspheretest.HostsOf(m)[0].Runtime.ConnectionState = types.HostSystemConnectionStateNotResponding
	})
	source := performanceOf(t, s.Dial(t), nil, everything)
	r := nextRound(t, source)
	require.Len(t, r.Frames, 1)
	require.Equal(t, map[string]string{vspheretest.HostsOf(s.Model)[0].Name: "host not responding (state notResponding)"}, troubles(r))
	require.True(t, r.Troubles[0].Since.IsZero())
}

// TestMovedVM: a moved VM belongs to its current host; another VM of the same name is kept apart.
func TestMovedVM(t *testing.T) {
	p := servePerf(t, 3)
	source := p.open(t, 1, groups)
	r := nextRound(t, source)
	a, b := source.hosts[0].moid, source.hosts[1].moid
	require.Contains(t, readies(r), a+" "+a+"-vm-00")
	roster := source.roster
	moved := roster.vms[a][0]
	roster.vms[b], roster.vms[a] = append(roster.vms[b], moved), nil
	r = nextRound(t, source)
	got := readies(r)
	require.Len(t, got, 3)
	require.Contains(t, got, b+" "+a+"-vm-00")
	require.Contains(t, got, b+" "+b+"-vm-00")
}

// TestRosterIsReadAgain: new and removed VMs are noticed within about a minute.
func TestRosterIsReadAgain(t *testing.T) {
	clock := newPerfClock()
	s := vspheretest.FleetOf(t, "vcenter", simfleet.Config{Now: clock.now})
	source := performanceOf(t, s, clock, groups)
	first := len(readies(nextRound(t, source)))
	require.Positive(t, first)
	vm := ref{Type: property.TypeVM, Value: source.hosts[0].vms[0].vm.MoID}
	_, err := methods.PowerOffVM_Task(t.Context(), s, &types.PowerOffVM_Task{This: vm})
	require.NoError(t, err)
	for range 5 {
		r := nextRound(t, source)
		require.Empty(t, troubles(r))
		require.NotContains(t, readies(r), source.hosts[0].moid+" "+vm.Value)
	}
	require.False(t, slices.ContainsFunc(source.hosts[0].vms, func(v *perfEntity) bool { return v.vm.MoID == vm.Value }))
	require.Equal(t, 2, s.Calls()["CreateContainerView"])
}

// TestNFSVolumes: volumes are those of NFS datastores only.
func TestNFSVolumes(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) {
		d := m.Map().Any("Datastore").(*simulator.Datastore)
		d.Summary.Type, d.Summary.Url, d.Name = "NFS41", "ds:///vmfs/volumes/2cff1c4b-8c4c8a3f/", "shared 1"
	})
	h := vspheretest.HostsOf(s.Model)[0]
	require.NotEmpty(t, h.Datastore)
	source := []*perfHost{{moid: h.Self.Value}}
	session := s.Dial(t)
	require.Equal(t, map[string]string{"2cff1c4b-8c4c8a3f": "shared 1"}, nfsVolumes(t.Context(), session, source))
	require.Empty(t, nfsVolumes(t.Context(), session, nil))
}

// TestAskedWhileWaiting: Ask and About may be called from other goroutines.
func TestAskedWhileWaiting(t *testing.T) {
	p := servePerf(t, 2)
	source := p.open(t, 1, groups)
	var both sync.WaitGroup
	both.Go(func() {
		for i := range 50 {
			source.Configure(esxtop.Request{Interval: time.Duration(i) * time.Second, Objects: esxtop.ObjectsOf(esxtop.Host)})
			require.Equal(t, esxtop.Performance, source.About().Origin)
		}
	})
	for range 5 {
		nextRound(t, source)
	}
	both.Wait()
}

// BenchmarkPerformanceOfALargeFleet reads a round of 64 hosts and 2,000 VMs over HTTPS; the simulator takes most of the time.
func BenchmarkPerformanceOfALargeFleet(b *testing.B) {
	clock := newPerfClock()
	f, err := simfleet.Start(simfleet.Config{Now: clock.now, Hosts: 64, VMs: 2000})
	require.NoError(b, err)
	defer f.Close()
	e := f.Endpoints()[0]
	s, err := session.Dial(b.Context(), session.Endpoint{URL: e.URL, User: e.User, Password: session.Secret(e.Password), CertificatePEM: e.CertificatePEM})
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Close(b.Context())) }()
	roster, err := ReadRoster(b.Context(), s)
	require.NoError(b, err)
	hosts, err := roster.Choose(tree.Scope{})
	require.NoError(b, err)
	p := newPerformance(roster, hosts, PerformanceOptions{Request: everything.Request, Clock: Clock{clock.now, clock.after}})
	require.NoError(b, p.start(b.Context(), 0))
	calls := s.Calls()["QueryPerf"]
	vms := 0
	for b.Loop() {
		r, err := p.Next(b.Context())
		require.NoError(b, err)
		require.Len(b, r.Frames, 64)
		vms = len(readies(r))
	}
	b.ReportMetric(float64(vms), "VMs")
	b.ReportMetric(float64(s.Calls()["QueryPerf"]-calls)/float64(b.N), "calls/op")
}
