package tuning

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

// recorded is a run with its files and the values that it left on three hosts.
type recorded struct {
	name   string
	id     string
	disk   *memory
	values map[string]value
	ended  bool
}

// recordings are a run, a rollback and a trial, each to its end and killed in the middle.
func recordings(t *testing.T) []recorded {
	t.Helper()
	all := []recorded{}
	record := func(name string, ended bool, do func(f *fleet, disk *memory, p *Plan)) {
		f, p := hosts(3)
		p.Digest = DigestForTest(t, p)
		disk := newMemory()
		survived(func() { do(f, disk, p) })
		disk.locked, disk.dead = map[string]string{}, false
		require.Len(t, disk.dirs, 1)
		all = append(all, recorded{name, disk.dirs[0], disk, f.values(), ended})
	}
	apply := func(f *fleet, disk *memory, p *Plan) string {
		o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
		require.NoError(t, err)
		return o.Run
	}
	dieAt := func(f *fleet, write int) {
		f.after = func(Target) {
			if write--; write == 0 {
				panic(crash{})
			}
		}
	}
	record("apply", true, func(f *fleet, disk *memory, p *Plan) { apply(f, disk, p) })
	record("killed apply", false, func(f *fleet, disk *memory, p *Plan) {
		dieAt(f, 2)
		apply(f, disk, p)
	})
	record("rollback", true, func(f *fleet, disk *memory, p *Plan) {
		_, err := Rollback(t.Context(), f.estate(), disk.runs(), apply(f, disk, p), Options{})
		require.NoError(t, err)
	})
	record("killed rollback", false, func(f *fleet, disk *memory, p *Plan) {
		id := apply(f, disk, p)
		dieAt(f, 2)
		_, _ = Rollback(t.Context(), f.estate(), disk.runs(), id, Options{})
	})
	for name, keep := range map[string]bool{"trial": false, "kept trial": true} {
		record(name, true, func(f *fleet, disk *memory, p *Plan) {
			s, err := OpenSwitching(t.Context(), f.estate(), disk.runs(), p, Options{}, registration)
			require.NoError(t, err)
			require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true, 3: true}))
			require.NoError(t, s.Set(t.Context(), map[int]bool{1: false}))
			require.NoError(t, s.Note(json.RawMessage(`{"block":1}`)))
			_, err = s.Close(t.Context(), keep)
			require.NoError(t, err)
		})
	}
	record("killed trial", false, func(f *fleet, disk *memory, p *Plan) {
		s, err := OpenSwitching(t.Context(), f.estate(), disk.runs(), p, Options{}, registration)
		require.NoError(t, err)
		require.NoError(t, s.Set(t.Context(), map[int]bool{1: true, 2: true}))
		dieAt(f, 1)
		_ = s.Set(t.Context(), map[int]bool{3: true})
	})
	return all
}

// with returns the estate and the disk of a recording whose journal has other content; nil removes the file.
func (r *recorded) with(t *testing.T, journal []byte) (*fleet, *memory) {
	t.Helper()
	f, _ := hosts(4) // the run has not touched the fourth
	for key, thing := range f.things {
		if v, of := r.values[key+" host-option/A"]; of {
			thing.settings["host-option/A"].value = v
		}
	}
	disk := newMemory()
	disk.dirs = slices.Clone(r.disk.dirs)
	for name, file := range r.disk.files {
		disk.files[name] = &memoryFile{disk: disk, proves: file.proves, content: slices.Clone(file.content), durable: len(file.content)}
	}
	if name := r.id + "/" + journalFile; journal == nil {
		delete(disk.files, name)
	} else {
		disk.files[name].content, disk.files[name].durable = slices.Clone(journal), len(journal)
	}
	return f, disk
}

