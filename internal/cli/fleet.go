package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/config"
	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// atOnce bounds how many servers are asked at the same time.
const atOnce = 4

// member is one of several servers, or why it could not be read.
type member struct {
	settings *config.Settings
	endpoint session.Endpoint
	session  *session.Session
	hosts    []string // ids of the hosts in scope; none: all
	idle     bool     // nothing in scope is there
	found    *inventory.VCenter
	failed   error
	told     bool
}

// fleet reads several servers. One that fails is left out and named; the others go on.
type fleet struct {
	io      *iostreams.IO
	members []*member
	watch   counterWatch
}

func openFleet(ctx context.Context, io *iostreams.IO, all []*member) (*opened, error) {
	f := &fleet{io: io, members: all}
	p := io.StartProgress(fmt.Sprintf("connecting to %d servers", len(all)))
	f.each(func(m *member) { m.session, m.failed = session.Dial(ctx, m.endpoint) })
	p.Done()
	if err := f.outlook(ctx); err != nil {
		f.close(ctx)
		return nil, err
	}
	return &opened{f, func() { f.close(ctx) }}, nil
}

// each does something with every member that can still be read, a few at a time.
func (f *fleet) each(do func(*member)) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, m := range f.members {
		if m.failed != nil || m.idle {
			continue
		}
		free <- struct{}{}
		all.Go(func() {
			do(m)
			<-free
		})
	}
	all.Wait()
}

func (f *fleet) close(ctx context.Context) {
	var all sync.WaitGroup
	for _, m := range f.members {
		if m.session != nil {
			all.Go(func() { _ = m.session.Close(ctx) }) // a failed logout leaves a session that times out
		}
	}
	all.Wait()
}

// outlook says on stderr who has failed since it was last asked. When nobody is left that is the first one's error.
func (f *fleet) outlook(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	first := f.firstFailed()
	left := slices.ContainsFunc(f.members, func(m *member) bool { return m.failed == nil && !m.idle })
	for _, m := range f.members {
		if m.failed != nil && !m.told && (left || m != first) {
			f.warn("context %s was not read: %s", m.endpoint.Name, printable(m.failed))
			m.told = true
		}
	}
	if left {
		return nil
	}
	return fmt.Errorf("context %s: %w", first.endpoint.Name, first.failed)
}

func (f *fleet) firstFailed() *member {
	i := slices.IndexFunc(f.members, func(m *member) bool { return m.failed != nil })
	if i < 0 {
		return nil
	}
	return f.members[i]
}

func (f *fleet) warn(format string, args ...any) {
	fmt.Fprintf(f.io.Err, "vperf: warning: "+format+"\n", args...)
}

// Read gets the facts from all servers at once. What could not be read stands in the snapshot as unread.
func (f *fleet) Read(ctx context.Context, t inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	if len(t.Hosts)+len(t.Clusters) > 0 {
		if err := f.aim(ctx, t); err != nil {
			return nil, err
		}
	}
	if err := f.read(ctx, "reading", needs); err != nil {
		return nil, err
	}
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema}
	for _, m := range f.members {
		if !m.idle && m.failed == nil {
			s.VCenters = append(s.VCenters, m.found)
		}
	}
	f.addUnread(s)
	var names []string
	for _, v := range s.VCenters {
		names = append(names, v.Name)
	}
	s.Source = strings.Join(names, ", ")
	s.Link()
	return s.Narrow(inventory.Targets{VMs: t.VMs})
}

// Fill asks each server for its own hosts.
func (f *fleet) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	f.each(func(m *member) {
		if own := m.own(hosts); len(own) > 0 {
			_ = read.Fill(ctx, m.session, own, needs) // it fails with the context only, which is looked at below
		}
	})
	return ctx.Err()
}

// own are the hosts that the server gave. A snapshot that was narrowed has the same hosts in other endpoints.
func (m *member) own(hosts []*inventory.Host) (own []*inventory.Host) {
	if m.found == nil {
		return nil
	}
	given := map[*inventory.Host]bool{}
	for _, h := range m.found.Hosts {
		given[h] = true
	}
	for _, h := range hosts {
		if given[h] {
			own = append(own, h)
		}
	}
	return own
}

func (f *fleet) read(ctx context.Context, doing string, needs inventory.Needs) error {
	p := f.io.StartProgress(doing)
	f.each(func(m *member) {
		m.found, m.failed = read.Inventory(ctx, m.session, tree.Scope{Hosts: m.hosts}, needs, func(text string) {
			p.Update(m.endpoint.Name + ": " + text)
		})
	})
	p.Done()
	return f.outlook(ctx)
}

