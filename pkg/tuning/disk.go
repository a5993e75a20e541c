package tuning

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// disk stores runs. Tests replace it to lose data that was not synced. Paths are relative to it.
type disk interface {
	// folders returns the names of the runs' folders, sorted.
	folders() ([]string, error)
	// makeFolder creates a run's folder durably; it returns an error if the folder exists.
	makeFolder(name string) error
	read(path string) ([]byte, error)
	// create writes a new file durably.
	create(path string, content []byte) error
	// room returns an error if size bytes cannot be written to a run's folder now.
	room(name string, size int) error
	// remove removes a run's folder in which no journal began.
	remove(name string) error
	// open opens a file for appending and, if it does not exist, creates it durably.
	open(path string) (appendFile, error)
	// lock takes a lock without waiting. If the lock is held, it returns a LockedError. The lock of a process that died
	// is free.
	lock(name, by string) (release func(), err error)
}

// appendFile is an append-only file. Truncate is only for cutting off a line that a crash left incomplete.
type appendFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// folder implements disk with the file system. Lock files are in a folder next to the runs.
type folder struct{ runs, locks string }

func openFolder(dir string) (folder, error) {
	d := folder{runs: dir, locks: filepath.Join(filepath.Dir(dir), "locks")}
	for _, path := range []string{d.runs, d.locks} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return d, fmt.Errorf("making the folder of runs: %w", err)
		}
	}
	return d, nil
}

func (d folder) folders() ([]string, error) {
	all, err := os.ReadDir(d.runs)
	var names []string
	for _, f := range all {
		if f.IsDir() {
			names = append(names, f.Name())
		}
	}
	return names, err
}

func (d folder) makeFolder(name string) error {
	if err := os.Mkdir(filepath.Join(d.runs, name), 0o700); err != nil {
		return err
	}
	return syncFolder(d.runs)
}

// largestJournal limits what is read of a file of a run, in bytes: the samples of a trial of weeks have a hundredth of it.
const largestJournal = 1 << 30

func (d folder) read(path string) ([]byte, error) {
	f, err := openRegular(filepath.Join(d.runs, path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	tooLarge := fmt.Errorf("%s is larger than %d MiB, so vperf did not write it: restore the file from a backup", f.Name(), largestJournal>>20)
	if info, err := f.Stat(); err == nil && info.Size() > largestJournal {
		return nil, tooLarge
	}
	content, err := io.ReadAll(io.LimitReader(f, largestJournal+1)) // it may grow
	if len(content) > largestJournal {
		return nil, tooLarge
	}
	return content, err
}

// openRegular opens a file that vperf wrote. It refuses all else: to open a pipe would wait for its writer.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("it is not a regular file")}
	}
	return os.Open(path)
}

func (d folder) create(path string, content []byte) error {
	f, err := os.OpenFile(filepath.Join(d.runs, path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close(), syncFolder(filepath.Dir(f.Name())))
}

// room writes the bytes, because a file system may promise space that it does not have, and removes them.
func (d folder) room(name string, size int) error {
	f, err := os.OpenFile(filepath.Join(d.runs, name, "room"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, size))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

func (d folder) remove(name string) error { return os.RemoveAll(filepath.Join(d.runs, name)) }

func (d folder) open(path string) (appendFile, error) {
	path = filepath.Join(d.runs, path)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// syncFolder makes the file names in a folder durable. Windows does not support this and does not need it.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lock takes a lock of the operating system, which releases it when the process ends for any reason. A second file
// names the holder, because Windows does not allow reading a locked file. That file is valid only while the lock is
// held.
func (d folder) lock(name, by string) (func(), error) {
	path := filepath.Join(d.locks, name)
	l := flock.New(path+".lock", flock.SetPermissions(0o600))
	taken, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", l.Path(), err)
	}
	if !taken {
		holder, err := readHolder(path + ".by")
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(holder) == 0 {
			holder = []byte("unknown holder")
		}
		return nil, &LockedError{By: string(holder)}
	}
	if err := os.WriteFile(path+".by", []byte(by), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the holder of lock %s: %w", l.Path(), err), l.Unlock())
	}
	return func() { _ = l.Unlock() }, nil // the operating system releases it when the process ends
}

// longestHolder limits the name of the holder of a lock, in bytes.
const longestHolder = 4 << 10

func readHolder(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, longestHolder))
}
