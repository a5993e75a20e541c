package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// memoryEstate is an estate in memory, whose time advances by one sample a round.
type memoryEstate struct {
	fleet   *fleet
	now     time.Time
	treated []bool
	sets    int
	rounds  int
	events  []Event

	onSet   func(n int) error
	onFrame func(round, host int, f *esxtop.Frame) bool // false: the frame is lost
	onRound func(round int) error
}

func newEstate(n noise, hosts int, effect float64) *memoryEstate {
	return &memoryEstate{fleet: newFleet(n, hosts, effect, 5), now: start}
}

func (e *memoryEstate) estate() Estate { return Estate{Switch: e, Samples: e, Events: e} }

func (e *memoryEstate) Set(_ context.Context, treated []bool) (time.Time, error) {
	e.sets++
	if e.onSet != nil {
		if err := e.onSet(e.sets); err != nil {
			return time.Time{}, err
		}
	}
	e.treated = slices.Clone(treated)
	return e.now, nil
}

func (e *memoryEstate) Next(ctx context.Context) (*esxtop.Round, error) {
	e.now = e.now.Add(20 * time.Second)
	e.rounds++
	if e.onRound != nil {
		if err := e.onRound(e.rounds); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	round := &esxtop.Round{Time: e.now}
	for h, v := range e.fleet.next(e.treated) {
		f := hostFrame(hostID(h), e.now, v)
		if e.onFrame == nil || e.onFrame(e.rounds, h, f) {
			round.Frames = append(round.Frames, f)
		}
	}
	return round, nil
}

func (e *memoryEstate) Since(_ context.Context, after time.Time) (list []Event, err error) {
	for _, event := range e.events {
		if event.Time.After(after) && !event.Time.After(e.now) {
			list = append(list, event)
		}
	}
	return list, nil
}

func hostID(h int) string { return fmt.Sprintf("host-%d", h+1) }

// hostFrame returns a frame of a host that uses v × 1000 MHz for 1 Gb/s, with one VM of 4 vCPUs.
func hostFrame(id string, at time.Time, v float64) *esxtop.Frame {
	f := &esxtop.Frame{Host: id, MoID: id, Time: at, Interval: 20 * time.Second, Origin: esxtop.Performance}
	host := esxtop.NewRow(esxtop.Host, id, id)
	host.Set(esxtop.Lookup("host.cpuUsageMHz"), 1000*v)
	host.Set(esxtop.Lookup("net.allRx"), 512)
	host.Set(esxtop.Lookup("net.allTx"), 512)
	host.Set(esxtop.Lookup("mem.hostSwapRead"), 0)
	f.Put(esxtop.Host, []esxtop.Row{host})
	vm := esxtop.NewRow(esxtop.Group, "100", "vm-a")
	vm.VM, vm.MoID, vm.VCPUs = true, "vm-"+id, 4
	vm.Set(esxtop.Lookup("cpu.ready"), 8)
	vm.Set(esxtop.Lookup("cpu.readyPerVCPU"), 2)
	f.Put(esxtop.Group, []esxtop.Row{vm})
	return f
}

func setReady(f *esxtop.Frame, perVCPU float64) {
	f.Rows(esxtop.Group)[0].Set(esxtop.Lookup("cpu.readyPerVCPU"), perVCPU)
	f.Rows(esxtop.Group)[0].Set(esxtop.Lookup("cpu.ready"), 4*perVCPU)
}

func library(t testing.TB) *Library {
	t.Helper()
	l, err := Load(os.DirFS("testdata/outcomes"))
	require.NoError(t, err)
	return l
}

func onHosts(t testing.TB, hosts, pairs int) *Registration {
	t.Helper()
	r := registered(hosts, pairs, 11)
	l := library(t)
	r.Outcome, r.Guards, r.Rule = *l.Outcome("cpu-per-gbit"), l.Guards, "numa-io"
	r.Others = []Outcome{*l.Outcome("ready"), *l.Outcome("drops")}
	for h := range hosts {
		r.Units[h] = Unit{Kind: inventory.ScopeHost, ID: hostID(h), Name: fmt.Sprintf("host%02d", h+1), Hosts: []string{hostID(h)}}
	}
	return r
}

// calm is noise without load, so that small trials decide.
var calm = noise{cv: .01, phi: .5}

// made runs a trial and returns its result and what was reported.
func made(ctx context.Context, t *testing.T, r *Registration, e *memoryEstate) (*Result, []Progress, error) {
	t.Helper()
	var told []Progress
	res, err := Run(ctx, r, e.estate(), func(p Progress) error {
		if p.Block != nil {
			b := *p.Block
			b.Units = slices.Clone(b.Units)
			p.Block = &b
		}
		told = append(told, p)
		return nil
	})
	require.NotNil(t, res)
	require.Less(t, e.rounds, 3000, "it ends")
	return res, told, err
}

func done(told []Progress) (blocks []Block) {
	for _, p := range told {
		if p.Kind == BlockDone {
			blocks = append(blocks, *p.Block)
		}
	}
	return blocks
}

func TestRun(t *testing.T) {
	r, e := onHosts(t, 1, 12), newEstate(calm, 1, -.10)
	res, told, err := made(t.Context(), t, r, e)
	require.NoError(t, err)
	require.Equal(t, Keep, res.Verdict, res.Summary())
	require.Equal(t, ClaimCausal, res.Claim)
	effect, low, high := res.Estimate.Percent()
	require.InDelta(t, -10, effect, 1.5)
	require.Less(t, low, -10+1.5)
	require.Greater(t, high, -10-1.5)
	require.InDelta(t, 900, res.Treated, 20)
	require.InDelta(t, 1000, res.Untreated, 20)
	require.Equal(t, StopEarly, res.Stop)
	require.GreaterOrEqual(t, res.EMax, 20.)
	require.Less(t, len(res.Pairs), 12)
	require.InDelta(t, 1, res.WorkMoved.P, 0, "the work is constant")
	require.Len(t, res.Others, 2)
	require.InDelta(t, 2, res.Others[0].Treated, 1e-9, "ready time")

	blocks := done(told)
	require.Len(t, blocks, 2*len(res.Pairs))
	require.Equal(t, len(blocks)+1, e.sets, "one switch a block, and a look at the end")
	for i, b := range blocks {
		require.Equal(t, r.Schedule[i/2].Treated(i%2), b.Treated)
		require.Len(t, b.Units[0].Samples, 12, "15 samples, of which 3 are dropped")
		requireOwnArithmetic(t, &b.Units[0])
	}
	again := Analyse(r, blocks)
	again.Stop, again.Stopped = res.Stop, res.Stopped
	require.Equal(t, res, again, "the result follows from the blocks")

	var fromJournal Registration
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &fromJournal))
	require.Equal(t, r, &fromJournal)
	var journalled []Block
	text, err = json.Marshal(blocks)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &journalled))
	again = Analyse(&fromJournal, journalled)
	again.Stop, again.Stopped = res.Stop, res.Stopped
	require.Equal(t, res, again, "and from the journal")
	_, err = json.Marshal(res)
	require.NoError(t, err)
}

