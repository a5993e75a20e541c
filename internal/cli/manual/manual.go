// Package manual writes the commands of vperf as man pages.
package manual

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Edition is what the edges of each page say.
type Edition struct {
	Version string
	Date    time.Time // the zero time: none
}

// WritePage writes the page of one command.
func WritePage(w io.Writer, c *cobra.Command, e Edition) error {
	c.DisableAutoGenTag = true                                                        // it has the day on which the page was made
	c.Example = strings.TrimPrefix(strings.ReplaceAll(c.Example, "\n  ", "\n"), "  ") // man indents it
	date := e.Date
	header := doc.GenManHeader{
		Title: strings.ToUpper(name(c)), Section: "1", Source: e.Version, Manual: "vperf manual", Date: &date,
	}
	var page bytes.Buffer
	if err := doc.GenMan(c, &header, &page); err != nil {
		return fmt.Errorf("writing the man page of %s: %w", c.CommandPath(), err)
	}
	text := bytes.ReplaceAll(page.Bytes(), []byte("[=false]"), nil) // a flag without a value is off unless it is given
	if e.Date.IsZero() {
		text = bytes.Replace(text, []byte(`"Jan 0001"`), []byte(`""`), 1)
	}
	_, err := w.Write(text)
	return err
}

// WriteFolder writes the pages of a command and of all commands below it that users see, and returns their number.
func WriteFolder(dir string, c *cobra.Command, e Edition) (int, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return 0, fmt.Errorf("creating the folder for man pages: %w", err)
	}
	var page bytes.Buffer
	if err := WritePage(&page, c, e); err != nil {
		return 0, err
	}
	file := filepath.Join(dir, name(c)+".1")
	if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil { //nolint:gosec // every user reads man pages
		return 0, fmt.Errorf("writing a man page: %w", err)
	}
	pages := 1
	for _, below := range c.Commands() {
		if !below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand() {
			continue
		}
		more, err := WriteFolder(dir, below, e)
		if err != nil {
			return 0, err
		}
		pages += more
	}
	return pages, nil
}

// name is the name of a command's page: vperf-history-list.
func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }
