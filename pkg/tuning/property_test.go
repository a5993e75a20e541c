package tuning

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestCrashAnywhere stops the machine after every write to the journal, and before and after every call that changes
// something, for random fleets, plans and faults. Then vperf starts again, and the machine may stop once more. In the
// end, all settings have their original or equivalent values, and at no moment is there a change on the server that the
// journal does not contain.
func TestCrashAnywhere(t *testing.T) {
	proof.NotRaced(t)
	const (
		thorough = 22  // fleets in which the machine stops at every moment
		seeds    = 140 // fleets in which it stops at some moments
		shares   = 4   // parallel parts
	)
	var crashes atomic.Int64
	t.Run("crashes", func(t *testing.T) {
		for share := range shares {
			t.Run(strconv.Itoa(share), func(t *testing.T) {
				t.Parallel()
				for seed := 1 + share; seed <= seeds && !t.Failed(); seed += shares {
					synctest.Test(t, func(t *testing.T) {
						points := count(uint64(seed))
						stride := 1
						if seed > thorough {
							stride = 1 + points/4
						}
						for k := 1 + seed%stride; k <= points; k += stride {
							newTrial(uint64(seed)).crashAt(t, k)
							crashes.Add(1)
						}
					})
				}
			})
		}
	})
	t.Logf("%d crashes", crashes.Load())
	if crashes.Load() < 2000 {
		t.Fatalf("only %d crashes: the fleets are too small to prove anything", crashes.Load())
	}
}

// trial is one fleet, one plan and one run of faults.
type trial struct {
	seed  uint64
	rand  *rand.Rand
	fleet *fleet
	disk  *memory
	plan  *Plan
	terms Options
	start map[string]state   // of each thing
	may   map[string][]value // by target and setting: values that are equivalent to the original one
	bendy map[string]bool    // settings of which the host stores another value at the first write
	left  int                // ticks until the machine stops; 0 means never
	ticks int
	runs  []*Run // as last read
	calm  bool   // no more faults
}

type state struct {
	running, maintenance bool
	values               map[string]value
}

type crash struct{}

func newTrial(seed uint64) *trial {
	tr := &trial{seed: seed, rand: rand.New(rand.NewPCG(seed, 7)), fleet: newFleet(), disk: newMemory(), may: map[string][]value{}, bendy: map[string]bool{}}
	tr.build()
	tr.start = tr.now()
	tr.fleet.tick, tr.disk.tick = tr.tick, tr.tick
	tr.fleet.fault = tr.fault
	tr.fleet.blind = func() error {
		if !tr.calm && tr.rand.IntN(100) == 0 {
			return errors.New("connection lost")
		}
		return nil
	}
	tr.fleet.unfit = func(string) []string {
		if !tr.calm && tr.rand.IntN(6) == 0 {
			return []string{"a VM will not move"}
		}
		return nil
	}
	return tr
}

func (tr *trial) tick() {
	time.Sleep(time.Millisecond) // in the bubble's time
	if tr.disk.dead {
		return
	}
	tr.ticks++
	if tr.left--; tr.left == 0 {
		tr.disk.dead = true
		panic(crash{})
	}
}

func (tr *trial) fault(string) fault {
	if tr.calm || tr.rand.IntN(12) > 0 {
		return fine
	}
	return fault(1 + tr.rand.IntN(4))
}

// survived runs do, and reports whether the machine did not stop in it.
func survived(do func()) (yes bool) {
	defer func() {
		if !yes {
			if r := recover(); r != (crash{}) {
				panic(r)
			}
		}
	}()
	do()
	return true
}

// count returns the number of moments at which the machine can stop.
func count(seed uint64) int {
	tr := newTrial(seed)
	_, _ = Apply(context.Background(), tr.fleet.estate(), tr.disk.runs(), tr.plan, tr.terms)
	return tr.ticks
}

func (tr *trial) crashAt(t *testing.T, k int) {
	t.Helper()
	where := fmt.Sprintf("seed %d, stopped at %d", tr.seed, k)
	tr.left = k
	ctx := context.Background()
	if survived(func() { _, _ = Apply(ctx, tr.fleet.estate(), tr.disk.runs(), tr.plan, tr.terms) }) {
		t.Fatalf("%s: the machine did not stop", where)
	}
	tr.disk.crash(tr.rand)
	tr.accounted(t, where)

	// Settle the interrupted run. The machine may stop during that too, more than once.
	for again := range 8 {
		tr.calm = again > 4
		tr.left = 0
		if again < 4 && tr.rand.IntN(2) == 0 {
			tr.left = 1 + tr.rand.IntN(60)
		}
		where := fmt.Sprintf("%s, round %d", where, again)
		var err error
		if !survived(func() { err = tr.settle(ctx) }) {
			tr.disk.crash(tr.rand)
			tr.accounted(t, where)
			continue
		}
		tr.truthful(t, where)
		if err == nil && tr.isHome() == "" && !tr.waiting() {
			return
		}
	}
	t.Fatalf("%s: it is not as it was: %s\n%s\n%s", where, tr.isHome(), strings.Join(tr.fleet.calls, "\n"), tr.journal())
}

