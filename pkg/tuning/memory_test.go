package tuning

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
)

// memory is a disk that loses data: when the machine stops, data that was not synced is lost or cut off at any byte.
type memory struct {
	files   map[string]*memoryFile
	dirs    []string
	locked  map[string]string // holder by lock
	tick    func()
	failing error // of the next write
	dead    bool
}

type memoryFile struct {
	disk    *memory
	proves  bool // it is the end of a journal, which is written between two other moments: it needs one of its own
	content []byte
	durable int // number of synced bytes
}

func newMemory() *memory {
	return &memory{files: map[string]*memoryFile{}, locked: map[string]string{}, tick: func() {}}
}

func (m *memory) runs() *Runs { return &Runs{disk: m} }

// crash stops the machine and restarts it.
func (m *memory) crash(r *rand.Rand) {
	for _, name := range slices.Sorted(maps.Keys(m.files)) {
		f := m.files[name]
		f.content = f.content[:f.durable+r.IntN(len(f.content)-f.durable+1)]
		f.durable = len(f.content)
	}
	m.locked, m.dead = map[string]string{}, false
}

func (m *memory) folders() ([]string, error) {
	slices.Sort(m.dirs)
	return slices.Clone(m.dirs), nil
}

func (m *memory) makeFolder(name string) error {
	m.tick()
	m.dirs = append(m.dirs, name)
	m.tick()
	return nil
}

func (m *memory) room(string, int) error { return m.failing }

func (m *memory) remove(name string) error {
	m.tick()
	m.dirs = slices.DeleteFunc(m.dirs, func(dir string) bool { return dir == name })
	maps.DeleteFunc(m.files, func(file string, _ *memoryFile) bool { return path.Dir(file) == name })
	return nil
}

func (m *memory) read(name string) ([]byte, error) {
	if f, applied := m.files[name]; applied {
		return slices.Clone(f.content), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m *memory) create(name string, content []byte) error {
	if _, applied := m.files[name]; applied {
		return fs.ErrExist
	}
	f, err := m.open(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync())
}

func (m *memory) open(name string) (appendFile, error) {
	if !slices.Contains(m.dirs, path.Dir(name)) {
		return nil, fs.ErrNotExist
	}
	if m.files[name] == nil {
		if path.Base(name) != endFile {
			m.tick()
		}
		m.files[name] = &memoryFile{disk: m, proves: path.Base(name) == endFile}
	}
	return m.files[name], nil
}

func (m *memory) lock(name, by string) (func(), error) {
	if holder, taken := m.locked[name]; taken {
		return nil, &LockedError{By: holder}
	}
	m.locked[name] = by
	return func() { delete(m.locked, name) }, nil
}

func (f *memoryFile) Write(b []byte) (int, error) {
	if !f.proves {
		f.disk.tick()
	}
	if f.disk.failing != nil {
		f.content = append(f.content, b[:len(b)/2]...)
		return len(b) / 2, f.disk.failing
	}
	f.content = append(f.content, b...)
	f.disk.tick()
	return len(b), nil
}

func (f *memoryFile) Sync() error {
	f.durable = len(f.content)
	if !f.proves {
		f.disk.tick()
	}
	return nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.content = f.content[:size]
	f.durable = min(f.durable, int(size))
	f.disk.tick()
	return nil
}

func (f *memoryFile) Close() error { return nil }
