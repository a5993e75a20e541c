package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/trials"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/trial"
)

// goodEstate switches a host of the fleet. Its samples are not the fleet's: with the change, the host needs a fifth less CPU for its traffic.
type goodEstate struct {
	inner   trial.Estate
	host    string
	treated bool
	now     time.Time
	sets    int

	ready  func(e *goodEstate) float64 // per vCPU of the only VM, in percent
	before func(e *goodEstate) error   // is called before a sample is read
	set    func(e *goodEstate) error   // is called after a switch
	events func(e *goodEstate) ([]trial.Event, error)
}

func (e *goodEstate) Set(ctx context.Context, treated []bool) (time.Time, error) {
	e.sets++
	if _, err := e.inner.Switch.Set(ctx, treated); err != nil {
		return time.Time{}, err
	}
	e.treated = treated[0]
	if e.set != nil {
		if err := e.set(e); err != nil {
			return time.Time{}, err
		}
	}
	return e.now, nil
}

func (e *goodEstate) Next(ctx context.Context) (*esxtop.Round, error) {
	e.now = e.now.Add(trial.DefaultInterval)
	if e.before != nil {
		if err := e.before(e); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f := &esxtop.Frame{Host: "host01", MoID: e.host, Time: e.now, Interval: trial.DefaultInterval, Origin: esxtop.Performance}
	host, vm := esxtop.NewRow(esxtop.Host, e.host, "host01"), esxtop.NewRow(esxtop.Group, "100", "vm")
	host.Set(esxtop.Lookup("host.cpuUsageMHz"), map[bool]float64{false: 10000, true: 8000}[e.treated])
	host.Set(esxtop.Lookup("net.allRx"), 512)
	host.Set(esxtop.Lookup("net.allTx"), 512)
	vm.VM, vm.MoID, vm.VCPUs = true, "vm-1", 4
	ready := 1.
	if e.ready != nil {
		ready = e.ready(e)
	}
	vm.Set(esxtop.Lookup("cpu.readyPerVCPU"), ready)
	f.Put(esxtop.Host, []esxtop.Row{host})
	f.Put(esxtop.Group, []esxtop.Row{vm})
	return &esxtop.Round{Time: e.now, Frames: []*esxtop.Frame{f}}, nil
}

func (e *goodEstate) Since(context.Context, time.Time) ([]trial.Event, error) {
	if e.events == nil {
		return nil, nil
	}
	return e.events(e)
}

// afterSixPairs reports whether six pairs are complete, which is when the verdict may be keep.
func (e *goodEstate) afterSixPairs() bool { return e.sets > 12 }

// keepWays are the ways in which a user says whether the change stays.
var keepWays = []struct {
	name  string
	typed string // on a terminal; empty: there is none
	keep  bool   // --keep
	stays bool
}{
	{"--keep", "", true, true},
	{"--keep on a terminal", "no\n", true, true},
	{"yes at the prompt", "yes\n", false, true},
	{"no at the prompt", "no\n", false, false},
	{"not a terminal", "", false, false},
}

// stopCase is a way in which a trial with good pairs ends.
type stopCase struct {
	name    string
	pairs   int
	stop    trial.StopKind
	disturb func(e *goodEstate, ctrlC func())
	code    int
	value   string // on the host afterwards if the change is not kept
	words   string // of the settings then
	never   bool   // keeping fails
}

func stopCases() []stopCase {
	const restored = "the old values are restored."
	broken := errors.New("broken")
	once := func(do func()) func(*goodEstate) error {
		done := false
		return func(e *goodEstate) error {
			if e.afterSixPairs() && !done {
				done = true
				do()
			}
			return nil
		}
	}
	fails := func(e *goodEstate) error {
		if e.afterSixPairs() {
			return broken
		}
		return nil
	}
	event := func(text string) func(*goodEstate, func()) {
		return func(e *goodEstate, _ func()) {
			e.events = func(e *goodEstate) ([]trial.Event, error) {
				if !e.afterSixPairs() {
					return nil, nil
				}
				return []trial.Event{{Time: e.now, Kind: trial.Stops, Text: text}}, nil
			}
		}
	}
	return []stopCase{
		{"planned end", 6, trial.StopPlanned, nil, exitClean, "0", restored, false},
		{"early end by the evidence", 40, trial.StopEarly, nil, exitClean, "0", restored, false},
		{"guard", 8, trial.StopGuard, func(e *goodEstate, _ func()) {
			e.ready = func(e *goodEstate) float64 {
				if e.afterSixPairs() {
					return 90
				}
				return 1
			}
		}, exitFindings, "0", restored, false},
		{"guard together with the evidence", 40, trial.StopGuard, func(e *goodEstate, _ func()) {
			e.ready = func(e *goodEstate) float64 { return map[bool]float64{false: 1, true: 1.2}[e.treated] }
		}, exitFindings, "0", restored, false},
		{"red alarm", 8, trial.StopEvent, event("alarm Host memory is red"), exitFindings, "0", restored, false},
		{"dead path", 8, trial.StopEvent, event("a path is dead"), exitFindings, "0", restored, false},
		{"Ctrl-C", 8, trial.StopInterrupted, func(e *goodEstate, ctrlC func()) { e.before = once(ctrlC) }, exitIncomplete, "0", restored, false},
		{"Ctrl-C when the last block is over", 6, trial.StopPlanned, func(e *goodEstate, ctrlC func()) {
			e.set = func(e *goodEstate) error {
				if e.sets == 13 {
					ctrlC()
				}
				return nil
			}
		}, exitClean, "0", restored, false},
		{"somebody else's change", 8, trial.StopForeign, func(e *goodEstate, _ func()) {
			e.before = once(func() { _, _ = option(context.Background(), os.Getenv, "host01.demo.local", threshold, "33") })
		}, exitNotUndone, "33", "1 setting changed by somebody else was left alone; the others have their old values.", false},
		{"somebody else's change after the end", 6, trial.StopPlanned, func(e *goodEstate, _ func()) {
			e.set = func(e *goodEstate) error {
				if e.sets == 13 {
					_, _ = option(context.Background(), os.Getenv, "host01.demo.local", threshold, "33")
				}
				return nil
			}
		}, exitNotUndone, "33", "1 setting changed by somebody else was left alone; the others have their old values.", true},
		{"a switch that fails", 8, trial.StopSwitch, func(e *goodEstate, _ func()) { e.set = fails }, exitUndone, "0", restored, false},
		{"samples that fail", 8, trial.StopSamples, func(e *goodEstate, _ func()) { e.before = fails }, exitUndone, "0", restored, false},
		{"events that fail", 8, trial.StopEvents, func(e *goodEstate, _ func()) {
			e.events = func(e *goodEstate) ([]trial.Event, error) { return nil, fails(e) }
		}, exitUndone, "0", restored, false},
		{"a block that cannot be recorded", 8, trial.StopCaller, func(e *goodEstate, _ func()) {
			e.ready = func(e *goodEstate) float64 {
				if e.afterSixPairs() {
					return math.Inf(-1) // JSON has no such number
				}
				return 1
			}
		}, exitUndone, "0", restored, false},
	}
}

// TestProveTrialKeeps: only the planned end and the early end by the evidence leave the change in force, whatever the user says. The words,
// the JSON and the exit code agree with the value on the host. TestProveTrialOnAFullDisk is for the journal that cannot be written.
func TestProveTrialKeeps(t *testing.T) {
	proof.NotRaced(t)
	s := newKeepStage(t)
	table := map[string]func(*testing.T){}
	for _, c := range stopCases() {
		for _, way := range keepWays {
			table[c.name+", "+way.name] = func(t *testing.T) { s.ends(t, c, way.typed, way.keep, way.stays) }
		}
	}
	for name, kind := range stopKinds(t) {
		require.True(t, slices.ContainsFunc(stopCases(), func(c stopCase) bool { return c.stop == kind }), "no case ends with %s", name)
	}
	some := rows(t, 5, table)
	for _, name := range []string{"guard, --keep", "red alarm, --keep", "Ctrl-C, --keep", "guard, yes at the prompt", "planned end, --keep", "a block that cannot be recorded, --keep"} {
		some[name] = table[name]
	}
	for name, run := range some {
		t.Run(name, run)
	}
}

// stopKinds returns all reasons to end a trial, by the names of their constants in the source.
func stopKinds(t *testing.T) map[string]trial.StopKind {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../pkg/trial/result.go"))
	require.NoError(t, err)
	all := map[string]trial.StopKind{}
	for _, m := range regexp.MustCompile(`(?m)^\t(Stop\w+) +StopKind = "(.*?)"`).FindAllSubmatch(text, -1) {
		all[string(m[1])] = trial.StopKind(m[2])
	}
	require.Greater(t, len(all), 9)
	return all
}

// keepStage is a prepared trial of a fleet in this process.
type keepStage struct {
	f        *Factory
	o        *trialRunOptions
	a        *applying
	prepared *trials.Prepared
}

func newKeepStage(t *testing.T) *keepStage {
	t.Helper()
	serveDemo(t)
	streams, _, _ := iostreams.Test()
	s := &keepStage{f: NewFactory(streams), o: &trialRunOptions{Output: outputs{offered: trialFormats()}}}
	c := &cobra.Command{}
	s.o.addTrialFlags(c, s.f)
	s.o.Approval.addFlags(c)
	s.o.Output.addFlag(c)
	require.NoError(t, c.ParseFlags([]string{"--rule", "numa-io", "--for", "36m", "--block", "3m", "--seed", "7", "--guard", "vm.cpu.ready<50%", "-o", "json"}))
	s.o.Targets.Hosts = []string{"host01"}
	require.NoError(t, s.o.check())
	request, err := s.o.load(s.f, c)
	require.NoError(t, err)
	s.a, err = openTrial(t.Context(), s.f, s.o)
	require.NoError(t, err)
	t.Cleanup(s.a.close)
	s.prepared, _, err = s.o.prepare(t.Context(), s.f, s.a.changeServer, request)
	require.NoError(t, err)
	t.Cleanup(func() { s.prepared.Close(context.Background()) })
	return s
}

// ends runs a trial, and compares what it says with the value on the host.
func (s *keepStage) ends(t *testing.T, c stopCase, typed string, keep, agrees bool) {
	t.Helper()
	streams, out, errs := iostreams.Test()
	streams.SetTTY(typed != "", false, false)
	streams.In = iotest.OneByteReader(strings.NewReader(typed))
	f := *s.f
	f.IO = streams
	o, p := *s.o, *s.prepared
	o.Keep = keep
	r := *s.prepared.Registration
	r.Pairs, r.Spare, r.Schedule = c.pairs, 0, trial.NewSchedule(r.Seed, c.pairs, 1)
	p.Registration = &r
	ctx, ctrlC := context.WithCancel(t.Context())
	defer ctrlC()
	e := &goodEstate{host: r.Units[0].Hosts[0], now: time.Date(2026, 6, 10, 10, 0, 0, 0, time.UTC)}
	if c.disturb != nil {
		c.disturb(e, ctrlC)
	}
	p.Around = func(inner trial.Estate) trial.Estate {
		e.inner = inner
		return trial.Estate{Switch: e, Samples: e, Events: e}
	}
	sinks, err := o.Output.open(streams.Out)
	require.NoError(t, err)
	err = o.run(ctx, &f, s.a, &p, sinks)
	text := fmt.Sprintf("exit %d: %v\n%s", exitCode(err), err, errs)

	value, read := option(t.Context(), os.Getenv, "host01.demo.local", threshold)
	require.NoError(t, read)
	defer func() {
		_, err := option(t.Context(), os.Getenv, "host01.demo.local", threshold, "0")
		require.NoError(t, err)
	}()
	var shown struct {
		Run      string       `json:"run"`
		Kept     bool         `json:"kept"`
		Settings string       `json:"settings"`
		Result   trial.Result `json:"result"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &shown), text)
	validJSON(t, "", out.Bytes())
	may := (c.stop == trial.StopPlanned || c.stop == trial.StopEarly) && ctx.Err() == nil
	kept := may && agrees && !c.never
	assert.Equal(t, c.stop, shown.Result.Stop, text)
	assert.Equal(t, trial.Keep, shown.Result.Verdict, "each case has enough good pairs for it: %s", text)
	assert.Equal(t, kept, shown.Kept, text)
	assert.Equal(t, may && typed != "" && !keep, strings.Contains(errs.String(), "Leave the change in force"), text)
	assert.Equal(t, c.code, exitCode(err), text)
	run, err := s.a.runs.Get(shown.Run)
	require.NoError(t, err)
	if kept {
		assert.Equal(t, strconv.Itoa(60), value, text)
		assert.Contains(t, shown.Settings, "the change was kept and is in force", text)
		assert.Equal(t, "kept", run.Result)
		return
	}
	assert.Equal(t, c.value, value, text)
	assert.Equal(t, c.words, shown.Settings, text)
	assert.Contains(t, run.Result, "restored")
}
