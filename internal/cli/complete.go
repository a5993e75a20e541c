package cli

import (
	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/pkg/advice"
)

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
