package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/source"
)

// firstSteps is the output of vperf without arguments: the commands a newcomer needs. --help lists all.
const firstSteps = `vperf finds, explains and fixes performance problems of VMware ESXi.

Look      vperf audit --demo         check the hosts and VMs of the built-in demo fleet
Explain   vperf explain numa-io      why a finding matters, and what the fix was measured to bring
Change    vperf plan --demo host01   what fixes would change; vperf apply makes the changes
Watch     vperf top --demo           live counters, as esxtop shows them
Set up    vperf context add lab      save your own vCenter or ESXi host; GOVC_* variables work too

vperf --help lists all commands.
`

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
		Example: `  vperf audit --demo                     check the built-in demo fleet; no server needed
  GOVC_URL=… vperf audit                 check your own vCenter or ESXi host
  vperf audit host01 --fail-on high      a gate for scripts
  vperf apply host01 --rule numa-io      fix a finding; vperf rollback --last undoes it`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		Version:       thisVersion().String(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(f.IO.Out, firstSteps)
			return err
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := bindFlags(f, c); err != nil {
				return err
			}
			return enableVerbose(f, c)
		},
	}
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage(flagHint(c, err), c) })
	root.PersistentFlags().Var(&colourFlag{io: f.IO}, "color", "colour: auto, always or never")
	root.PersistentFlags().BoolVarP(&f.verbose, "verbose", "v", false, "report each call to a server on stderr: method, duration, bytes and error")
	addCommands(f, root)
	argsAreUsage(root)
	return root
}

func addCommands(f *Factory, root *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{groupLook, "Look:", []*cobra.Command{newAudit(f), newAdvise(f), newReport(f), newSnapshot(f)}},
		{groupExplain, "Explain:", []*cobra.Command{newExplain(f), newRules(f)}},
		{groupChange, "Change:", []*cobra.Command{newPlan(f), newApply(f), newTrial(f), newRollback(f), newHistory(f)}},
		{groupWatch, "Watch:", []*cobra.Command{newTop(f), newExporter(f)}},
		{groupSetUp, "Set up:", []*cobra.Command{newContext(f), newConfig(f), newSim(f), newVersion(f)}},
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
