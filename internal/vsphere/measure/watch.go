package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	soapwire "github.com/vperf/vperf/internal/vsphere/wire"
)

// rosterWhole is how long a roster relies on the server's updates. Then everything is read again, in case the server has missed a
// change.
const rosterWhole = time.Hour

// watching is the state of a roster that follows the server's updates.
type watching struct {
	turn chan struct{} // held while calling the server
	now  func() time.Time
	from *watch // nil: no watch, so everything has to be read
}

func newWatching() *watching { return &watching{turn: make(chan struct{}, 1), now: time.Now} }

// take acquires the turn.
func (w *watching) take(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the roster of hosts and VMs: %w", context.Cause(ctx))
	}
}

// refresh applies the changes and passes the current data to take. If the server has lost its side of the watch, everything is
// read again, once.
func (w *watching) refresh(ctx context.Context, s *session.Session, take func(*rosterReading)) error {
	if err := w.take(ctx); err != nil {
		return err
	}
	defer func() { <-w.turn }()
	old := w.from
	if old != nil && w.now().Sub(old.began) < rosterWhole {
		err := old.follow(ctx)
		if err == nil {
			take(old.seen)
			return nil
		}
		var again *session.RestartError
		if old.broken(err); !errors.As(err, &again) || ctx.Err() != nil {
			return fmt.Errorf("reading the roster of hosts and VMs: %w", err)
		}
	}
	next, err := startWatch(ctx, s, w.now())
	if err != nil {
		return err
	}
	w.from = next
	take(next.seen)
	_ = old.destroy(ctx)
	return nil
}

func (w *watching) close(ctx context.Context, s *session.Session) error {
	ctx, cancel := s.CleanupContext(ctx)
	defer cancel()
	if err := w.take(ctx); err != nil {
		return err // the watch ends with the session
	}
	defer func() { <-w.turn }()
	err := w.from.destroy(ctx)
	w.from = nil
	return err
}

// watch is the server's side of a roster: a property collector of its own, with one filter over a view. Its answers contain no
// other filters, and one call destroys it.
type watch struct {
	*property.Reader
	query     *property.Query
	collector ref
	session   int64 // the session that it belongs to
	began     time.Time
	version   string // the version from which changes are returned; it may be used again until a later one was received completely
	seen      *rosterReading
}

// startWatch reads everything and starts to watch it. The first answers contain the whole content; read in another way, it would
// have to be read twice.
func startWatch(ctx context.Context, s *session.Session, now time.Time) (*watch, error) {
	for restarted := false; ; {
		w := &watch{Reader: property.NewReader(s), began: now}
		q := rosterQuery()
		w.query, w.seen = q, newRosterReading(s.Client().ServiceContent.RootFolder)
		err := w.begin(ctx)
		if err == nil {
			return w, nil
		}
		_ = w.destroy(ctx)
		var again *session.RestartError
		switch {
		case ctx.Err() != nil:
		case w.Forget(q, err):
			continue // bounded: every iteration has one path less
		case !restarted && (errors.As(err, &again) || session.Transient(err)):
			restarted = true
			continue
		}
		return nil, fmt.Errorf("reading the roster of hosts and VMs: %w", err)
	}
}

func (w *watch) begin(ctx context.Context) error {
	spec, err := w.Spec(ctx, w.query)
	w.session = w.Renewals()
	if err != nil {
		return err
	}
	made, err := methods.CreatePropertyCollector(ctx, w, &types.CreatePropertyCollector{This: w.Client().ServiceContent.PropertyCollector})
	if err != nil {
		return err
	}
	w.collector, w.session = made.Returnval, w.Renewals()
	if _, err := methods.CreateFilter(ctx, w, &types.CreateFilter{This: w.collector, Spec: spec}); err != nil {
		return err
	}
	// Later updates are small and buffered until they are complete. This one is large, and nothing uses the data yet.
	version, err := w.changes(ctx, "", w.apply)
	if err != nil {
		return err
	}
	w.version = version
	return w.address(ctx)
}

