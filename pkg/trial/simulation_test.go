package trial

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// noise is the simulation model of a host's counter, relative to its mean: a 24 h sinusoid of random phase and a slow
// load of the whole cluster, which each host follows with its own loading, and AR(1) noise in each sample.
type noise struct{ cv, diurnal, slow, phi float64 }

func rawCounter(phi float64) noise { return noise{.15, .20, .07, phi} }
func perWork(phi float64) noise    { return noise{.05, .04, .015, phi} }

// fleet is a number of hosts with this noise.
type fleet struct {
	noise
	dice    *rand.Rand
	at      int // sample
	phase   float64
	slowNow float64
	ar      []float64
	loading []float64
	settled []float64 // part of the effect that is in force
	effect  float64
}

func newFleet(n noise, hosts int, effect float64, seed uint64) *fleet {
	f := &fleet{noise: n, dice: rand.New(rand.NewPCG(seed, 99)), effect: effect}
	f.phase, f.slowNow = f.dice.Float64()*2*math.Pi, f.dice.NormFloat64()
	for range hosts {
		f.ar = append(f.ar, f.dice.NormFloat64())
		f.loading = append(f.loading, .75+f.dice.Float64()/2)
		f.settled = append(f.settled, 0)
	}
	return f
}

const sampleSeconds = 20.

// next returns the next sample of each host.
func (f *fleet) next(treated []bool) []float64 {
	keep := math.Exp(-sampleSeconds / 1800)
	f.slowNow = keep*f.slowNow + math.Sqrt(1-keep*keep)*f.dice.NormFloat64()
	shared := f.diurnal*math.Sin(2*math.Pi*float64(f.at)*sampleSeconds/86400+f.phase) + f.slow*f.slowNow
	f.at++
	out := make([]float64, len(f.ar))
	for i := range out {
		f.ar[i] = f.phi*f.ar[i] + math.Sqrt(1-f.phi*f.phi)*f.dice.NormFloat64()
		goal := 0.
		if treated != nil && treated[i] {
			goal = 1
		}
		f.settled[i] += (goal - f.settled[i]) * (1 - math.Exp(-1)) // a time constant of 20 s
		out[i] = max(.05, 1+f.loading[i]*shared+f.cv*f.ar[i]) * (1 + f.effect*f.settled[i])
	}
	return out
}

// series returns n samples of the first host without the change.
func (f *fleet) series(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = f.next(nil)[0]
	}
	return list
}

const (
	blockSamples  = 15 // 5 minutes
	settleSamples = 3
)

var simulated = Outcome{ID: "simulated", Unit: "units", Better: Down, Form: Ratio}

// registered returns a registration of a switchback of a simulated fleet.
func registered(hosts, pairs int, seed uint64) *Registration {
	r := &Registration{
		Schema: Schema, Design: inventory.DesignSwitchback, Outcome: simulated, MinEffect: .05, Alpha: .05, Seed: seed,
		Block: blockSamples * 20 * time.Second, Settle: settleSamples * 20 * time.Second, Interval: 20 * time.Second,
		Pairs: pairs, Schedule: NewSchedule(seed, pairs, hosts), Units: make([]Unit, hosts),
	}
	return r
}

// switchback simulates the blocks of a trial, up to the pair after which until returns true.
func (f *fleet) switchback(r *Registration, until func([]Block) bool) (blocks []Block) {
	for i, pair := range r.Schedule {
		for half := range 2 {
			b := Block{Pair: i, Half: half, Treated: pair.Treated(half), Units: make([]UnitBlock, len(r.Units))}
			samples := make([][]RawSample, len(r.Units))
			for k := range blockSamples {
				for u, v := range f.next(b.Treated) {
					if k >= settleSamples {
						samples[u] = append(samples[u], RawSample{Seconds: sampleSeconds, Cost: []float64{v}, Work: []float64{1}})
					}
				}
			}
			for u := range samples {
				b.Units[u].Outcomes = []Value{valueOf(&simulated, samples[u], 0)}
			}
			blocks = append(blocks, b)
		}
		if until != nil && until(blocks) {
			break
		}
	}
	return blocks
}
