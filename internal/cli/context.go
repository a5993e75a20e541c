package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/cli/inforce"
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

// listedContext is a context in the output of `vperf context list`.
type listedContext struct {
	Name     string `json:"name"`
	Current  bool   `json:"current"`
	URL      string `json:"url"`
	Username string `json:"username,omitempty"`
	Password string `json:"passwordFrom,omitempty"` // file, command or keyring
}

func newContextList(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the contexts; * marks the current one",
		Long: `Lists the contexts in the order of the config file; * marks the current one.

Exit status: 0 done, 2 wrong usage or config.`,
		Example: `  vperf context list
  vperf context list -o json`,
		Args: noArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return asUsage(runContextList(f, output), c) }
	textOrData(f, c, &output, "text")
	return c
}

func runContextList(f *Factory, output string) error {
	file, err := config.Load()
	if err != nil {
		return mistake(err)
	}
	all := make([]listedContext, len(file.Contexts))
	for i, c := range file.Contexts {
		all[i] = listedContext{c.Name, c.Name == file.Current, c.URL, c.Username, keptIn(c)}
	}
	if output == "json" {
		return writeJSON(f.IO.Out, map[string]any{"file": file.Path, "contexts": all})
	}
	if len(all) == 0 {
		noContexts(f.IO, file)
		return nil
	}
	return writeRows(f.IO.Out, func(row func(...string)) {
		row("", "NAME", "URL", "USERNAME", "PASSWORD")
		for _, c := range all {
			mark := " "
			if c.Current {
				mark = "*"
			}
			row(mark, c.Name, c.URL, cmp.Or(c.Username, "-"), cmp.Or(c.Password, "-"))
		}
	})
}

func keptIn(c *config.Context) string {
	switch {
	case c.PasswordFile != "":
		return "file"
	case c.PasswordCommand != "":
		return "command"
	case c.Keyring:
		return "keyring"
	}
	return ""
}

func noContexts(streams *iostreams.IO, file *config.File) {
	why := file.Path + " has none"
	if !file.Exists() {
		why = "there is no " + file.Path
	}
	fmt.Fprintf(streams.Err, `no contexts yet: %s
  add one:   vperf context add prod --url https://vcenter.example.com \
               --username audit@vsphere.local --keyring
`, why)
}

func newContextShow(f *Factory) *cobra.Command {
	var output string
	var names []string
	c := &cobra.Command{
		Use:   "show [NAME]",
		Short: "Show the connection values in force and where they come from",
		Long: `Shows the values that a command would use, each with its origin: flag, variable,
context or default. Without a NAME it shows the default server. For a password
it shows only whether one is set, and it does not run a password command.

Exit status: 0 done, 2 no such context, no server at all, or wrong config.`,
		Example: `  vperf context show
  vperf context show prod -o json`,
		Args: func(c *cobra.Command, args []string) error {
			names = args
			return atMostOneArg("NAME")(c, args)
		},
		ValidArgsFunction: completeContext,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return asUsage(runContextShow(c.Context(), f, names, output), c)
	}
	textOrData(f, c, &output, "text")
	return c
}

// shownContext is the effective connection in the output of `vperf context show`.
type shownContext struct {
	Context  string                  `json:"context,omitempty"`
	File     string                  `json:"file"`
	Values   map[string]config.Value `json:"values"`
	Password config.PasswordState    `json:"password"`
	Notes    []string                `json:"notes,omitempty"`
}

func runContextShow(ctx context.Context, f *Factory, names []string, output string) error {
	file, err := config.Load()
	if err != nil {
		return mistake(err)
	}
	chosen, err := file.Choose(names, false)
	if err != nil {
		return mistake(err)
	}
	s, err := config.Resolve(config.Flags{}, chosen[0])
	if err != nil {
		return mistake(err)
	}
	if s.URL.Text == "" {
		return noServer(config.ErrNoServer)
	}
	order, values := inforce.Connection(s)
	shown := shownContext{s.Context, file.Path, values, s.PasswordState(ctx), s.Notes}
	if output == "json" {
		return writeJSON(f.IO.Out, shown)
	}
	return writeShown(f.IO.Out, shown, order)
}

func writeShown(w io.Writer, shown shownContext, order []string) error {
	return writeRows(w, func(row func(...string)) {
		row("context", cmp.Or(shown.Context, "-"), shown.File)
		for _, key := range order {
			row(key, cmp.Or(shown.Values[key].Text, "-"), shown.Values[key].From)
		}
		row("password", passwordWords(shown.Password))
		for _, n := range shown.Notes {
			row("note", n)
		}
	})
}

func passwordWords(p config.PasswordState) string {
	switch {
	case p.Set:
		return "set (from " + p.From + ")"
	case p.Problem != "":
		return "not set (" + p.From + ": " + p.Problem + ")"
	}
	return "not set"
}
