package exporter

import (
	"context"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/performance"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// witness asks the fleet for the same samples in its own way: with govmomi, whole, and all at once.
type witness struct {
	*govmomi.Client
	t *testing.T
}

func (s *stage) witness(t *testing.T) *witness {
	t.Helper()
	u := *s.fleet.URL()
	u.User = url.UserPassword(s.fleet.User(), s.fleet.Password())
	c, err := govmomi.NewClient(t.Context(), &u, true)
	require.NoError(t, err)
	w := &witness{c, t}
	t.Cleanup(func() { _ = c.Logout(t.Context()) })
	return w
}

// sums are those of a counter's raw samples after from and up to to, by id, how many samples there were, and how many of them without a figure.
func (w *witness) sums(kind, counter string, ids []string, from, to time.Time) (sums map[string]float64, samples, empty map[string]int) {
	w.t.Helper()
	m := performance.NewManager(w.Client.Client)
	infos, err := m.CounterInfoByName(w.t.Context())
	require.NoError(w.t, err)
	require.Contains(w.t, infos, counter)
	begin, end := from.Add(time.Second), to.Add(time.Second)
	var specs []types.PerfQuerySpec
	for _, id := range ids {
		specs = append(specs, types.PerfQuerySpec{
			Entity: types.ManagedObjectReference{Type: kind, Value: id}, IntervalId: 20, StartTime: &begin, EndTime: &end,
			MetricId: []types.PerfMetricId{{CounterId: infos[counter].Key, Instance: ""}},
		})
	}
	found, err := m.Query(w.t.Context(), specs)
	require.NoError(w.t, err)
	sums, samples, empty = map[string]float64{}, map[string]int{}, map[string]int{}
	for _, e := range found {
		of := e.(*types.PerfEntityMetric)
		for _, v := range of.Value {
			series := v.(*types.PerfMetricIntSeries)
			require.Len(w.t, series.Value, len(of.SampleInfo))
			for i, at := range of.SampleInfo {
				if !at.Timestamp.After(from) || at.Timestamp.After(to) {
					continue
				}
				samples[of.Entity.Value]++
				if series.Value[i] == noFigure {
					empty[of.Entity.Value]++
					continue
				}
				sums[of.Entity.Value] += float64(series.Value[i])
			}
		}
	}
	return sums, samples, empty
}

// noFigure is VMware's value for a missing figure of a sample.
const noFigure = -1

// oneCluster is a part of the fleet that is large enough for the test.
var oneCluster = Filter{Include: []Pattern{{Path: "/*/host/general/**"}}}

// Scales of VMware's values for an interval: milliseconds, and kilobytes per second.
const (
	millis     = 1e-3
	kilobytes  = 20 * 1024
	asItStands = 1
)

// checks are all sums of hosts and VMs that are a counter's, and that counter, as VMware writes it.
var checks = []struct {
	series, kind, counter string
	scale                 float64
}{
	{"esxi_vm_cpu_ready_seconds_total", "VirtualMachine", "cpu.ready.summation", millis},
	{"esxi_vm_cpu_costop_seconds_total", "VirtualMachine", "cpu.costop.summation", millis},
	{"esxi_vm_cpu_run_seconds_total", "VirtualMachine", "cpu.run.summation", millis},
	{"esxi_vm_cpu_used_seconds_total", "VirtualMachine", "cpu.used.summation", millis},
	{"esxi_vm_cpu_system_seconds_total", "VirtualMachine", "cpu.system.summation", millis},
	{"esxi_vm_cpu_wait_seconds_total", "VirtualMachine", "cpu.wait.summation", millis},
	{"esxi_vm_cpu_idle_seconds_total", "VirtualMachine", "cpu.idle.summation", millis},
	{"esxi_vm_cpu_overlap_seconds_total", "VirtualMachine", "cpu.overlap.summation", millis},
	{"esxi_vm_cpu_limited_seconds_total", "VirtualMachine", "cpu.maxlimited.summation", millis},
	{"esxi_vm_cpu_swap_wait_seconds_total", "VirtualMachine", "cpu.swapwait.summation", millis},
	{"esxi_vm_memory_swap_read_bytes_total", "VirtualMachine", "mem.swapinRate.average", kilobytes},
	{"esxi_vm_memory_swap_written_bytes_total", "VirtualMachine", "mem.swapoutRate.average", kilobytes},
	{"esxi_vm_memory_compressed_bytes_total", "VirtualMachine", "mem.compressionRate.average", kilobytes},
	{"esxi_vm_memory_decompressed_bytes_total", "VirtualMachine", "mem.decompressionRate.average", kilobytes},
	{"esxi_vm_memory_llswap_read_bytes_total", "VirtualMachine", "mem.llSwapInRate.average", kilobytes},
	{"esxi_vm_memory_llswap_written_bytes_total", "VirtualMachine", "mem.llSwapOutRate.average", kilobytes},
	{"esxi_vm_network_receive_bytes_total", "VirtualMachine", "net.bytesRx.average", kilobytes},
	{"esxi_vm_network_transmit_bytes_total", "VirtualMachine", "net.bytesTx.average", kilobytes},
	{"esxi_vm_energy_joules_total", "VirtualMachine", "power.energy.summation", asItStands},
	{"esxi_host_memory_swap_read_bytes_total", "HostSystem", "mem.swapinRate.average", kilobytes},
	{"esxi_host_memory_swap_written_bytes_total", "HostSystem", "mem.swapoutRate.average", kilobytes},
	{"esxi_host_network_receive_bytes_total", "HostSystem", "net.bytesRx.average", kilobytes},
	{"esxi_host_network_transmit_bytes_total", "HostSystem", "net.bytesTx.average", kilobytes},
	{"esxi_host_energy_joules_total", "HostSystem", "power.energy.summation", asItStands},
}

// byMoID are a family's series of whole hosts or VMs, by their ids.
func byMoID(all map[string]float64, family string) map[string]float64 {
	found := map[string]float64{}
	for name, v := range all {
		if rest, is := strings.CutPrefix(name, family+"{"); is {
			_, id, _ := strings.Cut(rest, `moid="`)
			id, _, _ = strings.Cut(id, `"`)
			found[id] = v
		}
	}
	return found
}

// TestTenMinutesOfCounters: sums are those of the fleet's own figures, and rates follow from them however often somebody scrapes.
func TestTenMinutesOfCounters(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := onOwnStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: oneCluster})
	st := s.drive(t, target)
	require.NoError(t, st.round(t.Context(), st.source))
	from := st.newest().Add(-interval) // the first round has a sample, too
	var scraped []scrape
	for range 30 {
		require.NoError(t, st.round(t.Context(), st.source))
		scraped = append(scraped, scrape{s.clock.Now(), series(t, textOf(t, target))})
	}
	to := st.newest()
	require.Equal(t, 31*interval, to.Sub(from))
	w := s.witness(t)
	account := newAccount(w, target)
	account.add(from, to)
	account.agrees(scraped[len(scraped)-1].series)
	for id, n := range account.samples["esxi_vm_cpu_run_seconds_total"] {
		require.Equal(t, 31, n, id)
	}
	account.accounted(target, scraped[len(scraped)-1].series, 31)
	require.Positive(t, missedOf(scraped[len(scraped)-1].series), "the fleet loses a few samples")
	require.InDelta(t, scraped[len(scraped)-1].series[`vperf_samples_missed_total{reason="no_value"}`], missedOf(scraped[len(scraped)-1].series), 0)
	for _, s := range scraped {
		require.InDelta(t, 1, s.series[`vperf_collector_success{collector="performance"}`], 0, "no VM loses many in a row")
	}
	noneGoesBack(t, scraped)
	ratesFollow(t, w, scraped)
}

