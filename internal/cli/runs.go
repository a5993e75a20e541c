package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/userfile"
	"github.com/vperf/vperf/internal/waiting"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/tuning"
)

// stateDir returns the folder for state that outlives a command.
func stateDir() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // the XDG specification requires ignoring relative paths
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%w; XDG_STATE_HOME can name the folder that holds them", err)
		}
		base = filepath.Join(home, ".local", "state")
	}
	dir := filepath.Join(base, "vperf")
	return dir, userfile.OwnFolders(dir, "runs", "locks", "snapshots", "sim")
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

// listRuns is all runs, the newest first. Looking makes no folders.
func listRuns() ([]*tuning.Run, error) {
	dir, err := runsDir()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	runs, err := openRuns()
	if err != nil {
		return nil, err
	}
	return runs.List()
}

// chooseRun is the run that is named, or the newest where none is.
func chooseRun(all []*tuning.Run, args []string) (*tuning.Run, error) {
	switch {
	case len(args) > 0:
		return pickRun(all, args[0])
	case len(all) == 0:
		return nil, &usageError{err: errors.New("there is no run yet"), help: "vperf apply --help"}
	}
	return all[0], nil
}

// findRun finds a run by its id, or by the beginning of one that no other has.
func findRun(runs *tuning.Runs, id string) (*tuning.Run, error) {
	all, err := runs.List()
	if err != nil {
		return nil, err
	}
	return pickRun(all, id)
}

func pickRun(all []*tuning.Run, id string) (*tuning.Run, error) {
	var found []*tuning.Run
	for _, r := range all {
		if r.ID == id {
			return r, nil
		}
		if strings.HasPrefix(r.ID, id) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return nil, &usageError{err: fmt.Errorf("there is no run %q", id), help: "vperf history list"}
	case 1:
		return found[0], nil
	}
	return nil, &usageError{err: fmt.Errorf("%d runs begin with %q, from %s to %s", len(found), id, found[len(found)-1].ID, found[0].ID), help: "vperf history list"}
}

// completeRuns offers ids of runs to the shell.
func completeRuns(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, err := listRuns()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var found []cobra.Completion
	for _, r := range all {
		found = append(found, cobra.CompletionWithDesc(r.ID, r.Server.Name+" "+r.Result))
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// applying is a server that is being changed, and the journals.
type applying struct {
	*changeServer

	runs    *tuning.Runs
	options tuning.Options
	io      *iostreams.IO
	yes     bool
}

func openJournals(f *Factory, s *changeServer, options tuning.Options, yes bool) (*applying, error) {
	runs, err := openRuns()
	if err != nil {
		s.close()
		return nil, err
	}
	return &applying{changeServer: s, runs: runs, options: options, io: f.IO, yes: yes}, nil
}

// settle completes the records of an interrupted run, so that the next run begins with the actual state.
func (a *applying) settle(ctx context.Context) error {
	outcomes, err := tuning.Recover(ctx, a.estate, a.runs, a.options)
	for _, o := range outcomes {
		fmt.Fprintf(a.io.Err, "run %s was interrupted; the result of its changes:\n", iostreams.Sanitize(o.Run))
		if err := report.Outcome(a.io.Err, o, onErr(a.io)); err != nil {
			return err
		}
		fmt.Fprintln(a.io.Err)
	}
	if err != nil {
		return fmt.Errorf("completing the journal of an interrupted run: %w", err)
	}
	return nil
}

// whoRuns returns the user who runs vperf, the machine, and the account at the server.
func whoRuns(account string) string {
	name := os.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	machine, err := os.Hostname()
	if err != nil {
		machine = "a machine without a host name"
	}
	return fmt.Sprintf("%s on %s as %s", name, machine, account)
}

// pending returns the values written to servers that may not be in force yet, according to the journals of this machine.
// Unreadable journals do not prevent an audit.
func pending(f *Factory, servers ...tuning.Server) []advice.Waiting {
	dir, err := runsDir()
	var all []advice.Waiting
	if err == nil {
		all, err = waiting.On(dir, servers)
	}
	if err != nil {
		fmt.Fprintf(f.IO.Err, "vperf: warning: cannot read which changes are pending: %s\n", iostreams.Sanitize(err.Error()))
	}
	return all
}
