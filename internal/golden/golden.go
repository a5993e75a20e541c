// Package golden compares the output of a test with a reviewed, committed file, and rewrites that file when the test runs
// with -update.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// update is a package variable, so that every test binary that imports golden defines the flag exactly once without an init
// function.
var update = flag.Bool("update", false, "rewrite golden files with what the tests make")

// Updating reports whether this run rewrites golden files. Tests whose golden files another tool keeps (such as a script
// engine) pass it on.
func Updating() bool { return *update }

// Equal fails the test unless the file at path, relative to the test's package,
// holds exactly got. Under -update it writes got there instead.
func Equal(t testing.TB, path string, got []byte) {
	t.Helper()
	if Updating() {
		if err := write(path, got); err != nil {
			t.Fatalf("updating golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("reading golden: %v", err)
		return
	}
	switch {
	case err != nil:
		t.Fatalf("golden %s does not exist\n%s", path, hint())
	case !bytes.Equal(want, got):
		t.Fatalf("golden %s differs (- golden, + got)\n%s%s", path, diff(want, got), hint())
	}
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making room for %s: %w", path, err)
	}
	return os.WriteFile(path, data, 0o644)
}

// hint returns the command that accepts the change, for use in the module's root.
func hint() string { return fmt.Sprintf("run: go test %s -update", thisPackage()) }

// thisPackage returns the tested package as an argument for go test. Tests run in their package's directory; go.mod is in the
// module's root.
func thisPackage() string {
	here, err := os.Getwd()
	if err != nil {
		return "./..."
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			rel, _ := filepath.Rel(root, here) // both are absolute: it cannot fail
			return strings.TrimSuffix("./"+filepath.ToSlash(rel), "/.")
		}
		if root == filepath.Dir(root) {
			return "."
		}
	}
}
