package source

import (
	"context"
	"fmt"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/eventlog"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// ChangeLog is the events of one server about changes.
type ChangeLog struct {
	Server  string // the name of the endpoint
	Entries []eventlog.Entry
	Whole   bool // false: there were more events than are read
}

// Subjects of events about changes.
const (
	Configured = eventlog.Configured
	Placed     = eventlog.Placed
	Operated   = eventlog.Operated
	Existence  = eventlog.Existence
)

// ChangeLogs reads the events about changes of each server. A server that refuses is named in a warning, because events only explain
// what was found anyway.
func (s *Server) ChangeLogs(ctx context.Context, from, to time.Time) []ChangeLog {
	return changeLogs(ctx, s.io, s.Session, from, to)
}

// ChangeLogs reads the events of each server that was read.
func (f *Fleet) ChangeLogs(ctx context.Context, from, to time.Time) (all []ChangeLog) {
	for _, m := range f.members {
		if m.session != nil && m.failed == nil {
			all = append(all, changeLogs(ctx, f.io, m.session, from, to)...)
		}
	}
	return all
}

func changeLogs(ctx context.Context, streams *iostreams.IO, s *session.Session, from, to time.Time) []ChangeLog {
	p := streams.StartProgress("reading events")
	entries, whole, err := eventlog.Changes(ctx, s, from, to)
	p.Done()
	if err != nil {
		fmt.Fprintf(streams.Err, "vperf: warning: no user is named for changes: %s\n", iostreams.Printable(err))
		return nil
	}
	return []ChangeLog{{Server: s.Name(ctx), Entries: entries, Whole: whole}}
}