// settle does the same as vperf history followed by vperf rollback.
func (tr *trial) settle(ctx context.Context) error {
	runs := tr.disk.runs()
	if _, err := Recover(ctx, tr.fleet.estate(), runs, tr.terms); err != nil {
		return err
	}
	if len(tr.runs) == 0 || len(tr.runs[0].Records) == 0 {
		return nil // it had not begun
	}
	_, err := Rollback(ctx, tr.fleet.estate(), runs, tr.runs[0].ID, tr.terms)
	return err
}

// accounted proves that a durable record announced each difference from the start.
func (tr *trial) accounted(t *testing.T, where string) {
	t.Helper()
	announced := map[string]bool{}
	tr.runs, _ = tr.disk.runs().List()
	for _, run := range tr.runs {
		if run.Damaged {
			t.Fatalf("%s: a run that was killed is damaged: %s\n%s", where, run.Broken, tr.journal())
		}
		for _, r := range run.Records {
			if r.Target == nil {
				continue
			}
			announced[r.Target.Key()+" "+string(r.Action)] = true
			for _, c := range r.Changes {
				if c.Inverse == nil {
					continue
				}
				announced[r.Target.Key()+" "+c.Key()] = true
				for _, a := range c.Inverse.Write {
					announced[r.Target.Key()+" "+a.Key()] = true
				}
			}
		}
	}
	for _, d := range tr.differences(false) {
		if !announced[d] {
			t.Fatalf("%s: the journal does not contain %s\n%s", where, d, tr.journal())
		}
	}
}

// truthful proves that the live values are as the journal says.
func (tr *trial) truthful(t *testing.T, where string) {
	t.Helper()
	tr.runs, _ = tr.disk.runs().List()
	for _, run := range tr.runs {
		for _, c := range run.Results {
			thing := tr.fleet.things[c.Target.Key()]
			now := thing.get(c.Setting)
			switch {
			case c.isApplied() && !Same(c.Address, now, c.Now),
				(c.State == StateDone || c.State == StatePending || c.State == StateProven) && !Same(c.Address, now, c.After),
				!c.isApplied() && !c.open() && c.State != StateForeign && !tr.sameAsBefore(c.Target.Key(), c.Address, now):
				t.Fatalf("%s: the journal says that %s of %s is %s (%s), it is %s\n%s", where, c.Key(), c.Target.Name, c.State, formatFact(c.Now), formatFact(now), tr.journal())
			}
		}
	}
}

func (tr *trial) sameAsBefore(key string, a Address, now value) bool {
	return Same(a, now, tr.start[key].values[a.Setting]) || anyOf(a, now, tr.may[key+" "+a.Setting])
}

// isHome describes the differences from the start.
func (tr *trial) isHome() string {
	return strings.Join(slices.DeleteFunc(tr.differences(true), tr.needsPerson), ", ")
}

// needsPerson reports whether a difference is a value that the host altered, when the machine stopped before the host's
// answer was recorded. vperf cannot know who wrote it, so it reports and skips it.
func (tr *trial) needsPerson(difference string) bool {
	return tr.bendy[difference] && slices.ContainsFunc(tr.runs, func(run *Run) bool {
		return run.has(func(c *Result) bool { return c.State == StateForeign && c.Target.Key()+" "+c.Key() == difference })
	})
}

// differences lists the differences from the start, as target and setting or action.
func (tr *trial) differences(equivalentIsSame bool) []string {
	var all []string
	for key, now := range tr.now() {
		was := tr.start[key]
		if was.running && !now.running {
			all = append(all, key+" "+string(ActionShutDown))
		}
		if !was.running && now.running {
			all = append(all, key+" "+string(ActionPowerOn))
		}
		if now.maintenance && !was.maintenance {
			all = append(all, key+" "+string(ActionEnterMaintenance))
		}
		if !now.maintenance && was.maintenance {
			all = append(all, key+" "+string(ActionExitMaintenance))
		}
		for name, v := range now.values {
			a := Address{Setting: name}
			if Same(a, v, was.values[name]) || equivalentIsSame && anyOf(a, v, tr.may[key+" "+name]) {
				continue
			}
			all = append(all, key+" "+name)
		}
	}
	slices.Sort(all)
	return all
}

