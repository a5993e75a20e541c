package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

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
