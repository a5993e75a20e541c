package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/pkg/tuning"
)

// stateDir is where vperf keeps what has to outlive a command.
func stateDir() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // what is not absolute has to be ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
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
	return tuning.OpenRuns(dir)
}

// waiting is what was written to a server and is not in force yet, as far as the journals of this machine know. Journals that
// cannot be read are no reason not to look at a fleet.
func waiting(f *Factory, server tuning.Server) []tuning.Waiting {
	all, err := pendingOn(server)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "vperf: warning: what was changed and waits is not known: %s\n", iostreams.Sanitize(err.Error()))
	}
	return all
}

func pendingOn(server tuning.Server) ([]tuning.Waiting, error) {
	dir, err := runsDir()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nobody has changed anything from here, and looking makes no folders
	}
	runs, err := tuning.OpenRuns(dir)
	if err != nil {
		return nil, err
	}
	return runs.Pending(server)
}
