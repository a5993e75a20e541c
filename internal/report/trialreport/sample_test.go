package trialreport

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/trial"
	"github.com/vperf/vperf/pkg/tuning"
)

// sample describes a synthetic trial. Its blocks come from a seeded source of noise, its result from trial.Analyse.
type sample struct {
	hosts, pairs int
	effect       float64 // the true one: -.17 is 17 % less
	noise        float64 // of a block, as a fraction
	done         int     // blocks; 0: all
	dropped      map[[2]int]string
	edit         func(*trials.Recorded)
}

var began = time.Date(2026, 11, 20, 22, 15, 30, 0, time.UTC)

var cpuPerGbit = trial.Outcome{
	ID: "cpu-per-gbit", Title: "Used CPU per Gb/s", Unit: "MHz per Gb/s", Better: trial.Down, Form: trial.Ratio,
	Cost: []trial.Term{{Object: "host", Metric: "host.cpuUsageMHz"}}, Work: []trial.Term{{Object: "host", Metric: "net.allRx"}},
	Scopes: []inventory.Scope{inventory.ScopeHost}, TimeConstant: 20 * time.Second, Rules: []string{"numa-io"},
	About: "CPU that the host uses for each Gb/s of its network traffic.", Source: "founding articles",
}

var ready = trial.Outcome{
	ID: "ready", Title: "Ready time per vCPU", Unit: "%", Better: trial.Down, Form: trial.Log1p,
	Cost:   []trial.Term{{Object: "group", Metric: "cpu.readyPerVCPU"}},
	Scopes: []inventory.Scope{inventory.ScopeHost}, TimeConstant: 5 * time.Second,
}

var drops = trial.Outcome{
	ID: "drops", Title: "Dropped packets", Unit: "packets/s", Better: trial.Down, Form: trial.Difference,
	Cost:   []trial.Term{{Object: "port", Metric: "net.droppedRxRate"}},
	Scopes: []inventory.Scope{inventory.ScopeHost}, TimeConstant: 20 * time.Second,
}

func registered(s sample) *trial.Registration {
	limit := 5.
	r := &trial.Registration{
		Schema: trial.Schema, Rule: "numa-io", Design: inventory.DesignSwitchback, Outcome: cpuPerGbit, Others: []trial.Outcome{ready, drops},
		MinEffect: .05, Alpha: .05, Seed: 42, Block: 5 * time.Minute, Settle: time.Minute, Interval: 20 * time.Second,
		Pairs: s.pairs, Schedule: trial.NewSchedule(42, s.pairs, s.hosts),
		Guards: []trial.Guard{
			{ID: "ready", Title: "Ready time per vCPU of the worst VM", Unit: "%", Term: trial.Term{Object: "group", Metric: "cpu.readyPerVCPU", Fold: trial.Max}, Floor: 5},
			{ID: "disk-latency", Title: "Guest latency of the slowest LUN", Unit: "ms", Term: trial.Term{Object: "device", Metric: "disk.guestLatency", Fold: trial.Max}, Floor: 20},
			{ID: "swap-in", Title: "Swap-in rate", Unit: "MB/s", Term: trial.Term{Object: "host", Metric: "mem.hostSwapRead"}, Starts: true},
			{ID: "vm.cpu.costop<5%", Title: "vm.cpu.costop", Unit: "%", Term: trial.Term{Object: "group", Metric: "cpu.costop", Fold: trial.Max}, Limit: &limit, Text: "vm.cpu.costop<5%"},
		},
	}
	var on []string
	for h := range s.hosts {
		name := fmt.Sprintf("esx%02d", h+1)
		r.Units = append(r.Units, trial.Unit{Kind: inventory.ScopeHost, ID: fmt.Sprintf("host-%d", h+1), Name: name, Hosts: []string{fmt.Sprintf("host-%d", h+1)}})
		r.Baseline.Units = append(r.Baseline.Units, trial.UnitBaseline{
			Outcomes: []float64{310, 1.2, 0},
			Guards:   []trial.GuardBaseline{{P99: 4, Max: 5, Mean: 1, BlockSD: .2, Samples: 180}, {P99: 9, Max: 12, Mean: 3, BlockSD: .4, Samples: 180}, {Samples: 180}, {P99: 1, Samples: 180}},
		})
		on = append(on, name)
	}
	r.Question = "Does numa-io lower used CPU per Gb/s of " + strings.Join(on, ", ") + " by 5 % or more?"
	return r
}

