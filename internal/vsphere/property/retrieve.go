package property

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/wire"
)

// Reader reads from one endpoint.
type Reader struct {
	*session.Session
	View      types.ManagedObjectReference // over the whole inventory; zero until needed
	ViewTypes []string                     // the types in it
	Progress  func(string)
}

// Collect calls each for every object of the query. It starts again, once, if the session or a page was lost: each must accept an
// object twice. If it fails, each has been called for the objects before the error.
func (r *Reader) Collect(ctx context.Context, q *Query, each func(*Props)) error {
	for restarted := false; ; {
		err := r.runPages(ctx, q, each)
		var again *session.RestartError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
		case r.Forget(q, err):
			continue // bounded: every iteration has one path less
		case !restarted && errors.As(err, &again):
			restarted = true
			r.View = types.ManagedObjectReference{} // the view ended with its session
			continue
		}
		err = fmt.Errorf("reading %s: %w", q.What, err)
		if _, unnamed := errors.AsType[*UnnamedError](err); unnamed || session.Undecodable(err) && ctx.Err() == nil {
			r.NoteLost(err.Error())
		}
		return err
	}
}

// runPages runs the query once.
func (r *Reader) runPages(ctx context.Context, q *Query, each func(*Props)) error {
	spec, err := r.Spec(ctx, q)
	if err != nil {
		return err
	}
	renewals := r.Renewals()
	res, err := methods.RetrievePropertiesEx(ctx, r, &types.RetrievePropertiesEx{
		This:    r.Client().ServiceContent.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{spec},
		Options: types.RetrieveOptions{MaxObjects: r.PageLimit(q.Page)},
	})
	if err != nil || res.Returnval == nil {
		return err
	}
	page, seen, times := *res.Returnval, 0, map[types.ManagedObjectReference]int{}
	var lost error
	for {
		err := r.deliver(ctx, renewals, q, times, page.Objects, each)
		if unnamed, ok := errors.AsType[*UnnamedError](err); ok {
			lost, err = unnamed, nil
		}
		if err != nil {
			r.abandon(ctx, page.Token)
			return err
		}
		seen += len(page.Objects)
		r.Report(q, seen)
		if page.Token == "" {
			return lost
		}
		if page, err = r.nextPage(ctx, page.Token); err != nil {
			return err
		}
	}
}

// Report calls the progress function with the number of objects of q that arrived so far, and of how many where q names them.
func (r *Reader) Report(q *Query, seen int) {
	of := ""
	if all := q.named(); all >= seen {
		of = fmt.Sprintf(" of %d", all)
	}
	r.Progress(fmt.Sprintf("%s: %d%s", q.What, seen, of))
}

// named is how many objects q names; 0 where they are found on the way.
func (q *Query) named() int {
	for _, s := range q.From {
		if len(s.SelectSet) > 0 {
			return 0
		}
	}
	return len(q.From)
}

func (r *Reader) nextPage(ctx context.Context, token string) (types.RetrieveResult, error) {
	res, err := methods.ContinueRetrievePropertiesEx(ctx, r, &types.ContinueRetrievePropertiesEx{
		This: r.Client().ServiceContent.PropertyCollector, Token: token,
	})
	if err != nil {
		return types.RetrieveResult{}, err
	}
	return res.Returnval, nil
}

// UnnamedError reports an answer about an object whose id is damaged.
type UnnamedError struct{ ID, How string }

func (e *UnnamedError) Error() string {
	return fmt.Sprintf("the answer is incomplete: the id of an object, %q, %s", session.Plain(e.ID), e.How)
}

// CheckID returns an error if the id of an object is damaged.
func CheckID(o types.ManagedObjectReference) error {
	switch {
	case o.Value == "":
		return &UnnamedError{o.Type, "has no value"}
	case strings.Contains(o.Value, "\uFFFD"):
		return &UnnamedError{o.Value, "has a damaged character"}
	}
	return nil
}

