package exporter

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25/mo"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/faulty"
	"github.com/vperf/vperf/internal/source"
	vsession "github.com/vperf/vperf/internal/vsphere/session"
)

// scene is a target behind a front, as its pages show it.
type scene struct {
	*stepper
	*front
	t *testing.T
}

func play(t *testing.T, limit time.Duration) *scene {
	t.Helper()
	return playWith(t, limit, oneCluster)
}

func playWith(t *testing.T, limit time.Duration, keep Filter) *scene {
	t.Helper()
	f := onStage(t).behind(t)
	f.limit = limit
	target := f.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: keep, Dial: f.dial})
	s := &scene{f.drive(t, target), f, t}
	s.step()
	require.Empty(t, s.troubles())
	return s
}

// next takes a round, and gives the page of after.
func (s *scene) next() map[string]float64 {
	s.t.Helper()
	s.step()
	return s.page()
}

func (s *scene) page() map[string]float64 {
	s.t.Helper()
	return series(s.t, textOf(s.t, s.Target))
}

// troubles are the collectors that a page says are not well.
func (s *scene) troubles() (list []string) {
	s.t.Helper()
	for name, v := range s.page() {
		if of, is := strings.CutPrefix(name, `vperf_collector_success{collector="`); is && v == 0 {
			list = append(list, strings.TrimSuffix(of, `"}`))
		}
	}
	slices.Sort(list)
	return list
}

// entityCount is of how many there should be figures.
func entityCount(page map[string]float64) int {
	return int(page[`vperf_collector_entities_expected{collector="performance"}`])
}

// lacking is how many objects have no figures that should have some.
func lacking(page map[string]float64) int {
	const of = `{collector="performance"}`
	return int(page["vperf_collector_entities_expected"+of] - page["vperf_collector_entities_collected"+of])
}

// runs are the sums of CPU time by VM.
func runs(page map[string]float64) map[string]float64 {
	return byMoID(page, "esxi_vm_cpu_run_seconds_total")
}

// grew are the VMs whose sums are greater than before.
func grew(before, after map[string]float64) map[string]bool {
	ids := map[string]bool{}
	for id, v := range runs(after) {
		if v > runs(before)[id] {
			ids[id] = true
		}
	}
	return ids
}

// host has most VMs that run; these are their ids.
func (s *scene) host() (host string, on []string) {
	here := s.snapshot().here
	for id, vms := range here.vms {
		var ids []string
		for _, vm := range vms {
			if isOn(vm.Power) {
				ids = append(ids, vm.MoID)
			}
		}
		if len(ids) > len(on) || len(ids) == len(on) && id < host {
			host, on = id, ids
		}
	}
	return host, on
}

func asks(body []byte, of string) bool {
	return bytes.Contains(body, []byte("<QueryPerf ")) && bytes.Contains(body, []byte(">"+of+"</entity>"))
}

// TestBatchThatIsTooLarge: the limit vpxd.stats.maxQueryMetrics cannot be queried. Exceeding it costs no sample, and
// happens once.
func TestBatchThatIsTooLarge(t *testing.T) {
	s := play(t, 0)
	before := s.page()
	var refused, most atomic.Int32
	s.does(func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		n := int32(bytes.Count(body, []byte("<querySpec>"))) //nolint:gosec // it is small
		if n > 20 {
			refused.Add(1)
			faulty.Refuse(w, "InvalidArgument", "<invalidProperty>querySpec.size</invalidProperty>")
			return true
		}
		most.Store(max(most.Load(), n))
		return false
	})
	page := s.next()
	require.Positive(t, refused.Load())
	require.Positive(t, most.Load())
	for range 3 {
		require.Empty(t, s.troubles())
		require.Zero(t, lacking(page))
		require.Zero(t, missedOf(page))
		require.Len(t, grew(before, page), len(runs(page)))
		refused.Store(0)
		before, page = page, s.next()
		require.Zero(t, refused.Load(), "the limit is remembered")
	}
}

// TestVMThatSpoilsItsBatch: calls fail that ask for it. The others lose nothing, and soon it is alone in that.
func TestVMThatSpoilsItsBatch(t *testing.T) {
	s := play(t, 0)
	_, on := s.host()
	s.does(func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		if asks(body, on[0]) {
			faulty.Refuse(w, "SystemError", "<reason>sick</reason>")
			return true
		}
		return false
	})
	page := s.next()
	require.Equal(t, []string{collectorPerformance}, s.troubles())
	require.Positive(t, lacking(page))
	require.Less(t, lacking(page), 40, "a small piece of its batch")
	require.Equal(t, 1, int(page["vperf_up"]))
	for range 8 {
		page = s.next()
	}
	require.Equal(t, 1, lacking(page))
	require.Equal(t, []string{collectorPerformance}, s.troubles())
	s.does(nil)
	s.config.Clock.After(time.Minute) // it is asked less and less often
	for range 30 {
		if page = s.next(); lacking(page) == 0 {
			break
		}
	}
	require.Empty(t, s.troubles())
	require.Zero(t, missedOf(page), "the server had kept all of it")
}

