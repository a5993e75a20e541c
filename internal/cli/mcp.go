package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/mcp"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/advice"
)

// mcpOptions are the options of `vperf mcp`.
type mcpOptions struct {
	Source    sourceOptions
	RuleFiles []string
	Profile   string
	Include   includeVMs
	Waive     waiverOptions
	Snapshots []string
	Timeout   time.Duration
}

func newMCP(f *Factory) *cobra.Command {
	o := new(mcpOptions)
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve audits, advice and counters to an assistant (MCP)",
		Long: `Serves vperf's reading commands to an assistant, over the Model Context Protocol
on standard input and output. The assistant starts it; see docs/mcp.md for its
configuration.

Tools: audit, explain, advise, top (one sample), diff, history, doctor and
trial_plan. They only read: no tool changes a setting, writes a file or takes
the name of a server or file. The servers are those chosen here, with the same
flags as for other commands; vperf logs in when a tool first needs it.

Answers are small: the worst ten findings, with ids to ask for more. What the
tools return goes to the assistant, and from there to whoever runs its model.

diff compares snapshots that vperf audit --keep has stored, and those named
here with --snapshot. Messages go to standard error.

Exit status: 0 the assistant has ended the session, 1 vperf failed, 2 wrong
usage, rule, waiver or config, 130 interrupted.`,
		Example: `  vperf mcp --demo
  vperf mcp --context prod
  vperf mcp --from fleet.json --snapshot last-month.json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return usage(err, c)
			}
			return runMCP(c.Context(), f, o)
		},
	}
	o.Source.addFlags(c, true)
	o.Waive.addFlags(c)
	o.Include.addFlag(c)
	addRuleFiles(c, &o.RuleFiles)
	flags := c.Flags()
	flags.StringVar(&o.Profile, "profile", "", "use this `PROFILE` for all objects (default: the profile of each object)")
	flags.StringArrayVar(&o.Snapshots, "snapshot", nil, "also offer this snapshot `FILE` to the tool diff; may be repeated")
	flags.DurationVar(&o.Timeout, "timeout", mcp.DefaultCallLimit, "maximum `DURATION` of one call of a tool")
	config.OwnName(flags, "timeout", "snapshot")
	completeWords(c, map[string][]string{"profile": stringsOf(advice.Profiles())})
	return c
}

func (o *mcpOptions) check() error {
	if err := o.Source.check(); err != nil {
		return err
	}
	for flag, files := range map[string][]string{"--from": o.Source.From, "--password-file": {o.Source.Connection.PasswordFile}} {
		if slices.Contains(files, source.Stdin) {
			return fmt.Errorf("%s -: standard input carries the protocol; name a file", flag)
		}
	}
	names := map[string]string{}
	for _, path := range o.Snapshots {
		name := filepath.Base(path)
		switch {
		case path == source.Stdin:
			return errors.New("--snapshot -: standard input carries the protocol; name a file")
		case names[name] != "":
			return fmt.Errorf("--snapshot: %s and %s have the same name, by which the assistant chooses: rename one", names[name], path)
		}
		names[name] = path
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("--timeout: %s is not above 0", o.Timeout)
	}
	return errors.Join(checkProfile(o.Profile), o.Include.check(), o.Waive.check())
}

func runMCP(ctx context.Context, f *Factory, o *mcpOptions) error {
	r, err := newMCPReader(ctx, f, o)
	if err != nil {
		return err
	}
	defer r.close()
	if f.IO.InTTY() {
		fmt.Fprintln(f.IO.Err, "waiting for an assistant on standard input; docs/mcp.md has its configuration. Ctrl-C ends vperf")
	}
	err = mcp.Serve(ctx, io.NopCloser(f.IO.In), stayOpen{f.IO.Out}, mcp.Options{
		Reading: r.reading(), Version: thisVersion().Version, CallLimit: o.Timeout, Log: f.IO.Err,
	})
	if iostreams.IsBrokenPipe(err) {
		return nil
	}
	return err
}

// stayOpen is a writer that is closed by the end of the process.
type stayOpen struct{ io.Writer }

// Close does nothing.
func (stayOpen) Close() error { return nil }
