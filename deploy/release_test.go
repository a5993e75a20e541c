package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReleaseFlags: the image and the man pages come from the same program as the archives.
func TestReleaseFlags(t *testing.T) {
	var release struct {
		Builds []struct {
			Flags, Gcflags, Ldflags []string
		}
	}
	read(t, "../.goreleaser.yaml", &release)
	require.NotEmpty(t, release.Builds)
	b := release.Builds[0]
	require.NotEmpty(t, b.Gcflags)
	for _, file := range []string{"container/Containerfile", "package/prepare.sh"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, flag := range b.Flags {
			require.Contains(t, string(text), flag, file)
		}
		for _, flag := range b.Gcflags {
			require.Contains(t, string(text), "-gcflags="+flag, file)
		}
		require.Contains(t, string(text), b.Ldflags[0], file)
		for _, name := range []string{"Version", "Commit", "Date"} {
			require.Regexp(t, `-X \S+\.`+name+`=`, string(text), file)
			require.Contains(t, strings.Join(b.Ldflags, " "), "github.com/vperf/vperf/internal/cli."+name+"=")
		}
	}
}

// TestPackagedFiles: each file that a package contains exists, except those that prepare.sh makes.
func TestPackagedFiles(t *testing.T) {
	var release struct {
		Nfpms []struct {
			Scripts  map[string]string
			Contents []struct{ Src, Dst string }
		}
	}
	read(t, "../.goreleaser.yaml", &release)
	require.Len(t, release.Nfpms, 1)
	for _, c := range release.Nfpms[0].Contents {
		if c.Src != "" && !strings.HasPrefix(c.Src, "bin/package/") {
			require.FileExists(t, filepath.Join("..", c.Src))
		}
	}
	for _, script := range release.Nfpms[0].Scripts {
		require.FileExists(t, filepath.Join("..", script))
	}
	unit, err := os.ReadFile("systemd/vperf-exporter.service")
	require.NoError(t, err)
	require.Contains(t, string(unit), "=/usr/local/bin/vperf ", "prepare.sh replaces this path")
}

// TestWorkflowsArePinned: each action is named by a commit, and no job has a permission that it does not list.
func TestWorkflowsArePinned(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Clean(file))
		require.NoError(t, err)
		require.Contains(t, string(text), "\npermissions: {}\n", file)
		for _, uses := range regexp.MustCompile(`uses: (.*)`).FindAllStringSubmatch(string(text), -1) {
			require.Regexp(t, `^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`, uses[1], file)
		}
	}
}
