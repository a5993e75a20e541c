// Package rulefiles reads rules from the files of the user, and checks them. It knows the folder of vperf's own rules.
package rulefiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/rules"
)

// Load reads the built-in rules and those of files or folders of the user. Reading examples takes longer.
func Load(paths []string, examples bool) (*advice.Library, error) {
	sources := []advice.Source{{FS: rules.FS, Lean: !examples}}
	for _, p := range paths {
		if tree := ownTree(p); tree != "" { // with it, a rule would be there twice
			sources[0] = advice.Source{FS: userfile.Rule.Folder(tree), Name: tree}
			continue
		}
		s, err := userRules(p)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	library, err := advice.Load(sources...)
	if _, mistakes := errors.AsType[strictyaml.Errors](err); err != nil && !mistakes {
		return nil, userfile.Errorf("%w", err)
	}
	return library, err
}

// userRules makes a source of one rule file or of a folder of them.
func userRules(path string) (advice.Source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return advice.Source{}, noRules("there is no file or folder %s", path)
	case err != nil:
		return advice.Source{}, noRules("%w", err)
	case info.IsDir() && !hasRules(path):
		return advice.Source{}, noRules("the folder %s has no rule file: rule files end in .yaml", path)
	case info.IsDir():
		return advice.Source{FS: userfile.Rule.Folder(path), Name: path, User: true}, nil
	case filepath.Ext(path) != ".yaml":
		return advice.Source{}, noRules("%s is not a rule file: rule files end in .yaml", path)
	}
	return advice.Source{FS: userfile.Rule.FS(singleFile{path}), Name: filepath.Dir(path), User: true}, nil
}

// ownTree returns the folder of vperf's own rules that holds a path or is that path, and "" for other paths. It has all folders of the
// built-in rules, each of which has rules, vendors or articles.
func ownTree(path string) string {
	folders, err := fs.ReadDir(rules.FS, ".")
	if err != nil {
		return ""
	}
	if isFolder(path) != (filepath.Ext(path) != ".yaml") {
		return "" // userRules reports the mistake
	}
	for _, tree := range []string{path, filepath.Join(path, ".."), filepath.Join(path, "..", "..")} {
		if !slices.ContainsFunc(folders, func(d fs.DirEntry) bool { return !isFolder(filepath.Join(tree, d.Name())) }) {
			return filepath.Clean(tree)
		}
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func noRules(format string, args ...any) error {
	return userfile.Errorf("reading rules: "+format, args...)
}

// hasRules reports whether a folder may hold rules. It returns true for an unreadable one, which fails later.
func hasRules(folder string) bool {
	found := false
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if found = err == nil && !d.IsDir() && filepath.Ext(name) == ".yaml"; found {
			return fs.SkipAll
		}
		return err
	})
	return found || err != nil
}

// singleFile is a tree that holds a single file.
type singleFile struct{ path string }

// Open opens the file, or the root that holds it.
func (f singleFile) Open(name string) (fs.File, error) {
	if name == "." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if name != filepath.Base(f.path) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return userfile.Open(f.path)
}

// Stat describes the root as a folder.
func (f singleFile) Stat(name string) (fs.FileInfo, error) {
	if name == "." {
		return os.Stat(filepath.Dir(f.path))
	}
	return os.Stat(f.path)
}

// ReadDir lists the file.
func (f singleFile) ReadDir(string) ([]fs.DirEntry, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}
