package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

// TestHelpFitsATerminal: a terminal of 80 columns breaks no line of the first screen and of all help, except examples to paste.
func TestHelpFitsATerminal(t *testing.T) {
	streams, out, _ := iostreams.Test()
	streams.SetTTY(true, true, true)
	streams.SetWidth(80)
	root := newRoot(NewFactory(streams))
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		out.Reset()
		require.NoError(t, c.Help())
		require.NotEmpty(t, out.String())
		fits(t, c.CommandPath(), out.String(), c.Example)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "completion" {
				visit(sub)
			}
		}
	}
	visit(root)
	out.Reset()
	require.NoError(t, writeFirstSteps(out, 0))
	fits(t, "vperf", out.String(), "")
	fits(t, "no server", (&sourceOptions{command: newTop(NewFactory(streams))}).noServer(config.ErrNoServer).Error(), "")
}

func fits(t *testing.T, name, text, except string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 80 && !strings.Contains(except, line) {
			t.Errorf("%s: %d columns: %s", name, utf8.RuneCountInString(line), line)
		}
	}
}
