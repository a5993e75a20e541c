package cli

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTroubleshootingHasRealMessages looks for the messages in the headings of docs/troubleshooting.md in the code.
func TestTroubleshootingHasRealMessages(t *testing.T) {
	code := sources(t)
	headings := regexp.MustCompile("(?m)^### `(.*)`$").FindAllStringSubmatch(readText(t, filepath.Join("..", "..", "docs", "troubleshooting.md")), -1)
	require.Greater(t, len(headings), 20)
	for _, h := range headings {
		for part := range strings.SplitSeq(h[1], "…") {
			require.Contains(t, code, strings.Trim(part, " :;"), "the code has no message like %q", h[1])
		}
	}
}

// sources returns the text of all Go files except tests. It joins string literals split over lines and omits format verbs.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range []string{"internal", "pkg"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				all.WriteString(readText(t, path))
			}
			return err
		}))
	}
	joined := regexp.MustCompile(`"\s*\+\s*"`).ReplaceAllString(all.String(), "")
	return strings.NewReplacer(`\n`, " ", `\"`, `"`, "%w ", " ").Replace(joined)
}
