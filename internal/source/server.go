package source

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/plural"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// Server reads one endpoint.
type Server struct {
	Session *session.Session
	Account string // that logged in

	io     *iostreams.IO
	watch  Watch
	replay Replay // nil: the server's clock runs by itself
	close  func()
}

// OpenServer logs in.
func OpenServer(ctx context.Context, streams *iostreams.IO, e session.Endpoint) (*Server, error) {
	p := streams.StartProgress("connecting to " + e.URL.Host)
	dialled, err := session.Dial(ctx, e)
	p.Done()
	if err != nil {
		return nil, err
	}
	return &Server{
		Session: dialled, Account: e.User, io: streams,
		close: func() { _ = dialled.Close(ctx) }, // a failed logout leaves a session that times out
	}, nil
}

// Read gets the facts from the server, with progress on a terminal.
func (s *Server) Read(ctx context.Context, t inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	p := s.io.StartProgress("reading")
	defer p.Done()
	return Facts(ctx, s.Session, t, needs, p.Update)
}

// Fill gets what takes a call to each host.
func (s *Server) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	p := s.io.StartProgress("asking " + plural.Count(len(hosts), "host"))
	defer p.Done()
	return read.Fill(ctx, s.Session, hosts, needs, p.Count)
}

// SetReplay has counters replayed instead of watched.
func (s *Server) SetReplay(r Replay) { s.replay = r }

// Watch sets how counters are watched.
func (s *Server) Watch(w Watch) { s.watch = w }

// Servers is the server alone, or nothing where it does not say which one it is.
func (s *Server) Servers(ctx context.Context) []tuning.Server {
	found, err := change.Server(ctx, s.Session)
	if err != nil {
		return nil
	}
	return []tuning.Server{found}
}

// Close logs out.
func (s *Server) Close() { s.close() }

// OnClose calls then after the session has ended.
func (s *Server) OnClose(then func()) {
	logout := s.close
	s.close = func() { logout(); then() }
}

// Measure watches the hosts that are in the snapshot, or have a VM in it.
func (s *Server) Measure(ctx context.Context, snapshot *inventory.Snapshot, long time.Duration, counters []string) error {
	watch := s.watch
	watch.Replay = s.replay
	for _, v := range snapshot.VCenters {
		if err := watch.measure(ctx, s.io, s.Session, v, long, live.For(counters)); err != nil {
			return err
		}
	}
	return nil
}
