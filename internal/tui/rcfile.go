package tui

import (
	"fmt"
	"os"
	"path/filepath"

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
	rc := esxtop.RC{Fields: s.Fields, Delay: s.Delay, Panel: s.Panel}
	for _, p := range esxtop.Panels() {
		if rc.Fields[p.Key] == "" {
			rc.Fields[p.Key] = p.DefaultFields()
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("saving the settings of top: %w", err)
	}
	if err := os.WriteFile(path, []byte(rc.String()), 0o600); err != nil {
		return fmt.Errorf("saving the settings of top: %w", err)
	}
	return nil
}
