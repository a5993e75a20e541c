package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asOf is when an audit was made, wherever the line was folded.
var asOf = regexp.MustCompile(`as of\s+\S+`)

// TestReadmeShowsWhatVperfPrints runs the command of the README's picture; where lines fold is the terminal's business.
func TestReadmeShowsWhatVperfPrints(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, picture, found := strings.Cut(string(readme), "```\n$ vperf audit --demo ")
	require.True(t, found, "the README shows an audit of the demo")
	picture, _, _ = strings.Cut(picture, "\n```")
	args, want, _ := strings.Cut(picture, "\n")

	serveDemo(t)
	code, got, stderr := vperf(t, append([]string{"audit"}, strings.Fields(args)...)...)
	require.Zero(t, code, stderr)
	plain := func(s string) []string { return strings.Fields(asOf.ReplaceAllString(s, "")) }
	require.Equal(t, plain(want), plain(got))
}
