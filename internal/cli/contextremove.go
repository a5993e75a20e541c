package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

func newContextRemove(f *Factory) *cobra.Command {
	force := false
	c := &cobra.Command{
		Use:   "remove NAME",
		Short: "Take a context out of the config file",
		Long: `Takes a context out of the config file, and its password out of the keyring unless
another context uses the same one. Commands that are told nothing read the current
context, so that one is only removed with --force; then none is current.

Exit status: 0 done, 1 the file cannot be written, 2 no such context, it is the
current one, or wrong config.`,
		Example: "  vperf context remove lab",
		Args:    oneArg("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return asUsage(runContextRemove(c.Context(), f, args[0], force), c)
		},
		ValidArgsFunction: completeContext,
	}
	c.Flags().BoolVar(&force, "force", false, "remove the current context too")
	takeTyped(c)
	return c
}

func runContextRemove(ctx context.Context, f *Factory, name string, force bool) error {
	file, err := config.Load()
	if err != nil {
		return mistake(err)
	}
	c, err := file.Find(name)
	if err != nil {
		return mistake(err)
	}
	if name == file.Current && !force {
		return mistake(fmt.Errorf("%s is the current context: choose another with vperf context use, or add --force", name))
	}
	if err := file.Remove(name); err != nil {
		return mistake(err)
	}
	if err := file.Save(); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Err, "removed context %s from %s\n", name, file.Path)
	if c.Keyring && !file.SharesKeyring(c) {
		if err := c.ForgetInKeyring(ctx); err != nil {
			fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", iostreams.Printable(err))
		}
	}
	return nil
}
