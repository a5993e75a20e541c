package read

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/hostfacts"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

// modules is a host's HostKernelModuleSystem, which the simulator does not have.
type modules struct {
	mo.HostKernelModuleSystem
	configured map[string]string
	fault      types.BaseMethodFault
}

func (m *modules) QueryConfiguredModuleOptionString(req *types.QueryConfiguredModuleOptionString) soap.HasFault {
	body := new(methods.QueryConfiguredModuleOptionStringBody)
	options, ok := m.configured[req.Name]
	switch {
	case m.fault != nil:
		body.Fault_ = simulator.Fault("said the host", m.fault)
	case !ok:
		body.Fault_ = simulator.Fault("", new(types.NotFound))
	default:
		body.Res = &types.QueryConfiguredModuleOptionStringResponse{Returnval: options}
	}
	return body
}

// giveModules adds a module system to a host.
func giveModules(m *simulator.Model, h *simulator.HostSystem, s *modules) {
	s.Self = types.ManagedObjectReference{Type: "HostKernelModuleSystem", Value: "modules-" + h.Self.Value}
	h.ConfigManager.KernelModuleSystem = new(s.Self)
	m.Map().Put(s)
}

// wire gives a host NICs with these drivers; all are uplinks except those after "-".
func wire(h *simulator.HostSystem, drivers ...string) {
	network := *h.Config.Network
	h.Config.Network = &network
	network.Pnic, network.Vswitch, network.ProxySwitch = nil, []types.HostVirtualSwitch{{Name: "vSwitch0"}}, nil
	for i, driver := range drivers {
		idle := strings.HasPrefix(driver, "-")
		n := types.PhysicalNic{Key: fmt.Sprint("key", i), Device: fmt.Sprint("vmnic", i), Driver: strings.TrimPrefix(driver, "-")}
		network.Pnic = append(network.Pnic, n)
		if !idle {
			network.Vswitch[0].Pnic = append(network.Vswitch[0].Pnic, n.Key)
		}
	}
}

func needRSS() inventory.Needs { return vspheretest.NeedsOf("PNIC.rss", "PNIC.driverOptions") }

// filled reads the inventory and calls Fill.
func filled(t *testing.T, session *session.Session) *inventory.VCenter {
	t.Helper()
	vc, err := Inventory(t.Context(), session, tree.Scope{}, needRSS(), nil)
	require.NoError(t, err)
	require.NoError(t, Fill(t.Context(), session, vc.Hosts, needRSS(), nil))
	return vc
}

// told lists the known facts of a host's NICs after Fill.
func told(h *inventory.Host) (all []string) {
	nics, _ := h.PNICs.Value()
	for _, n := range nics {
		options, known := n.DriverOptions.Value()
		if !known {
			options = vspheretest.ReasonOf(&n.DriverOptions)
		}
		on, known := n.RSS.Value()
		rss := strconv.FormatBool(on)
		if !known {
			rss = vspheretest.ReasonOf(&n.RSS)
		}
		all = append(all, options+" | "+rss)
	}
	return all
}

func TestFill(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(3), func(m *simulator.Model) {
		hosts := vspheretest.HostsOf(m)
		wire(hosts[0], "nmlx5_core", "nmlx5_core", "-nmlx5_core", "-ntg3", "")
		giveModules(m, hosts[0], &modules{configured: map[string]string{"nmlx5_core": "DRSS=4 max_vfs=0"}})
		wire(hosts[1], "i40en", "ixgben", "lost")
		giveModules(m, hosts[1], &modules{configured: map[string]string{"i40en": "", "ixgben": "RSS=1"}})
		wire(hosts[2], "-ntg3")
	})
	session := s.Dial(t)
	vc := filled(t, session)
	noDriver := "unread: the host does not report the driver of vmnic4"
	perHost := "unread: " + inventory.PerHost
	require.Equal(t, []string{
		"DRSS=4 max_vfs=0 | true", "DRSS=4 max_vfs=0 | true", "DRSS=4 max_vfs=0 | true", perHost + " | " + perHost, noDriver + " | " + noDriver,
	}, told(vc.Hosts[0]))
	lost := "unread: the host has no module lost"
	require.Equal(t, []string{
		" | unread: driver i40en leaves RSS to a default that is not known",
		"RSS=1 | unread: which option of driver ixgben turns RSS on is not known",
		lost + " | " + lost,
	}, told(vc.Hosts[1]))
	require.Equal(t, []string{perHost + " | " + perHost}, told(vc.Hosts[2]), "a NIC that carries nothing")

	calls := session.Calls()
	require.Equal(t, 4, calls["QueryConfiguredModuleOptionString"], "once for each driver of each host")
	require.Equal(t, 2+1, calls["RetrievePropertiesEx"], "one for all hosts")
}

