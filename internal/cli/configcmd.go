package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/cli/inforce"
	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

func newConfig(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in force and where they come from",
		Long: `Every flag can be set in four places. The first of these wins:

  the flag          --fail-on high
  a variable        VPERF_FAIL_ON=high; audit only: VPERF_AUDIT_FAIL_ON=high
  the config file   fail-on: high; audit only: audit: {fail-on: high}
  the default

Flags that select or approve a change (--rule, --set, --yes, --allow and others
of apply, rollback and plan) are accepted on the command line only. Flags with
different meanings in different commands need the name of the command:
VPERF_TOP_BATCH. Servers are set by contexts, or VPERF_URL and related
variables: vperf context --help.

The file is $VPERF_CONFIG, or vperf/config.yaml below $XDG_CONFIG_HOME
(~/.config).`,
		Example: `  vperf config path
  vperf config show audit
  vperf config show -o json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newConfigShow(f), newConfigPath(f))
	return c
}

func newConfigPath(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print the path of the config file",
		Long: `Prints the path of the config file, also if the file does not exist yet.

Exit status: 0 done, 1 there is no home directory, 2 wrong usage.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := config.Path()
			if err == nil {
				fmt.Fprintln(f.IO.Out, path)
			}
			return err
		},
	}
}

func newConfigShow(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "show [COMMAND]",
		Short: "Show each value in force and where it comes from",
		Long: `Shows each value in force and its origin: a variable, a line of the config file,
or the default; for all commands or one. For the password it shows only whether
one is set. Flags that are accepted on the command line only are not listed. It
warns about VPERF_ variables that vperf does not know.

Exit status: 0 done, 2 wrong usage or config.`,
		Example: `  vperf config show
  vperf config show audit
  vperf config show rules list -o json`,
		ValidArgsFunction: completeCommands,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		shown, err := inforce.Find(c.Context(), c.Root(), strings.Join(args, " "))
		if unknown, ok := errors.AsType[*inforce.UnknownCommandError](err); ok {
			err = oneOf("command", unknown.Name, unknown.All)
		}
		if err != nil {
			return usage(err, c)
		}
		for _, n := range shown.Notes {
			fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Sanitize(n))
		}
		if output == "json" {
			return writeJSON(f.IO.Out, shown)
		}
		return writeRows(f.IO.Out, func(row func(...string)) {
			row("SETTING", "VALUE", "FROM", "COMMANDS")
			for _, s := range shown.Settings {
				row(s.Name, cmp.Or(s.Text, "-"), s.From, cmp.Or(strings.Join(s.Commands, ", "), "-"))
			}
			set, from := "not set", cmp.Or(shown.Password.From, "default")
			if shown.Password.Set {
				set = "set"
			} else if shown.Password.Problem != "" {
				from += ": " + shown.Password.Problem
			}
			row("password", set, from, "-")
		})
	}
	textOrData(f, c, &output, "table")
	return c
}

// completeCommands offers the commands whose flags can be set elsewhere.
func completeCommands(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	before := strings.Join(args, " ")
	for _, sub := range inforce.Settable(c.Root()) {
		if rest, ok := strings.CutPrefix(" "+inforce.CommandName(sub), cmp.Or(" "+before, " ")); ok && (before == "" || strings.HasPrefix(rest, " ")) {
			word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if !slices.Contains(names, word) {
				names = append(names, word)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// commandLineOnly has all flags of a command taken from the command line only: it changes the config file, or the server.
func commandLineOnly(c *cobra.Command) {
	names := config.Names(c.Flags())
	config.OnlyTyped(c.Flags(), names...)
	config.OwnName(c.Flags(), names...)
}
