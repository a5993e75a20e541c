package measure

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/esxtop"
)

// counting is a server whose hosts have the Esxtop service. It uses the test's clock.
type counting struct {
	t      *testing.T
	esxi   bool
	schema string
	text   string

	mu       sync.Mutex
	hosts    map[string]*countingHost
	denied   error // the answer to QueryServiceList
	calls    map[string]int
	lists    []types.QueryServiceList
	loggedIn bool
	logins   int
	begun    time.Time
}

// countingHost is one of its hosts.
type countingHost struct {
	gone    bool          // the server does not find its service
	takes   time.Duration // how long it takes to return counters
	hangs   bool
	fails   error // error returned instead of counters
	service int   // changes when the host restarts
	booted  time.Time
	schema  string // "" is the schema of all hosts
	least   string // MinFetchIntervalInUsec; "" means two seconds

	fetching, most int
	fetched, freed int
	learned        int
	at             []time.Duration // times at which counters were requested
}

func newCounting(t *testing.T, hosts ...string) *counting {
	c := &counting{t: t, hosts: map[string]*countingHost{}, calls: map[string]int{}, loggedIn: true, begun: time.Now()}
	for _, file := range []struct {
		to   *string
		name string
	}{{&c.schema, "counterinfo"}, {&c.text, "t0"}} {
		b, err := os.ReadFile("../../../pkg/esxtop/testdata/example-" + file.name + ".dsv")
		require.NoError(t, err)
		*file.to = string(b)
	}
	for _, h := range hosts {
		c.hosts[h] = &countingHost{booted: time.Now().Add(-time.Hour)}
	}
	return c
}

// roster returns the server's hosts, with the example's VM on the first of them.
func (c *counting) roster() (*Roster, []RosterHost) {
	kind := "VirtualCenter"
	if c.esxi {
		kind = "HostAgent"
	}
	e := session.Endpoint{URL: &url.URL{Host: "vc.example"}, User: "audit", CallTimeout: 2 * time.Minute, RetryPause: time.Millisecond}
	s := session.OverTransport(e, c, types.ServiceContent{
		About:          types.AboutInfo{ApiType: kind},
		ServiceManager: &ref{Type: "ServiceManager", Value: "ServiceMgr"},
		SessionManager: &ref{Type: "SessionManager", Value: "SessionManager"},
		ViewManager:    &ref{Type: "ViewManager", Value: "ViewManager"},
	})
	r := &Roster{session: s, vms: map[string][]RosterVM{}}
	var hosts []RosterHost
	for i, name := range slices.Sorted(maps.Keys(c.hosts)) {
		h := RosterHost{MoID: fmt.Sprintf("host-%d", i+1), Name: name}
		r.vms[h.MoID] = []RosterVM{{MoID: fmt.Sprintf("vm-%d", i+1), Name: "web 01 (prod)", Host: h.MoID, VCPUs: 1}}
		hosts = append(hosts, h)
	}
	return r, hosts
}

func (c *counting) open(o EsxtopOptions) (esxtop.Source, error) {
	r, hosts := c.roster()
	if o.Request.Objects == 0 {
		o.Request.Objects = esxtop.AllObjects
	}
	return r.Esxtop(c.t.Context(), hosts, o)
}

func (c *counting) must(interval time.Duration) esxtop.Source {
	c.t.Helper()
	e, err := c.open(EsxtopOptions{Request: esxtop.Request{Interval: interval}})
	require.NoError(c.t, err)
	return e
}

func (c *counting) host(name string) *countingHost {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := *c.hosts[name]
	return &h
}

func (c *counting) change(name string, f func(*countingHost)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.hosts[name])
}

// RoundTrip implements soap.RoundTripper.
func (c *counting) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch req := req.(type) {
	case *methods.LoginBody:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.loggedIn = true
		c.logins++
		res.(*methods.LoginBody).Res = new(types.LoginResponse)
		return nil
	case *methods.QueryServiceListBody:
		list, err := c.list(req.Req)
		res.(*methods.QueryServiceListBody).Res = &types.QueryServiceListResponse{Returnval: list}
		return err
	case *methods.ExecuteSimpleCommandBody:
		text, err := c.execute(ctx, req.Req)
		res.(*methods.ExecuteSimpleCommandBody).Res = &types.ExecuteSimpleCommandResponse{Returnval: text}
		return err
	}
	return vspheretest.Faulty(types.NotSupported{})
}

