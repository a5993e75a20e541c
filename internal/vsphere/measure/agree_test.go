package measure

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/esxtop/batch"
	"github.com/vperf/vperf/pkg/inventory"
)

// sourcesDiffer are metrics that both the Esxtop service and the PerformanceManager have although they measure different
// quantities, with the allowed difference.
var sourcesDiffer = map[string]float64{
	// The share of time in which CPUs were active, without waiting worlds.
	"host.load1": 0.06, "host.load5": 0.06, "host.load15": 0.06,
	// Computed from kilobytes per second, which are inexact with few packets.
	"net.sizeTx": math.Inf(1), "net.sizeRx": math.Inf(1),
}

// allZero are metrics that are 0 or absent on every host of the demo fleet during those twenty seconds, so that they prove
// nothing: storage aborts commands only now and then.
var allZero = []string{
	"power.cap", "mem.llSwapIn", "mem.llSwapOut", "disk.conflicts", "disk.aborts", "disk.resets",
	"nfs.reads", "nfs.writes", "nfs.readRate", "nfs.writeRate", "nfs.readLatency", "nfs.writeLatency",
}

// rowsDiffer maps prefixes of rows that only one of the two sources has to the reason.
var rowsDiffer = map[string]string{
	"port vmnic2 of ": "a NIC that is in no switch has no port",
	"port nfv-vf-":    "a virtual function goes past the switch, and has no port",
	"port nfv-upt-":   "uniform passthrough goes past the switch, and has no port",
}

// TestSourcesAgree compares the Esxtop service and the PerformanceManager for the same twenty seconds of the same hosts, and both
// with the batch CSV made from them. Metrics that two of them have are equal, apart from rounding.
func TestSourcesAgree(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	clock := newPerfClock()
	clock.forward(13 * time.Second) // hosts sample at full multiples of twenty seconds
	_, roster, hosts := countingFleet(t, simfleet.Config{Now: clock.now}, 0)
	look := func(stations map[string]*station) map[string]*esxtop.Frame {
		frames := map[string]*esxtop.Frame{}
		for _, h := range hosts() {
			if stations[h.MoID] == nil {
				stations[h.MoID] = &station{session: roster.session, host: h}
			}
			r, _, err := stations[h.MoID].fetch(t.Context(), esxtop.AllObjects)
			require.NoError(t, err, h.Name)
			(&namer{roster: roster}).name(r.frame, h)
			frames[h.MoID] = r.frame
		}
		return frames
	}
	stations := map[string]*station{}
	look(stations)
	clock.forward(10 * time.Second)
	within := look(map[string]*station{}) // gauges are sampled within the interval
	clock.forward(10 * time.Second)
	service := look(stations)

	source := newPerformance(roster, hosts(), PerformanceOptions{Request: everything.Request, Clock: Clock{clock.now, clock.after}})
	source.jitter = func(time.Duration) time.Duration { return 0 }
	require.NoError(t, source.start(t.Context(), 0))
	round := nextRound(t, source)
	require.Len(t, round.Frames, len(service))

	reported := map[string]int{}
	for _, performance := range round.Frames {
		f := service[performance.MoID]
		require.Equal(t, 20*time.Second, f.Interval)
		require.Equal(t, f.Time, performance.Time)
		requireOnce(t, f)
		requireOnce(t, performance)
		both{t, f, within[f.MoID], performance, reported}.compare()
		requireSameFacts(t, roster, f, performance)
		requireWritten(t, f)
		requireWritten(t, performance)
	}
	var never []string
	for _, m := range esxtop.Catalogue() {
		if len(m.Perf) > 0 && m.Formula.String() != "" && reported[m.ID] == 0 {
			never = append(never, m.ID)
		}
	}
	require.Equal(t, allZero, never)
}

