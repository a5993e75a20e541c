package cli

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
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

// completeTargets offers the hosts and clusters of a saved snapshot. Those of a server would take a call to it, and perhaps a
// password: whoever types them knows them.
func completeTargets(c *cobra.Command, from *sourceOptions) {
	c.ValidArgsFunction = from.completing(func(v *inventory.VCenter, add func(inventory.Entity)) {
		for _, h := range v.Hosts {
			add(h.Entity)
		}
	})
	completeFlag(c, "cluster", from.completing(func(v *inventory.VCenter, add func(inventory.Entity)) {
		for _, x := range v.Clusters {
			add(x.Entity)
		}
	}))
	if c.Flags().Lookup("vm") == nil {
		return
	}
	completeFlag(c, "vm", from.completing(func(v *inventory.VCenter, add func(inventory.Entity)) {
		for _, vm := range v.VMs {
			add(vm.Entity)
		}
	}))
}

func (o *sourceOptions) completing(list func(v *inventory.VCenter, add func(inventory.Entity))) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if o.From == "" || o.From == source.Stdin {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		f, err := os.Open(o.From)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = f.Close() }() // it was only read
		s, err := inventory.Load(f)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, v := range s.VCenters {
			list(v, func(e inventory.Entity) {
				if !slices.Contains(args, e.Name) {
					names = append(names, iostreams.Sanitize(e.Name))
				}
			})
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
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
