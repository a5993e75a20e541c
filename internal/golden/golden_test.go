package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is a test that records its failure instead of failing.
type recorder struct {
	testing.TB

	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }

func compare(t *testing.T, path, got string) string {
	t.Helper()
	r := &recorder{TB: t}
	Equal(r, path, []byte(got))
	return r.failure
}

// setUpdate sets the flag for one test, because these tests must give the same result under -update.
func setUpdate(t *testing.T, on bool) {
	t.Helper()
	before := *update
	t.Cleanup(func() { *update = before })
	require.NoError(t, flag.Set("update", strconv.FormatBool(on)))
	require.Equal(t, on, Updating())
}

func TestEqual(t *testing.T) {
	setUpdate(t, false)
	path := filepath.Join(t.TempDir(), "x.golden")
	require.NoError(t, os.WriteFile(path, []byte("one\ntwo\nthree\nfour\n"), 0o600))

	require.Empty(t, compare(t, path, "one\ntwo\nthree\nfour\n"))
	require.Equal(t, "golden "+path+` differs (- golden, + got)
@@ line 3 @@
  one
  two
- three
+ THREE
+ and more
  four
run: go test ./internal/golden -update`, compare(t, path, "one\ntwo\nTHREE\nand more\nfour\n"))
}

func TestEqualWithoutAFile(t *testing.T) {
	setUpdate(t, false)
	path := filepath.Join(t.TempDir(), "missing.golden")
	require.Contains(t, compare(t, path, ""), "does not exist\nrun: go test ./internal/golden -update")
	require.NoFileExists(t, path)
	require.Contains(t, compare(t, t.TempDir(), ""), "reading golden")
}

func TestUpdateWrites(t *testing.T) {
	setUpdate(t, true)
	path := filepath.Join(t.TempDir(), "new", "x.golden")
	require.Empty(t, compare(t, path, "made\n"))
	require.FileExists(t, path)

	require.NoError(t, flag.Set("update", "false"))
	require.Empty(t, compare(t, path, "made\n"))
	require.NotEmpty(t, compare(t, path, "made\nup\n"))
}

func TestUpdateSaysWhyItCannot(t *testing.T) {
	setUpdate(t, true)
	require.Contains(t, compare(t, t.TempDir(), "x"), "updating golden")
}

func TestDiff(t *testing.T) {
	many := strings.Repeat("x\n", most+5)
	for _, tc := range []struct{ name, want, got, diff string }{
		{"first line", "a\nb\n", "A\nb\n", "@@ line 1 @@\n- a\n+ A\n  b\n"},
		{"appended", "a\n", "a\nb\n", "@@ line 2 @@\n  a\n+ b\n"},
		{"cut", "a\nb\n", "a\n", "@@ line 2 @@\n  a\n- b\n"},
		{"emptied", "a\n", "", "@@ line 1 @@\n- a\n"},
		{"last newline", "a\n", "a", "@@ line 1 @@\n- a\n+ a\n\\ no newline at the end\n"},
		{"carriage return", "a\n", "a\r\n", "@@ line 1 @@\n- a\n+ \"a\\r\"\n"},
		{"repeated line", "a\na\n", "a\na\na\n", "@@ line 3 @@\n  a\n  a\n+ a\n"},
		{"long", "", many, "@@ line 1 @@\n" + strings.Repeat("+ x\n", most) + "+ … 5 more\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.diff, diff([]byte(tc.want), []byte(tc.got)))
		})
	}
}
