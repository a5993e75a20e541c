package trials

import (
	"context"
	"io/fs"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/rules"
)

// builtIn loads vperf's own outcomes and guards.
func builtIn(t testing.TB) *trial.Library {
	t.Helper()
	folder, err := fs.Sub(rules.FS, "outcomes")
	require.NoError(t, err)
	library, err := trial.Load(folder)
	require.NoError(t, err)
	return library
}

// fastt is a slow LUN of host06, whose commands queue in the host.
const fastt = "naa.600a0b80006e2b4e0000c1ab4d3a8f21"

// usedMHz is the CPU that a host uses.
func usedMHz(f *load.HostFigures) float64 { return float64(f.UsedMHz) }

// gigabits is the traffic of a host's NICs in both directions.
func gigabits(f *load.HostFigures) (sum float64) {
	for i := range f.PNICs {
		sum += float64(f.PNICs[i].RxBytes+f.PNICs[i].TxBytes) * 8 / 1e9
	}
	return sum
}

// joules is the energy that a host uses.
func joules(f *load.HostFigures) float64 { return float64(f.Watts * load.SlotSeconds) }

// usedCycles is what a host computes, in units of 10⁹ cycles.
func usedCycles(f *load.HostFigures) float64 { return float64(f.UsedMHz*load.SlotSeconds) / 1000 }

// ofDevice returns a sum over the commands on a disk of a host.
func ofDevice(name string, of func(load.IO) float64) load.Measure {
	return func(f *load.HostFigures) float64 {
		for i, d := range f.Host.Devices {
			if d.Name == name {
				return of(f.Devices[i])
			}
		}
		return 0
	}
}

// deviceCommands returns the commands on a disk, and deviceMillis their latency in the device, in the kernel and in its queue.
func deviceCommands(name string) load.Measure {
	return ofDevice(name, func(io load.IO) float64 { return float64(io.Reads + io.Writes) })
}

func deviceMillis(name string) load.Measure {
	return ofDevice(name, func(io load.IO) float64 { return float64(io.ReadTotal+io.WriteTotal) / 1000 })
}

// experiment is a setting of the demo fleet, and the outcome that shows its effect.
type experiment struct {
	title, host, outcome string
	lun                  string // empty: the unit is the host
	block                time.Duration
	off, on              load.Change
	cost, work           load.Measure // the same outcome from the load model's own figures
}

// without returns the experiment with a change that does nothing.
func (e experiment) without() experiment {
	e.on = e.off
	return e
}

// experiments have the effects that internal/simfleet's TestTrueEffects shows.
func experiments() []experiment {
	change := func(f func(*load.Host)) load.Change { return load.Change{Host: f} }
	numa := func(on bool) load.Change { return change(func(h *load.Host) { h.NUMAIO = on }) }
	offload := func(on bool) load.Change { return change(func(h *load.Host) { h.LRO = on }) }
	policy := func(p load.PowerPolicy) load.Change { return change(func(h *load.Host) { h.Policy = p }) }
	perGbit := func(f *load.HostFigures) float64 { return gigabits(f) / float64(load.SlotSeconds) }
	return []experiment{
		{title: "NUMA-aware network I/O", host: "host02", outcome: "cpu-per-gbit", block: 5 * time.Minute, off: numa(false), on: numa(true), cost: usedMHz, work: perGbit},
		{title: "large receive offload", host: "host02", outcome: "cpu-per-gbit", block: 5 * time.Minute, off: offload(false), on: offload(true), cost: usedMHz, work: perGbit},
		{title: "power policy High Performance", host: "host06", outcome: "joules-per-work", block: 3 * time.Minute, off: policy(2), on: policy(1), cost: joules, work: usedCycles},
		{title: "64 instead of 32 outstanding I/Os", host: "host06", outcome: "disk-latency", lun: fastt, block: 5 * time.Minute, off: outstanding(32), on: outstanding(64), cost: deviceMillis(fastt), work: deviceCommands(fastt)},
	}
}

// outstanding limits the I/Os that wait for fastt.
func outstanding(n int64) load.Change {
	return load.Change{Host: func(h *load.Host) {
		list := make([]load.Device, len(h.Devices))
		copy(list, h.Devices)
		for i := range list {
			if list[i].Name == fastt {
				list[i].QueueDepth = n
			}
		}
		h.Devices = list
	}}
}

// labFleet is the fleet whose labs the tests use. It stays up until the test program ends.
var labFleet = sync.OnceValues(func() (*simfleet.Fleet, error) {
	return simfleet.Start(simfleet.Config{Now: func() time.Time { return labDay }, VCenterOnly: true})
})

var labDay = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

// bench is a trial of one unit in a lab: its switch and its samples.
type bench struct {
	experiment

	lab   *simfleet.Lab
	id    string // of the host
	noise simfleet.Noise
	start time.Time // of the trial, after the hour before
	r     *trial.Registration
	dice  *rand.Rand
	past  []*esxtop.Round // the hour before
}

// settledFor is the time that the lab's host runs without the change before the hour that is measured.
const settledFor = 5 * time.Minute