// account is the expected sums.
type account struct {
	*witness
	here    present
	sums    map[string]map[string]float64 // by series and id
	samples map[string]map[string]int
	empty   map[string]map[string]int // those without the figure
}

func newAccount(w *witness, target *Target) *account {
	tr := &account{w, target.snapshot().here, map[string]map[string]float64{}, map[string]map[string]int{}, map[string]map[string]int{}}
	for _, c := range checks {
		tr.sums[c.series], tr.samples[c.series] = map[string]float64{}, map[string]int{}
		tr.empty[c.series] = map[string]int{}
	}
	return tr
}

// add asks for the samples after from and up to to: those of a VM are where it is now, and gone when it moves.
func (tr *account) add(from, to time.Time) {
	tr.t.Helper()
	for _, c := range checks {
		sums, samples, empty := tr.witness.sums(c.kind, c.counter, tr.ids(c.kind), from, to)
		for id := range sums {
			tr.sums[c.series][id] += sums[id] * c.scale
			tr.samples[c.series][id] += samples[id]
			tr.empty[c.series][id] += empty[id]
		}
	}
}

// ids returns the ids of the exported hosts or VMs.
func (tr *account) ids(kind string) (ids []string) {
	for _, h := range tr.here.hosts {
		if kind == "HostSystem" {
			ids = append(ids, h.MoID)
			continue
		}
		for _, vm := range tr.here.vms[h.MoID] {
			ids = append(ids, vm.MoID)
		}
	}
	return ids
}

