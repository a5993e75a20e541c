package tui

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/pkg/esxtop"
)

// LoadSettings reads a configuration file. Lines that are wrong are left out, and returned as mistakes.
func LoadSettings(path string) (s Settings, mistakes, err error) {
	text, err := userfile.Settings.Read(path)
	if err != nil {
		return s, nil, fmt.Errorf("reading the settings of top: %w", err)
	}
	rc, mistakes := esxtop.ParseRC(string(text))
	return Settings{Fields: rc.Fields, Delay: rc.Delay, Panel: rc.Panel}, mistakes, nil
}

// Save writes fields, order and delay as a configuration file.
func (s Settings) Save(path string) error {
	rc := esxtop.RC{Fields: map[byte]string{}, Delay: s.Delay, Panel: s.Panel}
	maps.Copy(rc.Fields, s.Fields)
	for _, p := range esxtop.Panels() {
		if rc.Fields[p.Key] == "" {
			rc.Fields[p.Key] = p.DefaultFields()
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("saving the settings of top: %w", err)
	}
	if err := replace(path, rc.String()); err != nil {
		return fmt.Errorf("saving the settings of top: %w", err)
	}
	return nil
}

// replace writes a file that has either its old or its new text, also if the disk is full.
func replace(path, text string) error {
	path, err := filepath.Abs(path) // a file with the name - is no standard output
	if err != nil {
		return err
	}
	to, err := iostreams.OpenDestination(path, nil)
	if err != nil {
		return err
	}
	defer to.Discard()
	return to.Save(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
