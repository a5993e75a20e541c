package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere"
)

func newContext(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "context",
		Short: "Keep servers under names",
		Long: `A context is a server under a name: its URL, who logs in, how its certificate is
trusted and where the password is kept, which is never the file itself. Contexts are
in $VPERF_CONFIG, or else in vperf/config.yaml below $XDG_CONFIG_HOME (~/.config).

A value comes from the first of these that has it: a flag, a VPERF_… variable, the
context, a GOVC_… variable, the default. Where GOVC_URL is another server than the
context's, no GOVC_… variable counts; where a flag or VPERF_URL is, the context does
not: a password must not go to a server that it is not for.`,
		Example: `  vperf context add prod --url https://vcenter.example.com --username audit@vsphere.local --keyring
  vperf context use prod
  vperf audit --context prod,lab
  vperf audit --all-contexts --fail-on high`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newContextAdd(f, nil), newContextUse(f), newContextList(f), newContextShow(f), newContextRemove(f))
	return c
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

// contextAddOptions is what `vperf context add` was asked for.
type contextAddOptions struct {
	config.Context
	Insecure bool
}

func newContextAdd(f *Factory, run func(context.Context, *Factory, *contextAddOptions) error) *cobra.Command {
	o := new(contextAddOptions)
	if run == nil {
		run = runContextAdd
	}
	c := &cobra.Command{
		Use:   "add NAME --url URL",
		Short: "Keep a server under a name",
		Long: `Adds a context to the config file. The first one becomes the current one.

With --keyring the password is asked for once, or read from standard input where
that is no terminal, and kept in the keyring of the operating system. A password
command is run without a shell; its first line of output is the password. Without
any of these the password comes from VPERF_PASSWORD or is asked for each time.

Exit status: 0 done, 1 the file or the keyring cannot be written, 2 wrong usage or
config.`,
		Example: `  vperf context add prod --url https://vcenter.example.com --username audit@vsphere.local --keyring
  vperf context add lab --url esx01.lab --username root --password-file ~/.esx-password --thumbprint AA:BB:…
  vperf context add dr --url vc.dr.example.com --username audit --password-command 'pass show vcenter/dr'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Name = args[0]
			if o.URL == "" {
				return usage(errors.New("--url URL is missing: where the server is"), c)
			}
			if err := config.CheckTypedURL(o.URL); err != nil {
				return usage(err, c)
			}
			if c.Flags().Changed("insecure") {
				o.Context.Insecure = &o.Insecure
			}
			return asUsage(run(c.Context(), f, o), c)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.addFlags(c)
	return c
}

func (o *contextAddOptions) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&o.URL, "url", "u", "", "vCenter or ESXi `URL`, without a password")
	f.StringVar(&o.Username, "username", "", "`USER` that logs in")
	f.StringVar(&o.PasswordFile, "password-file", "", "the password is the first line of this `FILE`, which only you may read")
	f.StringVar(&o.PasswordCommand, "password-command", "", "the password is the first line that this `COMMAND` prints")
	f.BoolVar(&o.Keyring, "keyring", false, "keep the password in the operating system's keyring")
	f.BoolVarP(&o.Insecure, "insecure", "k", false, "accept any certificate")
	f.StringVar(&o.CAFiles, "tls-ca-certs", "", "trust the authorities in these `FILES` and no others")
	f.StringVar(&o.KnownHosts, "tls-known-hosts", "", "trust the certificates that this `FILE` lists by host and thumbprint")
	f.StringVar(&o.Thumbprint, "thumbprint", "", "accept only the certificate with this `DIGEST` (SHA-1 or SHA-256)")
}

// configError is a mistake in what was typed or in the config file, as against a disk that is full.
type configError struct{ error }

// Unwrap is the mistake.
func (e configError) Unwrap() error { return e.error }

// asUsage makes mistakes errors of usage and leaves others as they are.
func asUsage(err error, c *cobra.Command) error {
	if _, ok := errors.AsType[configError](err); ok {
		return usage(err, c)
	}
	return err
}

func mistake(err error) error {
	if err == nil {
		return nil
	}
	return configError{err}
}

func runContextAdd(ctx context.Context, f *Factory, o *contextAddOptions) error {
	file, err := config.Load()
	if err != nil {
		return mistake(err)
	}
	c := o.Context
	if err := absolute(&c.PasswordFile, &c.CAFiles, &c.KnownHosts); err != nil {
		return err
	}
	if err := file.Add(&c); err != nil {
		return mistake(err)
	}
	if c.Keyring {
		if err := fillKeyring(ctx, f.IO, &c); err != nil {
			return err
		}
	}
	if err := file.Save(); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Err, "added context %s to %s\n", c.Name, file.Path)
	if file.Current == c.Name {
		fmt.Fprintf(f.IO.Err, "%s is the current context: commands read it when they are told nothing else\n", c.Name)
	}
	return nil
}

// absolute makes paths that were typed here mean the same file from anywhere.
func absolute(lists ...*string) error {
	for _, list := range lists {
		all := filepath.SplitList(*list)
		for i, path := range all {
			full, err := filepath.Abs(path)
			if err != nil {
				return fmt.Errorf("finding %s: %w", path, err)
			}
			all[i] = full
		}
		*list = strings.Join(all, string(filepath.ListSeparator))
	}
	return nil
}

func fillKeyring(ctx context.Context, streams *iostreams.IO, c *config.Context) error {
	password, err := newPassword(ctx, streams, c)
	if err != nil {
		return err
	}
	return c.StoreInKeyring(ctx, password)
}

func newPassword(ctx context.Context, streams *iostreams.IO, c *config.Context) (vsphere.Secret, error) {
	if ask := newConsole(streams).Ask; ask != nil {
		p, err := ask(ctx, "Password of context "+c.Name+": ")
		if err == nil && p == "" {
			err = mistake(errors.New("nothing was typed: there is no password to keep"))
		}
		return p, err
	}
	p, err := config.FirstLine(streams.In)
	if err != nil {
		return "", mistake(fmt.Errorf("--keyring: standard input %w: type the password there, or pipe it in", err))
	}
	return p, nil
}

func newContextUse(f *Factory) *cobra.Command {
	none := false
	c := &cobra.Command{
		Use:   "use NAME",
		Short: "Make a context the current one",
		Long: `Makes a context the one that commands read when they are told nothing else. With
--none no context is current, and the environment decides.

Exit status: 0 done, 1 the file cannot be written, 2 no such context, or wrong config.`,
		Example: `  vperf context use prod
  vperf context use --none`,
		Args: func(c *cobra.Command, args []string) error {
			if none {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			return asUsage(runContextUse(f, strings.Join(args, "")), c)
		},
		ValidArgsFunction: completeContext,
	}
	c.Flags().BoolVar(&none, "none", false, "let no context be current")
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
	}
	return nil
}

// textOrJSON adds -o to commands that list something.
func textOrJSON(c *cobra.Command, output *string, run func() error) {
	c.Flags().StringVarP(output, "output", "o", "text", "`FORMAT`: text or json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !slices.Contains([]string{"text", "json"}, *output) {
			return usage(fmt.Errorf("--output: no format %q; there are text, json", *output), c)
		}
		return asUsage(run(), c)
	}
}

// listedContext is a context as `vperf context list` tells it.
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
		Short: "List the contexts, the current one marked",
		Long: `Lists the contexts in the order of the config file; * marks the current one.

Exit status: 0 done, 2 wrong usage or config.`,
		Example: `  vperf context list
  vperf context list -o json`,
		Args: cobra.NoArgs,
	}
	textOrJSON(c, &output, func() error { return runContextList(f, output) })
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
			row(mark, c.Name, c.URL, orDash(c.Username), orDash(c.Password))
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
  add one:   vperf context add prod --url https://vcenter.example.com --username audit@vsphere.local --keyring
`, why)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// writeRows aligns columns; what they hold was chosen by others.
func writeRows(w io.Writer, fill func(row func(...string))) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fill(func(cells ...string) {
		for i, c := range cells {
			cells[i] = iostreams.Sanitize(c)
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	})
	return t.Flush()
}

func newContextShow(f *Factory) *cobra.Command {
	var output string
	var names []string
	c := &cobra.Command{
		Use:   "show [NAME]",
		Short: "Say every value that counts, and where it came from",
		Long: `Shows what a command would use: every value with the flag, variable, context or
default that it came from. Without a NAME it is what counts when a command is told
nothing. Of a password it says only whether there is one; a password command is not
run for that.

Exit status: 0 done, 2 no such context, no server at all, or wrong config.`,
		Example: `  vperf context show
  vperf context show prod -o json`,
		Args: func(c *cobra.Command, args []string) error {
			names = args
			return cobra.MaximumNArgs(1)(c, args)
		},
		ValidArgsFunction: completeContext,
	}
	textOrJSON(c, &output, func() error { return runContextShow(c.Context(), f, names, output) })
	return c
}

// shownContext is what counts, as `vperf context show` tells it.
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
	order, values := effective(s)
	shown := shownContext{s.Context, file.Path, values, s.PasswordState(ctx), s.Notes}
	if output == "json" {
		return writeJSON(f.IO.Out, shown)
	}
	return writeShown(f.IO.Out, shown, order)
}

// effective names the values as the config file does, and the order to show them in.
func effective(s *config.Settings) (order []string, values map[string]config.Value) {
	values = map[string]config.Value{
		"url": s.URL, "username": s.Username, "insecure": s.Insecure,
		"tls-ca-certs": s.CAFiles, "tls-known-hosts": s.KnownHosts, "tls-thumbprint": s.Thumbprint,
	}
	return []string{"url", "username", "insecure", "tls-ca-certs", "tls-known-hosts", "tls-thumbprint"}, values
}

func writeShown(w io.Writer, shown shownContext, order []string) error {
	return writeRows(w, func(row func(...string)) {
		row("context", orDash(shown.Context), shown.File)
		for _, key := range order {
			row(key, orDash(shown.Values[key].Text), shown.Values[key].From)
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
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return asUsage(runContextRemove(c.Context(), f, args[0], force), c)
		},
		ValidArgsFunction: completeContext,
	}
	c.Flags().BoolVar(&force, "force", false, "remove the current context too")
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
			fmt.Fprintf(f.IO.Err, "vperf: warning: %s\n", printable(err))
		}
	}
	return nil
}