// agrees compares with a page.
func (tr *account) agrees(page map[string]float64) {
	tr.t.Helper()
	for _, c := range checks {
		got := byMoID(page, c.series)
		for id, want := range tr.sums[c.series] {
			if v, there := got[id]; !there || math.Abs(v-want) > 1e-9*max(1, want) {
				tr.t.Errorf("%s of %s is %v, not %v", c.series, id, v, want)
			}
		}
		require.NotEmpty(tr.t, tr.sums[c.series], c.series)
	}
	require.Positive(tr.t, slices.Max(slices.Collect(maps.Values(tr.sums[checks[0].series]))))
}

// scrape is a page as Prometheus took it.
type scrape struct {
	at     time.Time
	series map[string]float64
}

// missedOf returns the number of missed samples, for all reasons.
func missedOf(series map[string]float64) (n float64) {
	for name, v := range series {
		if strings.HasPrefix(name, "vperf_samples_missed_total{") {
			n += v
		}
	}
	return n
}

func noneGoesBack(t *testing.T, scraped []scrape) {
	t.Helper()
	last := map[string]float64{}
	for _, s := range scraped {
		for name, v := range s.series {
			if family, _, _ := strings.Cut(name, "{"); strings.HasSuffix(family, "_total") {
				if v < last[name] {
					t.Fatalf("%s goes back from %v to %v at %s", name, last[name], v, s.at)
				}
				last[name] = v
			}
		}
	}
}

// ratesFollow scrapes a counter at other times than its samples, and computes increases like Prometheus's increase().
func ratesFollow(t *testing.T, w *witness, scraped []scrape) {
	t.Helper()
	const family, counter = "esxi_vm_cpu_run_seconds_total", "cpu.run.summation"
	first, last := scraped[0].at, scraped[len(scraped)-1].at
	for _, every := range []time.Duration{15 * time.Second, time.Minute, 2 * time.Minute} {
		var points []point
		for at := first; !at.After(last); at = at.Add(every) {
			i := slices.IndexFunc(scraped, func(s scrape) bool { return s.at.After(at) })
			if i < 0 {
				i = len(scraped)
			}
			points = append(points, point{at, byMoID(scraped[i-1].series, family)})
		}
		begin, end := points[0], points[len(points)-1]
		truth, _, _ := w.sums("VirtualMachine", counter, slices.Collect(maps.Keys(begin.by)), begin.at.Truncate(interval), end.at.Truncate(interval))
		for id, v := range begin.by {
			if _, there := end.by[id]; !there {
				continue // the newest sample misses the figure
			}
			grown := (end.by[id] - v) * float64(end.at.Sub(begin.at)+every) / float64(end.at.Sub(begin.at)) // extrapolated to the window
			want := truth[id] / 1000 * float64(end.at.Sub(begin.at)+every) / float64(end.at.Sub(begin.at))
			require.InDelta(t, want, grown, math.Max(1e-6, want*float64(interval)/float64(end.at.Sub(begin.at))), "%s scraped every %s", id, every)
		}
	}
}

type point struct {
	at time.Time
	by map[string]float64
}

// vm is one of the fleet's by its id.
func (w *witness) vm(id string) *object.VirtualMachine {
	return object.NewVirtualMachine(w.Client.Client, types.ManagedObjectReference{Type: "VirtualMachine", Value: id})
}

// done waits for a task.
func (w *witness) done(task *object.Task, err error) {
	w.t.Helper()
	require.NoError(w.t, err)
	require.NoError(w.t, task.Wait(w.t.Context()))
}

