package tuning

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChain: a changed, missing or added line is found, with its number.
func TestChain(t *testing.T) {
	_, disk, id := applied(t, 2)
	whole := disk.files[id+"/"+journalFile].content
	lines := bytes.SplitAfter(whole, []byte("\n"))
	join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
	for name, c := range map[string]struct {
		content []byte
		line    int
		why     string
	}{
		"as it was":           {whole, 0, ""},
		"a value changed":     {bytes.Replace(whole, []byte(`"text":"0"`), []byte(`"text":"9"`), 1), 3, "does not follow line 2: one of them was changed"},
		"a line taken out":    {join(append(append([][]byte{}, lines[:2]...), lines[3:]...)...), 3, "does not follow line 2"},
		"a line twice":        {join(lines[0], lines[0], lines[1]), 2, "does not follow line 1"},
		"the first taken out": {join(lines[1:]...), 1, "does not follow line 0"},
		"of a newer vperf":    {[]byte(`{"seq":1,"kind":"forecast","previous":""}` + "\n"), 1, `a record of kind "forecast", which this vperf does not know`},
		"rubbish inside":      {join(lines[0], []byte("rubbish\n"), lines[1]), 2, "is not a journal record"},
	} {
		t.Run(name, func(t *testing.T) {
			disk.files[id+"/"+journalFile].content = c.content
			run, err := disk.runs().Get(id)
			require.NoError(t, err)
			if c.why == "" {
				require.Empty(t, run.Broken)
				return
			}
			require.Contains(t, run.Broken, c.why)
			var broken *BrokenError
			require.ErrorAs(t, run.breakage, &broken)
			require.Equal(t, c.line, broken.Line)
		})
	}
}

func TestNumbersOfRecords(t *testing.T) {
	line := func(r Record) string {
		b, err := json.Marshal(r)
		require.NoError(t, err)
		return string(b)
	}
	first := line(Record{Seq: 1, Kind: RecordRunBegin})
	_, err := parse("r", []byte(first+"\n"+line(Record{Seq: 3, Previous: hashOf([]byte(first))})+"\n{}\n"))
	require.ErrorContains(t, err, "line 2 of journal.jsonl is record 3")
}

// TestBrokenRun: a broken run is listed with its fault and can be verified, but is not written to.
func TestBrokenRun(t *testing.T) {
	f, disk, id := applied(t, 2)
	file := disk.files[id+"/"+journalFile]
	file.content = bytes.Replace(file.content, []byte(`"text":"0"`), []byte(`"text":"9"`), 1)
	size := len(file.content)
	var broken *BrokenError
	_, err := Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.ErrorAs(t, err, &broken)
	o, err := Verify(t.Context(), f.estate(), disk.runs(), id)
	require.ErrorAs(t, err, &broken)
	require.ErrorContains(t, err, "line 3 of journal.jsonl")
	require.Len(t, o.Results, 2)
	require.Empty(t, f.did())
	require.Len(t, file.content, size)
}

func TestPlanChangedAfterwards(t *testing.T) {
	f, disk, id := applied(t, 1)
	file := disk.files[id+"/"+planFile]
	file.content = bytes.Replace(file.content, []byte("host01"), []byte("host02"), 1)
	run, err := disk.runs().Get(id)
	require.NoError(t, err)
	require.Contains(t, run.Broken, "plan.json: it was changed after it was written")
	_, err = Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	require.Error(t, err)
	delete(disk.files, id+"/"+planFile)
	run, _ = disk.runs().Get(id)
	require.Contains(t, run.Broken, "plan.json")
	require.Equal(t, []State{StateDone}, states(&Outcome{Results: run.Results}), "the journal is enough to know the results")
	require.Equal(t, "host01", run.Results[0].Target.Name)
}

