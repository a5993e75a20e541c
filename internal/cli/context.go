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
		Short: "Manage server contexts",
		Long: `A context is a named server: its URL, user, trusted certificate and the place of
its password, which is never stored in the file. Contexts are in $VPERF_CONFIG,
or in vperf/config.yaml below $XDG_CONFIG_HOME (~/.config).

Values come from the first of: flag, VPERF_… variable, context, GOVC_… variable,
default. The server is that of --context or --url, else of VPERF_URL, else of
the context in VPERF_CONTEXT or the current one, else of GOVC_URL. vperf ignores
values that belong to a different server, so that no password is sent to the
wrong one: the context if --url or VPERF_URL wins, and VPERF_… or GOVC_…
variables if their own URL names another server.

If VPERF_URL, the context and GOVC_URL name different servers, commands that
read print a warning with the server they use. Commands that write refuse to
run: choose one with --context or --url. VPERF_CONTEXT=--none ignores the
current context, as vperf sim does.`,
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
		Short: "Remove a context from the config file",
		Long: `Removes a context from the config file, and its password from the keyring unless
another context uses it. The current context is the default server of all
commands; it is removed only with --force, and then there is no default.

Exit status: 0 done, 1 the file cannot be written, 2 no such context, it is the
current one, or wrong config.`,
		Example: "  vperf context remove lab",
		Args:    oneArg("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return asUsage(runContextRemove(c.Context(), f, args[0], force), c)
		},
		ValidArgsFunction: completeContext,
	}
	c.Flags().BoolVar(&force, "force", false, "also remove the current context")
	commandLineOnly(c)
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
		Short: "Set the default context",
		Long: `Makes a context the default: commands use it unless --context, --url or a
variable names another server. With --none there is no default context, and the
environment decides.

Exit status: 0 done, 1 the file cannot be written, 2 no such context, or wrong
config.`,
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
	c.Flags().BoolVar(&none, "none", false, "have no default context")
	commandLineOnly(c)
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
		printOverridden(f.IO, name)
	}
	return nil
}
