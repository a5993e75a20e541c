package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/tuning"
)

// waiting is what was written to servers and may not be in force yet, as far as the journals of this machine know. Journals
// that cannot be read are no reason not to look at a fleet.
func waiting(f *Factory, servers ...tuning.Server) []advice.Waiting {
	all, err := pendingOn(servers)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "vperf: warning: what was changed and waits is not known: %s\n", iostreams.Sanitize(err.Error()))
	}
	return all
}

func pendingOn(servers []tuning.Server) ([]advice.Waiting, error) {
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
	var all []advice.Waiting
	for _, s := range servers {
		pending, failed := runs.Pending(s)
		for _, p := range pending {
			all = append(all, causesWaiting(runs, s, p)...)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

// causesWaiting says of one value that waits, for each finding that asked for it, that it does. What was taken back and waits
// was asked for by nobody.
func causesWaiting(runs *tuning.Runs, s tuning.Server, p tuning.Waiting) []advice.Waiting {
	if p.Undone {
		return nil
	}
	w := advice.Waiting{
		VCenter: s.Name, Kind: p.Target.Kind, ID: p.Target.ID, Path: p.Target.Path, Activation: p.Activation, Since: p.Since, Booted: p.Booted, Run: p.Run,
	}
	var all []advice.Waiting
	for _, c := range causesIn(runs, p) {
		w.Rule, w.Object = c.Rule, c.Object
		all = append(all, w)
	}
	return all
}

// causesIn are the causes that a run's plan names for a value.
func causesIn(runs *tuning.Runs, p tuning.Waiting) []tuning.Cause {
	run, err := runs.Get(p.Run)
	if err != nil || run.Plan == nil {
		return nil
	}
	var causes []tuning.Cause
	for _, step := range run.Plan.Steps {
		for _, c := range step.Changes {
			if step.Target.Key() == p.Target.Key() && c.Key() == p.Key() {
				causes = append(causes, c.Causes...)
			}
		}
	}
	return causes
}

// serversOf are the servers that a source reads, as journals know them. A saved snapshot is of none: what waits was not
// written to it.
func serversOf(ctx context.Context, from audit.Source) []tuning.Server {
	var all []tuning.Server
	switch s := from.(type) {
	case server:
		if found, err := change.Server(ctx, s.session); err == nil {
			all = append(all, found)
		}
	case *fleet:
		for _, m := range s.members {
			if m.session == nil {
				continue
			}
			if found, err := change.Server(ctx, m.session); err == nil {
				all = append(all, found)
			}
		}
	}
	return all
}
