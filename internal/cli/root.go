// Package cli is vperf's command line: one file a command, one place that turns errors into exit codes.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/cli/flaghint"
	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/internal/typed"
	"github.com/vperf/vperf/internal/userfile"
)

// Main runs vperf with the process's own streams and environment and returns its exit code.
func Main(args []string) int {
	// A reader that goes away ends the output, not the process: sessions are still closed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := withEnd(context.Background())
	defer stop()
	return run(ctx, NewFactory(iostreams.System()), args)
}

func run(ctx context.Context, f *Factory, args []string) int {
	root := newRoot(f)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = f.IO.WriteError()
	}
	switch {
	case errors.Is(err, errEnded):
		err = nil
	case ctx.Err() != nil && !isVerdict(err) && !errors.Is(err, source.ErrInterrupted),
		err == nil && source.StoppedEarly(ctx):
		err = source.ErrInterrupted
	}
	if f.calls != nil {
		f.calls.Total()
	}
	code := conclude(f, err)
	if code == exitUsage {
		printOrigin(f.IO, f.settings, err.Error())
	}
	return code
}

// argsAreUsage makes every command's complaint about its arguments a usage error with the command's own help.
func argsAreUsage(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error { return usage(check(c, args), c) }
	}
	for _, sub := range c.Commands() {
		argsAreUsage(sub)
	}
}

// colourFlag hands --color to the streams as soon as it is read.
type colourFlag struct {
	io   *iostreams.IO
	when string
}

func (c *colourFlag) Set(s string) error {
	c.when = s
	return c.io.SetColor(s)
}

func (*colourFlag) Type() string     { return "when" }
func (c *colourFlag) String() string { return cmp.Or(c.when, "auto") }

// firstSteps are the commands a newcomer needs, shown by vperf without arguments. --help lists all.
var firstSteps = [][3]string{
	{"Look", "vperf audit --demo", "check the built-in demo fleet"},
	{"Explain", "vperf explain numa-io", "why a finding matters, and how to fix it"},
	{"Change", "vperf plan --demo host01", "show what fixes change; vperf apply does it"},
	{"Watch", "vperf top --demo", "live counters, as in esxtop"},
	{"Set up", "vperf context add lab", "save your vCenter or ESXi host (or GOVC_*)"},
}