func TestFillAsksOnlyWhatIsNeededOfWhomItIsGiven(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(2), func(m *simulator.Model) {
		for _, h := range vspheretest.HostsOf(m) {
			wire(h, "nmlx4_en")
			giveModules(m, h, &modules{configured: map[string]string{"nmlx4_en": "num_rings_per_rss_queue=4"}})
		}
	})
	session := s.Dial(t)
	vc, err := Inventory(t.Context(), session, tree.Scope{}, needRSS(), nil)
	require.NoError(t, err)
	before := session.Calls()
	require.NoError(t, Fill(t.Context(), session, vc.Hosts, vspheretest.NeedsOf("Host.cores", "PNIC.linkMbps"), nil))
	require.NoError(t, Fill(t.Context(), session, nil, needRSS(), nil))
	require.NoError(t, Fill(t.Context(), session, []*inventory.Host{{Entity: inventory.Entity{Unread: "down"}}, {}}, needRSS(), nil))
	require.Equal(t, before, session.Calls())
	require.NoError(t, Fill(t.Context(), session, []*inventory.Host{vc.Hosts[1], vc.Hosts[1]}, needRSS(), nil))
	require.Equal(t, 1, session.Calls()["QueryConfiguredModuleOptionString"])
	require.Equal(t, []string{"num_rings_per_rss_queue=4 | true"}, told(vc.Hosts[1]))
	nics, _ := vc.Hosts[0].PNICs.Value()
	require.Equal(t, "unread: "+inventory.PerHost, vspheretest.ReasonOf(&nics[0].RSS))
}

// TestFillGoesOn: a refusal by one host does not affect the others.
func TestFillGoesOn(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(4), func(m *simulator.Model) {
		hosts := vspheretest.HostsOf(m)
		for _, h := range hosts {
			wire(h, "nmlx4_en")
		}
		giveModules(m, hosts[0], &modules{fault: &types.NoPermission{PrivilegeId: "Host.Config.Settings"}})
		giveModules(m, hosts[1], &modules{fault: &types.HostCommunication{}})
		hosts[2].ConfigManager.KernelModuleSystem = nil
		giveModules(m, hosts[3], &modules{configured: map[string]string{"nmlx4_en": ""}})
	})
	vc := filled(t, s.Dial(t))
	var all []string
	for _, h := range vc.Hosts {
		all = append(all, told(h)...)
	}
	for i, want := range []string{"no permission (privilege Host.Config.Settings)", "the connection to the host was lost: said the host", perhost.NoModules} {
		require.Equal(t, "unread: "+want+" | unread: "+want, all[i])
	}
	require.Equal(t, " | false", all[3])

	gone := vspheretest.HostsOf(s.Model)[3].Self
	s.Map().Remove(simulator.NewContext(), gone)
	require.NoError(t, Fill(t.Context(), s.Dial(t), vc.Hosts, needRSS(), nil))
	require.Contains(t, told(vc.Hosts[3])[0], "unread: the server returned nothing about the host")
}

// TestFillOfTheStockSimulator: the simulator's hosts name module systems that do not exist.
func TestFillOfTheStockSimulator(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) { wire(vspheretest.HostsOf(m)[0], "nmlx4_en") })
	got := told(filled(t, s.Dial(t)).Hosts[0])
	require.Len(t, got, 1)
	require.Regexp(t, "^unread: managed object not found: .*HostKernelModuleSystem.* \\| unread: managed object not found", got[0], "the server's own fault")
}

func TestFillWhenNoModuleSystemCanBeFound(t *testing.T) {
	t.Parallel()
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) { wire(vspheretest.HostsOf(m)[0], "nmlx4_en") })
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte(perhost.PathModules)) {
			vspheretest.Fault(w, "A general system error occurred", "SystemError", "<reason>boom</reason>")
			return
		}
		next.ServeHTTP(w, r)
	})
	require.Contains(t, told(filled(t, s.Dial(t)).Hosts[0])[0], "unread: system error: A general system error occurred")
}

func TestFillIsBoundedAndCanBeInterrupted(t *testing.T) {
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) {
		vspheretest.AddHosts(t, m, 19)
		for _, h := range vspheretest.HostsOf(m) {
			wire(h, "nmlx4_en")
			giveModules(m, h, &modules{configured: map[string]string{"nmlx4_en": ""}})
		}
	})
	var mu sync.Mutex
	now, most := 0, 0
	var hang func() // called when a request hangs
	const atOnce = 8
	together := make(chan struct{}) // closed when so many requests are in flight
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if !bytes.Contains(body, []byte("<QueryConfiguredModuleOptionString ")) {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		now++
		if now == atOnce && most < atOnce {
			close(together)
		}
		most = max(most, now)
		hanging := hang
		mu.Unlock()
		if hanging != nil {
			hanging()
			<-r.Context().Done()
		} else {
			select {
			case <-together:
				time.Sleep(2 * time.Millisecond) // to let a further request arrive
			case <-r.Context().Done():
			}
			next.ServeHTTP(w, r)
		}
		mu.Lock()
		now--
		mu.Unlock()
	})
	session := s.Dial(t)
	vc := filled(t, session)
	require.Len(t, vc.Hosts, 20)
	for _, h := range vc.Hosts {
		require.Equal(t, []string{" | false"}, told(h), "%s %s", h.Unread, vspheretest.ReasonOf(&h.PNICs))
	}
	require.Equal(t, atOnce, most)

	vc, err := Inventory(t.Context(), session, tree.Scope{}, needRSS(), nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	mu.Lock()
	hang = cancel
	mu.Unlock()
	start := time.Now()
	err = Fill(ctx, session, vc.Hosts, needRSS(), nil)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "asking hosts through 127.0.0.1")
	require.Less(t, time.Since(start), time.Minute)
	require.Contains(t, told(vc.Hosts[0])[0], inventory.PerHost, "an interrupted call is no reason")
	require.ErrorIs(t, Fill(ctx, session, vc.Hosts, needRSS(), nil), context.Canceled)
}