// damages returns the journal with every kind of loss: cut at every border of a record and at bytes between them, without one record, empty
// and removed.
func (r *recorded) damages(t *testing.T) map[string][]byte {
	t.Helper()
	whole := r.disk.files[r.id+"/"+journalFile].content
	all := map[string][]byte{"removed": nil}
	lines := bytes.SplitAfter(whole[:len(whole)-1], []byte("\n"))
	size := 0
	for i, line := range lines {
		all[fmt.Sprintf("cut before record %d", i+1)] = whole[:size]
		if i == len(lines)-1 {
			line = append(slices.Clone(line), '\n')
		}
		all[fmt.Sprintf("without record %d", i+1)] = slices.Concat(whole[:size], whole[size+len(line):])
		size += len(line)
	}
	for _, cut := range proof.SampleLong(t, 60, 400, upTo(len(whole))) {
		all[fmt.Sprintf("cut after byte %d", cut)] = whole[:cut]
	}
	return all
}

// upTo returns the numbers from 0, without n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// intended returns the hosts that have the intended value, without anything of this package that reads journals.
func (f *fleet) intended() []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(f.things)) {
		if v, _ := f.things[key].get("host-option/A").Value(); v.Text == "60" {
			all = append(all, key)
		}
	}
	return all
}

// TestProveDamagedRun walks every loss of every recorded journal: it is found, nothing is written without consent, the comparison lists exactly
// what the server has, and restoring by value leaves nothing of the run.
func TestProveDamagedRun(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			_, disk := r.with(t, r.disk.files[r.id+"/"+journalFile].content)
			run, err := disk.runs().Get(r.id)
			require.NoError(t, err)
			require.Empty(t, run.Broken, "whole")
			require.Equal(t, !r.ended, run.Open())
			damages := r.damages(t)
			for name, content := range damages {
				f, disk := r.with(t, content)
				r.heal(t, name, f, disk)
			}
			t.Logf("%d damaged journals", len(damages))
		})
	}
}

func (r *recorded) heal(t *testing.T, name string, f *fleet, disk *memory) {
	t.Helper()
	runs, e, left := disk.runs(), f.estate(), f.intended()
	run, err := runs.Get(r.id)
	require.NoError(t, err)
	require.True(t, run.Damaged, name)
	require.False(t, run.Open(), name)
	if strings.HasPrefix(name, "cut after byte") { // as after the last border before it
		found, err := Compare(t.Context(), e, runs, r.id, time.Now())
		require.NoError(t, err, name)
		require.Equal(t, len(left), found.Left(), name)
		return
	}
	last, err := runs.Last(e.Server)
	require.NoError(t, err)
	require.Equal(t, r.id, last.ID, "%s: a damaged run may have written", name)
	var broken *BrokenError
	_, err = Rollback(t.Context(), e, runs, r.id, Options{})
	require.ErrorAs(t, err, &broken, name)
	settled, err := Recover(t.Context(), e, runs, Options{})
	require.NoError(t, err, name)
	require.Empty(t, settled, name)
	require.Equal(t, left, f.intended(), "%s: nothing is written without consent", name)

	other := f.things["host:host04"]
	_, err = Apply(t.Context(), e, runs, planOf(other.step(other.change("host-option/A", long(5)))), Options{})
	require.NoError(t, err, "%s: it stops a run on another host", name)
	overlapping := f.things["host:host01"]
	again := overlapping.step(overlapping.change("host-option/A", long(5)))
	refused := (*RefusedError)(nil)
	if held := runs.locks("test", &Options{}); !r.ended {
		require.ErrorAs(t, settleOthers(t.Context(), e, runs, held, planOf(again), &Options{}), &refused, name)
	} else {
		require.NoError(t, settleOthers(t.Context(), e, runs, held, planOf(again), &Options{}), name)
	}

	found, err := Compare(t.Context(), e, runs, r.id, time.Now())
	require.NoError(t, err, name)
	n := found.Left()
	require.Equal(t, len(left), n, name)
	require.False(t, found.Lost)
	require.Len(t, found.Results, 3, name)
	require.Len(t, found.Plan.Steps, n, name)
	if n > 0 {
		o, err := found.Restore(t.Context(), e, runs, Options{})
		require.NoError(t, err, name)
		require.Equal(t, n, o.Count(StateDone), name)
	}
	require.Empty(t, f.intended(), name)
	for _, host := range []string{"host:host01", "host:host02", "host:host03"} {
		require.Equal(t, long(0), f.things[host].get("host-option/A"), name)
	}
	found, err = Compare(t.Context(), e, runs, r.id, time.Now())
	require.NoError(t, err, name)
	require.Zero(t, found.Left(), name)
	require.NoError(t, runs.SetAside(r.id, Options{}), name)
	require.NoError(t, settleOthers(t.Context(), e, runs, runs.locks("test", &Options{}), planOf(again), &Options{}), name)
}