func (c *counting) list(req *types.QueryServiceList) ([]types.ServiceManagerServiceInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists = append(c.lists, *req)
	if c.denied != nil {
		return nil, c.denied
	}
	name := slices.Collect(maps.Keys(c.hosts))[0]
	if !c.esxi {
		require.Empty(c.t, req.ServiceName)
		name = strings.TrimPrefix(req.Location[0], "vmware.host.")
	}
	h := c.hosts[name]
	if h == nil || h.gone {
		return nil, nil
	}
	var list []types.ServiceManagerServiceInfo
	for _, service := range []string{"VscsiStats", "Esxtop"} {
		list = append(list, types.ServiceManagerServiceInfo{
			ServiceName: service, Service: ref{Type: "SimpleCommand", Value: fmt.Sprintf("%s/%d/%s", name, h.service, service)},
		})
	}
	return list, nil
}

func (c *counting) execute(ctx context.Context, req *types.ExecuteSimpleCommand) (string, error) {
	parts := strings.Split(req.This.Value, "/")
	require.Equal(c.t, "Esxtop", parts[2])
	c.mu.Lock()
	h := c.hosts[parts[0]]
	c.calls[req.Arguments[0]]++
	hangs, takes := h.hangs, h.takes
	switch {
	case !c.loggedIn:
		c.mu.Unlock()
		return "", vspheretest.Faulty(types.NotAuthenticated{})
	case parts[1] != strconv.Itoa(h.service):
		c.mu.Unlock()
		return "", vspheretest.Faulty(types.ManagedObjectNotFound{Obj: req.This})
	}
	if req.Arguments[0] == "FetchStats" {
		h.at = append(h.at, time.Since(c.begun))
		h.fetching++
		h.most = max(h.most, h.fetching)
		defer func() {
			c.mu.Lock()
			h.fetching--
			c.mu.Unlock()
		}()
	}
	c.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return "", ctx.Err()
	}
	if req.Arguments[0] == "FetchStats" && session.Pause(ctx, takes) != nil {
		return "", ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch req.Arguments[0] {
	case "CounterInfo":
		h.learned++
		if h.schema != "" {
			return h.schema, nil
		}
		return c.schema, nil
	case "FreeStats":
		assert.Zero(c.t, h.fetching, "nothing is freed while it is in use")
		h.freed++
		return "", nil
	}
	h.fetched++
	least := h.least
	if least == "" {
		least = "2000000"
	}
	now := fmt.Sprintf("|Server|%s|1|%d|%d|", least, time.Since(h.booted).Microseconds(), time.Now().Unix())
	return strings.Replace(c.text, "|Server|2000000|1|1000000000|1700000000|", now, 1), h.fails
}

// oneRound returns the next round.
func oneRound(t *testing.T, e esxtop.Source) *esxtop.Round {
	t.Helper()
	r, err := e.Next(t.Context())
	require.NoError(t, err)
	return r
}