// requireOwnArithmetic computes the outcomes from the raw samples in another way.
func requireOwnArithmetic(t *testing.T, u *UnitBlock) {
	t.Helper()
	mhz, gbit, logs := 0., 0., 0.
	for _, s := range u.Samples {
		mhz += s.Cost[0] * 20
		gbit += s.Work[0] * 20
		logs += math.Log(1+s.Cost[1]) / float64(len(u.Samples))
	}
	require.InDelta(t, math.Log(mhz)-math.Log(gbit), u.Outcomes[0].Value, 1e-12)
	require.InDelta(t, mhz, u.Outcomes[0].Cost, 1e-6)
	require.InDelta(t, logs, u.Outcomes[1].Value, 1e-12)
}

func TestRunWithoutEffect(t *testing.T) {
	res, _, err := made(t.Context(), t, onHosts(t, 2, 8), newEstate(calm, 2, 0))
	require.NoError(t, err)
	require.Equal(t, NoDifference, res.Verdict, res.Summary())
	require.Equal(t, 16, res.Used)
	require.Empty(t, res.Stop)
	require.Len(t, res.PerUnit, 2)
	require.Equal(t, 8, res.PerUnit[1].N)
}

func TestRunOfNoise(t *testing.T) {
	r := onHosts(t, 1, 6)
	r.Guards = nil
	res, _, err := made(t.Context(), t, r, newEstate(rawCounter(.8), 1, 0))
	require.NoError(t, err)
	require.Equal(t, Undecided, res.Verdict)
	require.Positive(t, res.MorePairs)
}

