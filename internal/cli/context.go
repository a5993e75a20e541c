package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

func newContext(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "context",
		Short: "Keep servers under names",
		Long: `A context is a server under a name: its URL, who logs in, how its certificate is
trusted and where the password is kept, which is never the file itself. Contexts are
in $VPERF_CONFIG, or else in vperf/config.yaml below $XDG_CONFIG_HOME (~/.config).

A value comes from the first of these that has it: a flag, a VPERF_… variable, the
context, a GOVC_… variable, the default. The server is that of --context or --url,
else of VPERF_URL, else of the context that VPERF_CONTEXT names or that is current,
else of GOVC_URL. What is for another server does not count, since a password must
not go to a server that it is not for: the context where --url or VPERF_URL wins,
VPERF_… where VPERF_URL names another server, GOVC_… where GOVC_URL does.

Where VPERF_URL, the context and GOVC_URL name different servers, commands that read
warn and say which one they read. Commands that write refuse: choose with --context
or --url. VPERF_CONTEXT=--none leaves the current context out, as vperf sim does.`,
		Example: `  vperf context add prod --url https://vcenter.example.com --username audit@vsphere.local --keyring
  vperf context use prod
  vperf audit --context prod,lab
  vperf audit --all-contexts --fail-on high`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newContextAdd(f), newContextUse(f), newContextList(f), newContextShow(f), newContextRemove(f))
	return c
}

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

func newContextUse(f *Factory) *cobra.Command {
	none := false
	c := &cobra.Command{
		Use:   "use NAME",
		Short: "Make a context the current one",
		Long: `Makes a context the current one: commands use it unless --context, --url or a
variable names another server. With --none no context is current, and the
environment decides.

Exit status: 0 done, 1 the file cannot be written, 2 no such context, or wrong config.`,
		Example: `  vperf context use prod
  vperf context use --none`,
		Args: func(c *cobra.Command, args []string) error {
			if none {
				return noArgs(c, args)
			}
			return oneArg("NAME")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return asUsage(runContextUse(f, strings.Join(args, "")), c)
		},
		ValidArgsFunction: completeContext,
	}
	c.Flags().BoolVar(&none, "none", false, "let no context be current")
	takeTyped(c)
	return c
}

func runContextUse(f *Factory, name string) error {
	file, err := config.Load()
	if err != nil {
		return mistake(err)
	}
	if name == "" && file.Current == "" {
		fmt.Fprintln(f.IO.Err, "no context is current")
		return nil
	}
	if err := file.Use(name); err != nil {
		return mistake(err)
	}
	if err := file.Save(); err != nil {
		return err
	}
	if name == "" {
		fmt.Fprintln(f.IO.Err, "no context is current any more")
	} else {
		fmt.Fprintf(f.IO.Err, "%s is the current context\n", name)
		sayOverridden(f.IO, name)
	}
	return nil
}