// TestProveDoublyDamagedRun cuts every recorded journal at each border of a record, and loses its end file or lines of it, and the plan too:
// either the comparison lists exactly what the server has, or what the journal says is enough for a rollback that leaves nothing.
func TestProveDoublyDamagedRun(t *testing.T) {
	lost := 0
	for _, r := range recordings(t) {
		end := r.disk.files[r.id+"/"+endFile].content
		for name, content := range r.damages(t) {
			if !strings.HasPrefix(name, "cut before") && name != "removed" {
				continue
			}
			for loss, left := range map[string][]byte{
				"missing": nil, "empty": {}, "torn": end[:20], "last line lost": end[:bytes.LastIndexByte(end, '\n')],
				"cut at the same record": endAt(end, bytes.Count(content, []byte("\n"))),
			} {
				name := r.name + " " + name + ", end " + loss
				damaged := func() (*fleet, *memory) {
					f, disk := r.with(t, content)
					if disk.files[r.id+"/"+endFile].content = left; left == nil {
						delete(disk.files, r.id+"/"+endFile)
					}
					return f, disk
				}
				f, disk := damaged()
				run, err := disk.runs().Get(r.id)
				require.NoError(t, err)
				if run.Damaged || run.Unbegun {
					found, err := Compare(t.Context(), f.estate(), disk.runs(), r.id, time.Now())
					require.NoError(t, err, name)
					require.Equal(t, len(f.intended()), found.Left(), name)
				} else {
					_, err := Recover(t.Context(), f.estate(), disk.runs(), Options{})
					require.NoError(t, err, name)
					run, err = disk.runs().Get(r.id)
					require.NoError(t, err)
					unrecorded, err := Unrecorded(t.Context(), f.estate(), disk.runs(), run, time.Now())
					require.NoError(t, err, name)
					if unrecorded {
						lost++
						found, err := Compare(t.Context(), f.estate(), disk.runs(), r.id, time.Now())
						require.NoError(t, err, name)
						require.Equal(t, len(f.intended()), found.Left(), name)
						_, err = found.Restore(t.Context(), f.estate(), disk.runs(), Options{})
						require.NoError(t, err, name)
						require.Empty(t, f.intended(), name)
						again, err := Unrecorded(t.Context(), f.estate(), disk.runs(), run, time.Now())
						require.NoError(t, err, name)
						require.False(t, again, name)
					}
					_, err = Rollback(t.Context(), f.estate(), disk.runs(), r.id, Options{})
					require.NoError(t, err, name)
					require.Empty(t, f.intended(), name)
				}

				f, disk = damaged()
				delete(disk.files, r.id+"/"+planFile)
				found, err := Compare(t.Context(), f.estate(), disk.runs(), r.id, time.Now())
				require.True(t, err != nil || found.Lost || len(f.intended()) == found.Left(), name)
			}
		}
	}
	require.Greater(t, lost, 10)
}

// endAt returns the end of a journal as it was after a number of records.
func endAt(end []byte, records int) []byte {
	for cut := len(end); cut > 0; cut = bytes.LastIndexByte(end[:cut], '\n') {
		if at := lastEnding(end[:cut]); at.records == records {
			return end[:cut]
		}
	}
	return nil
}

