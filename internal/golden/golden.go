// Package golden compares what a test made with a file that was reviewed and
// committed, and rewrites that file when the test runs with -update.
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

// update is a package variable, so that every test binary that imports golden
// has the flag exactly once and none needs an init of its own.
var update = flag.Bool("update", false, "rewrite golden files with what the tests make")

// Updating reports whether this run rewrites goldens. Tests whose goldens are
// kept by somebody else (a script engine, say) pass it on.
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

// hint says how to accept the change, from the module's root where people type.
func hint() string { return fmt.Sprintf("run: go test %s -update", thisPackage()) }

// thisPackage is the tested package as an argument for go test: tests run in
// their package's directory, and the module's root is where go.mod lies.
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