// newBench begins at a time between 9 and 13 o'clock of a day that follow from the seed, and measures the hour before. Guards are optional:
// their counters take most of the time.
func newBench(t testing.TB, library *trial.Library, e experiment, guards []trial.Guard, seed uint64, phi, minEffect float64) *bench {
	t.Helper()
	b := &bench{experiment: e, noise: load.RealNoise(seed, phi), dice: rand.New(rand.NewPCG(seed, 5))}
	b.start = labDay.Add(3*time.Hour + time.Duration(b.dice.IntN(4*3600))*time.Second)
	b.start = b.start.AddDate(0, 0, 7*b.dice.IntN(50)) // each trial meets its own lost samples
	b.lab, b.id = b.newLab(t)
	unit := trial.Unit{Kind: inventory.ScopeHost, ID: b.id, Name: e.host, Hosts: []string{b.id}}
	if e.lun != "" {
		unit.Kind, unit.ID, unit.Name = inventory.ScopeLUN, e.lun, e.lun
	}
	outcome := library.Outcome(e.outcome)
	require.NotNil(t, outcome, e.outcome)
	b.r = &trial.Registration{
		Schema: trial.Schema, Rule: e.title, Design: inventory.DesignSwitchback, Units: []trial.Unit{unit}, Outcome: *outcome,
		MinEffect: minEffect, Alpha: trial.DefaultAlpha, Guards: guards, Seed: seed, Block: e.block, Settle: time.Minute,
		Interval: trial.DefaultInterval,
	}
	for range int(time.Hour / trial.DefaultInterval) {
		round, _ := b.Next(t.Context())
		b.past = append(b.past, round)
	}
	require.Equal(t, b.start, b.lab.Now())
	var err error
	b.r.Baseline, err = b.r.Measure(b.past)
	require.NoError(t, err)
	return b
}

// newLab returns a lab at the beginning of the hour before, without the change.
func (b *bench) newLab(t testing.TB) (lab *simfleet.Lab, host string) {
	t.Helper()
	fleet, err := labFleet()
	require.NoError(t, err)
	lab = fleet.Lab(b.noise, b.start.Add(-time.Hour-settledFor))
	host, err = lab.Host(b.host)
	require.NoError(t, err)
	lab.Set(host, b.off)
	lab.Forward(settledFor)
	return lab, host
}

// Set implements trial.Switch.
func (b *bench) Set(_ context.Context, treated []bool) (time.Time, error) {
	if treated[0] {
		b.lab.Set(b.id, b.on)
	} else {
		b.lab.Set(b.id, b.off)
	}
	return b.lab.Now(), nil
}

// Next implements trial.Samples.
func (b *bench) Next(context.Context) (*esxtop.Round, error) {
	b.lab.Forward(trial.DefaultInterval)
	return b.lab.Round([]string{b.id}, b.r.Objects()), nil
}

// plan sets the number of pairs to what the plan says, but not above most, and returns the probability that it promises.
func (b *bench) plan(t testing.TB, most int) float64 {
	t.Helper()
	q := trial.PlanRequest{
		Units: b.r.Units, Outcomes: b.r.Outcomes(), MinEffect: b.r.MinEffect, Alpha: b.r.Alpha, Block: b.r.Block, Settle: b.r.Settle, Interval: b.r.Interval,
	}
	p := trial.PlanFor(q, b.past)[0]
	require.Empty(t, p.Missing)
	if p.Pairs > most {
		q.For = time.Duration(most) * 2 * b.r.Block
		p = trial.PlanFor(q, b.past)[0]
	}
	b.schedule(p.Pairs + trial.SparePairs(p.Pairs))
	b.r.Spare = trial.SparePairs(p.Pairs)
	return p.Power
}

func (b *bench) schedule(pairs int) {
	b.r.Pairs, b.r.Schedule = pairs, trial.NewSchedule(b.r.Seed, pairs, 1)
}

// run makes the trial. tell is optional.
func (b *bench) run(t testing.TB, tell func(trial.Progress) error) *trial.Result {
	t.Helper()
	if tell == nil {
		tell = func(trial.Progress) error { return nil }
	}
	result, err := trial.Run(t.Context(), b.r, trial.Estate{Switch: b, Samples: b}, tell)
	require.NoError(t, err)
	return result
}

// truth returns the true effect on the scale of the outcome, over the slots from one moment to another, by the load model of a
// lab that no trial has switched.
func (b *bench) truth(t testing.TB, from, to time.Time) float64 {
	t.Helper()
	lab, _ := b.newLab(t)
	first, last := load.SlotOf(from), load.SlotOf(to)-1
	if b.r.Outcome.Form != trial.Log1p {
		return lab.Loads.Effect([]string{b.id}, first, last, b.off, b.on, b.cost, b.work)
	}
	sum, n := 0., 0.
	for slot := first; slot <= last; slot++ {
		off, on := lab.Loads.Suppose(b.id, slot, b.off), lab.Loads.Suppose(b.id, slot, b.on)
		sum += math.Log1p(b.cost(on)/b.work(on)) - math.Log1p(b.cost(off)/b.work(off))
		n++
	}
	return sum / n
}

// beforeAfter returns the values of single samples before and after a change that is made once, at the start of the trial.
func (b *bench) beforeAfter(t testing.TB) (before, after []float64) {
	t.Helper()
	lab, _ := b.newLab(t)
	other := &bench{experiment: b.experiment, lab: lab, id: b.id, r: b.r}
	meter, err := trial.NewMeter(b.r)
	require.NoError(t, err)
	for _, round := range b.past {
		meter.Add(round.Frames[0])
	}
	lab.Forward(time.Hour)
	_, _ = other.Set(t.Context(), []bool{true})
	for range int((time.Hour + b.r.Settle) / trial.DefaultInterval) {
		round, _ := other.Next(t.Context())
		meter.Add(round.Frames[0])
	}
	series := func(from time.Time) []float64 {
		return b.r.Outcome.Series(meter.Block(from, from.Add(time.Hour), 0).Units[0].Samples, 0)
	}
	return series(b.start.Add(-time.Hour)), series(b.start.Add(b.r.Settle))
}