// TestProveEndOfAJournal: a journal that has ended is whole, wherever its end file is damaged. One that has not may be one record longer than
// its end, as a kill leaves it. One from an older vperf needs no end file.
func TestProveEndOfAJournal(t *testing.T) {
	for _, r := range recordings(t) {
		t.Run(r.name, func(t *testing.T) {
			whole := r.disk.files[r.id+"/"+journalFile].content
			end := r.disk.files[r.id+"/"+endFile].content
			want, err := r.disk.runs().Get(r.id)
			require.NoError(t, err)
			last := bytes.LastIndexByte(end, '\n')
			before := bytes.LastIndexByte(end[:last], '\n')
			for _, cut := range append(proof.SampleLong(t, 60, 400, upTo(len(end))), before-1, before, last-1, last, last+1, len(end)) {
				_, disk := r.with(t, whole)
				disk.files[r.id+"/"+endFile].content = end[:cut]
				run, err := disk.runs().Get(r.id)
				require.NoError(t, err)
				require.Equal(t, !r.ended && cut < last, run.Damaged, "end cut after byte %d of %d: %s", cut, len(end), run.Broken)
				require.Equal(t, want.Result, run.Result)
			}
			for _, bit := range proof.SampleLong(t, 60, 400, upTo(8*len(end))) {
				_, disk := r.with(t, whole)
				disk.files[r.id+"/"+endFile].content[bit/8] ^= 1 << (bit % 8)
				run, err := disk.runs().Get(r.id)
				require.NoError(t, err)
				require.Equal(t, !r.ended && bit/8 == last, run.Damaged, "bit %d of the end flipped: %s", bit, run.Broken)
			}
			cut := whole[:bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1]
			for old, content := range map[bool][]byte{false: cut, true: older(t, cut)} {
				_, disk := r.with(t, content)
				delete(disk.files, r.id+"/"+endFile)
				run, err := disk.runs().Get(r.id)
				require.NoError(t, err)
				require.Equal(t, !old, run.Damaged, "an older vperf wrote it: %v: %s", old, run.Broken)
			}
		})
	}
}

// older returns the journal as a vperf without end files writes it.
func older(t *testing.T, journal []byte) []byte {
	t.Helper()
	p, err := parse("", journal)
	require.NoError(t, err)
	var all []byte
	previous := ""
	for _, r := range p.records {
		r.End, r.Previous = false, previous
		line, err := json.Marshal(r)
		require.NoError(t, err)
		previous, all = hashOf(line), append(append(all, line...), '\n')
	}
	return all
}

// TestReadWhileGrowing: a journal that grows while it is read is not damaged.
func TestReadWhileGrowing(t *testing.T) {
	_, disk, id := applied(t, 2)
	journal, end := disk.files[id+"/"+journalFile], disk.files[id+"/"+endFile]
	journal.content = journal.content[:bytes.LastIndexByte(journal.content[:len(journal.content)-1], '\n')+1]
	whole := end.content[:bytes.LastIndexByte(end.content, '\n')]
	end.content = whole[:len(whole)/2]
	run, err := disk.runs().Get(id)
	require.NoError(t, err)
	require.True(t, run.Damaged)
	run, err = (&Runs{disk: &growing{disk, end, whole}}).Get(id)
	require.NoError(t, err)
	require.Empty(t, run.Broken)
}

// growing is a disk on which a run in progress writes its end while the journal is read.
type growing struct {
	*memory

	end   *memoryFile
	whole []byte
}

func (g *growing) read(name string) ([]byte, error) {
	if strings.HasSuffix(name, journalFile) {
		g.end.content = g.whole
	}
	return g.memory.read(name)
}