// writeFirstSteps writes one line for each step. On a terminal that is too narrow, given its width, the description is below the command.
// A width of 0 means no limit.
func writeFirstSteps(w io.Writer, width int) error {
	const besideStep, belowStep = 37, 4 // columns before the description
	beside := true
	for _, step := range firstSteps {
		beside = beside && (width == 0 || besideStep+len(step[2]) <= width)
	}
	var b strings.Builder
	title := "vperf finds, explains and fixes performance problems of VMware ESXi."
	b.WriteString(strings.Join(wordsIn(title, width), "\n") + "\n\n")
	for _, step := range firstSteps {
		if beside {
			fmt.Fprintf(&b, "%-10s%-27s%s\n", step[0], step[1], step[2])
			continue
		}
		fmt.Fprintf(&b, "%-10s%s\n", step[0], step[1])
		for _, line := range wordsIn(step[2], width-belowStep) {
			fmt.Fprintf(&b, "%*s%s\n", belowStep, "", line)
		}
	}
	b.WriteString("\nvperf --help lists all commands.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// wordsIn breaks a text at spaces into lines of at most width columns; words are not cut. A width of 0 or less means no limit.
func wordsIn(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case width > 0 && len(*last)+1+len(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

// The groups of commands in vperf --help, in the order in which people need them.
const (
	groupLook    = "look"
	groupExplain = "explain"
	groupChange  = "change"
	groupWatch   = "watch"
	groupSetUp   = "set up"
)

func newRoot(f *Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "vperf",
		Short: "Find, explain and fix performance problems of VMware ESXi",
		Long: `vperf reads ESXi hosts and VMs through vCenter or ESXi and checks them against a
library of performance rules. It explains each finding with measured evidence,
applies the fixes that you approve, verifies them and can undo them.`,
		Example: `  vperf audit --demo                     check the demo fleet; no server needed
  GOVC_URL=… vperf audit                 check your own vCenter or ESXi host
  vperf audit host01 --fail-on high      a gate for scripts
  vperf apply host01 --rule numa-io      fix a finding; vperf rollback undoes it`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		Version:       thisVersion().String(),
		RunE: func(*cobra.Command, []string) error {
			return writeFirstSteps(f.IO.Out, f.IO.Width())
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			err := bindFlags(f, c)
			f.typed = sourceOf(c)
			if err != nil {
				return err
			}
			c.SetContext(typed.With(c.Context(), f.typed))
			checkZone(f, c)
			return enableVerbose(f, c)
		},
	}
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	if width := f.IO.Width(); width > 0 {
		root.SetUsageTemplate(wrappedUsage(root.UsageTemplate(), width))
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage(flaghint.Of(c, err), c) })
	root.PersistentFlags().Var(&colourFlag{io: f.IO}, "color", "colour: auto, always or never")
	root.PersistentFlags().BoolVarP(&f.verbose, "verbose", "v", false, "report each call to a server on stderr: method, duration, bytes and error")
	addCommands(f, root)
	argsAreUsage(root)
	return root
}

// checkZone reports a time zone in TZ that does not exist here: Go then takes UTC without a word.
func checkZone(f *Factory, c *cobra.Command) {
	name := strings.TrimPrefix(os.Getenv("TZ"), ":")
	_, err := time.LoadLocation(name)
	if filepath.IsAbs(name) {
		err = checkZoneFile(name)
	}
	if err != nil && !c.Hidden {
		fmt.Fprintf(f.IO.Err, "TZ is %s, which is no time zone that this machine knows: times are in UTC; write a name such as Europe/Berlin\n", iostreams.Sanitize(name))
	}
}

// checkZoneFile reports whether a file describes a time zone, which takes a few KiB.
func checkZoneFile(path string) error {
	f, err := userfile.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err == nil {
		_, err = time.LoadLocationFromTZData(path, data)
	}
	return err
}

// wrappedUsage returns cobra's template with the texts of flags wrapped at a width: a terminal would break them inside words.
func wrappedUsage(template string, width int) string {
	return strings.ReplaceAll(template, ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", width))
}

func addCommands(f *Factory, root *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{groupLook, "Look:", []*cobra.Command{newAudit(f), newAdvise(f), newReport(f), newDiff(f), newSnapshot(f), newProbe(f)}},
		{groupExplain, "Explain:", []*cobra.Command{newExplain(f), newRules(f)}},
		{groupChange, "Change:", []*cobra.Command{newPlan(f), newApply(f), newTrial(f), newRollback(f), newHistory(f)}},
		{groupWatch, "Watch:", []*cobra.Command{newTop(f), newExporter(f), newMCP(f)}},
		{groupSetUp, "Set up:", []*cobra.Command{newContext(f), newConfig(f), newDoctor(f), newSim(f), newMan(f), newVersion(f)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(groupSetUp)
	root.SetCompletionCommandGroupID(groupSetUp)
	root.AddCommand(newDemoServer(f))
}

// logLevelFlag is the flag of commands that write a log of their own.
const logLevelFlag = "log.level"

var errVerboseTop = errors.New("--verbose would write over the screen of vperf top: send stderr to a file, as in vperf top -v 2>calls.txt")

// enableVerbose has a command report its calls to servers. One that writes a log of its own logs more instead.
func enableVerbose(f *Factory, c *cobra.Command) error {
	switch level := c.Flags().Lookup(logLevelFlag); {
	case !f.verbose, level != nil && level.Changed:
		return nil
	case level != nil:
		return level.Value.Set("debug")
	case c.Name() == "top" && f.IO.ErrTTY() && f.IO.OutTTY():
		return usage(errVerboseTop, c)
	}
	f.calls = source.NewCallLog(f.IO)
	c.SetContext(f.calls.Of(c.Context()))
	return nil
}

// bindFlags gives the flags of a command the values that variables and the config file have for them.
func bindFlags(f *Factory, c *cobra.Command) error {
	if c.Hidden || !c.Runnable() || c.Name() == "help" || slices.Contains([]string{"completion", "config path"}, inforce.CommandName(c)) || c.Parent() != nil && c.Parent().Name() == "completion" {
		return nil
	}
	file, err := config.LoadFlags(inforce.FlagNames(c.Root()))
	if err != nil {
		return usage(err, c)
	}
	settings, err := file.Bind(inforce.CommandName(c), c.Flags())
	if err != nil {
		return usage(err, c)
	}
	f.settings = settings
	return usage(settings.Refused, c)
}

// printOrigin prints the origin of values in an error that the user did not type.
func printOrigin(streams *iostreams.IO, s *config.FlagSettings, text string) {
	if s == nil {
		return
	}
	for _, flag := range s.Flags {
		if flag.Elsewhere() && strings.Contains(text+" ", "--"+flag.Name) {
			fmt.Fprintf(streams.Err, "--%s is set by %s\n", flag.Name, iostreams.Sanitize(flag.From))
		}
	}
}