func (s sample) blocks(r *trial.Registration) []trial.Block {
	dice := rand.New(rand.NewPCG(7, 7))
	var all []trial.Block
	for i := range 2 * r.Pairs {
		if s.done > 0 && i >= s.done {
			break
		}
		b := trial.Block{Pair: i / 2, Half: i % 2, Begin: began.Add(time.Duration(i) * r.Block), Treated: r.Schedule[i/2].Treated(i % 2)}
		b.End = b.Begin.Add(r.Block)
		for u := range r.Units {
			b.Units = append(b.Units, s.unitBlock(r, dice, &b, u))
		}
		all = append(all, b)
	}
	return all
}

// unitBlock is 12 samples of a host: the outcome's cost and work, ready time, and no drops.
func (s sample) unitBlock(r *trial.Registration, dice *rand.Rand, b *trial.Block, unit int) trial.UnitBlock {
	ub := trial.UnitBlock{Dropped: s.dropped[[2]int{2*b.Pair + b.Half, unit}], Guards: []float64{1.5, 6, 0, .5}}
	level := 310 * (1 + .04*math.Sin(float64(2*b.Pair+b.Half)/4)) * (1 + s.noise*dice.NormFloat64())
	if b.Treated[unit] {
		level *= 1 + s.effect
	}
	cost, work, logs := 0., 0., 0.
	for at := b.Begin.Add(r.Settle + r.Interval); !at.After(b.End); at = at.Add(r.Interval) {
		w := 8 * (1 + .1*dice.NormFloat64())
		ready := 1.2 * (1 + .1*dice.NormFloat64())
		ub.Samples = append(ub.Samples, trial.RawSample{
			Time: at, Host: r.Units[unit].ID, Seconds: 20, Cost: []float64{level * w, ready, 0}, Work: []float64{w, 1, 1}, Guards: []float64{1.5, 6, 0, .5},
		})
		cost, work, logs = cost+level*w*20, work+w*20, logs+math.Log1p(ready)
	}
	n := float64(len(ub.Samples))
	ub.Outcomes = []trial.Value{
		{Cost: cost, Work: work, Value: math.Log(cost / work), Known: true},
		{Cost: 1.2 * 20 * n, Work: 20 * n, Value: logs / n, Known: true},
		{Work: 20 * n, Known: true},
	}
	return ub
}

func recorded(s sample) *trials.Recorded {
	r := registered(s)
	vms := 24
	t := &trials.Recorded{
		Run: &tuning.Run{
			ID: "20261120-221530.123-ab12", Began: began, Ended: began.Add(3 * time.Hour), Result: "restored",
			Begin: tuning.Begin{Server: tuning.Server{Name: "lab", UUID: "1234"}, User: "ann"},
		},
		Registration: r, Blocks: s.blocks(r), Ended: true,
		Conditions: trials.Conditions{
			Title: "NIC traffic crosses NUMA nodes", Reason: "It takes effect within a minute.",
			Published: []trials.Published{{Text: "17 % less CPU per Gb/s", Conditions: "2 sockets, ESXi 6.0, 40 GbE", Source: "a published article"}},
		},
	}
	for _, u := range r.Units {
		t.Conditions.Changes = append(t.Conditions.Changes, trials.Changed{Target: u.Name, Setting: "Net.NetNetqNumaIOCpuPinThreshold", Untreated: "0", Treated: "200"})
		t.Conditions.Hosts = append(t.Conditions.Hosts, trials.HostCondition{Name: u.Name, Model: "Dell PowerEdge R740", CPU: "Intel Xeon Gold 6248", Release: "ESXi 8.0.2 22380479", VMs: &vms})
		t.Run.Results = append(t.Run.Results, tuning.Result{Target: tuning.Target{Name: u.Name}, State: tuning.StateUndone})
	}
	t.Result = trial.Analyse(r, t.Blocks)
	if s.edit != nil {
		s.edit(t)
	}
	return t
}

