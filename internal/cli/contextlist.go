package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
)

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
		Args: noArgs,
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