// addUnread puts the servers that failed where their facts would have been. They have no clock of their own.
func (f *fleet) addUnread(s *inventory.Snapshot) {
	when := s.TakenAt()
	place := 0
	for _, m := range f.members {
		if m.idle {
			continue
		}
		if m.failed != nil {
			s.VCenters = slices.Insert(s.VCenters, place, unread(m, when))
		}
		place++
	}
}

func unread(m *member, when time.Time) *inventory.VCenter {
	reason := strings.ReplaceAll(m.failed.Error(), "\n", " ")
	return &inventory.VCenter{
		Entity: inventory.Entity{Name: m.endpoint.Name, Path: "/", Unread: reason},
		Kind:   inventory.EndpointVCenter, TakenAt: when,
		Clusters: []*inventory.Cluster{}, Pools: []*inventory.Pool{}, Hosts: []*inventory.Host{}, VMs: []*inventory.VM{},
	}
}

// aim finds the hosts that targets name among the hosts of all servers, as Snapshot.Narrow does with a saved snapshot:
// an audit of either means the same hosts.
func (f *fleet) aim(ctx context.Context, t inventory.Targets) error {
	var names inventory.Needs
	names.AddFact("Host.dnsName", "Host.addresses")
	for _, m := range f.members {
		m.idle, m.hosts = false, nil // it may be asked again, for other targets
	}
	if err := f.read(ctx, "listing hosts", names); err != nil {
		return err
	}
	var listed listing
	for _, m := range f.members {
		if m.failed == nil {
			m.idle = true
			listed.add(m)
		}
	}
	var missing []string
	for _, target := range t.Hosts {
		hosts, err := listed.host(target)
		if missing, err = f.take(hosts, err, &listed, missing, target); err != nil {
			return err
		}
	}
	for _, target := range t.Clusters {
		hosts, err := listed.cluster(target)
		if missing, err = f.take(hosts, err, &listed, missing, target); err != nil {
			return err
		}
	}
	return f.missing(missing, len(missing) == len(t.Hosts)+len(t.Clusters))
}

// take puts hosts into the scope of their servers. A target that nobody has may be at a server that failed.
func (f *fleet) take(hosts []*inventory.Host, err error, l *listing, missing []string, target string) ([]string, error) {
	if _, none := errors.AsType[*inventory.NoMatchError](err); none && f.firstFailed() != nil {
		return append(missing, target), nil
	}
	for _, h := range hosts {
		m := l.at[h]
		m.idle, m.hosts = false, append(m.hosts, h.ID)
	}
	return missing, err
}

// listing is the hosts and clusters of all servers that answered.
type listing struct {
	hosts    []*inventory.Host
	clusters []*inventory.Cluster
	at       map[*inventory.Host]*member
}

func (l *listing) add(m *member) {
	if l.at == nil {
		l.at = map[*inventory.Host]*member{}
	}
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{m.found}}).Link()
	l.clusters = append(l.clusters, m.found.Clusters...)
	for _, h := range m.found.Hosts {
		l.hosts, l.at[h] = append(l.hosts, h), m
	}
}

func (l *listing) host(target string) ([]*inventory.Host, error) {
	found, err := inventory.MatchHosts(l.hosts, []string{target})
	if err != nil {
		return nil, tellApart(err, l.hosts, l.at, target)
	}
	return found, nil
}

func (l *listing) cluster(target string) ([]*inventory.Host, error) {
	found, err := inventory.MatchClusters(l.clusters, []string{target})
	if err != nil {
		return nil, err
	}
	hosts, _ := found[0].Hosts.Value() // the whole inventory was listed
	return hosts, nil
}

// missing hosts may be at a server that failed: they are no mistake of the user's, as far as anybody knows.
func (f *fleet) missing(targets []string, all bool) error {
	if len(targets) == 0 {
		return nil
	}
	text := strings.Join(targets, ", ")
	if first := f.firstFailed(); all {
		return fmt.Errorf("context %s: %w; the other contexts do not have %s", first.endpoint.Name, first.failed, text)
	}
	f.warn("no context that was read has %s", iostreams.Sanitize(text))
	return nil
}

// tellApart names the context of each host that a target could mean.
func tellApart(err error, all []*inventory.Host, at map[*inventory.Host]*member, target string) error {
	var named []*inventory.Host
	for _, h := range all {
		n := *h
		n.Path = at[h].endpoint.Name + ":" + h.Path
		named = append(named, &n)
	}
	_, better := inventory.MatchHosts(named, []string{target})
	if a, ok := errors.AsType[*inventory.AmbiguousError](better); ok {
		return fmt.Errorf("%w; or choose one server with --context", a)
	}
	return err
}
