package tuning

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errFull = errors.New("no space left on device")

// faultyDisk is a disk with one operation that fails.
type faultyDisk struct {
	*memory

	makeFolderErr, createErr, openErr, roomErr, lockErr error
}

func (d *faultyDisk) makeFolder(name string) error {
	if d.makeFolderErr != nil {
		return d.makeFolderErr
	}
	return d.memory.makeFolder(name)
}

func (d *faultyDisk) create(path string, content []byte) error {
	if d.createErr != nil {
		return d.createErr
	}
	return d.memory.create(path, content)
}

func (d *faultyDisk) open(path string) (appendFile, error) {
	if d.openErr != nil {
		return nil, d.openErr
	}
	return d.memory.open(path)
}

func (d *faultyDisk) room(name string, size int) error {
	if d.roomErr != nil {
		return d.roomErr
	}
	return d.memory.room(name, size)
}

func (d *faultyDisk) lock(name, by string) (func(), error) {
	if d.lockErr != nil {
		return nil, d.lockErr
	}
	return d.memory.lock(name, by)
}

// TestNothingIsChangedWithoutAJournal: whatever prevents the journal, a run makes no change, and leaves no half of itself behind.
func TestNothingIsChangedWithoutAJournal(t *testing.T) {
	for name, spoil := range map[string]func(d *faultyDisk){
		"a folder that is read-only":    func(d *faultyDisk) { d.makeFolderErr = os.ErrPermission },
		"no space for the plan":         func(d *faultyDisk) { d.createErr = errFull },
		"no space for the journal":      func(d *faultyDisk) { d.roomErr = errFull },
		"a journal that cannot be made": func(d *faultyDisk) { d.openErr = errFull },
		"a first record that fails":     func(d *faultyDisk) { d.tick = func() { d.failing = map[bool]error{true: errFull}[d.hasJournal()] } },
		"a file system without locks":   func(d *faultyDisk) { d.lockErr = errors.New("no locks available") },
	} {
		t.Run(name, func(t *testing.T) {
			f, h, p := oneHost()
			d := &faultyDisk{memory: newMemory()}
			spoil(d)
			runs := &Runs{disk: d}
			_, err := Apply(t.Context(), f.estate(), runs, p, Options{RollbackOnError: true})
			require.Error(t, err)
			var failed *FailedError
			require.NotErrorAs(t, err, &failed, "no step began")
			require.Empty(t, f.calls)
			require.Equal(t, long(0), h.get("host-option/A"))
			all, err := runs.List()
			require.NoError(t, err)
			require.Empty(t, all, "nothing remains that looks like a run")
			require.Empty(t, d.locked)

			_, err = OpenSwitching(t.Context(), f.estate(), runs, p, Options{}, []byte(`{}`))
			require.Error(t, err)
			require.Empty(t, f.calls)
			require.Empty(t, d.locked)
		})
	}
}

func (m *memory) hasJournal() bool {
	for name := range m.files {
		if filepath.Base(name) == journalFile {
			return true
		}
	}
	return false
}

// TestRunsAreInOrderWhenTheClockIsSetBack: the newest run is the last one, whatever the clock of this machine says: it decides what a
// rollback undoes, and which value is expected.
func TestRunsAreInOrderWhenTheClockIsSetBack(t *testing.T) {
	f, h, p := oneHost()
	disk := newMemory()
	clock := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	options := Options{Now: func() time.Time { return clock }}
	first, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
	require.NoError(t, err)

	clock = clock.Add(-2 * time.Hour)
	p = planOf(h.step(h.change("host-option/A", long(70))))
	second, err := Apply(t.Context(), f.estate(), disk.runs(), p, options)
	require.NoError(t, err)
	require.Greater(t, second.Run, first.Run)
	last, err := disk.runs().Last(p.Server)
	require.NoError(t, err)
	require.Equal(t, second.Run, last.ID)
	require.Empty(t, last.Broken)
	require.Equal(t, clock, last.Began, "the records have the time of the clock")

	_, err = Rollback(t.Context(), f.estate(), disk.runs(), last.ID, options)
	require.NoError(t, err)
	require.Equal(t, long(60), h.get("host-option/A"))
	_, err = Rollback(t.Context(), f.estate(), disk.runs(), first.Run, options)
	require.NoError(t, err)
	require.Equal(t, long(0), h.get("host-option/A"))
}

// TestClockSetBackInARun: the order and meaning of records does not depend on their times.
func TestClockSetBackInARun(t *testing.T) {
	for name, jump := range map[string]time.Duration{"back": -10 * time.Minute, "forward": 10 * time.Minute, "to 1970": -1 << 62} {
		t.Run(name, func(t *testing.T) {
			f, p := hosts(5)
			disk := newMemory()
			clock := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
			now := func() time.Time { clock = clock.Add(jump / 40); return clock }
			o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{Now: now})
			require.NoError(t, err)
			run, err := disk.runs().Get(o.Run)
			require.NoError(t, err)
			require.Empty(t, run.Broken)
			require.Equal(t, "done", run.Result)
			o, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{Now: now})
			require.NoError(t, err)
			for _, s := range states(o) {
				require.Equal(t, StateUndone, s)
			}
		})
	}
}

// TestIDsNeverCollide: a clock that stands still gives each run its own id, in order.
func TestIDsNeverCollide(t *testing.T) {
	disk := newMemory()
	at := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	last := ""
	for range 200 {
		id, err := disk.runs().newID(at)
		require.NoError(t, err)
		require.Greater(t, id, last)
		require.NoError(t, disk.makeFolder(id))
		last = id
	}
	require.NoError(t, disk.makeFolder("99991231-235959.999-ffff"))
	_, err := disk.runs().newID(at)
	require.ErrorContains(t, err, "move its folder away")
}

// TestJournalRoomIsEnough: what a run and its rollback write fits into the room that was there before it.
func TestJournalRoomIsEnough(t *testing.T) {
	f, p := hosts(30)
	disk := newMemory()
	o, err := Apply(t.Context(), f.estate(), disk.runs(), p, Options{})
	require.NoError(t, err)
	_, err = Rollback(t.Context(), f.estate(), disk.runs(), o.Run, Options{})
	require.NoError(t, err)
	require.Less(t, len(disk.files[o.Run+"/"+journalFile].content), journalRoom(p))
}
