package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

// bindFlags gives the flags of a command the values that variables and the config file have for them.
func bindFlags(f *Factory, c *cobra.Command) error {
	if c.Hidden || !c.Runnable() || c.Name() == "help" || slices.Contains([]string{"completion", "config path"}, commandName(c)) || c.Parent() != nil && c.Parent().Name() == "completion" {
		return nil
	}
	file, err := config.LoadFlags(flagNames(c.Root()))
	if err != nil {
		return usage(err, c)
	}
	settings, err := file.Bind(commandName(c), c.Flags())
	if err != nil {
		return usage(err, c)
	}
	f.settings = settings
	return usage(settings.Refused, c)
}

// commandName is the command without the program's name: "rules list".
func commandName(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}

// flagNames are the flags of all commands, as variables and the config file know them.
func flagNames(root *cobra.Command) config.FlagNames {
	names := config.FlagNames{}
	names.Add("", root.PersistentFlags())
	for _, c := range settableCommands(root) {
		names.Add(commandName(c), c.LocalNonPersistentFlags())
	}
	return names
}

// settableCommands are those below a command whose flags can be set elsewhere.
func settableCommands(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Hidden || sub.Name() == "help" || sub.Name() == "completion" {
			continue
		}
		if sub.HasLocalFlags() {
			all = append(all, sub)
		}
		all = append(all, settableCommands(sub)...)
	}
	return all
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

// commandLineOnly has all flags of a command taken from the command line only: it changes the config file, or the server.
func commandLineOnly(c *cobra.Command) {
	names := config.Names(c.Flags())
	config.OnlyTyped(c.Flags(), names...)
	config.OwnName(c.Flags(), names...)
}
