package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vperf/vperf/internal/iostreams"
	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/internal/vsphere/change"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// atOnce bounds how many servers are asked at the same time.
const atOnce = 4

// Endpoint is a server of a fleet, or why it cannot be connected to.
type Endpoint struct {
	session.Endpoint

	Failed error
}

// Fleet reads several servers. It omits those that fail, names them, and goes on with the others.
type Fleet struct {
	io      *iostreams.IO
	members []*member
	watch   Watch
	narrow  string // how the user chooses one of the servers
	close   func()
}

// OpenFleet logs in to servers, a few at a time. narrow ends the error about a name that several servers have: it describes how
// to choose one.
func OpenFleet(ctx context.Context, streams *iostreams.IO, all []Endpoint, narrow string) (*Fleet, error) {
	f := &Fleet{io: streams, narrow: narrow}
	f.close = func() { f.logout(ctx) }
	for _, e := range all {
		f.members = append(f.members, &member{endpoint: e.Endpoint, failed: e.Failed})
	}
	p := streams.StartProgress(fmt.Sprintf("connecting to %d servers", len(all)))
	f.each(func(m *member) { m.session, m.failed = session.Dial(ctx, m.endpoint) })
	p.Done()
	if err := f.reportFailures(ctx); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// each does something with every member that can still be read, a few at a time.
func (f *Fleet) each(do func(*member)) {
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

// Watch sets how counters are watched.
func (f *Fleet) Watch(w Watch) { f.watch = w }

// Servers are those that say which ones they are.
func (f *Fleet) Servers(ctx context.Context) (all []tuning.Server) {
	for _, m := range f.members {
		if m.session == nil {
			continue
		}
		if found, err := change.Server(ctx, m.session); err == nil {
			all = append(all, found)
		}
	}
	return all
}

// Close logs out everywhere.
func (f *Fleet) Close() { f.close() }

func (f *Fleet) logout(ctx context.Context) {
	var all sync.WaitGroup
	for _, m := range f.members {
		if m.session != nil {
			all.Go(func() { _ = m.session.Close(ctx) }) // a failed logout leaves a session that times out
		}
	}
	all.Wait()
}

// reportFailures prints to stderr the servers that failed since its last call. If all have failed, it returns the first error.
func (f *Fleet) reportFailures(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	first := f.firstFailed()
	left := slices.ContainsFunc(f.members, func(m *member) bool { return m.failed == nil && !m.idle })
	for _, m := range f.members {
		if m.failed != nil && !m.reported && (left || m != first) {
			f.warn("context %s was not read: %s", m.endpoint.Name, iostreams.Printable(m.failed))
			m.reported = true
		}
	}
	if left {
		return nil
	}
	return fmt.Errorf("context %s: %w", first.endpoint.Name, first.failed)
}

func (f *Fleet) firstFailed() *member {
	i := slices.IndexFunc(f.members, func(m *member) bool { return m.failed != nil })
	if i < 0 {
		return nil
	}
	return f.members[i]
}

func (f *Fleet) warn(format string, args ...any) {
	fmt.Fprintf(f.io.Err, "vperf: warning: "+format+"\n", args...)
}

// Read gets the facts from all servers at once. Facts that it could not read are unread in the snapshot.
func (f *Fleet) Read(ctx context.Context, t inventory.Targets, needs inventory.Needs) (*inventory.Snapshot, error) {
	if len(t.Hosts)+len(t.Clusters) > 0 {
		if err := f.narrowTargets(ctx, t); err != nil {
			return nil, err
		}
	}
	if err := f.read(ctx, "reading", needs); err != nil {
		return nil, err
	}
	all := f.found()
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = v.Name
	}
	return snapshotOf(strings.Join(names, ", "), all, t)
}

// Fill asks each server for its own hosts.
func (f *Fleet) Fill(ctx context.Context, _ *inventory.Snapshot, hosts []*inventory.Host, needs inventory.Needs) error {
	f.each(func(m *member) {
		if own := m.ownHosts(hosts); len(own) > 0 {
			_ = read.Fill(ctx, m.session, own, needs, nil) // it fails with the context only, which is looked at below
		}
	})
	return ctx.Err()
}

// ownHosts are the hosts that the server gave. A snapshot that was narrowed has the same hosts in other endpoints.
func (m *member) ownHosts(hosts []*inventory.Host) (own []*inventory.Host) {
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

func (f *Fleet) read(ctx context.Context, doing string, needs inventory.Needs) error {
	p := f.io.StartProgress(doing)
	f.each(func(m *member) {
		m.found, m.failed = read.Inventory(ctx, m.session, tree.Scope{Hosts: m.hosts}, needs, func(text string) {
			p.Update(m.endpoint.Name + ": " + text)
		})
	})
	p.Done()
	return f.reportFailures(ctx)
}

// found returns the result of each server. Servers that failed are unread there; they have no clock of their own.
func (f *Fleet) found() (all []*inventory.VCenter) {
	asked := slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool { return m.idle })
	var read inventory.Snapshot
	for _, m := range asked {
		if m.failed == nil {
			read.VCenters = append(read.VCenters, m.found)
		}
	}
	for _, m := range asked {
		if m.failed != nil {
			all = append(all, unread(m, read.TakenAt()))
		} else {
			all = append(all, m.found)
		}
	}
	return all
}

func unread(m *member, when time.Time) *inventory.VCenter {
	reason := strings.ReplaceAll(m.failed.Error(), "\n", " ")
	return &inventory.VCenter{
		Entity: inventory.Entity{Name: m.endpoint.Name, Path: "/", Unread: reason},
		Kind:   inventory.EndpointVCenter, TakenAt: when,
		Clusters: []*inventory.Cluster{}, Pools: []*inventory.Pool{}, Hosts: []*inventory.Host{}, VMs: []*inventory.VM{},
	}
}

// narrowTargets finds the hosts that targets name among the hosts of all servers, as Snapshot.Narrow does with a saved snapshot:
// an audit of either means the same hosts.
func (f *Fleet) narrowTargets(ctx context.Context, t inventory.Targets) error {
	var names inventory.Needs
	names.AddFact("Host.dnsName", "Host.addresses")
	for _, m := range f.members {
		m.idle, m.hosts = false, nil // it may be asked again, for other targets
	}
	if err := f.read(ctx, "listing hosts", names); err != nil {
		return err
	}
	listed := listing{narrow: f.narrow, at: map[*inventory.Host]*member{}}
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

// take adds hosts to the scope of their servers. A target that was not found may be at a server that failed.
func (f *Fleet) take(hosts []*inventory.Host, err error, l *listing, missing []string, target string) ([]string, error) {
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
	narrow   string
}

func (l *listing) add(m *member) {
	(&inventory.Snapshot{VCenters: []*inventory.VCenter{m.found}}).Link()
	l.clusters = append(l.clusters, m.found.Clusters...)
	for _, h := range m.found.Hosts {
		l.hosts, l.at[h] = append(l.hosts, h), m
	}
}

func (l *listing) host(target string) ([]*inventory.Host, error) {
	found, err := inventory.MatchHosts(l.hosts, []string{target})
	if err != nil {
		return nil, l.addContexts(err, target)
	}
	return found, nil
}

func (l *listing) cluster(target string) ([]*inventory.Host, error) {
	found, err := inventory.MatchClusters(l.clusters, []string{target})
	if err != nil {
		return nil, err
	}
	var hosts []*inventory.Host
	for _, c := range found {
		of, _ := c.Hosts.Value() // the whole inventory was listed
		hosts = append(hosts, of...)
	}
	return hosts, nil
}

// missing hosts may be at a server that failed: they are no mistake of the user's, as far as anybody knows.
func (f *Fleet) missing(targets []string, all bool) error {
	if len(targets) == 0 {
		return nil
	}
	text := strings.Join(targets, ", ")
	if first := f.firstFailed(); all {
		return fmt.Errorf("context %s: %w; the other contexts do not have %s", first.endpoint.Name, first.failed, text)
	}
	f.warn("none of the contexts read has %s", iostreams.Sanitize(text))
	return nil
}

// addContexts names the context of each host that a target could mean.
func (l *listing) addContexts(err error, target string) error {
	var named []*inventory.Host
	for _, h := range l.hosts {
		n := *h
		n.Path = l.at[h].endpoint.Name + ":" + h.Path
		named = append(named, &n)
	}
	_, better := inventory.MatchHosts(named, []string{target})
	if a, ok := errors.AsType[*inventory.AmbiguousError](better); ok {
		return fmt.Errorf("%w; or %s", a, l.narrow)
	}
	return err
}

// member is one of several servers, or why it could not be read.
type member struct {
	endpoint session.Endpoint
	session  *session.Session
	hosts    []string // ids of the hosts in scope; none: all
	idle     bool     // nothing in scope is there
	found    *inventory.VCenter
	failed   error
	reported bool
}

// Measure watches the hosts of all servers at once. A server whose counters cannot be had goes without.
func (f *Fleet) Measure(ctx context.Context, _ *inventory.Snapshot, long time.Duration, counters []string) error {
	f.each(func(m *member) {
		if err := f.watch.measure(ctx, f.io, m.session, m.found, long, live.For(counters)); err != nil && ctx.Err() == nil {
			f.warn("context %s has no counters: %s", m.endpoint.Name, iostreams.Printable(err))
		}
	})
	return ctx.Err()
}

// chooseHosts finds hosts among those of all servers. It skips servers that fail and names them.
func (f *Fleet) chooseHosts(ctx context.Context, t inventory.Targets) ([]chosenHosts, error) {
	if !t.Everything() {
		if err := f.narrowTargets(ctx, t); err != nil {
			return nil, err
		}
	}
	found := make([]chosenHosts, len(f.members))
	f.each(func(m *member) {
		found[slices.Index(f.members, m)], m.failed = chooseHosts(ctx, m.session, tree.Scope{Hosts: m.hosts})
	})
	if err := f.reportFailures(ctx); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c chosenHosts) bool { return len(c.hosts) == 0 }), nil
}