// samples are trials with every kind of result, by name.
func samples() map[string]*trials.Recorded {
	return map[string]*trials.Recorded{
		"keep": recorded(sample{hosts: 1, pairs: 12, effect: -.17, noise: .02, dropped: map[[2]int]string{{4, 0}: "vMotion of web01 to esx02", {5, 0}: "vMotion of web01 to esx02", {9, 0}: "lost samples: 2 of 12"}, edit: func(t *trials.Recorded) {
			t.Kept = true
			t.Run.Results[0].State = tuning.StateDone
		}}),
		"worse":        recorded(sample{hosts: 2, pairs: 12, effect: .09, noise: .02}),
		"nodifference": recorded(sample{hosts: 2, pairs: 18, effect: 0, noise: .02}),
		"undecided":    recorded(sample{hosts: 1, pairs: 8, effect: -.04, noise: .06}),
		"guard": recorded(sample{hosts: 2, pairs: 12, effect: -.17, noise: .02, done: 8, edit: func(t *trials.Recorded) {
			text := "Ready time per vCPU of the worst VM on esx01 is 9.1 %, above 6, in two samples"
			t.Result.Stop, t.Result.Stopped = trial.StopGuard, text
			t.Result.Trips = []trial.Trip{{Guard: "ready", How: "hard", Unit: 0, Value: 9.1, Limit: 6, Text: text}}
		}}),
		"foreign": recorded(sample{hosts: 2, pairs: 12, effect: -.17, noise: .02, done: 6, edit: func(t *trials.Recorded) {
			t.Result.Stop, t.Result.Stopped = trial.StopForeign, "switching: somebody else changed a setting of esx02: Net.NetNetqNumaIOCpuPinThreshold is 50"
			t.Run.Results[1].State = tuning.StateForeign
		}}),
		"interrupted": recorded(sample{hosts: 1, pairs: 12, effect: -.17, noise: .02, done: 3, edit: func(t *trials.Recorded) {
			t.Result.Stop, t.Result.Stopped = trial.StopInterrupted, "interrupted"
		}}),
		"hosts8": recorded(sample{hosts: 8, pairs: 6, effect: -.17, noise: .03, dropped: map[[2]int]string{{3, 2}: "snapshot of db01", {7, 5}: "snapshot of db02"}}),
		"large": recorded(sample{hosts: 12, pairs: 6, effect: -.17, noise: .03, dropped: map[[2]int]string{{3, 2}: "snapshot of db01", {7, 5}: "snapshot of db02"}, edit: func(t *trials.Recorded) {
			for i := range 8 {
				other := ready
				other.ID = fmt.Sprintf("another-outcome-%d", i+1)
				t.Registration.Others = append(t.Registration.Others, other)
				t.Result.Others = append(t.Result.Others, t.Result.Others[0])
			}
			for i := range t.Blocks {
				for u := range t.Blocks[i].Units {
					b := &t.Blocks[i].Units[u]
					b.Outcomes = append(b.Outcomes, slices.Repeat(b.Outcomes[1:2], 8)...)
				}
			}
			for i := range t.Conditions.Hosts {
				t.Conditions.Hosts[i].CPU = fmt.Sprintf("Intel(R) Xeon(R) CPU E5-26%d0 v4 @ 2.60GHz", i/3)
			}
			for range 3 {
				t.Conditions.Published = append(t.Conditions.Published, trials.Published{
					Text: "up to about 20 % less CPU and up to about 20 % more throughput with NUMA-aware network I/O", Conditions: "40GbE Mellanox ConnectX-3, one VM with 1 vCPU, two-socket E5-2667 hosts, ESXi 6.0",
				})
			}
			t.Conditions.Simulated = true
			t.Result.Stop, t.Result.Stopped = trial.StopEarly, "the e-value reached 20 after pair 5 of 6"
		}}),
		"simulated":   recorded(sample{hosts: 1, pairs: 12, effect: -.17, noise: .02, edit: func(t *trials.Recorded) { t.Conditions.Simulated = true }}),
		"randomised":  randomised(4),
		"waiting":     waitingLot(),
		"beforeafter": beforeAfter(),
		"hostile":     recorded(sample{hosts: 1, pairs: 6, effect: -.17, noise: .02, dropped: map[[2]int]string{{2, 0}: evil}, edit: poison}),
	}
}

