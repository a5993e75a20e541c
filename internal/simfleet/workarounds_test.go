package simfleet

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each work-around for a fault of govmomi's simulator names the version that has the fault, which is the one in use: an update of govmomi
// has to look at each of them.
func TestWorkaroundsAreForThisVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	version := regexp.MustCompile(`github\.com/vmware/govmomi (v\S+)`).FindStringSubmatch(string(mod))[1]
	mark, n := regexp.MustCompile(`govmomi (v\S+) simulator: \S`), 0
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range mark.FindAllStringSubmatch(string(text), -1) {
			require.Equal(t, version, m[1], path)
			n++
		}
		return err
	}))
	require.Greater(t, n, 30)
}