// bubble runs a test with a fake clock. It ends only when all goroutines have ended: a leaked one is a failure.
func bubble(t *testing.T, f func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

func TestEsxtopSource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host02.example", "host01.example")
		e := c.must(5 * time.Second)
		require.Equal(t, esxtop.About{
			Origin: esxtop.Service, Hosts: []string{"host01.example", "host02.example"}, Interval: 5 * time.Second,
		}, e.About())

		r := oneRound(t, e)
		require.Zero(t, time.Since(c.begun), "the first look takes no waiting")
		require.Len(t, r.Frames, 2)
		require.Empty(t, r.Troubles)
		require.Zero(t, r.Frames[0].Interval, "there is nothing before the first look")
		for range 3 {
			r = oneRound(t, e)
		}
		require.Equal(t, 15*time.Second, time.Since(c.begun))
		f := r.Frames[1]
		require.Equal(t, "host02.example", f.Host)
		require.Equal(t, "host-2", f.MoID)
		require.Equal(t, 5*time.Second, f.Interval)
		require.Equal(t, time.Now().Unix(), r.Time.Unix())
		require.Equal(t, esxtop.Service, f.Origin)

		group := f.Rows(esxtop.Group)[0]
		require.Equal(t, "vm-2", group.MoID)
		require.Equal(t, 1, group.VCPUs)
		require.Equal(t, "host-2", f.Rows(esxtop.Host)[0].MoID)
		require.Equal(t, "vm-2", f.Rows(esxtop.DiskVM)[0].MoID)
		require.Equal(t, "vm-2", f.Rows(esxtop.VDisk)[0].MoID)
		var ports []string
		for _, p := range f.Rows(esxtop.Port) {
			ports = append(ports, p.Name+" "+p.MoID)
		}
		require.Equal(t, []string{"vmnic0 ", "web 01 (prod).eth0 vm-2"}, ports)

		require.NoError(t, e.Close(t.Context()))
		require.NoError(t, e.Close(t.Context()))
		_, err := e.Next(t.Context())
		require.Error(t, err, "it is closed")
		require.Equal(t, map[string]int{"CounterInfo": 2, "FetchStats": 8, "FreeStats": 2}, c.calls)
		require.Len(t, c.lists, 2)
		require.Contains(t, c.lists, types.QueryServiceList{
			This: ref{Type: "ServiceManager", Value: "ServiceMgr"}, Location: []string{"vmware.host.host01.example"},
		})
	})
}

func TestEsxtopSourceOfAHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "localhost.localdomain")
		c.esxi = true
		e := c.must(5 * time.Second)
		require.Len(t, oneRound(t, e).Frames, 1)
		require.Equal(t, "Esxtop", c.lists[0].ServiceName)
		require.Empty(t, c.lists[0].Location)
		require.NoError(t, e.Close(t.Context()))
	})
}

// Only the requested objects are decoded.
func TestEsxtopObjects(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		e, err := c.open(EsxtopOptions{Request: esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Host)}})
		require.NoError(t, err)
		f := oneRound(t, e).Frames[0]
		require.True(t, f.Has(esxtop.Host))
		require.False(t, f.Has(esxtop.Device))
		require.Equal(t, 5*time.Second, e.About().Interval, "esxtop's own delay")
		e.Configure(esxtop.Request{Objects: esxtop.ObjectsOf(esxtop.Device)})
		f = oneRound(t, e).Frames[0]
		require.Equal(t, 5*time.Second, time.Since(c.begun))
		require.True(t, f.Has(esxtop.Device))
		require.False(t, f.Has(esxtop.Host))
		require.NoError(t, e.Close(t.Context()))
	})
}

// However the source ends, a host that was read frees the data it keeps.
func TestEsxtopFrees(t *testing.T) {
	ended := func(t *testing.T) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx
	}
	for name, leave := range map[string]func(t *testing.T, c *counting, e esxtop.Source){
		"closed": func(t *testing.T, _ *counting, e esxtop.Source) { require.NoError(t, e.Close(t.Context())) },
		"closed after the context has ended": func(t *testing.T, _ *counting, e esxtop.Source) {
			_, err := e.Next(ended(t))
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, e.Close(ended(t)))
		},
		"interrupted while a host is asked": func(t *testing.T, c *counting, e esxtop.Source) {
			c.change("host01", func(h *countingHost) { h.takes = time.Second })
			ctx, cancel := context.WithTimeout(t.Context(), 5500*time.Millisecond)
			defer cancel()
			_, err := e.Next(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NoError(t, e.Close(ctx))
			require.Equal(t, 5500*time.Millisecond, time.Since(c.begun))
		},
		"closed while somebody waits": func(t *testing.T, _ *counting, e esxtop.Source) {
			gone := make(chan error)
			go func() {
				_, err := e.Next(t.Context())
				gone <- err
			}()
			synctest.Wait()
			require.NoError(t, e.Close(t.Context()))
			require.Equal(t, errSourceClosed, <-gone)
		},
		"a host that fails": func(t *testing.T, c *counting, e esxtop.Source) {
			c.change("host01", func(h *countingHost) { h.fails = vspheretest.Faulty(types.HostCommunication{}) })
			require.Len(t, oneRound(t, e).Troubles, 1)
			require.Equal(t, 1, c.host("host01").freed, "it is closed immediately")
			require.NoError(t, e.Close(t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newCounting(t, "host01")
				e := c.must(5 * time.Second)
				oneRound(t, e)
				leave(t, c, e)
				require.NoError(t, e.Close(t.Context()))
				require.Equal(t, 1, c.calls["FreeStats"])
				require.Equal(t, 1, c.host("host01").freed)
			})
		})
	}
}

