package source

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/esxtop"
)

// Clock is the clock by which the server's samples are waited for: of a replay, waiting moves it.
func (s *Server) Clock() Clock {
	if s.replay == nil {
		return Clock{Now: time.Now, After: time.After}
	}
	return Clock{Now: s.replay.Now, After: func(d time.Duration) <-chan time.Time { return forward(s.replay, d) }}
}

// forward moves a replay's clock. When all is replayed, its clock runs by itself, and waiting takes time.
func forward(r Replay, d time.Duration) <-chan time.Time {
	if err := r.Forward(context.Background(), d); err != nil {
		return time.After(d)
	}
	passed := make(chan time.Time, 1)
	passed <- r.Now()
	return passed
}

// EverySample opens the samples of hosts, by id: those of the last hour that hosts have kept, and then each new one, once. It goes on
// after the session or the server was lost; samples that hosts no longer have are missing then.
func (s *Server) EverySample(ctx context.Context, hosts []string, objects esxtop.Objects) (*EverySample, error) {
	e := &EverySample{server: s, ids: hosts, objects: objects, clock: s.Clock(), progress: new(Progress)}
	if err := e.open(ctx); err != nil {
		return nil, fmt.Errorf("reading samples: %w", err)
	}
	return e, nil
}

// EverySampleOfEsxtop is as EverySample, from the Esxtop service of one host, which has counters that the PerformanceManager does not
// have, and keeps none of the past.
func (s *Server) EverySampleOfEsxtop(ctx context.Context, host string, objects esxtop.Objects) (*EverySample, error) {
	e := &EverySample{server: s, ids: []string{host}, objects: objects, clock: s.Clock(), service: true}
	if err := e.open(ctx); err != nil {
		return nil, fmt.Errorf("reading the Esxtop service: %w", err)
	}
	return e, nil
}

// EverySample is a source of each sample of some hosts.
type EverySample struct {
	server   *Server
	ids      []string
	objects  esxtop.Objects
	clock    Clock
	progress *Progress
	service  bool          // the Esxtop service instead of the PerformanceManager
	samples  esxtop.Source // nil: the server was lost
}

func (e *EverySample) open(ctx context.Context) error {
	roster, err := ReadRoster(ctx, e.server.Session)
	if err != nil {
		return err
	}
	if e.service {
		return e.openService(ctx, roster)
	}
	now, err := e.server.Session.NowOr(ctx, time.Now())
	if err != nil {
		return err
	}
	hosts := func() []Host {
		all := roster.Hosts()
		return slices.DeleteFunc(slices.Clone(all), func(h Host) bool { return !slices.Contains(e.ids, h.MoID) })
	}
	samples, err := roster.Sample(ctx, Sampling{
		Objects: e.objects, Hosts: hosts, History: Kept, Progress: e.progress, Now: now, RosterAge: rosterAge, Clock: e.clock,
	})
	if err == nil { // a nil *Samples is no nil Source
		e.samples = samples
	}
	return err
}

func (e *EverySample) openService(ctx context.Context, roster *Roster) error {
	hosts := slices.DeleteFunc(slices.Clone(roster.Hosts()), func(h Host) bool { return !slices.Contains(e.ids, h.MoID) })
	opened, err := roster.Esxtop(ctx, hosts, measure.EsxtopOptions{
		Request: esxtop.Request{Interval: Interval, Objects: e.objects}, Replay: e.server.replay,
	})
	if err == nil {
		e.samples = opened
	}
	return err
}

// rosterAge is the age at which hosts and VMs are listed again, which takes three calls. Until then, a VM that is new has no samples.
// A caller that reads events calls RosterChanged.
const rosterAge = 15 * time.Minute

// RosterChanged makes the next round list the hosts and VMs again, because VMs have moved.
func (e *EverySample) RosterChanged() {
	if samples, ok := e.samples.(*Samples); ok { // the Esxtop service shows the VMs that are on its host
		samples.RosterChanged()
	}
}

// LostFor is how long a server may be away before a trial gives up: longer than a vCenter takes to restart.
const LostFor = 15 * time.Minute

// Next implements the samples of a trial.
func (e *EverySample) Next(ctx context.Context) (*esxtop.Round, error) {
	since := e.clock.Now()
	for {
		r, err := e.next(ctx)
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case e.clock.Now().Sub(since) > LostFor:
			return nil, fmt.Errorf("reading samples: %w", err)
		}
		e.Close(ctx)
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-e.clock.After(Interval):
		}
	}
}

func (e *EverySample) next(ctx context.Context) (*esxtop.Round, error) {
	if e.samples == nil {
		if err := e.open(ctx); err != nil {
			return nil, err
		}
	}
	return e.samples.Next(ctx)
}

// Close ends the source.
func (e *EverySample) Close(ctx context.Context) {
	if e.samples != nil {
		_ = CloseSource(ctx, e.samples)
		e.samples = nil
	}
}
