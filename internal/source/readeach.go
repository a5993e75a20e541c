package source

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// patience is the time after which the next server is read although one is not finished: a slow server costs others little time,
// and the usual one is released before the next takes memory.
const patience = 15 * time.Second

// ReadEach implements audit.Several. Servers that failed are visited last.
func (f *Fleet) ReadEach(ctx context.Context, t inventory.Targets, needs inventory.Needs,
	visit func(at int, s *inventory.Snapshot, from audit.Filler) error,
) (*inventory.Snapshot, error) {
	if len(t.Hosts)+len(t.Clusters) > 0 {
		if err := f.narrowTargets(ctx, t); err != nil {
			return nil, err
		}
	}
	r := &eachReader{Fleet: f, needs: needs, visit: visit, places: map[*member]int{}}
	for i, m := range f.members {
		r.places[m] = i
	}
	p := f.io.StartProgress("reading")
	f.inTurn(patience, func(m *member) { r.read(ctx, m, func(text string) { p.Update(m.endpoint.Name + ": " + text) }) })
	p.Done()
	if err := f.reportFailures(ctx); err != nil {
		return nil, err
	}
	if err := r.failed(); err != nil {
		return nil, err
	}
	return f.summary(), nil
}

// inTurn does something with every member that can still be read, one after the other. After patience it goes on with the next,
// but does not work on more than a few at a time.
func (f *Fleet) inTurn(patience time.Duration, do func(*member)) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, m := range f.members {
		if m.failed != nil || m.idle {
			continue
		}
		free <- struct{}{}
		done := make(chan struct{})
		all.Go(func() {
			do(m)
			close(done)
			<-free
		})
		select {
		case <-done:
		case <-time.After(patience):
		}
	}
	all.Wait()
}

// eachReader reads the servers of a fleet for ReadEach.
type eachReader struct {
	*Fleet

	needs  inventory.Needs
	visit  func(at int, s *inventory.Snapshot, from audit.Filler) error
	places map[*member]int

	mu  sync.Mutex
	err error // of the first visit that failed
}

// read reads and visits one server, and keeps what the summary shows of it.
func (r *eachReader) read(ctx context.Context, m *member, notify func(string)) {
	v, err := read.Inventory(ctx, m.session, tree.Scope{Hosts: m.hosts}, r.needs, notify)
	if err != nil {
		m.failed = err
		return
	}
	notify("evaluating")
	r.give(m, v, &memberFiller{m})
	m.session.Client().CloseIdleConnections() // their buffers take a megabyte
	m.found = &inventory.VCenter{Entity: inventory.Entity{ID: v.ID, Name: v.Name, Path: v.Path}, Kind: v.Kind, Version: v.Version, TakenAt: v.TakenAt, Whole: v.Whole}
}

// give calls visit with a server.
func (r *eachReader) give(m *member, v *inventory.VCenter, from audit.Filler) {
	s, err := snapshotOf(v.Name, []*inventory.VCenter{v}, inventory.Targets{})
	if err == nil {
		err = r.visit(r.places[m], s, from)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// failed visits the servers that failed, whose facts are unread. It returns the first error of all visits.
func (r *eachReader) failed() error {
	when := r.summary().TakenAt()
	for _, m := range r.members {
		if m.failed != nil && !m.idle {
			r.give(m, unread(m, when), nil)
		}
	}
	return r.err
}

// summary returns the servers without their objects.
func (f *Fleet) summary() *inventory.Snapshot {
	all := f.found()
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.Name
	}
	return &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: strings.Join(names, ", "), VCenters: all}
}

// memberFiller reads facts of single hosts of one server.
type memberFiller struct{ *member }

// Fill implements audit.Filler.
func (m *memberFiller) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	return read.Fill(ctx, m.session, hosts, needs, nil)
}