// follow requests the changes since the last call.
func (w *watch) follow(ctx context.Context) error {
	var news []types.ObjectUpdate
	version, err := w.changes(ctx, w.version, func(u *types.ObjectUpdate) error {
		news = append(news, *u)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range news {
		if err := w.apply(&news[i]); err != nil {
			return err
		}
	}
	w.version = version           // only now: an incomplete update is requested again
	if len(w.seen.objects) == 0 { // folders are always there
		return &session.RestartError{Cause: errAllLeftOut}
	}
	return w.address(ctx)
}

var errAllLeftOut = errors.New("the server no longer shows any object")

// changes calls each for the changes after a version, and returns the next version. It is one call, unless the answer is split.
func (w *watch) changes(ctx context.Context, version string, each func(*types.ObjectUpdate) error) (string, error) {
	set, err := w.ask(ctx, version)
	if version != "" && session.Transient(err) && session.Pause(ctx, w.RetryPause()) == nil {
		set, err = w.ask(ctx, version) // a complete version may be used again
	}
	for pieces := 0; ; pieces++ {
		switch {
		case err != nil && pieces > 0:
			return "", &pieceError{err}
		case err != nil:
			return "", err
		case set == nil:
			return version, nil
		}
		if err := eachOf(set, each); err != nil {
			return "", err
		}
		version = set.Version
		if set.Truncated == nil || !*set.Truncated {
			return version, nil
		}
		set, err = w.ask(ctx, version)
	}
}

// ask does not wait: the server returns the pending changes.
func (w *watch) ask(ctx context.Context, version string) (*types.UpdateSet, error) {
	res, err := methods.WaitForUpdatesEx(ctx, w, &types.WaitForUpdatesEx{
		This: w.collector, Version: version, Options: &types.WaitOptions{MaxWaitSeconds: new(int32), MaxObjectUpdates: w.PageLimit(w.query.Page)},
	})
	if err != nil {
		return nil, err
	}
	return res.Returnval, nil
}

func eachOf(set *types.UpdateSet, each func(*types.ObjectUpdate) error) error {
	for _, f := range set.FilterSet {
		if len(f.MissingSet) > 0 {
			return &session.RestartError{Cause: errViewGone}
		}
		for i := range f.ObjectSet {
			if err := each(&f.ObjectSet[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

var errViewGone = errors.New("the server no longer has the view of the inventory")

// pieceError is an answer with a missing piece. Pieces can be requested only once.
type pieceError struct{ cause error }

func (e *pieceError) Error() string { return e.cause.Error() }
func (e *pieceError) Unwrap() error { return e.cause }

// broken discards a watch that cannot be continued. After a timeout or a broken connection it can: nothing is lost, since the
// previous version is used again.
func (w *watch) broken(err error) {
	var (
		again *session.RestartError
		piece *pieceError
	)
	if errors.As(err, &again) || errors.As(err, &piece) {
		w.began = time.Time{}
	}
}

// apply applies a change. Changes may be repeated and may concern unknown objects.
func (w *watch) apply(u *types.ObjectUpdate) error {
	if slices.ContainsFunc(u.MissingSet, func(m types.MissingProperty) bool { return session.NotAuthenticated(m.Fault.Fault) }) {
		return &session.RestartError{Cause: &session.ExpiredError{Host: w.Host(), Operation: session.Describe("WaitForUpdatesEx")}}
	}
	if err := damagedUpdate(u); err != nil {
		return &session.RestartError{Cause: err}
	}
	switch {
	case u.Kind == types.ObjectUpdateKindLeave:
		w.seen.leave(u.Obj)
	case u.Obj.Type == property.TypeVM:
		w.seen.vm(u)
	default:
		w.seen.object(u, w.query, &w.Unknown)
	}
	return nil
}

// damagedUpdate returns an error if nobody knows which object or which property has changed.
func damagedUpdate(u *types.ObjectUpdate) error {
	for _, c := range u.ChangeSet {
		if d, is := c.Val.(*soapwire.DamageError); is && d.Name {
			return d
		}
	}
	return property.CheckID(u.Obj)
}

// vm applies the change of a VM. A missing property has no value.
func (n *rosterReading) vm(u *types.ObjectUpdate) {
	vm := n.vms[u.Obj]
	switch {
	case u.Kind == types.ObjectUpdateKindEnter:
		if vm != nil {
			n.touched[vm.Host] = true
		}
		vm = newSeenVM(u.Obj)
		n.vms[u.Obj] = vm
	case vm == nil:
		return // a late change of a removed VM
	}
	n.touched[vm.Host] = true
	for _, c := range u.ChangeSet {
		if !unset(c) {
			vm.set(c.Name, c.Val)
			continue
		}
		vm.remove(c.Name)
	}
	for _, m := range u.MissingSet {
		vm.remove(m.Path)
	}
	n.touched[vm.Host] = true // it may have moved to this host
}

// remove removes a property and the properties within it.
func (v *seenVM) remove(name string) {
	for path := range vmPaths {
		if property.Within(path, name) {
			v.set(path, nil)
		}
	}
}

// object applies the change of an object that is not a VM.
func (n *rosterReading) object(u *types.ObjectUpdate, q *property.Query, unknown *session.UnknownPaths) {
	p := n.objects[u.Obj]
	switch {
	case u.Kind == types.ObjectUpdateKindEnter:
		old := p
		p = property.NewProps(types.ObjectContent{Obj: u.Obj}, q, unknown)
		if old != nil {
			p.CopyFrom(old, tree.PathVMK)
		}
		n.take(p)
	case p == nil:
		return // a late change of a removed object
	}
	n.changed(u.Obj)
	for _, c := range u.ChangeSet {
		p.Remove(c.Name)
		if d, is := c.Val.(*soapwire.DamageError); is {
			p.Damaged(c.Name, d)
		} else if !unset(c) {
			p.Values[c.Name] = c.Val
		}
	}
	for _, m := range u.MissingSet {
		p.Remove(m.Path)
		p.AddMissing(map[string]types.BaseMethodFault{m.Path: m.Fault.Fault})
	}
}

// unset reports a change that leaves no value.
func unset(c types.PropertyChange) bool {
	return c.Val == nil || c.Op == types.PropertyChangeOpRemove || c.Op == types.PropertyChangeOpIndirectRemove
}

// address reads the addresses of new hosts, by which users may name them. They are nested lists and therefore not watched: an
// address added later is unknown until everything is read again. If the server refuses, they are unread until the next call.
func (w *watch) address(ctx context.Context) error {
	var from []types.ObjectSpec
	for _, of := range w.seen.order {
		if of.Type != property.TypeHost {
			continue
		}
		if _, asked := w.seen.objects[of].Values[tree.PathVMK]; !asked {
			from = append(from, types.ObjectSpec{Obj: of})
		}
	}
	found, err := property.Objects(ctx, w.Session, w.query.What, from, types.PropertySpec{Type: property.TypeHost, PathSet: []string{tree.PathVMK}})
	refused := session.FaultOf(err)
	if err != nil && (refused == nil || session.Expired(err)) {
		return err
	}
	for _, o := range from {
		host := w.seen.objects[o.Obj]
		if host.Remove(tree.PathVMK); refused == nil {
			host.Values[tree.PathVMK] = nil
		} else {
			host.AddMissing(map[string]types.BaseMethodFault{tree.PathVMK: refused})
		}
	}
	for _, p := range found {
		if host := w.seen.objects[p.Ref]; host != nil {
			host.Values[tree.PathVMK] = p.Values[tree.PathVMK]
			host.AddMissing(p.Missing)
		}
	}
	return nil
}

// destroy removes the collector from the server. It also ends with its session.
func (w *watch) destroy(ctx context.Context) error {
	if w == nil || w.Renewals() != w.session {
		return nil
	}
	if w.collector.Value != "" {
		_, err := methods.DestroyPropertyCollector(ctx, w, &types.DestroyPropertyCollector{This: w.collector})
		var gone *session.RestartError
		switch {
		case session.Expired(err):
			return nil // the session has ended, and with it the collector
		case err != nil && !errors.As(err, &gone):
			return err
		}
	}
	w.CloseView(ctx)
	return nil
}
