// Package tables has the tables of ESXi's releases that the user adds to those of vperf: their files, and what they describe.
package tables

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/probe"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/inventory"
)

// Files of tables: in the user's folder, and in vperf's source.
const (
	optionsFile         = "options.txt"
	capabilitiesFile    = "capabilities.txt"
	shippedOptions      = "pkg/inventory/" + optionsFile
	shippedCapabilities = "internal/probe/" + capabilitiesFile
)

// Options returns the shipped table of options with the releases of the user's own, in a folder.
func Options(dir string) (*inventory.OptionTable, error) {
	own, err := readOptions(filepath.Join(dir, optionsFile))
	if err != nil || own == nil {
		return inventory.ShippedOptions(), err
	}
	return inventory.ShippedOptions().With(own), nil
}

// Calls returns the shipped table of calls with the releases of the user's own, in a folder.
func Calls(dir string) (*probe.Capabilities, error) {
	own, err := readCapabilities(filepath.Join(dir, capabilitiesFile))
	if err != nil {
		return nil, err
	}
	return probe.ShippedCapabilities().With(own), nil
}

// readOptions reads an option table; nil if there is no such file.
func readOptions(path string) (*inventory.OptionTable, error) {
	text, err := readTable(path)
	if err != nil || text == "" {
		return nil, err
	}
	t, err := inventory.ParseOptionTable(text)
	if err != nil {
		return nil, userfile.Errorf("%s: %w; vperf rules tables import writes this file anew if you remove it", path, err)
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
		return nil, userfile.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// readTable returns the text of a table, or "" if there is no such file.
func readTable(path string) (string, error) {
	text, err := userfile.Table.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", userfile.Errorf("reading tables: %w", err)
	}
	return string(text), nil
}

// Files are the tables that an import reads and writes.
type Files struct {
	Options, Capabilities string

	shipped bool // of vperf's source
}

// In are the user's tables in a folder.
func In(dir string) Files {
	return Files{filepath.Join(dir, optionsFile), filepath.Join(dir, capabilitiesFile), false}
}

// InSource are the tables of a copy of vperf's source.
func InSource(dir string) (Files, error) {
	t := Files{filepath.Join(dir, shippedOptions), filepath.Join(dir, shippedCapabilities), true}
	if _, err := os.Stat(t.Options); err != nil {
		return t, userfile.Errorf("%s: it is no copy of vperf's source: %w", dir, err)
	}
	return t, nil
}

// Merge imports probes into the tables. own is the user's own option table; of vperf's source, it is the whole table.
func (t Files) Merge(probes []*probe.Loaded, release string) (x *probe.Imported, own *inventory.OptionTable, err error) {
	old, err := readOptions(t.Options)
	if err != nil {
		return nil, nil, err
	}
	capabilities, err := readCapabilities(t.Capabilities)
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

// Save writes the tables; own is the table of options that Merge returned.
func (t Files) Save(x *probe.Imported, own *inventory.OptionTable) error {
	if len(x.Added) > 0 {
		text := ownHead + own.String()
		if t.shipped {
			old, err := readTable(t.Options)
			if err != nil {
				return err
			}
			text = own.Rewrite(old)
		}
		if err := writeTable(t.Options, text); err != nil {
			return err
		}
	}
	return writeTable(t.Capabilities, x.Capabilities.String())
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
