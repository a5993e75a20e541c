package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/report/columns"
	"github.com/vperf/vperf/pkg/inventory"
)

// Files of tables: in the user's folder, and in vperf's source.
const (
	optionsFile         = "options.txt"
	capabilitiesFile    = "capabilities.txt"
	shippedOptions      = "pkg/inventory/" + optionsFile
	shippedCapabilities = "internal/probe/" + capabilitiesFile
)

// mostTable is the largest table file that is read, in bytes.
const mostTable = 16 << 20

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
	own, err := readOptions(filepath.Join(dir, optionsFile))
	if err != nil || own == nil {
		return inventory.ShippedOptions(), err
	}
	return inventory.ShippedOptions().With(own), nil
}

// readOptions reads an option table; nil if there is no such file.
func readOptions(path string) (*inventory.OptionTable, error) {
	text, err := readTable(path)
	if err != nil || text == "" {
		return nil, err
	}
	t, err := inventory.ParseOptionTable(text)
	if err != nil {
		return nil, fileError("%s: %w; vperf rules tables import writes this file anew if you remove it", path, err)
	}
	return t, nil
}

func readCapabilities(path string) (*probe.Capabilities, error) {
	text, err := readTable(path)
	if err != nil {
		return nil, err
	}
	t, err := probe.ParseCapabilities(text)
	if err != nil {
		return nil, fileError("%s: %w", path, err)
	}
	return t, nil
}