// A host that was never read keeps no data.
func TestEsxtopFreesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		e := c.must(5 * time.Second)
		require.NoError(t, e.Close(t.Context()))
		require.Zero(t, c.calls["FreeStats"])
	})
}

// Closing is quick, even with slow hosts.
func TestEsxtopCloseIsShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02", "host03")
		e := c.must(5 * time.Second)
		oneRound(t, e)
		for name := range c.hosts {
			c.change(name, func(h *countingHost) { h.hangs = true })
		}
		before := time.Now()
		require.ErrorContains(t, e.Close(t.Context()), "reading counters of host02: asking for esxtop's counters through vc.example: no answer within 2s")
		require.Equal(t, 2*time.Second, time.Since(before))
	})
}

// A hung host's data becomes older; the other hosts continue at their pace. A host is never asked twice at a time.
func TestEsxtopHungHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02", "host03")
		e := c.must(5 * time.Second)
		oneRound(t, e)
		c.change("host02", func(h *countingHost) { h.hangs = true })
		for n := range 6 {
			r := oneRound(t, e)
			require.Len(t, r.Frames, 2)
			require.Len(t, r.Troubles, 1)
			trouble := r.Troubles[0]
			require.Equal(t, "host02", trouble.Host)
			require.NoError(t, trouble.Err, "it has not answered yet")
			require.Equal(t, c.begun, trouble.Since)
			// The first of these rounds waits until its end, the others do not.
			require.Equal(t, time.Duration(max(n+1, 2))*5*time.Second, time.Since(c.begun))
			require.Equal(t, 5*time.Second, r.Frames[0].Interval)
		}
		require.Equal(t, 1, c.host("host02").most)
		require.Len(t, c.host("host02").at, 2)
		require.Equal(t, 5*time.Second, e.About().Interval)

		// The call is aborted at its deadline, and the host comes back.
		for time.Since(c.begun) < 2*time.Minute+10*time.Second {
			oneRound(t, e)
		}
		r := oneRound(t, e)
		require.Len(t, r.Troubles, 1)
		require.EqualError(t, r.Troubles[0].Err, "reading counters of host02: asking for esxtop's counters through vc.example: no answer within 2m0s; "+
			"the server accepts requests but does not respond: check its health, and the proxies and firewalls on the way")
		c.change("host02", func(h *countingHost) { h.hangs = false })
		for len(r.Troubles) > 0 {
			r = oneRound(t, e)
			require.Less(t, time.Since(c.begun), 10*time.Minute)
		}
		require.Greater(t, r.Frames[1].Interval, 2*time.Minute, "counts of the meantime are not lost")
		require.NoError(t, e.Close(t.Context()))
	})
}

// No host is read again within two seconds, or within the minimum it reports.
func TestEsxtopFloor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		e := c.must(time.Second / 2)
		require.Equal(t, 2*time.Second, e.About().Interval)
		require.Equal(t, "every 2s instead of 500ms: the hosts refresh their counters no faster", e.About().Note)
		for range 3 {
			oneRound(t, e)
		}
		require.Equal(t, []time.Duration{0, 2 * time.Second, 4 * time.Second}, c.host("host01").at)
		c.change("host01", func(h *countingHost) { h.least = "10000000" })
		oneRound(t, e)
		oneRound(t, e)
		require.Equal(t, 16*time.Second, time.Since(c.begun))
		require.Equal(t, 10*time.Second, e.About().Interval)
		require.NoError(t, e.Close(t.Context()))
	})
}

