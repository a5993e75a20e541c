package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/simfleet/process"
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
	return dir, userfile.OwnFolders(dir, "runs", "locks", "snapshots", "sim", simulatedDir, simulatedDir+"/runs", simulatedDir+"/locks")
}

// runsDir returns the folder of the journals. Those of servers that call themselves simulators have one of their own.
func runsDir(simulated bool) (string, error) {
	dir, err := stateDir()
	if err != nil {
		return "", fmt.Errorf("finding the journals: %w", err)
	}
	if simulated {
		dir = filepath.Join(dir, simulatedDir)
	}
	return filepath.Join(dir, "runs"), nil
}

// simulatedDir is the folder of the state of simulated servers, below that of all others.
const simulatedDir = "simulated"

// openRuns opens the journals of real or of simulated runs.
func openRuns(simulated bool) (*tuning.Runs, error) {
	dir, err := runsDir(simulated)
	if err != nil {
		return nil, err
	}
	runs, err := tuning.OpenRuns(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; XDG_STATE_HOME can name another folder for the journals", err)
	}
	return runs, nil
}

// listRuns is all runs, real and simulated, the newest first. Looking makes no folders.
func listRuns() (all []*tuning.Run, err error) {
	for _, simulated := range []bool{false, true} {
		dir, err := runsDir(simulated)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		runs, err := openRuns(simulated)
		if err != nil {
			return nil, err
		}
		list, err := runs.List()
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b *tuning.Run) int { return strings.Compare(b.ID, a.ID) })
	return all, nil
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
func findRun(id string) (*tuning.Run, error) {
	all, err := listRuns()
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

// completeRuns offers ids of runs to the shell. A command that reads a server gets the simulated ones only with --demo, or in the shell
// of vperf sim, and then no others.
func completeRuns(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, err := listRuns()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	if demo := c.Flags().Lookup("demo"); demo != nil {
		dir, err := stateDir()
		simulated := demo.Changed || err == nil && process.InShell(filepath.Join(dir, "sim"))
		all = slices.DeleteFunc(all, func(r *tuning.Run) bool { return r.Server.Sandbox != simulated })
	}
	var found []cobra.Completion
	for _, r := range all {
		found = append(found, cobra.CompletionWithDesc(r.ID, wording.Marked(r.Server.Name, r.Server.Sandbox)+" "+r.Result))
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// applying is a server that is being changed, and the journals.
type applying struct {
	*changeServer

	runs    *tuning.Runs
	options tuning.Options
	f       *Factory
	io      *iostreams.IO
	yes     bool

	unchecked int // damaged runs that verify skipped
}

func openJournals(f *Factory, s *changeServer, options tuning.Options, yes bool) (*applying, error) {
	runs, err := openRuns(s.server.Sandbox)
	if err != nil {
		s.close()
		return nil, err
	}
	return &applying{changeServer: s, runs: runs, options: options, f: f, io: f.IO, yes: yes}, nil
}

// settle completes the records of an interrupted run, so that the next run begins with the actual state.
func (a *applying) settle(ctx context.Context) error {
	outcomes, err := tuning.Recover(ctx, a.estate, a.runs, a.options)
	for _, o := range outcomes {
		fmt.Fprintf(a.io.Err, "run %s was interrupted; the result of its changes:\n", iostreams.Sanitize(o.Run))
		if err := onErr(a.f).Show(a.io.Err, report.Outcome(o, a.f.typed)); err != nil {
			return err
		}
		fmt.Fprintln(a.io.Err)
	}
	if err != nil {
		return fmt.Errorf("completing the journal of an interrupted run: %w", err)
	}
	return a.nameDamaged()
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
	var all []advice.Waiting
	for _, simulated := range []bool{false, true} {
		dir, err := runsDir(simulated)
		var some []advice.Waiting
		if err == nil {
			some, err = waiting.On(dir, servers)
		}
		if err != nil {
			fmt.Fprintf(f.IO.Err, "vperf: warning: cannot read which changes are pending: %s\n", iostreams.Sanitize(err.Error()))
		}
		all = append(all, some...)
	}
	return all
}
