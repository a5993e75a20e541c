package capture

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// captureName matches the names of files in a folder that are read as captures.
var captureName = regexp.MustCompile(`(?i)\.csv(\.gz|\.bz2)?$`)

// named is a file that the user named, directly or by its folder.
type named struct {
	path   string
	folder bool
}

// expand finds the files that paths name: files, folders, and patterns, which not every shell expands. A file that is
// named twice is read once.
func expand(paths []string) (files []named, notes []string, err error) {
	var known []fs.FileInfo
	for _, path := range paths {
		found, err := filesOf(path)
		if err != nil {
			return nil, nil, &FileError{path, err}
		}
		for _, f := range found {
			info, err := os.Stat(f.path)
			if err != nil { // opening it returns the error
				files = append(files, f)
				continue
			}
			if slices.ContainsFunc(known, func(k fs.FileInfo) bool { return os.SameFile(k, info) }) {
				notes = append(notes, f.path+" is named twice and was read once")
				continue
			}
			known, files = append(known, info), append(files, f)
		}
	}
	return files, notes, nil
}

func filesOf(path string) ([]named, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[") {
		return matches(path)
	}
	if err != nil || !info.IsDir() {
		return []named{{path: path}}, nil //nolint:nilerr // opening it tells what is wrong
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, reasonOf(err)
	}
	var files []named
	for _, e := range entries {
		if captureName.MatchString(e.Name()) && !e.IsDir() {
			files = append(files, named{filepath.Join(path, e.Name()), true})
		}
	}
	if len(files) == 0 {
		return nil, errors.New("the folder has no capture: vperf looks for *.csv, *.csv.gz and *.csv.bz2 in the folder itself, not in subfolders")
	}
	return files, nil
}

func matches(pattern string) ([]named, error) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("no such file")
	}
	var files []named
	for _, path := range found {
		files = append(files, named{path: path})
	}
	return files, nil
}

// reasonOf returns an error without its path, which the caller adds.
func reasonOf(err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped.Err
	}
	return err
}
