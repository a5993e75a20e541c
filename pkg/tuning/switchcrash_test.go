package tuning

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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

// theirs is the value that another client writes.
var theirs = text("theirs")

// TestCrashInATrial stops the machine at every moment of trials with random fleets, schedules, faults and other clients.
// Then vperf recovers, and the machine may stop in that too. In the end every setting has its original value, or another
// client's, which is reported, or the trial was kept and every setting has the new one.
func TestCrashInATrial(t *testing.T) {
	proof.NotRaced(t)
	const (
		thorough = 10  // trials in which the machine stops at every moment
		seeds    = 150 // trials in which it stops at some moments
		shares   = 4
	)
	var crashes, kept, foreign atomic.Int64
	t.Run("crashes", func(t *testing.T) {
		for share := range shares {
			t.Run(strconv.Itoa(share), func(t *testing.T) {
				t.Parallel()
				for seed := 1 + share; seed <= seeds && !t.Failed(); seed += shares {
					synctest.Test(t, func(t *testing.T) {
						calm := newSwitched(uint64(seed))
						calm.switches(context.Background())
						stride := 1
						if seed > thorough {
							stride = 1 + calm.ticks/12
						}
						for k := 1 + seed%stride; k <= calm.ticks; k += stride {
							end := newSwitched(uint64(seed)).crashInTrial(t, k)
							crashes.Add(1)
							switch end {
							case ResultKept:
								kept.Add(1)
							case ResultPartlyRestored:
								foreign.Add(1)
							}
						}
					})
				}
			})
		}
	})
	t.Logf("%d crashes; %d trials had been kept, in %d somebody else's value is left", crashes.Load(), kept.Load(), foreign.Load())
	if crashes.Load() < 2000 || kept.Load() == 0 || foreign.Load() < 20 {
		t.Fatalf("%d crashes, %d kept, %d with a value of somebody else: too few to prove anything", crashes.Load(), kept.Load(), foreign.Load())
	}
}

// switched is a trial of tests whose plan is switched.
type switched struct{ *trial }

func newSwitched(seed uint64) *switched {
	tr := newTrial(seed)
	tr.fleet.things, tr.fleet.health = map[string]*thing{}, map[string]*Health{}
	tr.may, tr.bendy = map[string][]value{}, map[string]bool{}
	s := &switched{tr}
	s.build()
	s.start = s.now()
	s.fleet.after = s.meddle
	return s
}

// build generates hosts and VMs with live settings, and a plan for them.
func (s *switched) build() {
	r := s.rand
	var steps []Step
	for i := range 1 + r.IntN(2) {
		h := s.fleet.host(fmt.Sprintf("host%d", i))
		steps = append(steps, s.liveStep(h, "a", 1))
		if r.IntN(2) == 0 {
			steps = append(steps, s.liveStep(h, "b", 1))
		}
		if r.IntN(2) == 0 {
			steps = append(steps, s.liveStep(s.fleet.vm(fmt.Sprintf("vm%d", i), h.Target.ID), "c", 1+r.IntN(2)))
		}
	}
	s.plan = planOf(steps...)
}

// liveStep generates n settings that change in one call.
func (s *switched) liveStep(t *thing, prefix string, n int) Step {
	var changes []Change
	for i := range n {
		name := fmt.Sprintf("vm-vmx/%s%d", prefix, i)
		before := []value{absent(), text("TRUE"), long(3)}[s.rand.IntN(3)]
		setting := t.has(name, before, inventory.ActivationLive)
		changes = append(changes, t.change(name, long(60)))
		if s.rand.IntN(12) == 0 {
			setting.swallows = true
		}
	}
	return t.step(changes...)
}

// meddle lets another client change a setting now and then, on another object than the one that was just written to.
func (s *switched) meddle(written Target) {
	if s.calm || s.rand.IntN(25) > 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(s.fleet.things)) {
		if key == written.Key() || s.rand.IntN(2) == 0 {
			continue
		}
		for _, setting := range s.fleet.things[key].settings {
			setting.value = theirs
		}
		return
	}
}

// switches runs a trial to its end, or until something fails. Its coins depend on the seed only.
func (s *switched) switches(ctx context.Context) {
	trial, err := OpenSwitching(ctx, s.fleet.estate(), s.disk.runs(), s.plan, s.terms, registration)
	if err != nil {
		return
	}
	for block := range 4 {
		on := map[int]bool{}
		for _, step := range s.plan.Steps {
			on[step.ID] = s.rand.IntN(2) == 0
		}
		if err := trial.Set(ctx, on); err != nil {
			break
		}
		if err := trial.Note(json.RawMessage(fmt.Sprintf(`{"block":%d}`, block))); err != nil {
			break
		}
	}
	_, _ = trial.Close(ctx, s.rand.IntN(3) == 0)
}