// Hosts that take more than half of the interval are read less often, until they are fast again.
func TestEsxtopStretch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		e := c.must(5 * time.Second)
		oneRound(t, e)
		c.change("host01", func(h *countingHost) { h.takes = 4 * time.Second })
		oneRound(t, e)
		require.Equal(t, 8*time.Second, e.About().Interval)
		require.Equal(t, "every 8s instead of 5s: the hosts respond slowly", e.About().Note)
		oneRound(t, e)
		c.change("host01", func(h *countingHost) { h.takes = 0 })
		oneRound(t, e)
		require.Equal(t, 5*time.Second, e.About().Interval)
		require.Empty(t, e.About().Note)
		oneRound(t, e)
		var at []time.Duration
		for _, d := range c.host("host02").at {
			at = append(at, d/time.Second)
		}
		require.Equal(t, []time.Duration{0, 5, 13, 21, 26}, at)

		// If no host answers within the interval, it grows for all.
		for name := range c.hosts {
			c.change(name, func(h *countingHost) { h.takes = 12 * time.Second })
		}
		for range 6 {
			oneRound(t, e)
		}
		require.Equal(t, 24*time.Second, e.About().Interval)
		for name := range c.hosts {
			c.change(name, func(h *countingHost) { h.takes = 25 * time.Second })
		}
		for range 6 {
			oneRound(t, e)
		}
		require.Equal(t, longestStretch, e.About().Interval)
		require.Equal(t, 1, c.host("host01").most)
		require.NoError(t, e.Close(t.Context()))
	})
}

// A late answer is part of the next round; no read is lost or made too soon after it.
func TestEsxtopLateHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		e := c.must(5 * time.Second)
		oneRound(t, e)
		c.change("host01", func(h *countingHost) { h.takes = 9500 * time.Millisecond })
		counted := time.Duration(0)
		for range 12 {
			r := oneRound(t, e)
			require.NotEmpty(t, r.Frames)
			for _, f := range r.Frames {
				if f.Host == "host01" {
					counted += f.Interval
				}
			}
		}
		h := c.host("host01")
		last := h.at[len(h.at)-2:]
		require.Contains(t, []time.Duration{last[0] + h.takes, last[1] + h.takes}, counted, "every look counts once")
		for i := 2; i < len(h.at); i++ {
			require.GreaterOrEqual(t, h.at[i]-h.at[i-1]-h.takes, time.Second)
		}
		require.NoError(t, e.Close(t.Context()))
	})
}

// A late answer is returned before the host is read again.
func TestEsxtopLateOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		e := c.must(5 * time.Second)
		oneRound(t, e)
		c.change("host01", func(h *countingHost) { h.takes = 8 * time.Second })
		require.Len(t, oneRound(t, e).Troubles, 1)
		c.change("host01", func(h *countingHost) { h.takes = 0 })
		counted := time.Duration(0)
		for range 4 {
			for _, f := range oneRound(t, e).Frames {
				if f.Host == "host01" {
					counted += f.Interval
				}
			}
		}
		require.Equal(t, time.Since(c.begun), counted)
		require.NoError(t, e.Close(t.Context()))
	})
}

// A vNIC belongs to the VM whose leader world it names, whatever its name.
func TestEsxtopPorts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		c.text = strings.ReplaceAll(c.text, "web 01 (prod).eth0", "web 01 (pr.eth0")
		e := c.must(5 * time.Second)
		ports := oneRound(t, e).Frames[0].Rows(esxtop.Port)
		require.Equal(t, "web 01 (pr.eth0", ports[1].Name)
		require.Equal(t, "vm-1", ports[1].MoID)
		require.NoError(t, e.Close(t.Context()))
	})
}

func TestEsxtopDisconnectedHost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		c.hosts["host02"].gone = true
		e := c.must(5 * time.Second)
		r := oneRound(t, e)
		require.Len(t, r.Frames, 1)
		require.EqualError(t, r.Troubles[0].Err, "reading counters of host02: the server offers no Esxtop service for it: the host is disconnected, "+
			"has a different name in the inventory, or has no such service")
		require.Zero(t, r.Troubles[0].Since)
		c.change("host02", func(h *countingHost) { h.gone = false })
		require.Len(t, oneRound(t, e).Frames, 2)
		require.NoError(t, e.Close(t.Context()))
		require.Equal(t, 2, c.calls["FreeStats"])
	})
}