// TestFlippedBitInAnEndedRun: one bit in a run that has ended does not stop other runs, also if an older vperf wrote it.
func TestFlippedBitInAnEndedRun(t *testing.T) {
	for _, old := range []bool{false, true} {
		f, disk, id := applied(t, 2)
		if old {
			delete(disk.files, id+"/"+endFile)
		}
		content := disk.files[id+"/"+journalFile].content
		content[bytes.Index(content, []byte(`"text":"0"`))+8] ^= 1
		run, err := disk.runs().Get(id)
		require.NoError(t, err)
		require.True(t, run.Damaged)
		h := f.things["host:host01"]
		_, err = Apply(t.Context(), f.estate(), disk.runs(), planOf(h.step(h.change("host-option/A", long(70)))), Options{})
		require.NoError(t, err)
		found, err := Compare(t.Context(), f.estate(), disk.runs(), id, time.Now())
		require.NoError(t, err)
		require.Equal(t, []State{StateForeign, StateKept}, states(&found.Outcome))
	}
}

// TestChangedRecordsAreNotBelieved changes each old value in a journal. The line that holds it is not believed, but the plan, so no rollback
// writes the changed value.
func TestChangedRecordsAreNotBelieved(t *testing.T) {
	_, recorded, id := applied(t, 2)
	whole, old := recorded.files[id+"/"+journalFile].content, []byte(`"text":"0"`)
	n := bytes.Count(whole, old)
	require.Greater(t, n, 3)
	for i := range n {
		f, disk, id := applied(t, 2)
		journal := disk.files[id+"/"+journalFile]
		at := 0
		for range i {
			at += bytes.Index(journal.content[at:], old) + len(old)
		}
		journal.content[at+bytes.Index(journal.content[at:], old)+len(old)-2] = '9'
		found, err := Compare(t.Context(), f.estate(), disk.runs(), id, time.Now())
		require.NoError(t, err)
		require.Equal(t, 2, found.Left(), "change %d", i)
		_, err = found.Restore(t.Context(), f.estate(), disk.runs(), Options{})
		require.NoError(t, err)
		for name, thing := range f.things {
			require.Equal(t, long(0), thing.get("host-option/A"), "%s, change %d", name, i)
		}
	}
}

// TestLastNamesTheRunThatWasRestored: to undo the newest change twice does not make it again.
func TestLastNamesTheRunThatWasRestored(t *testing.T) {
	f, p := hosts(1)
	p.Digest = DigestForTest(t, p)
	disk := newMemory()
	applied, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.NoError(t, err)
	id := applied.Run
	disk.files[id+"/"+journalFile].content = nil
	found, err := Compare(t.Context(), f.estate(), disk.runs(), id, time.Now())
	require.NoError(t, err)
	o, err := found.Restore(t.Context(), f.estate(), disk.runs(), Options{})
	require.NoError(t, err)
	restored, err := disk.runs().Get(o.Run)
	require.NoError(t, err)
	require.Equal(t, id, restored.Restores)
	for range 2 {
		last, err := disk.runs().Last(f.estate().Server)
		require.NoError(t, err)
		require.Equal(t, id, last.ID)
		require.NoError(t, disk.runs().SetAside(id, Options{}))
	}
}

// TestOnlyRegularFilesAreJournals: a pipe in place of a file of a run would wait for its writer.
func TestOnlyRegularFilesAreJournals(t *testing.T) {
	for _, name := range []string{journalFile, endFile, planFile} {
		dir := t.TempDir()
		runs, err := OpenRuns(dir)
		require.NoError(t, err)
		f, p := hosts(1)
		o, err := Apply(t.Context(), f.estate(), runs, p, Options{})
		require.NoError(t, err)
		file := filepath.Join(dir, o.Run, name)
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.Mkdir(file, 0o700))
		run, err := runs.Get(o.Run)
		require.NoError(t, err)
		require.Contains(t, run.Broken, "open "+file+": it is not a regular file")
		last, err := runs.Last(f.estate().Server)
		require.NoError(t, err)
		require.Equal(t, o.Run, last.ID, "it may have written")
		_, err = Rollback(t.Context(), f.estate(), runs, o.Run, Options{})
		require.ErrorContains(t, err, "it is not a regular file")
	}
}