// factsDiffer are live metrics that differ between the sources by more than a hundredth, with the allowed difference: the
// PerformanceManager has whole milliseconds and omits a VM's work outside its vCPUs. Gauges change over time: their value at one
// moment is compared with the frames.
var factsDiffer = map[string]float64{
	"cpu.ready": 0.01, "cpu.readyTotal": 0.01, "cpu.maxLimited": 0.01, "cpu.costop": 0.01, "cpu.usage": 0.5, "cpu.run": 0.5,
	"cpu.system": 0.5, "cpu.overlap": 0.01, "cpu.swapWait": 0.01, "cpu.vmWait": 0.01, "cpu.latency": 0.01, "cpu.memLatency": 0.01,
	"cpu.coreUtilization": 0.01, "cpu.utilization": 0.01, "cpu.used": 0.01, "cpu.load": sourcesDiffer["host.load1"],
	"mem.active": math.Inf(1), "mem.swapped": math.Inf(1), "mem.compressed": math.Inf(1), "mem.swapIn": 1, "mem.swapOut": 1, "mem.compress": 1, "mem.decompress": 1,
	"net.rx": 0.1, "net.tx": 0.1, "net.packetsRx": 0.1, "net.packetsTx": 0.1, "net.droppedRx": 0.01, "net.droppedTx": 0.01,
	"disk.deviceLatency": 1, "disk.kernelLatency": 1, "disk.queueLatency": 1, "disk.guestLatency": 1, "disk.readLatency": 1,
	"disk.writeLatency": 1, "disk.commands": 20, "disk.read": 0.001, "disk.aborts": 0.1, "disk.conflicts": 0.1,
}

// onlyByService are live metrics that the PerformanceManager does not have.
var onlyByService = []string{
	"numa.local", "numa.remote", "numa.migrations", "cpu.timers", "cpu.clock", "mem.overcommit", "mem.free", "disk.queued",
}

// compressedOfHost: the PerformanceManager has the compressed memory of VMs but not of the whole host.
const compressedOfHost = "mem.compressed"

// requireSameFacts requires that rules get the same facts from both sources.
func requireSameFacts(t *testing.T, roster *Roster, service, performance *esxtop.Frame) {
	t.Helper()
	byService, byPerformance := liveOf(roster, service, service), liveOf(roster, service, performance)
	compare := func(of string, theirs, ours inventory.Live) {
		for name, s := range theirs.All() {
			got, too := ours.Get(name)
			switch {
			case slices.Contains(onlyByService, name), name == compressedOfHost && of == service.Host:
				require.False(t, too, name)
			case !too:
				t.Errorf("live %s of %s: the PerformanceManager has none", name, of)
			case s.Samples > 0 && got.Samples > 0 && math.Abs(s.Worst-got.Worst) > factsDiffer[name]+s.Worst/20:
				t.Errorf("live %s of %s: %v by the service, %v by the PerformanceManager", name, of, s.Worst, got.Worst)
			}
		}
		for name := range ours.All() {
			if !strings.HasPrefix(name, "net.") { // of a NIC that bypasses the switch
				require.NotNil(t, theirs.Lookup(name), "%s of %s", name, of)
			}
		}
	}
	for of, live := range byService {
		compare(of, live, byPerformance[of])
	}
}

// liveOf returns the live metrics in a frame of the objects that the service lists, by object name.
func liveOf(roster *Roster, listed, f *esxtop.Frame) map[string]inventory.Live {
	h := new(inventory.Host)
	h.ID = f.MoID
	var nics []*inventory.PNIC
	var luns []*inventory.LUN
	for i := range listed.Rows(esxtop.Port) {
		nics = append(nics, &inventory.PNIC{Device: listed.Rows(esxtop.Port)[i].Name})
	}
	for i := range listed.Rows(esxtop.Device) {
		luns = append(luns, &inventory.LUN{Device: listed.Rows(esxtop.Device)[i].ID})
	}
	h.PNICs, h.LUNs = inventory.Known(nics), inventory.Known(luns)
	server := &inventory.VCenter{Hosts: []*inventory.Host{h}}
	for _, on := range roster.VMs(f.MoID) {
		vm := new(inventory.VM)
		vm.ID = on.MoID
		var disks []*inventory.VDisk
		for i := range listed.Rows(esxtop.VDisk) {
			if r := &listed.Rows(esxtop.VDisk)[i]; r.MoID == vm.ID {
				disks = append(disks, &inventory.VDisk{Address: inventory.Known(r.ID)})
			}
		}
		vm.Disks = inventory.Known(disks)
		server.VMs = append(server.VMs, vm)
	}
	var w live.Window
	w.Add(f)
	w.Put(server)
	all := map[string]inventory.Live{f.Host: h.Live}
	for _, n := range nics {
		all[n.Device] = n.Live
	}
	for _, l := range luns {
		all[l.Device] = l.Live
	}
	for _, vm := range server.VMs {
		all[vm.ID] = vm.Live
		disks, _ := vm.Disks.Value()
		for _, d := range disks {
			at, _ := d.Address.Value()
			all[vm.ID+" "+at] = d.Live
		}
	}
	return all
}