// TestHostThatHangs: a call about it never ends. The others wait once, and not again; they lose nothing.
func TestHostThatHangs(t *testing.T) {
	t.Parallel()                 // it mostly waits; of the parallel tests, it alone has the shared stage
	s := play(t, 10*time.Second) // less is too little for a busy machine
	host, on := s.host()
	hung := s.hangs(host, on)
	s.next()
	require.Equal(t, []string{collectorPerformance}, s.troubles())
	s.step()
	s.step() // its newest samples arrived more than a minute ago
	before := s.next()
	hung.Store(0)
	after := s.next()
	require.Equal(t, 1, int(after["vperf_up"]))
	require.Equal(t, []string{collectorPerformance}, s.troubles())
	require.LessOrEqual(t, hung.Load(), int32(1), "one call of its own, if any")
	grown := grew(before, after)
	for id := range runs(after) {
		require.True(t, grown[id], id)
	}
	require.NotEmpty(t, grown)
	require.Equal(t, len(on)+1, lacking(after), "it, and its VMs")
	for id := range runs(after) {
		require.NotContains(t, on, id, "stale series are hidden")
	}
	s.end() // the next session asks from where the host is that is behind
	s.does(nil)
	for range 30 {
		if after = s.next(); lacking(after) == 0 {
			break
		}
	}
	require.Empty(t, s.troubles())
	require.Zero(t, missedOf(after), "the server had kept all of it")
}

// hangs has no call answered that asks for a host or one of these VMs, and counts them.
func (s *scene) hangs(host string, on []string) *atomic.Int32 {
	var hung atomic.Int32
	s.does(func(_ http.ResponseWriter, r *http.Request, body []byte) bool {
		if asks(body, host) || slices.ContainsFunc(on, func(id string) bool { return asks(body, id) }) {
			hung.Add(1)
			<-r.Context().Done()
			return true
		}
		return false
	})
	return &hung
}

// TestRosterThatCannotBeRead: counters continue without it, and the page reports it.
func TestRosterThatCannotBeRead(t *testing.T) {
	s := play(t, 0)
	before := s.page()
	s.does(func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
		for _, method := range []string{"WaitForUpdatesEx", "RetrieveProperties", "RetrievePropertiesEx", "CreateFilter"} {
			if bytes.Contains(body, []byte("<"+method+" ")) {
				faulty.Refuse(w, "SystemError", "<reason>sick</reason>")
				return true
			}
		}
		return false
	})
	for range 4 {
		page := s.next()
		require.Equal(t, []string{collectorInventory}, s.troubles())
		require.Equal(t, 1, int(page["vperf_up"]))
		require.Zero(t, lacking(page))
		require.Len(t, grew(before, page), len(runs(page)))
		require.Positive(t, page[`vperf_collector_entities_expected{collector="inventory"}`])
		require.Zero(t, page[`vperf_collector_entities_collected{collector="inventory"}`])
		before = page
	}
	s.does(nil)
	require.Zero(t, missedOf(s.next()))
	require.Empty(t, s.troubles())
}

