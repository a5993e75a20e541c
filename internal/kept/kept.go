// Package kept stores dated snapshots of servers in a folder, and forgets old ones by a fixed rule.
//
// Each server has a folder, named after its UUID. Files are compressed snapshots, named after the server's time, and only their
// owner can read them.
package kept

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
)

// Store is the folders of all kept snapshots: one of servers that call themselves simulators, and one of all others.
type Store struct{ Dir, Simulated string }

// Server identifies a server.
type Server struct {
	Name string `json:"name"`
	UUID string `json:"uuid"`

	Simulated bool `json:"simulated,omitempty"` // it calls itself a simulator
}

// Snapshot is a kept snapshot.
type Snapshot struct {
	Server  Server
	TakenAt time.Time // by the server's clock
	Path    string
	Bytes   int64 // compressed
}

const (
	layout     = "20060102-150405.000Z"
	suffix     = ".json.gz"
	serverFile = "server.json"
)

// folder returns the folder of a server. A UUID with other characters than usual is not used as a name of a file.
func (s Store) folder(of Server) string {
	name := of.UUID
	if !plainName.MatchString(name) {
		sum := sha256.Sum256([]byte(name))
		name = "x" + hex.EncodeToString(sum[:16])
	}
	if of.Simulated {
		return filepath.Join(s.Simulated, name)
	}
	return filepath.Join(s.Dir, name)
}

var plainName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{7,63}$`)

// Save stores a snapshot of one server, and then removes the snapshots of this server that the rule does not keep.
func (s Store) Save(of Server, snapshot *inventory.Snapshot) (Snapshot, error) {
	if of.UUID == "" {
		return Snapshot{}, fmt.Errorf("keeping a snapshot of %s: the server has no UUID", of.Name)
	}
	kept, err := s.save(of, snapshot)
	if err != nil {
		return kept, fmt.Errorf("keeping a snapshot of %s: %w", of.Name, err)
	}
	return kept, s.prune(of)
}

func (s Store) save(of Server, snapshot *inventory.Snapshot) (Snapshot, error) {
	dir := s.folder(of)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Snapshot{}, err
	}
	about, err := json.Marshal(of)
	if err == nil {
		err = write(filepath.Join(dir, serverFile), func(w io.Writer) error { _, err := w.Write(about); return err })
	}
	if err != nil {
		return Snapshot{}, err
	}
	at := snapshot.TakenAt().UTC()
	kept := Snapshot{Server: of, TakenAt: at, Path: filepath.Join(dir, at.Format(layout)+suffix)}
	err = write(kept.Path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(inventory.Save(z, snapshot), z.Close())
	})
	if err != nil {
		return kept, err
	}
	info, err := os.Stat(kept.Path)
	if err == nil {
		kept.Bytes = info.Size()
	}
	return kept, err
}

// write replaces a file at once. os.CreateTemp makes files that only their owner can read.
func write(path string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	err = errors.Join(content(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(f.Name())))
	}
	return nil
}

// snapshots is a variable for tests, which do not unpack a gibibyte.
var snapshots = userfile.Snapshot

// Open reads a kept snapshot.
func Open(ctx context.Context, path string) (*inventory.Snapshot, error) {
	f, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	snapshot, err := inventory.Load(userfile.Watched(ctx, snapshots.Bound(z)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return snapshot, nil
}

// List returns all kept snapshots, by server and newest first. A store that does not exist is empty.
func (s Store) List() (all []Snapshot, err error) {
	for _, dir := range []string{s.Dir, s.Simulated} {
		folders, err := os.ReadDir(dir)
		if ignoreMissing(err) != nil {
			return nil, fmt.Errorf("reading the folder of kept snapshots: %w", err)
		}
		for _, f := range folders {
			if !f.IsDir() {
				continue
			}
			found, err := in(filepath.Join(dir, f.Name()))
			if err != nil {
				return nil, fmt.Errorf("reading the folder of kept snapshots: %w", err)
			}
			all = append(all, found...)
		}
	}
	slices.SortStableFunc(all, func(a, b Snapshot) int {
		return cmp.Or(strings.Compare(a.Server.Name, b.Server.Name), strings.Compare(a.Server.UUID, b.Server.UUID), b.TakenAt.Compare(a.TakenAt))
	})
	return all, nil
}

// in lists the snapshots in the folder of one server, newest first. Other files are not ours.
func in(dir string) (all []Snapshot, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var of Server
	if about, err := userfile.Settings.Read(filepath.Join(dir, serverFile)); err == nil {
		_ = json.Unmarshal(about, &of) // without it, the folder's name has to do
	}
	of.UUID = cmp.Or(of.UUID, filepath.Base(dir))
	for _, f := range files {
		stamp, ok := strings.CutSuffix(f.Name(), suffix)
		at, err := time.Parse(layout, stamp)
		if !ok || err != nil {
			continue
		}
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has just removed it
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Snapshot{Server: of, TakenAt: at, Path: filepath.Join(dir, f.Name()), Bytes: info.Size()})
	}
	slices.SortStableFunc(all, func(a, b Snapshot) int { return b.TakenAt.Compare(a.TakenAt) })
	return all, nil
}

// Of returns the kept snapshots of a server, newest first.
func (s Store) Of(of Server) ([]Snapshot, error) {
	all, err := in(s.folder(of))
	if errors.Is(err, fs.ErrNotExist) && !of.Simulated { // a file does not say whether its server is
		of.Simulated = true
		return s.Of(of)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kept snapshots of %s: %w", of.Name, err)
	}
	return all, nil
}

// Before returns the newest snapshot of a list, newest first, that is of a time or older; nil if there is none.
func Before(all []Snapshot, at time.Time) *Snapshot {
	if i := slices.IndexFunc(all, func(k Snapshot) bool { return !k.TakenAt.After(at) }); i >= 0 {
		return &all[i]
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