// requireOnce requires that row ids are unique below their owners.
func requireOnce(t *testing.T, f *esxtop.Frame) {
	t.Helper()
	for o := esxtop.Host; o <= esxtop.Dom; o++ {
		seen := map[string]bool{}
		for i := range f.Rows(o) {
			id := idOf(f, &f.Rows(o)[i])
			require.False(t, seen[id], "%s %s of %s is there twice", o, id, f.Host)
			seen[id] = true
		}
	}
}

// both holds the frames of a host from two sources for the same time.
type both struct {
	t                            *testing.T
	service, within, performance *esxtop.Frame
	told                         map[string]int
}

func (b both) compare() {
	for o := esxtop.Host; o <= esxtop.Dom; o++ {
		if !b.performance.Has(o) {
			continue
		}
		theirs, gauges, ours := rowsByKey(b.service, o), rowsByKey(b.within, o), rowsByKey(b.performance, o)
		for _, key := range slices.Sorted(maps.Keys(ours)) {
			if theirs[key] == nil {
				b.alone(o, key, b.performance)
				continue
			}
			for _, m := range esxtop.MetricsOf(o) {
				b.compareFigure(m, key, theirs[key], gauges[key], ours[key])
			}
		}
		for key := range theirs {
			if ours[key] == nil {
				b.alone(o, key, b.service)
			}
		}
	}
}

func (b both) alone(o esxtop.Object, key string, in *esxtop.Frame) {
	row := o.String() + " " + key + " of "
	for begin := range rowsDiffer {
		if strings.HasPrefix(row, begin) {
			return
		}
	}
	b.t.Errorf("only the %s has %s%s", in.Origin, row, in.Host)
}

func (b both) compareFigure(m *esxtop.Metric, key string, theirs, gauges, ours *esxtop.Row) {
	want, ok := theirs.Value(m)
	if (m.Kind == esxtop.Gauge || m.Kind == esxtop.Flag) && m.ID != "host.uptime" {
		want, ok = gauges.Value(m)
	}
	if theirs.Object == esxtop.Group && m.Kind == esxtop.Share {
		want, ok = b.ofVCPUs(m, theirs)
	}
	got, too := ours.Value(m)
	if ok != too && m.Formula.String() != "" && m.Kind != esxtop.Mean { // a mean over few operations differs from none if they are rounded down
		b.oneHas(m, key, theirs, ok)
	}
	if !ok || !too {
		return
	}
	if want != 0 {
		b.told[m.ID]++
	}
	if d := math.Abs(want - got); d > tolerance(m, ours, b.performance.Interval) {
		b.t.Errorf("%s of %s %s of %s: %v by the service, %v by the PerformanceManager", m.ID, theirs.Object, key, b.service.Host, want, got)
	}
}

func (b both) oneHas(m *esxtop.Metric, key string, r *esxtop.Row, theirs bool) {
	fromCounter := slices.ContainsFunc(m.Perf, func(from esxtop.Perf) bool { return fills(from, r.Object) })
	if m.ID == "pcpu.coreUtilAvg" { // with one thread per core the counter exists nevertheless
		return
	}
	if fromCounter || !theirs {
		b.t.Errorf("%s of %s %s of %s: the service has it: %t", m.ID, r.Object, key, b.service.Host, theirs)
	}
}

// ofVCPUs returns the value for a VM's vCPUs: the service's value for a group includes the VM's other worlds.
func (b both) ofVCPUs(m *esxtop.Metric, group *esxtop.Row) (float64, bool) {
	world := esxtop.Lookup(strings.TrimSuffix(m.ID, "PerVCPU"))
	sum, ok := 0.0, false
	for i := range b.service.Rows(esxtop.World) {
		w := &b.service.Rows(esxtop.World)[i]
		if &b.service.Rows(esxtop.Group)[w.Parent] != group || !strings.HasPrefix(w.Name, "vmx-vcpu-") || world == nil {
			continue
		}
		v, reported := w.Value(world)
		sum, ok = sum+v, ok || reported
	}
	if world != m {
		sum /= float64(group.VCPUs)
	}
	if !ok {
		return group.Value(m)
	}
	return sum, ok
}

