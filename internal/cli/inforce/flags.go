// Package inforce knows the flags of all commands as variables and the config file set them, and finds the values in force.
package inforce

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
)

// CommandName is the command without the program's name: "rules list".
func CommandName(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}

// FlagNames are the flags of all commands, as variables and the config file know them.
func FlagNames(root *cobra.Command) config.FlagNames {
	names := config.FlagNames{}
	names.Add("", root.PersistentFlags())
	for _, c := range Settable(root) {
		names.Add(CommandName(c), c.LocalNonPersistentFlags())
	}
	return names
}

// Settable are those below a command whose flags can be set elsewhere.
func Settable(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Hidden || sub.Name() == "help" || sub.Name() == "completion" {
			continue
		}
		if sub.HasLocalFlags() {
			all = append(all, sub)
		}
		all = append(all, Settable(sub)...)
	}
	return all
}