// TestTornTail: the last line may be cut off at any byte, and the next record follows the last complete one.
func TestTornTail(t *testing.T) {
	f, disk, id := applied(t, 1)
	file := disk.files[id+"/"+journalFile]
	whole := file.content
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	end := disk.files[id+"/"+endFile]
	end.content = end.content[:bytes.LastIndexByte(end.content, '\n')]
	for cut := last + 1; cut < len(whole); cut++ {
		file.content, file.durable = bytes.Clone(whole[:cut]), cut
		run, err := disk.runs().Get(id)
		require.NoError(t, err)
		require.Empty(t, run.Broken)
		require.True(t, run.Open(), "its end was torn off")
	}
	_, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
	require.NoError(t, err)
	run, _ := disk.runs().Get(id)
	require.Empty(t, run.Broken)
	require.False(t, run.Open())
	require.Equal(t, "interrupted", run.Result)
}

// TestCutShort: changes that an interrupted run left in doubt are settled by their live values.
func TestCutShort(t *testing.T) {
	for name, c := range map[string]struct {
		now   value
		spoil func(f *fleet)
		state State
		why   string
	}{
		"written":     {now: long(60), state: StateDone, why: "it was written before"},
		"not written": {now: long(0), state: StateUntouched, why: "before it was written"},
		"neither":     {now: long(7), state: StateForeign, why: "it is 7: neither"},
		"gone":        {now: long(60), spoil: func(f *fleet) { delete(f.things, "host:host01") }, state: StateForeign, why: "not there any more"},
		"replaced":    {now: long(60), spoil: func(f *fleet) { f.things["host:host01"].Target.UUID = "x" }, state: StateForeign, why: "another host has its id"},
	} {
		t.Run(name, func(t *testing.T) {
			f, h, p := oneHost()
			disk := newMemory()
			disk.fullAfter(RecordIntent) // ends the run like a crash
			o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
			require.Error(t, err)
			disk.freed()
			h.settings["host-option/A"].value = c.now
			if c.spoil != nil {
				c.spoil(f)
			}
			all, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
			require.NoError(t, err)
			require.Equal(t, []State{c.state}, states(all[0]))
			require.Contains(t, all[0].Results[0].Why, c.why)
			run, _ := disk.runs().Get(o.Run)
			require.Equal(t, "interrupted", run.Result)

			o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
			require.NoError(t, err)
			if c.state == StateDone {
				require.Equal(t, []State{StateUndone}, states(o))
				require.Equal(t, long(0), h.get("host-option/A"))
				return
			}
			require.Equal(t, c.now, h.get("host-option/A"), "it is not changed")
		})
	}
}

func TestRunsOfServers(t *testing.T) {
	f, disk, id := applied(t, 1)
	other := Server{Name: "vc2", UUID: "vc2-uuid"}
	last, err := disk.runs().Last(other)
	require.NoError(t, err)
	require.Nil(t, last)
	waiting, err := disk.runs().Pending(other)
	require.NoError(t, err)
	require.Empty(t, waiting)
	last, _ = disk.runs().Last(f.estate().Server)
	require.Equal(t, id, last.ID)
}

// TestNewestPendingCounts: if two runs wrote a setting, the newer one decides whether it is pending.
func TestNewestPendingCounts(t *testing.T) {
	f, p := rebootPlan(1)
	disk := newMemory()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	options := Options{Now: func() time.Time { now = now.Add(time.Second); return now }}
	_, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
	require.NoError(t, err)
	h := f.things["host:host01"]
	second, err := Apply(t.Context(), f.estate(), disk.runs(), planOf(h.step(h.change("host-option/B", long(2)))), options)
	require.NoError(t, err)
	waiting, err := disk.runs().Pending(p.Server)
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, []any{long(2), second.Run}, []any{waiting[0].After, waiting[0].Run})
}

