package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// noArgs wants none; of a group of commands it is one of them that is meant.
func noArgs(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !c.HasAvailableSubCommands():
		return fmt.Errorf("%s takes no arguments: what is %q?", c.CommandPath(), args[0])
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return oneOf("command", args[0], names)
}

// oneArg wants one argument; its name is what the command's usage calls it.
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
			return fmt.Errorf("one %s at a time, not %d: %s", name, len(args), typed(c))
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