func TestWorse(t *testing.T) {
	r := onHosts(t, 1, 12)
	r.Guards = nil
	res, _, err := made(t.Context(), t, r, newEstate(calm, 1, .10))
	require.NoError(t, err)
	require.Equal(t, Worse, res.Verdict)
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := newEstate(calm, 1, 0)
	e.onRound = func(round int) error {
		if round == 7*30+4 { // in the first block of the 8th pair
			cancel()
		}
		return nil
	}
	res, told, err := made(ctx, t, onHosts(t, 1, 20), e)
	require.NoError(t, err, "that is no error")
	require.Equal(t, StopInterrupted, res.Stop)
	require.Equal(t, 7, res.Used)
	require.Equal(t, NoDifference, res.Verdict, "judged by what there is")
	blocks := done(told)
	require.Equal(t, "the trial ended in this block", blocks[len(blocks)-1].Units[0].Dropped)
}

func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		spoil func(*memoryEstate)
		stop  StopKind
		text  string
		used  int
	}{
		"switch":  {func(e *memoryEstate) { e.onSet = failAt(5, boom) }, StopSwitch, "switching: boom", 2},
		"foreign": {func(e *memoryEstate) { e.onSet = failAt(5, fmt.Errorf("x: %w", &ForeignError{"host01", "Net.X is 3"})) }, StopForeign, "x: somebody else changed a setting of host01: Net.X is 3", 1},
		"samples": {func(e *memoryEstate) { e.onRound = failAt(70, io.EOF) }, StopSamples, "reading samples: EOF", 2},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEstate(calm, 1, 0)
			c.spoil(e)
			res, _, err := made(t.Context(), t, onHosts(t, 1, 20), e)
			require.EqualError(t, err, c.text)
			require.Equal(t, c.stop, res.Stop)
			require.Equal(t, c.text, res.Stopped)
			require.Equal(t, c.used, res.Used, "a setting that somebody else changed may have been changed in the block before")
			require.Equal(t, Undecided, res.Verdict)
		})
	}
	e, told := newEstate(calm, 1, 0), 0
	res, err := Run(t.Context(), onHosts(t, 1, 20), e.estate(), func(Progress) error {
		if told++; told == 40 {
			return boom
		}
		return nil
	})
	require.ErrorIs(t, err, boom)
	require.Equal(t, StopCaller, res.Stop)
}

func failAt(n int, err error) func(int) error {
	return func(i int) error {
		if i == n {
			return err
		}
		return nil
	}
}

func TestLostSamplesDropThePair(t *testing.T) {
	e := newEstate(calm, 2, 0)
	e.onFrame = func(round, host int, _ *esxtop.Frame) bool {
		return (host != 1 || round != 40) && round != 61 // the second is in the part that is not measured
	}
	res, told, err := made(t.Context(), t, onHosts(t, 2, 6), e)
	require.NoError(t, err)
	require.Equal(t, "1 lost sample", res.Pairs[3].Dropped)
	require.Equal(t, 1, res.Pairs[3].Unit)
	require.Equal(t, 1, res.Dropped)
	require.Equal(t, 11, res.Used)
	require.Len(t, done(told), 12)
}

// TestSilentHost waits for a silent host only for a short time.
func TestSilentHost(t *testing.T) {
	e := newEstate(calm, 2, 0)
	e.onFrame = func(_, host int, _ *esxtop.Frame) bool { return host != 1 }
	res, _, err := made(t.Context(), t, onHosts(t, 2, 6), e)
	require.NoError(t, err)
	require.Equal(t, 6, res.Used)
	require.Equal(t, 6, res.Dropped)
	require.LessOrEqual(t, e.rounds, 12*(15+patientRounds))

	e.onFrame = func(int, int, *esxtop.Frame) bool { return false }
	e.rounds = 0
	res, _, err = made(t.Context(), t, onHosts(t, 2, 6), e)
	require.ErrorContains(t, err, "no sample was taken in 6 blocks")
	require.Equal(t, StopSamples, res.Stop)
	require.Zero(t, res.Used)
}