func (s *switched) crashInTrial(t *testing.T, k int) string {
	t.Helper()
	where := fmt.Sprintf("seed %d, stopped at %d", s.seed, k)
	s.left = k
	ctx := context.Background()
	if survived(func() { s.switches(ctx) }) {
		t.Fatalf("%s: the machine did not stop", where)
	}
	s.disk.crash(s.rand)
	s.announced(t, where)
	for again := range 8 {
		s.calm, s.left = again > 4, 0
		if again < 4 && s.rand.IntN(2) == 0 {
			s.left = 1 + s.rand.IntN(60)
		}
		var err error
		if !survived(func() { _, err = Recover(ctx, s.fleet.estate(), s.disk.runs(), s.terms) }) {
			s.disk.crash(s.rand)
			s.announced(t, where)
			continue
		}
		s.runs, _ = s.disk.runs().List()
		if err == nil && !s.waiting() {
			break
		}
	}
	if wrong := s.wrong(); wrong != "" || s.waiting() {
		t.Fatalf("%s: open: %t, wrong: %s\n%s\n%s", where, s.waiting(), wrong, strings.Join(s.fleet.calls, "\n"), s.journal())
	}
	if len(s.runs) == 0 {
		return ""
	}
	return s.runs[0].Result
}

// announced proves that a durable record announced each difference from the start that is not another client's.
func (s *switched) announced(t *testing.T, where string) {
	t.Helper()
	saved := map[*setting]value{}
	for key, thing := range s.fleet.things {
		for name, setting := range thing.settings {
			if v := setting.value; Same(Address{Setting: name}, v, theirs) {
				saved[setting], setting.value = v, s.start[key].values[name]
			}
		}
	}
	s.accounted(t, where)
	for setting, v := range saved {
		setting.value = v
	}
}

// wrong describes the settings that are not as they should be after the recovery.
func (s *switched) wrong() string {
	var all []string
	for key, now := range s.now() {
		for name, v := range now.values {
			a := Address{Setting: name}
			if why := s.judge(key, a, v); why != "" {
				all = append(all, key+" "+name+" "+why)
			}
		}
	}
	for _, h := range s.fleet.health {
		last := func(call string) (at int) {
			for i, c := range s.fleet.calls {
				if c == call || strings.HasPrefix(c, call+" ") {
					at = i + 1
				}
			}
			return at
		}
		if last("write "+h.Host.Name) > last("save "+h.Host.Name) {
			all = append(all, h.Host.Name+" did not save its configuration")
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func (s *switched) judge(key string, a Address, now value) string {
	if len(s.runs) == 0 || len(s.runs[0].Results) == 0 {
		if Same(a, now, s.start[key].values[a.Setting]) || Same(a, now, theirs) {
			return ""
		}
		return "was changed without a run"
	}
	run := s.runs[0]
	i := slices.IndexFunc(run.Results, func(c Result) bool { return c.Target.Key() == key && c.Key() == a.Key() })
	c := run.Results[i]
	switch {
	case run.Result == ResultKept:
		if !Same(a, now, c.After) || c.State != StateDone {
			return fmt.Sprintf("was kept and is %s (%s)", formatFact(now), c.State)
		}
	case Same(a, now, theirs):
		if c.State != StateForeign && c.writes > 0 {
			return fmt.Sprintf("is somebody else's and reported as %s", c.State)
		}
	case !Same(a, now, c.Before):
		return fmt.Sprintf("is %s (%s)", formatFact(now), c.State)
	case c.State != StateUndone && c.State != StateUntouched && c.State != StateFailed && c.State != StateForeign:
		return fmt.Sprintf("is back and reported as %s", c.State)
	}
	return ""
}

// TestLateWrite: a write that was sent before the crash and carried out after it does not stay in force.
func TestLateWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, disk, s := opened(t, 1, Options{})
		f.fault = func(call string) fault {
			if strings.HasPrefix(call, "write") {
				f.in(3*time.Second, func() { f.things["host:host01"].settings["host-option/A"].value = long(60) })
				panic(crash{})
			}
			return fine
		}
		if survived(func() { _ = s.Set(t.Context(), map[int]bool{1: true}) }) {
			t.Fatal("the machine did not stop")
		}
		f.fault = func(string) fault { return fine }
		disk.crash(newRand())
		if _, err := Recover(t.Context(), f.estate(), disk.runs(), Options{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		_, _ = f.Survey(t.Context(), nil)
		if now := f.option(); now != "0" {
			t.Fatalf("the value is %s", now)
		}
	})
}
