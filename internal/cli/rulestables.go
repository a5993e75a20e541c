package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/report/doc"
	"github.com/vperf/vperf/internal/tables"
	"github.com/vperf/vperf/pkg/inventory"
)

func newRulesTables(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use:   "tables",
		Short: "List and extend the tables of releases that rules rely on",
		Long: `Rules compare options with their defaults in each release of ESXi. vperf ships a
table of releases; vperf rules tables import adds a release from a probe to your
own table, which all commands read.`,
		Example: `  vperf rules tables list
  vperf probe --out probe.json
  vperf rules tables import probe.json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTablesList(f), newTablesImport(f))
	return c
}

// optionTable returns the shipped table with the releases of the user's own.
func optionTable() (*inventory.OptionTable, error) {
	dir, err := config.TablesPath()
	if err != nil {
		return inventory.ShippedOptions(), nil //nolint:nilerr // without a home directory there are no own tables
	}
	return tables.Options(dir)
}

// importOptions are the options of `vperf rules tables import`.
type importOptions struct {
	Out     string
	Dir     string
	Release string
	Output  string
}

func newTablesImport(f *Factory) *cobra.Command {
	o := new(importOptions)
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Add the releases of probes to your tables",
		Long: `Adds the releases of probe files to your own tables, in the folder tables beside
the config file (VPERF_TABLES): options and the calls that hosts answer. All
commands then know these releases. Definitions that are in a table stay as they
are: differences are reported as conflicts, and conflicting definitions of a new
release are left out, so that rules which rely on them are unknown.

--dir FOLDER writes the tables that vperf ships, in a copy of its source.

A probe of a simulated server is not imported without --out: its definitions are
not those of a real release.

Exit status: 0 done, 1 a file cannot be written, 2 wrong usage or file.`,
		Example: `  vperf rules tables import probe.json
  vperf rules tables import --release 8.0U3h probe.json
  vperf rules tables import --dir ~/src/vperf a.json b.json`,
		Args: someArgs("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Out != "" && o.Dir != "" {
				return usage(errors.New("--out and --dir cannot be used together"), c)
			}
			return asUsage(runTablesImport(c.Context(), f, o, args), c)
		},
		ValidArgsFunction: completeJSON,
	}
	flags := c.Flags()
	flags.StringVar(&o.Out, "out", "", "write the tables in this `FOLDER` instead")
	flags.StringVar(&o.Dir, "dir", "", "write the tables of vperf's source in this `FOLDER`")
	flags.StringVar(&o.Release, "release", "", "name of the `RELEASE` (default: derived from the version)")
	config.OwnName(flags, "out", "dir", "release")
	textOrData(f, c, &o.Output, "text")
	return c
}

func (o *importOptions) files() (tables.Files, error) {
	if o.Dir != "" {
		t, err := tables.InSource(o.Dir)
		if err != nil {
			return t, mistake(fmt.Errorf("--dir %w", err))
		}
		return t, nil
	}
	dir := o.Out
	if dir == "" {
		var err error
		if dir, err = config.TablesPath(); err != nil {
			return tables.Files{}, err
		}
	}
	return tables.In(dir), nil
}

func runTablesImport(ctx context.Context, f *Factory, o *importOptions, paths []string) error {
	to, err := o.files()
	if err != nil {
		return err
	}
	var probes []*probe.Loaded
	for _, path := range paths {
		p, err := loadProbe(ctx, f.IO, path)
		if err != nil {
			return err
		}
		if p.Simulated && o.Out == "" {
			return mistake(fmt.Errorf("%s is a probe of a simulated server, whose definitions are not those of a real release: name a folder for its tables with --out", path))
		}
		probes = append(probes, p)
	}
	x, own, err := to.Merge(probes, o.Release)
	if err != nil {
		return mistake(err)
	}
	if err := to.Save(x, own); err != nil {
		return err
	}
	return o.print(f, x, to)
}

// importResult is what `import -o json` prints.
type importResult struct {
	Schema string       `json:"schema"`
	Folder string       `json:"folder"`
	Added  []string     `json:"added"`
	Notes  []probe.Note `json:"notes"`
}

func (o *importOptions) print(f *Factory, x *probe.Imported, to tables.Files) error {
	dir := filepath.Dir(to.Options)
	if o.Output == "json" {
		e := json.NewEncoder(f.IO.Out)
		e.SetIndent("", "  ")
		return e.Encode(importResult{"vperf.tables-import/v1", dir, append([]string{}, x.Added...), append([]probe.Note{}, x.Notes...)})
	}
	for _, n := range x.Notes {
		what := strings.TrimSpace(n.Release + " " + n.Option)
		fmt.Fprintf(f.IO.Out, "%-10s %s\n", n.Kind, iostreams.Sanitize(strings.TrimPrefix(what+": "+n.Text, ": ")))
	}
	switch {
	case len(x.Added) == 0:
		fmt.Fprintln(f.IO.Out, "no release is new")
	default:
		fmt.Fprintf(f.IO.Out, "wrote %s to %s\n", plural.Count(len(x.Added), "release"), to.Options)
	}
	if n := x.Conflicts(); n > 0 {
		fmt.Fprintf(f.IO.Err, "vperf: warning: %s: the tables keep their definitions, and conflicting ones of new releases are left out\n", plural.Count(n, "conflict"))
	}
	return nil
}

func newTablesList(f *Factory) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the releases that vperf's tables describe",
		Long: `Lists the releases of the tables, with their origin: shipped with vperf, or your
own, with the build and the digest of the probe they come from.

Exit status: 0 done, 2 your own table is wrong.`,
		Example: "  vperf rules tables list",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return runTablesList(f, output)
		},
	}
	textOrData(f, c, &output, "table")
	return c
}

func runTablesList(f *Factory, output string) error {
	table, err := optionTable()
	if err != nil {
		return err
	}
	calls := probe.ShippedCapabilities()
	if dir, err := config.TablesPath(); err == nil {
		if calls, err = tables.Calls(dir); err != nil {
			return err
		}
	}
	all := tables.Releases(table, calls)
	if output == "json" {
		e := json.NewEncoder(f.IO.Out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"schema": "vperf.tables/v1", "releases": all})
	}
	t := doc.Table{Head: []string{"RELEASE", "ORIGIN", "OPTIONS", "CALLS", "BUILD", "PROBE"}}
	for _, r := range all {
		origin := r.Origin
		if r.Simulated {
			origin += ", simulated"
		}
		calls := "-"
		if r.Asked > 0 {
			calls = fmt.Sprintf("%d of %d", r.Answered, r.Asked)
		}
		t.Add(r.Release, origin, strconv.Itoa(r.Options), calls, listOrDash(r.Builds), listOrDash(shortDigests(r.Probes)))
	}
	return terminal(f).Show(f.IO.Out, doc.Of(t.Block()))
}

func listOrDash(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(slices.Compact(slices.Clone(words)), " ")
}

// shortDigests abbreviates digests as version control systems do.
func shortDigests(all []string) []string {
	const long = len("sha256:") + 12
	short := make([]string, len(all))
	for i, d := range all {
		short[i] = d[:min(len(d), long)]
	}
	return short
}