// others are the sessions of all others at the vCenter, by their keys.
func (w *witness) others() (keys []string) {
	w.t.Helper()
	own, err := session.NewManager(w.Client.Client).UserSession(w.t.Context())
	require.NoError(w.t, err)
	var m mo.SessionManager
	require.NoError(w.t, w.RetrieveOne(w.t.Context(), *w.ServiceContent.SessionManager, []string{"sessionList"}, &m))
	for _, s := range m.SessionList {
		if s.Key != own.Key {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// endSessions ends those of all others, as an administrator may and a restart does.
func (w *witness) endSessions() (n int) {
	w.t.Helper()
	keys := w.others()
	if len(keys) > 0 {
		require.NoError(w.t, session.NewManager(w.Client.Client).TerminateSession(w.t.Context(), keys))
	}
	return len(keys)
}

// TestSessionThatIsEnded, once while the server is there, and once with a server that is away meanwhile and forgets everything.
func TestSessionThatIsEnded(t *testing.T) {
	for name, away := range map[string]int{"by an administrator": 0, "by a restart": 4} {
		t.Run(name, func(t *testing.T) {
			s := play(t, 0)
			before := s.page()
			w := s.witness(t)
			require.Positive(t, w.endSessions())
			s.breaks(func(string) bool { return true })
			for range away {
				s.step()
				require.Zero(t, s.page()["vperf_up"])
				require.NotEmpty(t, s.troubles())
			}
			s.breaks(nil)
			page := s.next()
			for range 12 {
				if page["vperf_up"] == 1 && lacking(page) == 0 {
					break
				}
				page = s.next()
			}
			require.Empty(t, s.troubles())
			require.Equal(t, 1, int(page["vperf_up"]))
			require.Zero(t, lacking(page))
			require.Zero(t, missedOf(page), "the server kept the samples of the outage")
			require.Len(t, grew(before, page), len(runs(page)))
			require.Equal(t, 2, s.Status().Logins)
		})
	}
}

// TestVMThatVanishesWhileItIsAsked: the roster knew it when the question was made.
func TestVMThatVanishesWhileItIsAsked(t *testing.T) {
	s := play(t, 0)
	w := s.witness(t)
	_, on := s.host()
	before := s.page()
	gone := on[slices.IndexFunc(on, func(id string) bool { _, exists := runs(before)[id]; return exists })]
	var once atomic.Bool
	s.does(func(_ http.ResponseWriter, _ *http.Request, body []byte) bool {
		if asks(body, gone) && once.CompareAndSwap(false, true) {
			w.done(w.vm(gone).PowerOff(t.Context()))
			require.NoError(t, w.vm(gone).Unregister(t.Context()))
		}
		return false
	})
	page := s.next()
	require.True(t, once.Load())
	for range 2 {
		require.Empty(t, s.troubles())
		require.Zero(t, lacking(page))
		require.Zero(t, missedOf(page))
		require.NotContains(t, runs(page), gone)
		require.Len(t, grew(before, page), len(runs(page)), "the others are not affected")
		before, page = page, s.next()
	}
}

// TestTwoVMsOfOneNameOnOneHost: both are exported, by their ids.
func TestTwoVMsOfOneNameOnOneHost(t *testing.T) {
	s := play(t, 0)
	here := s.snapshot().here
	host, on := s.host()
	name := func(id string) string {
		return here.vms[host][slices.IndexFunc(here.vms[host], func(vm source.VM) bool { return vm.MoID == id })].Name
	}
	a, b := on[0], on[1]
	s.called.Store(strings.NewReplacer(">"+name(b)+"<", ">"+name(a)+"<"))
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: oneCluster, Dial: s.dial})
	again := &scene{s.drive(t, target), s.front, t}
	var page map[string]float64
	grown := map[string]bool{}
	for range 4 { // the fleet's samples sometimes miss a figure
		before := page
		page = again.next()
		for _, id := range []string{a, b} {
			of := `{moid="` + id + `",vm="` + name(a) + `"}`
			require.Contains(t, page, "esxi_vm_powered_on"+of)
			grown[id] = grown[id] || before != nil && page["esxi_vm_cpu_run_seconds_total"+of] > before["esxi_vm_cpu_run_seconds_total"+of]
		}
	}
	require.True(t, grown[a] && grown[b])
	require.Empty(t, again.troubles())
	require.Zero(t, lacking(page))
	require.Zero(t, missedOf(page))
}

// TestOutageOfMoreThanAnHour: hosts store an hour of samples. Older ones are missed for the reason of the outage, and
// each slot is either taken or missed.
func TestOutageOfMoreThanAnHour(t *testing.T) {
	s := playWith(t, 0, Filter{Include: []Pattern{{Path: "/*/host/*/host01*"}, {Path: "/*/host/*/host01*/**"}}})
	first, before := s.newest(), s.page()
	s.breaks(func(string) bool { return true })
	for s.source != nil {
		s.step()
	}
	s.config.Clock.After(70 * time.Minute)
	s.step()
	page := s.page()
	require.Positive(t, page[`vperf_samples_missed_total{reason="connection"}`], "it is reported during the outage")
	s.breaks(nil)
	for range 250 {
		if s.step(); s.Status().Up {
			break
		}
	}
	page = s.next()
	require.Empty(t, s.troubles())
	require.Greater(t, entityCount(page), 3)
	require.Zero(t, page[`vperf_samples_missed_total{reason="too_old"}`])
	noneGoesBack(t, []scrape{{first, before}, {s.newest(), page}})
	slots := int(s.newest().Sub(first)/interval) + 1
	require.Equal(t, slots*entityCount(page), int(page["vperf_samples_collected_total"]+missedOf(page)))
	require.Equal(t, int(missedOf(page)), int(page[`vperf_samples_missed_total{reason="connection"}`]), "%v", s.Status().Ledger.Missed)
}

// TestSeriesBeyondTheLimit: the number of hidden series is exported, and counted in each round.
func TestSeriesBeyondTheLimit(t *testing.T) {
	s := onStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, MaxSeries: 100, Filter: Filter{Include: []Pattern{{Name: "host01*"}, {Path: "/*/host/*/host01*/**"}}}})
	st := s.drive(t, target)
	var over float64
	for range 2 {
		st.step()
		page := series(t, textOf(t, target))
		over += page["vperf_series_over_limit"]
		require.Positive(t, page["vperf_series_over_limit"])
		require.LessOrEqual(t, page["vperf_series"], 100.0)
		require.InDelta(t, over, page["vperf_series_dropped_total"], 0)
	}
}

// TestReasonOfASessionThatIsGone: the ledger gets the reason for missed samples, even if no round has seen it.
func TestReasonOfASessionThatIsGone(t *testing.T) {
	s := playWith(t, 0, Filter{Include: []Pattern{{Name: "host01*"}}})
	s.config.Clock.After(70 * time.Minute)
	s.disconnected(&vsession.ConnectError{Host: "demo", Operation: "connecting to", Why: "connection refused"})
	missed := s.Status().Ledger.Missed
	require.NotZero(t, missed["connection"])
	require.Zero(t, missed["too_old"])
}