// readTable returns the text of a table, or "" if there is no such file.
func readTable(path string) (string, error) {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fileError("reading tables: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, mostTable+1))
	switch {
	case err != nil:
		return "", fileError("reading tables: %w", err)
	case len(text) > mostTable:
		return "", fileError("%s is larger than %d MiB, so it is no table", path, mostTable>>20)
	}
	return string(text), nil
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
			return asUsage(runTablesImport(f, o, args), c)
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

// tableFiles are the tables that an import reads and writes.
type tableFiles struct {
	options, capabilities string
	shipped               bool // of vperf's source
}

func (o *importOptions) files() (tableFiles, error) {
	if o.Dir != "" {
		t := tableFiles{filepath.Join(o.Dir, shippedOptions), filepath.Join(o.Dir, shippedCapabilities), true}
		if _, err := os.Stat(t.options); err != nil {
			return t, mistake(fmt.Errorf("--dir %s: it is no copy of vperf's source: %w", o.Dir, err))
		}
		return t, nil
	}
	dir := o.Out
	if dir == "" {
		var err error
		if dir, err = config.TablesPath(); err != nil {
			return tableFiles{}, err
		}
	}
	return tableFiles{filepath.Join(dir, optionsFile), filepath.Join(dir, capabilitiesFile), false}, nil
}

func runTablesImport(f *Factory, o *importOptions, paths []string) error {
	to, err := o.files()
	if err != nil {
		return err
	}
	var probes []*probe.Loaded
	for _, path := range paths {
		p, err := loadProbe(f.IO, path)
		if err != nil {
			return err
		}
		if p.Simulated && o.Out == "" {
			return mistake(fmt.Errorf("%s is a probe of a simulated server, whose definitions are not those of a real release: name a folder for its tables with --out", path))
		}
		probes = append(probes, p)
	}
	x, own, err := to.merge(probes, o.Release)
	if err != nil {
		return mistake(err)
	}
	if err := to.save(x, own); err != nil {
		return err
	}
	return o.print(f, x, to)
}

// merge imports probes into the tables. own is the user's own option table; of vperf's source, it is the whole table.
func (t tableFiles) merge(probes []*probe.Loaded, release string) (x *probe.Imported, own *inventory.OptionTable, err error) {
	old, err := readOptions(t.options)
	if err != nil {
		return nil, nil, err
	}
	capabilities, err := readCapabilities(t.capabilities)
	if err != nil {
		return nil, nil, err
	}
	base := inventory.ShippedOptions()
	switch {
	case t.shipped:
		base = old
	case old != nil:
		base = base.With(old)
	}
	if x, err = probe.Import(base, capabilities, probes, release); err != nil {
		return x, nil, err
	}
	if t.shipped {
		return x, x.Table, nil
	}
	return x, x.Table.Only(func(release string) bool { return !slices.Contains(inventory.Releases(), release) }), nil
}

// ownHead begins the user's own table.
const ownHead = `# Releases of ESXi that vperf rules tables import added. The format is that of vperf's own table: one line an option,
#
#   KEY  FROM[-TO]: DEFAULT [MIN..MAX]; FROM-TO: absent; …
#
# Lines that begin with probe name the probe file and the build that a release comes from. A later version of vperf that ships one of
# these releases uses its own definitions. Remove the file to remove the releases.
`

func (t tableFiles) save(x *probe.Imported, own *inventory.OptionTable) error {
	if len(x.Added) > 0 {
		text := ownHead + own.String()
		if t.shipped {
			old, err := readTable(t.options)
			if err != nil {
				return err
			}
			text = own.Rewrite(old)
		}
		if err := writeTable(t.options, text); err != nil {
			return err
		}
	}
	return writeTable(t.capabilities, x.Capabilities.String())
}

func writeTable(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("writing tables: %w", err)
	}
	to, err := iostreams.OpenDestination(path, nil)
	if err == nil {
		defer to.Discard()
		err = to.Save(func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	if err != nil {
		return fmt.Errorf("writing tables to %s: %w", path, err)
	}
	return nil
}

// importResult is what `import -o json` prints.
type importResult struct {
	Schema string       `json:"schema"`
	Folder string       `json:"folder"`
	Added  []string     `json:"added"`
	Notes  []probe.Note `json:"notes"`
}

func (o *importOptions) print(f *Factory, x *probe.Imported, to tableFiles) error {
	dir := filepath.Dir(to.options)
	if o.Output == "json" {
		e := json.NewEncoder(f.IO.Out)
		e.SetIndent("", "  ")
		return e.Encode(importResult{"vperf.tables-import/v1", dir, slices.Concat([]string{}, x.Added), slices.Concat([]probe.Note{}, x.Notes)})
	}
	for _, n := range x.Notes {
		what := strings.TrimSpace(n.Release + " " + n.Option)
		fmt.Fprintf(f.IO.Out, "%-10s %s\n", n.Kind, iostreams.Sanitize(strings.TrimPrefix(what+": "+n.Text, ": ")))
	}
	switch {
	case len(x.Added) == 0:
		fmt.Fprintln(f.IO.Out, "no release is new")
	default:
		fmt.Fprintf(f.IO.Out, "wrote %s to %s\n", plural.Count(len(x.Added), "release"), to.options)
	}
	if n := x.Conflicts(); n > 0 {
		fmt.Fprintf(f.IO.Err, "vperf: warning: %s: the tables keep their definitions, and conflicting ones of new releases are left out\n", plural.Count(n, "conflict"))
	}
	return nil
}

// tableRelease is a release in the list of tables.
type tableRelease struct {
	Release   string   `json:"release"`
	Origin    string   `json:"origin"` // shipped or own
	Builds    []string `json:"builds,omitempty"`
	Probes    []string `json:"probes,omitempty"` // digests
	Simulated bool     `json:"simulated,omitempty"`
	Options   int      `json:"options"` // that the table describes in this release
	Answered  int      `json:"callsAnswered"`
	Asked     int      `json:"callsAsked"`
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
	capabilities := probe.ShippedCapabilities()
	if dir, err := config.TablesPath(); err == nil {
		own, err := readCapabilities(filepath.Join(dir, capabilitiesFile))
		if err != nil {
			return err
		}
		capabilities = capabilities.With(own)
	}
	all := releasesOf(table, capabilities)
	if output == "json" {
		e := json.NewEncoder(f.IO.Out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"schema": "vperf.tables/v1", "releases": all})
	}
	rows := [][]string{{"RELEASE", "ORIGIN", "OPTIONS", "CALLS", "BUILD", "PROBE"}}
	for _, r := range all {
		origin := r.Origin
		if r.Simulated {
			origin += ", simulated"
		}
		calls := "-"
		if r.Asked > 0 {
			calls = fmt.Sprintf("%d of %d", r.Answered, r.Asked)
		}
		rows = append(rows, []string{r.Release, origin, strconv.Itoa(r.Options), calls, listOrDash(r.Builds), listOrDash(shortDigests(r.Probes))})
	}
	for _, line := range columns.Align(rows) {
		fmt.Fprintln(f.IO.Out, iostreams.Sanitize(line))
	}
	return nil
}

func releasesOf(table *inventory.OptionTable, capabilities *probe.Capabilities) []tableRelease {
	var all []tableRelease
	for _, name := range table.Releases() {
		r := tableRelease{Release: name, Origin: "own"}
		if slices.Contains(inventory.Releases(), name) {
			r.Origin = "shipped"
		}
		for _, s := range table.Sources() {
			if s.Release == name {
				r.Builds, r.Probes, r.Simulated = append(r.Builds, s.Build), append(r.Probes, s.Digest), r.Simulated || s.Simulated
			}
		}
		for _, key := range table.Keys() {
			doc, _ := table.Lookup(key)
			if _, ok := doc.At(name); ok {
				r.Options++
			}
		}
		r.Answered, r.Asked = capabilities.Answered(name)
		all = append(all, r)
	}
	return all
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