// TestRealFiles tests the disk of the operating system like the tests' disk in memory.
func TestRealFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "runs")
	runs, err := OpenRuns(dir)
	require.NoError(t, err)
	f, h, p := oneHost()
	o, err := Apply(t.Context(), f.estate(), runs, p, Options{User: "ann"})
	require.NoError(t, err)
	for path, mode := range map[string]os.FileMode{"": 0o700, o.Run: 0o700, o.Run + "/plan.json": 0o600, o.Run + "/journal.jsonl": 0o600, "../locks": 0o700} {
		info, err := os.Stat(filepath.Join(dir, path))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), path)
	}
	// An incomplete last line, a foreign folder, a run without a journal, and one with invalid content.
	journal := filepath.Join(dir, o.Run, journalFile)
	file, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"seq":`)
	require.NoError(t, errors.Join(err, file.Close()))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "lost+found"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "20200101-000000.000-aaaa"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "20200101-000000.000-bbbb"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "20200101-000000.000-bbbb", journalFile), []byte("x\ny\n"), 0o600))
	all, err := runs.List()
	require.NoError(t, err)
	var broken []string
	for _, run := range all {
		broken = append(broken, run.ID+": "+run.Broken)
	}
	require.Equal(t, []string{
		o.Run + ": ",
		"20200101-000000.000-bbbb: run 20200101-000000.000-bbbb: line 1 of journal.jsonl is not a journal record: invalid character 'x' looking for beginning of value",
		"20200101-000000.000-aaaa: run 20200101-000000.000-aaaa has no records: it was interrupted before it began",
	}, broken)

	_, err = Rollback(t.Context(), f.estate(), runs, o.Run, Options{})
	require.NoError(t, err)
	require.Equal(t, long(0), h.get("host-option/A"))
	content, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.NotContains(t, string(content), `{"seq":{"`)
	require.Equal(t, 1, strings.Count(string(content), `"kind":"rollback-done"`))
	run, err := runs.Get(o.Run)
	require.NoError(t, err)
	require.Empty(t, run.Broken)
}

// TestTwoAtOnce: a second run on the same host is refused while the first is in progress, and the error names the first
// one. A run on another host is not refused. Afterwards, the second plan is stale but not locked.
func TestTwoAtOnce(t *testing.T) {
	runs, err := OpenRuns(filepath.Join(t.TempDir(), "runs"))
	require.NoError(t, err)
	f, p := hosts(2)
	first, second := *p, *p
	first.Steps, second.Steps = p.Steps[:1], p.Steps[1:]
	var locked *LockedError
	f.after = func(target Target) {
		if target.ID != "host01" {
			return
		}
		_, err := Apply(t.Context(), f.estate(), runs, p, Options{User: "bob"})
		require.ErrorAs(t, err, &locked)
		_, err = Apply(t.Context(), f.estate(), runs, &second, Options{User: "bob"})
		require.NoError(t, err, "another host")
		all, err := Recover(t.Context(), f.estate(), runs, Options{})
		require.NoError(t, err)
		require.Empty(t, all, "a run in progress is not settled")
		list, _ := runs.List()
		_, err = Rollback(t.Context(), f.estate(), runs, list[len(list)-1].ID, Options{})
		require.ErrorAs(t, err, &locked)
	}
	o, err := Apply(t.Context(), f.estate(), runs, &first, Options{User: "ann@laptop"})
	require.NoError(t, err)
	require.Regexp(t, `^run `+o.Run+` by ann@laptop, process \d+, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`, locked.By)
	_, err = Apply(t.Context(), f.estate(), runs, &first, Options{})
	require.NoError(t, err, "the lock is free, and there is nothing to do")
}

// TestRecoveryGivesLocksBack: the locks of an interrupted run are free once it is settled, even during the next run.
func TestRecoveryGivesLocksBack(t *testing.T) {
	f, p := hosts(2)
	disk := newMemory()
	disk.fullAfter(RecordIntent)
	first, second := *p, *p
	first.Steps, second.Steps = p.Steps[:1], p.Steps[1:]
	_, err := Apply(t.Context(), f.estate(), disk.runs(), &first, Options{})
	require.Error(t, err)
	disk.freed()
	asked := false
	f.after = func(Target) {
		asked = true
		require.Len(t, disk.locked, 2, "the second run's and its target's")
	}
	_, err = Apply(t.Context(), f.estate(), disk.runs(), &second, Options{})
	require.NoError(t, err)
	require.True(t, asked)
	require.Empty(t, disk.locked)
}

// TestClusterIsLocked: two runs with different hosts never take two hosts of a cluster out of service.
func TestClusterIsLocked(t *testing.T) { synctest.Test(t, clusterIsLocked) }

func clusterIsLocked(t *testing.T) {
	f, p := rebootPlan(2)
	disk := newMemory()
	first, second := *p, *p
	first.Steps, second.Steps = p.Steps[:1], p.Steps[1:]
	asked := 0
	f.after = func(target Target) {
		if target.ID == "host01" {
			asked++
			_, err := Apply(t.Context(), f.estate(), disk.runs(), &second, Options{HostReboot: true})
			var locked *LockedError
			require.ErrorAs(t, err, &locked)
			_, err = Apply(t.Context(), f.estate(), disk.runs(), &second, Options{})
			require.NoError(t, err, "writing takes no host away")
		}
	}
	_, err := Apply(t.Context(), f.estate(), disk.runs(), &first, Options{HostReboot: true})
	require.NoError(t, err)
	require.Equal(t, 1, asked)
}

func TestWindow(t *testing.T) {
	for s, c := range map[string]struct {
		in, out []string
	}{
		"22:00-04:00": {[]string{"22:00:00", "23:59:59", "00:00:00", "03:59:59"}, []string{"04:00:00", "12:00:00", "21:59:59"}},
		"01:30-05:00": {[]string{"01:30:00", "04:59:59"}, []string{"01:29:59", "05:00:00", "23:00:00"}},
		"22:00-00:00": {[]string{"22:00:00", "23:59:59"}, []string{"00:00:00", "21:59:59"}},
	} {
		w, err := ParseWindow(s)
		require.NoError(t, err)
		require.Equal(t, s, w.String())
		for _, at := range c.in {
			require.True(t, w.Contains(clockAt(t, at)), s+" "+at)
		}
		for _, at := range c.out {
			require.False(t, w.Contains(clockAt(t, at)), s+" "+at)
		}
	}
	for _, s := range []string{"", "22:00", "22-04", "25:00-04:00", "22:00-04:60", "22:00-22:00", "22:00-04:00-05:00", "-"} {
		_, err := ParseWindow(s)
		require.ErrorContains(t, err, "such as 22:00-04:00", s)
	}
}

func clockAt(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.TimeOnly, s)
	require.NoError(t, err)
	return at
}

// TestWhereARunWas: the journal records how the server was reached each time, and its product.
func TestWhereARunWas(t *testing.T) {
	f, p := hosts(1)
	disk := newMemory()
	applied := f.estate()
	applied.Server.Address, applied.Server.Product, applied.Server.Sandbox = "127.0.0.1:8989", "VMware vCenter Server 8.0.3", true
	o, err := Apply(t.Context(), applied, disk.runs(), p, Options{})
	require.NoError(t, err)
	back := f.estate()
	back.Server.Address = "vc.example.com"
	_, err = Rollback(t.Context(), back, disk.runs(), o.Run, Options{})
	require.NoError(t, err)

	run, err := disk.runs().Get(o.Run)
	require.NoError(t, err)
	require.Equal(t, applied.Server, run.Server)
	var servers []Server
	for _, r := range run.Records {
		if r.Begin != nil {
			servers = append(servers, r.Begin.Server)
		}
	}
	require.Equal(t, []Server{applied.Server, back.Server}, servers)
	require.Equal(t, applied.Server.identity(), run.Plan.Server)
}