// TestClockJumps moves the clock of a host, in a block and for good.
func TestClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, -10 * time.Minute, -25 * time.Second, 40 * time.Second, time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			e := newEstate(calm, 1, 0)
			jumped := false
			e.onRound = func(round int) error {
				if round == 40 {
					e.now, jumped = e.now.Add(jump), true
				}
				return nil
			}
			res, told, err := made(t.Context(), t, onHosts(t, 1, 7), e)
			require.NoError(t, err)
			require.True(t, jumped)
			require.Equal(t, 1, res.Dropped, "only the pair of the jump")
			require.NotEmpty(t, res.Pairs[1].Dropped)
			require.Equal(t, 6, res.Used)
			require.Len(t, done(told), 14)
		})
	}
}

// TestForeignInTheLastBlock: the settings are read after the last block, too.
func TestForeignInTheLastBlock(t *testing.T) {
	e := newEstate(calm, 1, 0)
	e.onSet = func(n int) error {
		if n > 2*8 {
			return &ForeignError{"host01", "Net.X is 3"}
		}
		return nil
	}
	res, told, err := made(t.Context(), t, onHosts(t, 1, 8), e)
	require.EqualError(t, err, "somebody else changed a setting of host01: Net.X is 3")
	require.Equal(t, StopForeign, res.Stop)
	require.Equal(t, 7, res.Used)
	require.Equal(t, "somebody else changed a setting", res.Pairs[7].Dropped)
	require.Len(t, done(told), 17, "the last block is reported again")
}

// TestForeignBeforeAnEarlyStop: the trial would stop early, but somebody else changed a setting in the last block. Its pair does not
// count, so the evidence is that of the pairs before.
func TestForeignBeforeAnEarlyStop(t *testing.T) {
	early, _, err := made(t.Context(), t, onHosts(t, 1, 20), newEstate(calm, 1, -.10))
	require.NoError(t, err)
	require.Equal(t, StopEarly, early.Stop)
	e := newEstate(calm, 1, -.10)
	e.onSet = func(n int) error {
		if n > 2*len(early.Pairs) {
			return &ForeignError{"host01", "Net.X is 3"}
		}
		return nil
	}
	res, _, err := made(t.Context(), t, onHosts(t, 1, 20), e)
	require.Error(t, err)
	require.Equal(t, StopForeign, res.Stop)
	require.Equal(t, early.Used-1, res.Used)
	require.Less(t, res.EMax, early.EMax)
}

// TestClockBackWithoutSamples moves the clock back, and the host has no new sample until it shows the old time again. The blocks of
// that time take as long as without samples: the change is not switched at each round.
func TestClockBackWithoutSamples(t *testing.T) {
	e := newEstate(calm, 1, 0)
	var newest time.Time
	e.onRound = func(round int) error {
		if round == 40 {
			e.now = e.now.Add(-10 * time.Minute)
		}
		return nil
	}
	e.onFrame = func(_, _ int, f *esxtop.Frame) bool {
		if !f.Time.After(newest) {
			return false
		}
		newest = f.Time
		return true
	}
	var roundsAt []int
	e.onSet = func(int) error {
		roundsAt = append(roundsAt, e.rounds)
		return nil
	}
	res, _, err := made(t.Context(), t, onHosts(t, 1, 9), e)
	require.NoError(t, err)
	require.GreaterOrEqual(t, res.Used, 6)
	require.InDelta(t, 2.5, res.Dropped, .6)
	for i := 1; i < len(roundsAt); i++ {
		require.GreaterOrEqual(t, roundsAt[i]-roundsAt[i-1], patientRounds, "block %d", i)
	}
}

// TestClockOfOneHost has one host whose clock is wrong from some moment on.
func TestClockOfOneHost(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		e := newEstate(calm, 2, 0)
		e.onFrame = func(round, host int, f *esxtop.Frame) bool {
			if host == 1 && round >= 40 {
				f.Time = f.Time.Add(jump)
			}
			return true
		}
		res, _, err := made(t.Context(), t, onHosts(t, 2, 6), e)
		require.NoError(t, err)
		require.Equal(t, 6, res.PerUnit[0].N, "the other host counts")
		require.Equal(t, 1, res.PerUnit[1].N)
	}
}