// The roster's state of a host is a better explanation than a missing service.
func TestEsxtopHostDown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		c.hosts["host02"].gone = true
		roster, hosts := c.roster()
		roster.hosts = map[ref]RosterHost{{Type: property.TypeHost, Value: "host-2"}: {Down: "host disconnected (state disconnected)"}}
		e, err := roster.Esxtop(t.Context(), hosts, EsxtopOptions{})
		require.NoError(t, err)
		require.EqualError(t, oneRound(t, e).Troubles[0].Err, "reading counters of host02: host disconnected (state disconnected)")
		require.NoError(t, e.Close(t.Context()))
	})
}

func TestEsxtopRefused(t *testing.T) {
	for name, c := range map[string]struct {
		answer error
		want   string
	}{
		"no privilege": {vspheretest.Faulty(types.NoPermission{}), "reading counters of host01: asking for esxtop's counters through vc.example: no permission: privilege " +
			"Global.ServiceManagers is missing on the inventory's root folder; assign the user a role with that privilege there"},
		"not supported": {vspheretest.Faulty(types.NotSupported{}), "reading counters of host01: asking for esxtop's counters through vc.example: it does not offer an Esxtop service"},
		"no host":       {nil, "reading counters of host01: the server offers no Esxtop service for it: the host is disconnected, has a different name in the inventory, or has no such service"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				fake := newCounting(t, "host01", "host02")
				fake.denied = c.answer
				for _, h := range fake.hosts {
					h.gone = true
				}
				_, err := fake.open(EsxtopOptions{})
				require.EqualError(t, err, c.want)
				require.Zero(t, fake.calls["FreeStats"])
			})
		})
	}
}

// Opening has a time limit.
func TestEsxtopOpenHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		c.hosts["host01"].hangs, c.hosts["host02"].hangs = true, true
		_, err := c.open(EsxtopOptions{})
		require.EqualError(t, err, "asking for esxtop's counters through vc.example: no answer within 20s")
		require.Equal(t, openLimit, time.Since(c.begun))

		c.hosts["host02"].hangs = false
		before := time.Now()
		e := c.must(5 * time.Second)
		require.Equal(t, openPatience, time.Since(before))
		r := oneRound(t, e)
		require.Len(t, r.Frames, 1)
		require.NoError(t, r.Troubles[0].Err)
		require.NoError(t, e.Close(t.Context()))
	})
}

// An expired session is renewed, and the service is set up again.
func TestEsxtopLogsInAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		e := c.must(5 * time.Second)
		oneRound(t, e)
		c.mu.Lock()
		c.loggedIn = false
		c.mu.Unlock()
		r := oneRound(t, e)
		require.Empty(t, r.Troubles)
		require.Equal(t, 5*time.Second, r.Frames[0].Interval)
		require.Equal(t, 1, c.logins)
		require.Equal(t, 2, c.host("host01").learned)
		oneRound(t, e)
		require.Equal(t, 2, c.host("host01").learned)
		require.NoError(t, e.Close(t.Context()))
	})
}

// A restarted host counts from zero, gives its service another id and may have another release.
func TestEsxtopHostRestarts(t *testing.T) {
	for name, restart := range map[string]func(*countingHost){
		"unnoticed":            func(*countingHost) {},
		"with another service": func(h *countingHost) { h.service++ },
		"as another release": func(h *countingHost) {
			h.schema = "|Server|MinFetchIntervalInUsec,U64|IsVMVisor,B|TimeStampInUsec,U64|Time,S64|\n|PCPU|NumOfLCPUs,U32|NumOfCores,U32|NumOfPackages,U32|\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := newCounting(t, "host01")
				e := c.must(5 * time.Second)
				oneRound(t, e)
				oneRound(t, e)
				c.change("host01", func(h *countingHost) {
					h.booted = time.Now()
					restart(h)
				})
				r := oneRound(t, e)
				for len(r.Frames) == 0 { // the first attempt finds the service gone
					require.ErrorContains(t, r.Troubles[0].Err, "the host's Esxtop service is gone, for example because the host restarted")
					r = oneRound(t, e)
				}
				require.Zero(t, r.Frames[0].Interval)
				require.Equal(t, 2, c.host("host01").learned)
				require.Equal(t, c.host("host01").schema == "", r.Frames[0].Has(esxtop.Device))
				require.Equal(t, 5*time.Second, oneRound(t, e).Frames[0].Interval)
				require.NoError(t, e.Close(t.Context()))
			})
		})
	}
}

