package manual

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
)

// Command is the command that writes man pages. usage marks an error as one of usage.
func Command(streams *iostreams.IO, edition func() (Edition, error), usage func(error, *cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write man pages",
		Long: `Write the man page of vperf to stdout, or the pages of all commands as files
into the folder DIR. Packages contain these pages already.

The pages have the date of the commit that vperf was built from. The variable
SOURCE_DATE_EPOCH (seconds since 1970) sets another date.`,
		Example: `  vperf man | man -l -            read the page of vperf
  vperf man ~/.local/share/man/man1   install all pages for yourself`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			e, err := edition()
			if err != nil {
				return usage(err, c)
			}
			c.Root().InitDefaultCompletionCmd(args...)
			if len(args) == 0 {
				return WritePage(streams.Out, c.Root(), e)
			}
			pages, err := WriteFolder(args[0], c.Root(), e)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Err, "wrote %s to %s\n", plural.Count(pages, "man page"), args[0])
			return err
		},
	}
}

// EditionOf is the edition of a version and its date (RFC 3339), unless SOURCE_DATE_EPOCH has another date. It never reads the clock:
// the same build writes the same pages.
func EditionOf(version, built string) (Edition, error) {
	e := Edition{Version: "vperf " + version}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return e, fmt.Errorf("SOURCE_DATE_EPOCH is %q: it needs a number of seconds since 1970", epoch)
		}
		e.Date = time.Unix(seconds, 0).UTC()
		return e, nil
	}
	if date, err := time.Parse(time.RFC3339, built); err == nil { // a build without a date has none
		e.Date = date.UTC()
	}
	return e, nil
}