// waiting reports whether anything is in doubt.
func (tr *trial) waiting() bool {
	return slices.ContainsFunc(tr.runs, (*Run).Open)
}

func (tr *trial) now() map[string]state {
	all := map[string]state{}
	for key, t := range tr.fleet.things {
		s := state{running: t.Running, maintenance: t.Maintenance, values: map[string]value{}}
		for name, setting := range t.settings {
			s.values[name] = setting.value
		}
		all[key] = s
	}
	return all
}

func (tr *trial) journal() string {
	var all []string
	for name, f := range tr.disk.files {
		if strings.HasSuffix(name, journalFile) {
			all = append(all, name+":\n"+string(f.content))
		}
	}
	return strings.Join(all, "\n")
}

// build generates a fleet and a plan for it.
func (tr *trial) build() {
	r := tr.rand
	var steps []Step
	for i := range 1 + r.IntN(2) {
		h := tr.fleet.host(fmt.Sprintf("host%d", i))
		h.Maintenance = r.IntN(8) == 0
		steps = append(steps, tr.steps(h, 1)...)
		for j := range r.IntN(3) {
			vm := tr.fleet.vm(fmt.Sprintf("vm%d%d", i, j), h.Target.ID)
			vm.Running = r.IntN(3) > 0
			steps = append(steps, tr.steps(vm, 3)...)
		}
	}
	tr.plan = planOf(steps...)
	tr.terms = Options{
		User: "tester", Batch: 1 + r.IntN(3), RollbackOnError: r.IntN(2) == 0,
		PowerCycle: r.IntN(4) > 0, HostReboot: r.IntN(4) > 0,
	}
}

// steps generates settings of a thing and changes to them, at most most in a step.
func (tr *trial) steps(t *thing, most int) []Step {
	r := tr.rand
	activations := []inventory.Activation{inventory.ActivationLive, inventory.ActivationHostReboot, inventory.ActivationDriverReload}
	if isVM(t.Target) {
		activations = []inventory.Activation{inventory.ActivationLive, inventory.ActivationPowerCycle, inventory.ActivationPowerOff}
	}
	var steps []Step
	for s := range 1 + r.IntN(2) {
		var changes []Change
		for c := range 1 + r.IntN(most) {
			name := fmt.Sprintf("vm-vmx/key%d%d", s, c)
			changes = append(changes, tr.change(t, name, activations[r.IntN(len(activations))]))
		}
		if isVM(t.Target) && s == 0 && r.IntN(3) == 0 {
			changes = append(changes, tr.lock(t))
		}
		steps = append(steps, t.step(changes...))
	}
	return steps
}

// change generates one setting with random behaviour.
func (tr *trial) change(t *thing, name string, a inventory.Activation) Change {
	before := []value{absent(), text(""), text("TRUE"), text("7"), long(3)}[tr.rand.IntN(5)]
	after := []value{text("FALSE"), text("on"), long(60)}[tr.rand.IntN(3)]
	s := t.has(name, before, a)
	c := t.change(name, after)
	switch tr.rand.IntN(12) {
	case 0:
		s.swallows = true
	case 1: // it cannot be unset: another value is equivalent
		c.Inverse = Inverse{Kind: inventory.InverseEquivalent, Write: []Assignment{{Address: c.Address, Value: text("default")}}}
		tr.may[t.Target.Key()+" "+name] = []value{text("default")}
	case 2: // the first write is altered, later ones are not
		tr.bendy[t.Target.Key()+" "+name] = true
		s.bends = func() value {
			s.bends = nil
			return text("bent")
		}
	}
	return c
}

// lock generates a memory reservation that changes together with a memory lock.
func (tr *trial) lock(t *thing) Change {
	full, before := long(4096), long(int64(tr.rand.IntN(2)*512))
	t.has("vm-memory-reservation", before, inventory.ActivationLive)
	s := t.has("vm-memory-lock", text("false"), inventory.ActivationLive)
	s.drags = func(t *thing) {
		if v, _ := t.get("vm-memory-lock").Value(); v.Text == "true" {
			t.settings["vm-memory-reservation"].value = full
		}
	}
	c := t.change("vm-memory-lock", text("true"))
	c.Inverse.Kind = inventory.InverseEquivalent
	c.Inverse.Write = append(c.Inverse.Write, Assignment{Address: Address{Setting: "vm-memory-reservation"}, Value: before})
	return c
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