// A request for more frequent rounds takes effect before the next round.
func TestEsxtopAskWhileWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		e := c.must(time.Minute)
		oneRound(t, e)
		go func() {
			time.Sleep(10 * time.Second)
			e.Configure(esxtop.Request{Interval: 15 * time.Second, Objects: esxtop.AllObjects})
		}()
		oneRound(t, e)
		require.Equal(t, 15*time.Second, time.Since(c.begun))
		oneRound(t, e)
		require.Equal(t, 30*time.Second, time.Since(c.begun))
		require.NoError(t, e.Close(t.Context()))
	})
}

// It does so even while a host hangs.
func TestEsxtopAskWhileAHostHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01", "host02")
		c.hosts["host01"].hangs = true
		r, hosts := c.roster()
		e := newEsxtopSource(r, hosts, EsxtopOptions{Request: esxtop.Request{Interval: time.Minute, Objects: esxtop.AllObjects}})
		go func() {
			time.Sleep(10 * time.Second)
			e.Configure(esxtop.Request{Interval: 15 * time.Second, Objects: esxtop.AllObjects})
		}()
		require.Len(t, oneRound(t, e).Frames, 1)
		require.Equal(t, 15*time.Second, time.Since(c.begun))
		require.NoError(t, e.Close(t.Context()))
	})
}

// Many hosts cause much traffic through a vCenter: a message announces it, based on one host's answer.
func TestEsxtopTellsWhatItDraws(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var hosts []string
		for i := range 10 {
			hosts = append(hosts, fmt.Sprintf("host%02d", i))
		}
		c := newCounting(t, hosts...)
		c.text += strings.Repeat("|Unknown|1|\n", 50_000)
		var reported []string
		e, err := c.open(EsxtopOptions{Request: esxtop.Request{Interval: 5 * time.Second}, OnTraffic: func(words string) { reported = append(reported, words) }})
		require.NoError(t, err)
		require.Equal(t, []string{"reading the Esxtop service of 10 hosts every 5s causes about 1.2 MB/s of traffic through vc.example"}, reported)
		require.Len(t, oneRound(t, e).Frames, 10)
		require.Equal(t, 10, c.calls["FetchStats"], "what was measured counts")
		require.NoError(t, e.Close(t.Context()))
		require.Equal(t, 10, c.calls["FreeStats"])
	})
}

// An unknown VM may be new: the roster is read again, but not too often.
func TestEsxtopStrangers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newCounting(t, "host01")
		c.text = strings.ReplaceAll(c.text, "web 01 (prod)", "stranger")
		e := c.must(5 * time.Second)
		for range 12 {
			require.Empty(t, oneRound(t, e).Frames[0].Rows(esxtop.Group)[0].MoID)
		}
		looked := e.(*esxtopSource).session.Calls()["CreateContainerView"]
		require.Equal(t, 1, looked)
		oneRound(t, e)
		synctest.Wait()
		require.Equal(t, 2, e.(*esxtopSource).session.Calls()["CreateContainerView"])
		require.NoError(t, e.Close(t.Context()))
	})
}

func TestEsxtopTooManyHosts(t *testing.T) {
	t.Parallel()
	var hosts []string
	for i := range maxEsxtopHosts + 1 {
		hosts = append(hosts, fmt.Sprintf("host%02d", i))
	}
	_, err := newCounting(t, hosts...).open(EsxtopOptions{})
	require.EqualError(t, err, "reading the Esxtop service of 17 hosts: the maximum is 16; name fewer hosts, or use --source performance")
}