// deliver calls each for the objects of a page, unless they show that the session has ended. An object without an id of its own is
// skipped, and reported; times is how often the pages so far have each object. Of two objects with one id, nobody knows which one is
// another's.
func (r *Reader) deliver(ctx context.Context, renewals int64, q *Query, times map[types.ManagedObjectReference]int, objects []types.ObjectContent, each func(*Props)) error {
	var p *Props
	var lost error
	for i := range objects {
		times[objects[i].Obj]++
	}
	for _, o := range objects {
		err := CheckID(o.Obj)
		if err == nil && times[o.Obj] > 1 {
			err = &UnnamedError{o.Obj.Value, "is there twice, so that one of the two is another object's"}
		}
		if err != nil {
			lost = err
			continue
		}
		if p == nil || !q.Reuse {
			p = NewProps(o, q, &r.Unknown)
		} else {
			p.set(o)
		}
		for _, f := range p.Missing {
			if d, is := f.(*wire.DamageError); is {
				r.NoteDamage(session.FaultWords(d, ""))
			}
		}
		if p.sessionOver() {
			if err := r.Renew(ctx, renewals); err != nil {
				return err
			}
			return &session.RestartError{Cause: &session.ExpiredError{Host: r.Host(), Operation: "reading properties from"}}
		}
		each(p)
	}
	return lost
}

// abandon cancels the remaining pages. The session's end does so too.
func (r *Reader) abandon(ctx context.Context, token string) {
	if token == "" || ctx.Err() != nil {
		return
	}
	_, _ = methods.CancelRetrievePropertiesEx(ctx, r, &types.CancelRetrievePropertiesEx{
		This: r.Client().ServiceContent.PropertyCollector, Token: token,
	})
}

// Spec returns the query in the server's form, without properties that the server does not know.
func (r *Reader) Spec(ctx context.Context, q *Query) (types.PropertyFilterSpec, error) {
	spec := types.PropertyFilterSpec{ObjectSet: q.From}
	for _, s := range q.Paths {
		var known []string
		for _, path := range s.PathSet {
			if !r.Unknown.Has(s.Type, path) {
				known = append(known, path)
			}
		}
		spec.PropSet = append(spec.PropSet, types.PropertySpec{Type: s.Type, PathSet: known})
	}
	if q.From != nil {
		spec.ReportMissingObjectsInResults = new(true) // one removed host must not fail the others
		return spec, nil
	}
	if err := r.openView(ctx); err != nil {
		return spec, err
	}
	spec.ObjectSet = append([]types.ObjectSpec{fromView(r.View)}, q.Extra...)
	if q.Extra != nil {
		spec.ReportMissingObjectsInResults = new(true)
	}
	return spec, nil
}

func (r *Reader) openView(ctx context.Context) error {
	if r.View.Value != "" {
		return nil
	}
	res, err := methods.CreateContainerView(ctx, r, &types.CreateContainerView{
		This:      *r.Client().ServiceContent.ViewManager,
		Container: r.Client().ServiceContent.RootFolder,
		Type:      r.ViewTypes,
		Recursive: true,
	})
	if err == nil {
		r.View = res.Returnval
	}
	return err
}

// CloseView destroys the view. The session's end does so too, so errors are ignored; it works after ctx has ended, for sessions
// that stay open.
func (r *Reader) CloseView(ctx context.Context) {
	if r.View.Value == "" || ctx.Err() != nil && !r.Kept() {
		return
	}
	ctx, cancel := r.CleanupContext(ctx)
	defer cancel()
	_, _ = methods.DestroyView(ctx, r, &types.DestroyView{This: r.View})
}

func fromView(view types.ManagedObjectReference) types.ObjectSpec {
	return types.ObjectSpec{Obj: view, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
		&types.TraversalSpec{Type: view.Type, Path: "view"},
	}}
}

// Forget removes properties that the server does not know from all further queries. It reports whether err was about such a
// property, so that a retry makes sense.
func (r *Reader) Forget(q *Query, err error) bool {
	f, ok := session.FaultOf(err).(*types.InvalidProperty)
	if !ok || f.Name == "" {
		return false
	}
	dropped := false
	for _, s := range q.Paths {
		for _, path := range s.PathSet {
			if concerns(f.Name, path) && !r.Unknown.Has(s.Type, path) {
				r.Unknown.Add(s.Type, path)
				dropped = true
			}
		}
	}
	return dropped
}

// concerns reports whether an error about name refers to path: servers may name the path, a parent of it, or its last part alone.
func concerns(name, path string) bool {
	return name == path || strings.HasPrefix(path, name+".") || strings.HasSuffix(path, "."+name)
}

// NewReader returns a Reader without progress reports.
func NewReader(s *session.Session) *Reader {
	return &Reader{Session: s, Progress: func(string) {}, ViewTypes: slices.Clone(ViewTypes)}
}
