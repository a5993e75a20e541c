package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sessionDir is where govc stores its sessions, so that both share logins, and frequent audits do not fill the server
// with sessions; "" if VPERF_PERSIST_SESSION or GOVC_PERSIST_SESSION is false. GOVMOMI_HOME changes it, as for govc.
func sessionDir() (string, error) {
	for _, name := range []string{ownPrefix + "PERSIST_SESSION", govcPrefix + "PERSIST_SESSION"} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		keep, err := strconv.ParseBool(text)
		if err != nil {
			return "", fmt.Errorf("%s is %q: write true or false", name, text)
		}
		if !keep {
			return "", nil
		}
		break
	}
	home := os.Getenv("GOVMOMI_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", nil //nolint:nilerr // a user without a home directory, as in a container, logs in each time
		}
		home = filepath.Join(user, ".govmomi")
	}
	return filepath.Join(home, "sessions"), nil
}

// Path returns the path of the config file: $VPERF_CONFIG, or vperf/config.yaml below $XDG_CONFIG_HOME or ~/.config.
func Path() (string, error) {
	if p := os.Getenv("VPERF_CONFIG"); p != "" {
		return filepath.Abs(p)
	}
	// The XDG specification says to ignore relative paths.
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("looking for the config file: %w; name it in VPERF_CONFIG", err)
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "vperf", "config.yaml"), nil
}

func beside(file, path string) string {
	path = expandHome(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func besideAll(file, list string) string {
	all := filepath.SplitList(list)
	for i, path := range all {
		all[i] = beside(file, path)
	}
	return strings.Join(all, string(filepath.ListSeparator))
}

// expandHome expands ~/ like a shell.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path // the error will contain the path as written
	}
	return filepath.Join(home, rest)
}

// TablesPath returns the folder of the user's own option and capability tables: $VPERF_TABLES, or tables beside the config file.
func TablesPath() (string, error) {
	if dir := os.Getenv("VPERF_TABLES"); dir != "" {
		return filepath.Abs(dir)
	}
	file, err := Path()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(file), "tables"), nil
}
