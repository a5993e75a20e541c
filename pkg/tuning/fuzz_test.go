package tuning

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

// FuzzLoadPlan reads any input as a plan, with its own digest and with a correct one. A plan that is accepted can be
// saved and read again, and can be applied and rolled back without a panic.
func FuzzLoadPlan(f *testing.F) {
	for _, p := range somePlans() {
		var b bytes.Buffer
		require.NoError(f, p.Save(&b))
		f.Add(b.Bytes())
	}
	f.Add([]byte(`{"schema":"vperf.plan/v1","steps":[{"id":1,"target":{"kind":"host","id":"h"},"changes":[null]}]}`))
	f.Add([]byte(`{"schema":"vperf.plan/v1","steps":null,"Steps":[{}],"digest":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := LoadPlan(bytes.NewReader(text)); err != nil {
			require.ErrorIs(t, err, ErrNotPlan)
			require.Nil(t, p)
		}
		var all map[string]any
		digest, err := digestOf(text)
		if err != nil || json.Unmarshal(text, &all) != nil || all == nil {
			return
		}
		all["digest"] = digest
		text, err = json.Marshal(all)
		require.NoError(t, err)
		p, err := LoadPlan(bytes.NewReader(text))
		if err != nil {
			return
		}
		p.Digest = DigestForTest(t, p)
		var saved bytes.Buffer
		require.NoError(t, p.Save(&saved))
		again, err := LoadPlan(&saved)
		require.NoError(t, err)
		require.Equal(t, p.Digest, again.Digest)
		synctest.Test(t, func(t *testing.T) { thereAndBackAgain(t, p) })
	})
}

// somePlans returns plans of hosts and VMs, with an inverse of every kind.
func somePlans() []*Plan {
	f := newFleet()
	h, v := f.host("host01"), f.vm("vm-1", "host01")
	h.has("power-policy", text("dynamic"), live)
	h.has("hyperthreading", inventory.Known(inventory.BoolValue(false)), inventory.ActivationHostReboot)
	v.has("vm-vmx/a.b", absent(), inventory.ActivationPowerCycle)
	v.has("vm-vcpus", long(8), inventory.ActivationPowerOff)
	v.has("vm-memory-lock", inventory.Known(inventory.BoolValue(false)), live).inverse = inventory.InverseEquivalent
	one := planOf(h.step(h.change("power-policy", text("static"))))
	many := planOf(
		h.step(h.change("power-policy", text("static"))), h.step(h.change("hyperthreading", inventory.Known(inventory.BoolValue(true)))),
		v.step(v.change("vm-vmx/a.b", text("TRUE")), v.change("vm-memory-lock", inventory.Known(inventory.BoolValue(true)))),
		v.step(v.change("vm-vcpus", long(4))),
	)
	for _, p := range []*Plan{one, many} {
		p.Digest, _ = p.digest()
	}
	return []*Plan{one, many}
}

// thereAndBackAgain applies a plan to a fleet that matches its before-values, and rolls it back. The results depend on
// the plan; the journal and the outcome agree.
func thereAndBackAgain(t *testing.T, p *Plan) {
	f := newFleet()
	for _, s := range p.Steps {
		if f.things[s.Target.Key()] == nil {
			f.add(s.Target)
		}
		for _, c := range s.Changes {
			if thing := f.things[s.Target.Key()]; thing.settings[c.Setting] == nil {
				thing.has(c.Setting, c.Before, c.Activation)
			}
		}
	}
	e := f.estate()
	e.Server = p.Server
	runs := newMemory().runs()
	options := Options{PowerCycle: true, HostReboot: true, OverrideOwner: true, AcceptIrreversible: true}
	o, _ := Apply(t.Context(), e, runs, p, options)
	if o == nil || o.Run == "" {
		require.Empty(t, f.calls)
		return
	}
	run, err := runs.Get(o.Run)
	require.NoError(t, err)
	require.Equal(t, states(o), states(&Outcome{Results: run.Results}))
	_, _ = Rollback(t.Context(), e, runs, o.Run, options)
}

// FuzzReplay reads any input as a journal, as it is and with its lines chained together, so that they are valid. The
// state of a change is always that of the last record about it, and settling such a run writes no setting.
func FuzzReplay(f *testing.F) {
	for _, stops := range []RecordKind{"", RecordIntent, RecordAcknowledged, RecordActionBegin, RecordRollbackIntent} {
		f.Add(journalThatStopsAt(f, stops))
	}
	f.Add(journalOfATrial(f))
	f.Add([]byte(`{"seq":1,"kind":"action-begin","action":"shut-down"}` + "\n" + `{"seq":2,"changes":[{"setting":"x","state":"done"}]}` + "\n"))
	f.Add([]byte("\n\n\x00{}\nnull\n[]\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		replay(t, content)
		replay(t, chained(content))
	})
}

func replay(t *testing.T, content []byte) {
	p, err := parse("x", content)
	require.LessOrEqual(t, p.size, int64(len(content)))
	whole, again := parse("x", content[:p.size])
	require.NoError(t, again, "the lines before an incomplete or broken line are valid")
	require.Equal(t, p.records, whole.records)
	if err == nil && !p.incomplete {
		require.Len(t, content, int(p.size))
	}
	run := Run{ID: runOfTests}
	run.begin(p.records)
	for i := range run.Results {
		c := &run.Results[i]
		require.Equal(t, lastWord(p.records, c), c.State, "%s of step %d", c.Key(), c.Step)
	}
	believed := len(p.records)
	if broken, is := errors.AsType[*BrokenError](err); is {
		believed = min(believed, broken.believed)
	}
	synctest.Test(t, func(t *testing.T) { settled(t, content, believed > 0) })
}

// lastWord returns the state in the last record about a change.
func lastWord(records []Record, c *Result) State {
	for _, r := range slices.Backward(records) {
		for _, e := range slices.Backward(r.Changes) {
			if r.Step == c.Step && e.Key() == c.Key() {
				return e.State
			}
		}
	}
	return StateUntouched
}

const runOfTests = "20260102-030405.006-abcd"

// settled recovers, verifies and rolls back a run with such a journal on a fleet.
func settled(t *testing.T, content []byte, told bool) {
	f, _, plan := oneHost()
	f.vm("vm-1", "host01").has("vm-vcpus", long(8), inventory.ActivationPowerOff)
	disk := newMemory()
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	require.NoError(t, disk.makeFolder(runOfTests))
	require.NoError(t, disk.create(path.Join(runOfTests, planFile), text))
	require.NoError(t, disk.create(path.Join(runOfTests, journalFile), content))
	before := f.values()
	_, _ = Recover(t.Context(), f.estate(), disk.runs(), Options{})
	run, err := disk.runs().Get(runOfTests)
	require.NoError(t, err)
	if !run.Trial() {
		require.Equal(t, before, f.values(), "to settle is to look")
		for _, call := range f.did() {
			require.Regexp(t, "^(power-on|exit-maintenance) ", call)
		}
	}
	require.Equal(t, told, len(run.Records) > 0)
	_, _ = Verify(t.Context(), f.estate(), disk.runs(), runOfTests)
	_, _ = Rollback(t.Context(), f.estate(), disk.runs(), runOfTests, Options{PowerCycle: true, HostReboot: true})
}

// values returns all values of a fleet.
func (f *fleet) values() map[string]value {
	all := map[string]value{}
	for key, t := range f.things {
		for name, s := range t.settings {
			all[key+" "+name] = s.value
		}
	}
	return all
}

// chained chains those lines of a journal that are records.
func chained(content []byte) []byte {
	var out []byte
	seq, previous := 0, ""
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		var r Record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		seq++
		r.Seq, r.Previous = seq, previous
		line, err := json.Marshal(r)
		if err != nil {
			return out // a year that JSON cannot represent
		}
		previous = hashOf(line)
		out = append(append(out, line...), '\n')
	}
	return out
}

// journalThatStopsAt returns a journal that ends after its first record of kind, or the whole one if there is none.
func journalThatStopsAt(f *testing.F, kind RecordKind) []byte {
	f.Helper()
	fleet, _, p := oneHost()
	disk := newMemory()
	if kind != "" {
		disk.fullAfter(kind)
	}
	o, _ := Apply(f.Context(), fleet.estate(), disk.runs(), p, Options{User: "ann"})
	_, _ = Rollback(f.Context(), fleet.estate(), disk.runs(), o.Run, Options{})
	return disk.files[path.Join(o.Run, journalFile)].content
}

// journalOfATrial returns the journal of a trial that was interrupted.
func journalOfATrial(f *testing.F) []byte {
	f.Helper()
	fleet, _, p := oneHost()
	disk := newMemory()
	s, err := OpenSwitching(f.Context(), fleet.estate(), disk.runs(), p, Options{User: "ann"}, registration)
	require.NoError(f, err)
	for block := range 3 {
		require.NoError(f, s.Set(f.Context(), map[int]bool{1: block%2 == 0}))
	}
	return disk.files[path.Join(s.Run(), journalFile)].content
}

// FuzzParseWindow: an accepted window has a stable text form, and no time of day is both in it and in its complement.
func FuzzParseWindow(f *testing.F) {
	for _, s := range []string{"22:00-04:00", "01:30-05:00", " 22:00 - 04:00", "2:5-3:4", "22:00-22:00", "-", "24:00-25:00", "22:00-04:00-05:00"} {
		f.Add(s, uint32(0))
	}
	f.Fuzz(func(t *testing.T, s string, seconds uint32) {
		w, err := ParseWindow(s)
		if err != nil {
			require.Nil(t, w)
			return
		}
		again, err := ParseWindow(w.String())
		require.NoError(t, err)
		require.Equal(t, w, again)
		at := time.Date(2026, 1, 2, 0, 0, int(seconds%86_400), 0, time.UTC)
		require.NotEqual(t, w.Contains(at), (&Window{From: w.To, To: w.From}).Contains(at))
	})
}
