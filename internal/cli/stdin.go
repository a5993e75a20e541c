package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
)

// oneReader refuses standard input for two things: what one has read the other has not. uses are flags and their values.
func oneReader(uses ...[2]string) error {
	var all []string
	for _, u := range uses {
		if u[1] == source.Stdin {
			all = append(all, u[0]+" "+source.Stdin)
		}
	}
	if len(all) > 1 {
		return fmt.Errorf("%s: standard input can be read once; give the others as files", strings.Join(all, " and "))
	}
	return nil
}

// openCaptures are the files that a flag of the command names.
func openCaptures(ctx context.Context, streams *iostreams.IO, paths []string, flag string, c *cobra.Command) (*source.Captures, error) {
	if slices.Contains(paths, source.Stdin) {
		if err := piped(streams, flag); err != nil {
			return nil, usage(err, c)
		}
	}
	return source.OpenCaptures(ctx, streams.In, paths)
}

// piped refuses a terminal as a file: nobody types a capture, and a program that waits without a word looks as if it hung.
func piped(streams *iostreams.IO, flag string) error {
	if !streams.InTTY() {
		return nil
	}
	return fmt.Errorf("%s %s: standard input is a terminal; pipe a file into vperf, or name it: %s FILE", flag, source.Stdin, flag)
}