func TestRSSByDriver(t *testing.T) {
	const unknown, odd = "leaves RSS to a default that is not known", "not a number"
	for driver, cases := range map[string]map[string]string{
		"nmlx4_en": {
			"num_rings_per_rss_queue=4": "true", "num_rings_per_rss_queue=1 max_vfs=2": "true", "num_rings_per_rss_queue=0": "false",
			"": "false", "max_vfs=2": "false", "num_rings_per_rss_queue=many": odd, "num_rings_per_rss_queue=0 num_rings_per_rss_queue=2": "true",
		},
		"nmlx5_core": {
			"RSS=4": "true", "DRSS=16": "true", "GEN_RSS=2": "true", "RSS=0": "false", "RSS=0 DRSS=0": "false", "RSS=0 DRSS=4": "true",
			"DRSS=0": unknown, "GEN_RSS=0": unknown, "": unknown, "DYN_RSS=1": unknown, "RSS=": odd, "RSS=x DRSS=4": "true", "rss=4": unknown,
		},
		"i40en": {
			"RSS=4,4": "true", "RSS=0,1": "true", "DRSS=0,0 RSS=1,0": "true", "RSS=0,0": "false", "DRSS=0,0": unknown, "RSS=0,0 DRSS=0,0": "false",
			"": unknown, "vmdq=8,8": unknown, "RSS=0,x": odd, "RSS=0x4": "true",
		},
		"i40en_ens": {"DRSS=4,4": "true", "DRSS=0,0 RSS=0,0": "false", "": unknown},
		"ixgben":    {"RSS=4": "which option of driver ixgben turns RSS on is not known", "": "which option of driver ixgben turns RSS on is not known"},
	} {
		for options, want := range cases {
			f := hostfacts.Rss(driver, options)
			got := vspheretest.ReasonOf(&f)
			if on, ok := f.Value(); ok {
				got = strconv.FormatBool(on)
			}
			require.Contains(t, got, want, "%s %q", driver, options)
		}
	}
}

// TestAHostThatHangsCostsOneCall: one of 64 hosts does not answer. It is asked once, its facts are unread with the reason, and those of the
// others are read.
func TestAHostThatHangsCostsOneCall(t *testing.T) {
	t.Parallel()
	hanging, id := "", ""
	s := vspheretest.Start(t, vspheretest.SmallVPX(1), func(m *simulator.Model) {
		vspheretest.AddHosts(t, m, 63)
		for _, h := range vspheretest.HostsOf(m) {
			wire(h, "nmlx4_en", "nmlx5_core", "i40en")
			giveModules(m, h, &modules{configured: map[string]string{"nmlx4_en": "", "nmlx5_core": "DRSS=4", "i40en": ""}})
		}
		of := vspheretest.HostsOf(m)[7]
		hanging, id = ">"+of.ConfigManager.KernelModuleSystem.Value+"<", of.Self.Value
	})
	var asked atomic.Int32
	s.Tamper(func(w http.ResponseWriter, r *http.Request, body []byte, next http.Handler) {
		if bytes.Contains(body, []byte("<QueryConfiguredModuleOptionString ")) && bytes.Contains(body, []byte(hanging)) {
			asked.Add(1)
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	conn := s.Dial(t)
	vc, err := Inventory(t.Context(), conn, tree.Scope{}, needRSS(), nil)
	require.NoError(t, err)
	require.Len(t, vc.Hosts, 64)
	at := slices.IndexFunc(vc.Hosts, func(h *inventory.Host) bool { return h.ID == id })
	var notes atomic.Int32
	fill := func(hosts ...*inventory.Host) {
		require.NoError(t, Fill(t.Context(), conn, hosts, needRSS(), func(int, int) { notes.Add(1) }))
	}
	conn.SetForTest(session.TestSettings{CallTimeouts: map[string]time.Duration{"QueryConfiguredModuleOptionString": 200 * time.Millisecond}})
	fill(vc.Hosts[at]) // apart: on a busy machine, other hosts need longer than that, too
	for _, f := range told(vc.Hosts[at]) {
		require.Contains(t, f, "no answer within 200ms", "the reason, not an absence")
	}
	require.EqualValues(t, 1, asked.Load(), "the host is not asked again")
	conn.SetForTest(session.TestSettings{CallTimeouts: map[string]time.Duration{}})
	rest := slices.Delete(slices.Clone(vc.Hosts), at, at+1)
	fill(rest...)
	for _, h := range rest {
		require.Equal(t, "DRSS=4 | true", told(h)[1])
	}
	require.EqualValues(t, 64, notes.Load(), "progress counts each host")
}