// TestTruthUnderTrouble: an outage, a vMotion, a power cycle and a suspend. No sample that the server stored is lost or
// counted twice, and unavailable ones are counted with their reason.
func TestTruthUnderTrouble(t *testing.T) {
	t.Parallel()
	s := onOwnStage(t)
	target := s.target(t, TargetConfig{Modules: []module.Name{module.Basic}, Filter: oneCluster, Dial: func(ctx context.Context) (*session.Session, error) {
		if s.drop.Load() != nil {
			return nil, &session.ConnectError{Host: "demo", Operation: "connecting to", Why: "connection refused"} // at once: Dial itself tries for a second
		}
		return s.dial(ctx)
	}})
	st := s.drive(t, target)
	w := s.witness(t)
	account := newAccount(w, target)
	require.NoError(t, st.round(t.Context(), st.source))
	from := st.newest().Add(-interval)
	var scraped []scrape
	round := func() {
		t.Helper()
		st.step()
		scraped = append(scraped, scrape{s.clock.Now(), series(t, textOf(t, target))})
	}
	for range 6 {
		round()
	}
	before := st.newest()
	account.add(from, before)
	moves, cycles, sleeps, to := busyVMs(target)
	w.done(w.vm(moves.MoID).Migrate(t.Context(), nil, object.NewHostSystem(w.Client.Client, types.ManagedObjectReference{Type: "HostSystem", Value: to}),
		types.VirtualMachineMovePriorityDefaultPriority, ""))
	w.done(w.vm(cycles.MoID).PowerOff(t.Context()))
	w.done(w.vm(sleeps.MoID).Suspend(t.Context()))
	for range 3 {
		round()
	}

	s.breaks(func(string) bool { return true })
	for down := s.clock.Now(); s.clock.Now().Sub(down) < 5*time.Minute; {
		round()
		require.Zero(t, scraped[len(scraped)-1].series["vperf_up"])
	}
	s.breaks(nil)
	w.done(w.vm(cycles.MoID).PowerOn(t.Context()))
	w.done(w.vm(sleeps.MoID).PowerOn(t.Context()))
	end := s.clock.Now().Add(2 * time.Minute)
	for st.newest().Before(end) {
		round()
	}
	account.add(before, st.newest())
	account.agrees(scraped[len(scraped)-1].series)
	noneGoesBack(t, scraped)
	missed := st.ledger.Stats(st.serverNow()).Missed
	require.EqualValues(t, 1, missed["moved"], "the slot in which it moved: neither host has it whole")
	require.LessOrEqual(t, missed["connection"], uint64(2), "at most the first slot of the two VMs that started during the outage")
	for _, reason := range []string{"host_down", "not_kept", "other", "too_old"} {
		require.Zero(t, missed[reason], reason)
	}
	slots := int(st.newest().Sub(from) / interval)
	account.accounted(target, scraped[len(scraped)-1].series, slots, moves.MoID, cycles.MoID, sleeps.MoID)
	require.Equal(t, slots-1, account.samples[checks[0].series][moves.MoID])
	require.Less(t, account.samples[checks[0].series][cycles.MoID], slots-5)
}

// accounted compares a page's counts of samples with the fleet's: all stored ones were taken once, and objects that
// existed all the time missed none.
func (tr *account) accounted(target *Target, page map[string]float64, slots int, others ...string) {
	tr.t.Helper()
	kept, empty, missed := 0, 0, 0
	for _, family := range []string{checks[0].series, checks[len(checks)-1].series} { // of VMs, and of hosts
		for id, n := range tr.samples[family] {
			if kept += n; !slices.Contains(others, id) {
				empty += tr.empty[family][id]
				require.Equal(tr.t, slots, n, id)
			}
		}
	}
	for _, n := range target.Status().Ledger.Missed {
		missed += int(n) //nolint:gosec // it is small
	}
	require.Equal(tr.t, empty, int(page[`vperf_samples_missed_total{reason="no_value"}`]), "the fleet loses a few; a VM that starts misses nothing")
	require.Equal(tr.t, kept, int(page["vperf_samples_collected_total"])+empty)
	require.Equal(tr.t, missed, int(missedOf(page)))
}

// busyVMs are three VMs that run, and another host that the first may go to.
func busyVMs(target *Target) (a, b, c source.VM, to string) {
	here := target.snapshot().here
	var on []source.VM
	first := here.hosts[0]
	for _, vm := range here.vms[first.MoID] {
		if isOn(vm.Power) {
			on = append(on, vm)
		}
	}
	i := slices.IndexFunc(here.hosts, func(h source.Host) bool { return h.Cluster == first.Cluster && h.MoID != first.MoID && h.Up() })
	return on[0], on[1], on[2], here.hosts[i].MoID
}