// evil is a name that a user of the server chose.
const evil = "\x1b[31mred\u202e<script>hurt=1</script>|`*"

func poison(t *trials.Recorded) {
	t.Registration.Units[0].Name, t.Registration.Question = evil, "Does numa-io lower that of "+evil+"?"
	t.Conditions.Hosts[0].Name, t.Conditions.Hosts[0].Model, t.Conditions.Changes[0].Treated = evil, evil, evil
	t.Run.Server.Name, t.Run.User = evil, evil
	t.Result.Stop, t.Result.Stopped = trial.StopEvent, evil
	t.Result.Trips = []trial.Trip{{Guard: "event", How: "event", Text: evil}}
}

// randomised is a trial of a design with a lot.
func randomised(hosts int) *trials.Recorded {
	s := sample{hosts: hosts, pairs: 1, effect: -.17, noise: .02}
	t := recorded(s)
	r := t.Registration
	r.Design, r.Rule, r.Schedule, r.Pairs, r.Lot = inventory.DesignRandomised, "rss", nil, 1, trial.DrawLot(42, hosts)
	r.Block, r.Settle = 24*time.Hour, 0
	r.Question = "Does rss lower used CPU per Gb/s by 5 % or more?"
	t.Conditions.Reason = "The change needs a driver reload or a reboot of the host, and links flap."
	t.Result = trial.Analyse(r, t.Blocks)
	return t
}

// waitingLot is a lot that is drawn and not judged yet.
func waitingLot() *trials.Recorded {
	t := randomised(8)
	t.Blocks, t.Ended, t.Conditions.Params = nil, false, []string{"rss.options=4"}
	t.Result = trial.Analyse(t.Registration, nil)
	t.Result.Verdict = trial.Undecided
	return t
}

// beforeAfter is what vperf history effect shows.
func beforeAfter() *trials.Recorded {
	t := recorded(sample{hosts: 1, pairs: 6, effect: -.17, noise: .02})
	r := t.Registration
	var before, after []float64
	for i := range t.Blocks {
		list := r.Outcome.Series(t.Blocks[i].Units[0].Samples, 0)
		if t.Blocks[i].Treated[0] {
			after = append(after, list...)
		} else {
			before = append(before, list...)
		}
	}
	r.Design, r.Schedule, r.Pairs, r.Guards = inventory.DesignBeforeAfter, nil, 0, nil
	r.Question = "What changed when numa-io was changed on esx01?"
	t.Result = trial.BeforeAfter(r.Outcome, before, after)
	t.Conditions.Reason = ""
	return t
}

// planned is the plan of a trial.
func planned(hosts int) PlanInput {
	r := registered(sample{hosts: hosts, pairs: 12})
	t := recorded(sample{hosts: hosts, pairs: 12})
	hours := func(base float64) (list []trial.Hours) {
		for _, n := range []int{1, 2, 4, 8} {
			list = append(list, trial.Hours{Units: n, Pairs: 12 / n, Hours: base / float64(n)})
		}
		return list
	}
	return PlanInput{
		Registration: r, Conditions: t.Conditions, Lasts: 2 * time.Hour,
		Prospects: []trial.Prospect{
			{Outcome: cpuPerGbit, Mean: 312, SD: .041, Differences: 10, Needed: 8, Hours: hours(1.3), Pairs: 12, Smallest: .036, Power: .93},
			{Outcome: ready, Mean: 1.2, SD: .3, Differences: 10, Needed: 280, Hours: hours(48), Pairs: 12, Smallest: .28, Power: .11},
			{Outcome: drops, Missing: "esx01 has no drops: no samples, or no work was done"},
		},
	}
}