func TestEventsContaminate(t *testing.T) {
	e := newEstate(calm, 2, 0)
	minute := func(m int) time.Time { return start.Add(time.Duration(m) * time.Minute) }
	e.events = []Event{
		{Time: minute(7), Units: []int{1}, Kind: Contaminates, Text: "vMotion of vm-a to host02"},
		{Time: minute(21), Kind: Contaminates, Text: "a new alarm"},
		{Time: start.Add(-time.Minute), Kind: Stops, Text: "before the trial"},
	}
	res, _, err := made(t.Context(), t, onHosts(t, 2, 6), e)
	require.NoError(t, err)
	require.Equal(t, 3, res.Dropped)
	require.Empty(t, res.Pairs[0].Dropped)
	require.Equal(t, "vMotion of vm-a to host02", res.Pairs[1].Dropped)
	require.Equal(t, "a new alarm", res.Pairs[4].Dropped)
	require.Equal(t, "a new alarm", res.Pairs[5].Dropped)
}

// lateEvents returns an event only after its block is done.
type lateEvents struct{ *memoryEstate }

func (e lateEvents) Since(context.Context, time.Time) ([]Event, error) {
	if e.rounds < 20 {
		return nil, nil
	}
	return e.events, nil
}

func TestLateEvent(t *testing.T) {
	e := newEstate(calm, 1, 0)
	e.events = []Event{{Time: start.Add(2 * time.Minute), Kind: Contaminates, Text: "backup of vm-a"}}
	estate := e.estate()
	estate.Events = lateEvents{e}
	var told []Progress
	res, err := Run(t.Context(), onHosts(t, 1, 6), estate, func(p Progress) error { told = append(told, p); return nil })
	require.NoError(t, err)
	require.Equal(t, "backup of vm-a", res.Pairs[0].Dropped)
	blocks := done(told)
	require.Len(t, blocks, 13, "the first block is reported again")
	require.Equal(t, 5, Analyse(onHosts(t, 1, 6), blocks).Used)
}

func TestEventStops(t *testing.T) {
	e := newEstate(calm, 1, 0)
	e.events = []Event{{Time: start.Add(12 * time.Minute), Units: []int{0}, Kind: Stops, Text: "host01 is disconnected"}}
	res, told, err := made(t.Context(), t, onHosts(t, 1, 6), e)
	require.NoError(t, err)
	require.Equal(t, StopEvent, res.Stop)
	require.Equal(t, "host01 is disconnected", res.Stopped)
	require.Equal(t, 1, res.Used)
	require.Equal(t, []Trip{{Guard: "event", How: "event", Unit: 0, Text: "host01 is disconnected"}}, res.Trips)
	require.True(t, slices.ContainsFunc(told, func(p Progress) bool { return p.Kind == GuardTripped }))
	require.LessOrEqual(t, e.rounds, 35+roundsPerHearing, "within two samples")
}

func TestRegistrationIsChecked(t *testing.T) {
	for want, spoil := range map[string]func(*Registration){
		"does not switch":       func(r *Registration) { r.Design = inventory.DesignRandomised },
		"no unit":               func(r *Registration) { r.Units = nil },
		"minimum effect 0":      func(r *Registration) { r.MinEffect = 0 },
		"error probability 1":   func(r *Registration) { r.Alpha = 1 },
		"drop 1m0s or more":     func(r *Registration) { r.Settle = 59 * time.Second },
		"fewer than two":        func(r *Registration) { r.Block = r.Settle },
		"6 pairs":               func(r *Registration) { r.Schedule = r.Schedule[1:] },
		"pair 2 has 0 coins":    func(r *Registration) { r.Schedule[1].First = nil },
		"no sampling interval":  func(r *Registration) { r.Interval = 0 },
		"cannot be measured on": func(r *Registration) { r.Units[0].Kind = inventory.ScopeVM },
		"a baseline of 2":       func(r *Registration) { r.Baseline.Units = make([]UnitBaseline, 2) },
		"no object":             func(r *Registration) { r.Outcome.Cost = []Term{{Object: "hots"}} },
		"guard x":               func(r *Registration) { r.Guards[0].ID, r.Guards[0].Term.Metric = "x", "y" },
	} {
		r := onHosts(t, 1, 6)
		spoil(r)
		_, err := Run(t.Context(), r, Estate{}, nil)
		require.ErrorContains(t, err, want)
	}
}

func TestObjects(t *testing.T) {
	o := onHosts(t, 1, 6).Objects()
	for _, want := range []esxtop.Object{esxtop.Host, esxtop.Group, esxtop.Port, esxtop.Device} {
		require.True(t, o.Has(want))
	}
	require.False(t, o.Has(esxtop.VDisk))
	require.True(t, strings.HasPrefix(Schema, "vperf.trial/"))
}
