package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/pkg/inventory"
)

// noArgs wants none; of a group of commands it is one of them that is meant.
func noArgs(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !c.HasAvailableSubCommands():
		return fmt.Errorf("%s takes no arguments: remove %q", c.CommandPath(), args[0])
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return oneOf("command", args[0], names)
}

// oneArg requires one argument; name is its name in the command's usage.
func oneArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing: %s", name, typed(c))
		}
		return atMostOneArg(name)(c, args)
	}
}

// atMostOneArg wants one argument or none.
func atMostOneArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("only one %s is allowed, not %d: %s", name, len(args), typed(c))
		}
		return nil
	}
}

// someArgs wants one argument or more.
func someArgs(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing: %s", name, typed(c))
		}
		return nil
	}
}

// typed is the command as it has to be typed.
func typed(c *cobra.Command) string { return c.Parent().CommandPath() + " " + c.Use }

// hostArgs are the hosts of a command line: its arguments, each of which may name several with commas.
func hostArgs(args []string) []string {
	var names []string
	for _, a := range args {
		for name := range strings.SplitSeq(a, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// oneOf refuses a word that is none of a list, with the near ones.
func oneOf[T ~string](kind, word string, all []T) error {
	if slices.Contains(all, T(word)) {
		return nil
	}
	names := stringsOf(all)
	hint := ""
	if near := inventory.Near(word, names); len(near) > 0 {
		hint = fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return fmt.Errorf("no %s %q%s; there are %s", kind, word, hint, strings.Join(names, ", "))
}

func join[T ~string](words []T) string { return strings.Join(stringsOf(words), ", ") }

func stringsOf[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}