// tolerance returns the error caused by the PerformanceManager's whole numbers: one unit, or one for each summand.
func tolerance(m *esxtop.Metric, r *esxtop.Row, interval time.Duration) float64 {
	if by, listed := sourcesDiffer[m.ID]; listed {
		return by
	}
	of, o := 1.0, r.Object
	if disks, sums := r.Value(metricDisks); sums {
		of, o = disks, esxtop.VDisk
	}
	switch m {
	case esxtop.Lookup("vdisk.commands"):
		of, m = 2*of, esxtop.Lookup("vdisk.reads")
	case esxtop.Lookup("pcpu.usedAvg"):
		m, o = esxtop.Lookup("pcpu.used"), esxtop.PCPU
	}
	one := 1e-6
	for _, from := range m.Perf {
		if fills(from, o) {
			one = max(one, from.As.Apply(1, interval))
		}
	}
	return of * one * 1.001
}

// rowsByKey returns the rows that the PerformanceManager could have, by the name that both sources use.
func rowsByKey(f *esxtop.Frame, o esxtop.Object) map[string]*esxtop.Row {
	rows := map[string]*esxtop.Row{}
	for i := range f.Rows(o) {
		r := &f.Rows(o)[i]
		if key, ok := keyOfRow(f, r); ok {
			rows[key] = r
		}
	}
	return rows
}

func keyOfRow(f *esxtop.Frame, r *esxtop.Row) (string, bool) {
	switch r.Object {
	case esxtop.Host:
		return "", true
	case esxtop.Group, esxtop.DiskVM:
		return r.MoID, r.VM
	case esxtop.VDisk:
		return r.MoID + " " + r.ID, true
	case esxtop.World:
		n, _, _ := strings.Cut(r.Name, ":")
		n = strings.NewReplacer("vmx-vcpu-", "", "vcpu ", "").Replace(n)
		return f.Rows(esxtop.Group)[r.Parent].MoID + " " + n, strings.HasPrefix(r.Name, "vmx-vcpu-") || strings.HasPrefix(r.Name, "vcpu ")
	case esxtop.Port:
		uplink, _ := r.Value(esxtop.Lookup("net.uplink"))
		return r.Name, r.VM || uplink != 0
	}
	return r.ID, true
}

// requireWritten compares a frame with the batch CSV that was made from it, read back.
func requireWritten(t *testing.T, f *esxtop.Frame) {
	t.Helper()
	var text bytes.Buffer
	w := batch.NewWriter(&text, batch.Options{All: true})
	for _, at := range []time.Time{f.Time.Add(-f.Interval), f.Time} { // disks of a first sample are skipped
		require.NoError(t, w.Write(&esxtop.Round{Time: at, Frames: []*esxtop.Frame{f}}))
	}
	r, err := batch.NewReader(&text, esxtop.AllObjects)
	require.NoError(t, err)
	_, err = r.Next()
	require.NoError(t, err)
	back, err := r.Next()
	require.NoError(t, err)
	require.Empty(t, r.Report(), f.Host)
	require.Len(t, back.Frames, 1)
	for o := esxtop.Host; o <= esxtop.Dom; o++ {
		read := map[string]*esxtop.Row{}
		for i := range back.Frames[0].Rows(o) {
			read[idOf(back.Frames[0], &back.Frames[0].Rows(o)[i])] = &back.Frames[0].Rows(o)[i]
		}
		for i := range f.Rows(o) {
			row := &f.Rows(o)[i]
			key := idOf(f, row)
			for _, m := range esxtop.MetricsOf(o) {
				want, ok := row.Value(m)
				if m.Counter == "" || !ok {
					continue
				}
				if read[key] == nil {
					t.Errorf("%s %s of %s is not in the CSV", o, key, f.Host)
					break
				}
				got, too := read[key].Value(m)
				if !too {
					t.Errorf("%s of %s %s of %s: %v, and nothing in the CSV", m.ID, o, key, f.Host, want)
				} else if d := math.Abs(want - got); d > 0.5 || d > 0.00501 && got != math.Trunc(got) {
					t.Errorf("%s of %s %s of %s: %v, and %v in the CSV", m.ID, o, key, f.Host, want, got)
				}
			}
		}
	}
}

// idOf returns a unique id of a row within its object. The CSV identifies the disks of a VM by the VM's name.
func idOf(f *esxtop.Frame, r *esxtop.Row) string {
	id, parents := r.ID, f.Rows(r.Object.Parent())
	if r.Object == esxtop.DiskVM {
		id = r.Name
	}
	if r.Object.Parent() == r.Object || r.Parent < 0 {
		return id
	}
	return idOf(f, &parents[r.Parent]) + " " + id
}