// TestRemains: each value on the server gives its state, and only what has the intended value is left.
func TestRemains(t *testing.T) {
	f, p := hosts(7)
	p.Digest = DigestForTest(t, p)
	disk := newMemory()
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.NoError(t, err)
	disk.files[o.Run+"/"+journalFile].content = nil
	setting := func(host string) *setting { return f.things["host:"+host].settings["host-option/A"] }
	setting("host02").value = long(0)
	setting("host03").value = long(7)
	delete(f.things, "host:host04")
	f.things["host:host05"].unread = "no answer"
	f.things["host:host06"].Maintenance = true
	setting("host07").value = long(0)
	h := f.things["host:host07"]
	later, err := Apply(t.Context(), f.estate(), disk.runs(), planOf(h.step(h.change("host-option/A", long(60)))), Options{})
	require.NoError(t, err)

	found, err := Compare(t.Context(), f.estate(), disk.runs(), o.Run, time.Now())
	require.NoError(t, err)
	require.Equal(t, []State{StateKept, StateUndone, StateForeign, StateGone, StateUnread, StateKept, StateForeign}, states(&found.Outcome))
	require.Contains(t, found.Results[6].Why, later.Run)
	require.Equal(t, []string{"host06 is in maintenance mode; the run may have entered it"}, found.Warnings)
	require.Equal(t, 3, found.Left())
}

// TestLostPlan: without plan and journal, nobody knows what was changed; a plan that was edited is not believed.
func TestLostPlan(t *testing.T) {
	for name, spoil := range map[string]func(plan *memoryFile){
		"cut":    func(plan *memoryFile) { plan.content = plan.content[:100] },
		"edited": func(plan *memoryFile) { plan.content = bytes.Replace(plan.content, []byte(`"0"`), []byte(`"9"`), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			f, p := hosts(2)
			p.Digest = DigestForTest(t, p)
			disk := newMemory()
			o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
			require.NoError(t, err)
			spoil(disk.files[o.Run+"/"+planFile])
			found, err := Compare(t.Context(), f.estate(), disk.runs(), o.Run, time.Now())
			require.NoError(t, err, "the journal is enough")
			require.Equal(t, 2, found.Left())
			require.False(t, found.Lost)

			journal := disk.files[o.Run+"/"+journalFile]
			first, _, _ := bytes.Cut(journal.content, []byte("\n"))
			journal.content = journal.content[:len(first)+1]
			found, err = Compare(t.Context(), f.estate(), disk.runs(), o.Run, time.Now())
			require.NoError(t, err)
			require.Zero(t, found.Left())
			require.True(t, found.Lost)
			require.Empty(t, found.Results)
		})
	}
}

// TestDamagedLot: the changes of a drawn lot are the user's, and no rollback touches them.
func TestDamagedLot(t *testing.T) {
	f, p := hosts(1)
	p.Digest = DigestForTest(t, p)
	disk := newMemory()
	id, err := Draw(f.estate(), disk.runs(), p, Options{}, registration)
	require.NoError(t, err)
	f.things["host:host01"].settings["host-option/A"].value = long(60)
	disk.files[id+"/"+journalFile].content = nil
	found, err := Compare(t.Context(), f.estate(), disk.runs(), id, time.Now())
	require.NoError(t, err)
	require.Empty(t, found.Results)
	require.True(t, found.Plan.Empty())
}

// TestSetAside: only a run that cannot be read is set aside, more than once too, and nothing of it is removed.
func TestSetAside(t *testing.T) {
	_, disk, id := applied(t, 1)
	runs := disk.runs()
	require.ErrorContains(t, runs.SetAside(id, Options{}), "is whole")
	disk.files[id+"/"+journalFile].content = nil
	before := len(disk.files)
	for range 2 {
		require.NoError(t, runs.SetAside(id, Options{User: "ann"}))
	}
	require.Len(t, disk.files, before+1)
	run, err := runs.Get(id)
	require.NoError(t, err)
	require.True(t, run.Aside)
	last, err := runs.Last(Server{UUID: "vc-uuid"})
	require.NoError(t, err)
	require.Nil(t, last)
	require.NotErrorIs(t, runs.SetAside("20200101-000000.000-aaaa", Options{}), context.Canceled)
}
