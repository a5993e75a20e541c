package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vperf/vperf/pkg/tuning"
)

// stateDir is where vperf keeps what has to outlive a command.
func stateDir() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // what is not absolute has to be ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%w; XDG_STATE_HOME can name the folder that holds them", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "vperf"), nil
}

func runsDir() (string, error) {
	dir, err := stateDir()
	if err != nil {
		return "", fmt.Errorf("finding the journals: %w", err)
	}
	return filepath.Join(dir, "runs"), nil
}

// openRuns opens the journals of all runs.
func openRuns() (*tuning.Runs, error) {
	dir, err := runsDir()
	if err != nil {
		return nil, err
	}
	runs, err := tuning.OpenRuns(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; XDG_STATE_HOME can name another folder for the journals", err)
	}
	return runs, nil
}
