package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
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
			return fmt.Errorf("%s is missing: %s", name, usageOf(c))
		}
		return atMostOneArg(name)(c, args)
	}
}

// atMostOneArg wants one argument or none.
func atMostOneArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("only one %s is allowed, not %d: %s", name, len(args), usageOf(c))
		}
		return nil
	}
}

// someArgs wants one argument or more.
func someArgs(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing: %s", name, usageOf(c))
		}
		return nil
	}
}

// usageOf is the command as it has to be typed.
func usageOf(c *cobra.Command) string { return c.Parent().CommandPath() + " " + c.Use }

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

// join lists words with commas.
func join[T ~string](words []T) string { return strings.Join(stringsOf(words), ", ") }

// stringsOf converts words to strings.
func stringsOf[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

// completeFlag has the shell ask for a flag's words.
func completeFlag(c *cobra.Command, flag string, words cobra.CompletionFunc) {
	_ = c.RegisterFlagCompletionFunc(flag, words) // fails only for a flag that is not there, and a test looks for each
}

// completeWords offers words that are always the same for flags of a command.
func completeWords(c *cobra.Command, flags map[string][]string) {
	for flag, words := range flags {
		completeFlag(c, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// noFiles is for words that only a server knows: files would be wrong.
func noFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeRules offers ids of rules to the shell, of those that fit.
func completeRules(f *Factory, fits func(*advice.Rule) bool) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		library, err := f.Library(nil, false)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var found []cobra.Completion
		for _, r := range library.Rules() {
			if fits(r) {
				found = append(found, cobra.CompletionWithDesc(r.ID, r.Title))
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeContexts offers the names of contexts to the shell.
func completeContexts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, err := config.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var found []cobra.Completion
	for _, c := range file.Contexts {
		found = append(found, cobra.CompletionWithDesc(c.Name, c.URL))
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeContext offers names where one is wanted.
func completeContext(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeContexts(c, args, typed)
}

// oneRun accepts the id of one run, which the command list shows.
func oneRun(list string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage(fmt.Errorf("name one run: %s shows them", list), c)
		}
		return nil
	}
}
