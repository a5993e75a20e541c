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
)

// Reader is one reading of one endpoint.
type Reader struct {
	*session.Session
	View     types.ManagedObjectReference // over the whole inventory; zero until it is needed
	Sees     []string                     // the types it holds
	Progress func(string)
}

// Collect hands every object of the query to each. It begins again, once, when the session or a page was lost on the
// way: each must bear to see an object twice. When it fails, each has seen the objects that came before.
func (r *Reader) Collect(ctx context.Context, q *Query, each func(*Props)) error {
	for restarted := false; ; {
		err := r.runPages(ctx, q, each)
		var again *session.RestartError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
		case r.Forget(q, err):
			continue // bounded: every round has one path less
		case !restarted && errors.As(err, &again):
			restarted = true
			r.View = types.ManagedObjectReference{} // it went with its session
			continue
		}
		return fmt.Errorf("reading %s: %w", q.What, err)
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
	page, seen := *res.Returnval, 0
	for {
		if err := r.hand(ctx, renewals, q, page.Objects, each); err != nil {
			r.abandon(ctx, page.Token)
			return err
		}
		seen += len(page.Objects)
		r.Report(q, seen)
		if page.Token == "" {
			return nil
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

// hand gives the objects of a page on, unless they show that nobody is logged in any more.
func (r *Reader) hand(ctx context.Context, renewals int64, q *Query, objects []types.ObjectContent, each func(*Props)) error {
	for _, o := range objects {
		p := NewProps(o, q, &r.Unknown)
		if p.sessionOver() {
			if err := r.Renew(ctx, renewals); err != nil {
				return err
			}
			return &session.RestartError{Cause: &session.ExpiredError{Host: r.Host(), Doing: "reading properties from"}}
		}
		each(p)
	}
	return nil
}

// abandon tells the server that nobody will ask for the pages that are left. The session's end does so too.
func (r *Reader) abandon(ctx context.Context, token string) {
	if token == "" || ctx.Err() != nil {
		return
	}
	_, _ = methods.CancelRetrievePropertiesEx(ctx, r, &types.CancelRetrievePropertiesEx{
		This: r.Client().ServiceContent.PropertyCollector, Token: token,
	})
}

// Spec is the query as the server takes it, without the properties that it does not know.
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
		spec.ReportMissingObjectsInResults = new(true) // one host that was removed must not fail the others
		return spec, nil
	}
	if err := r.openView(ctx); err != nil {
		return spec, err
	}
	spec.ObjectSet = append([]types.ObjectSpec{fromView(r.View)}, q.Beside...)
	if q.Beside != nil {
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
		Type:      r.Sees,
		Recursive: true,
	})
	if err == nil {
		r.View = res.Returnval
	}
	return err
}

// CloseView frees the view. A session's end does so too, so failing is no loss; only for a session that goes on it is
// done after ctx has ended, too.
func (r *Reader) CloseView(ctx context.Context) {
	if r.View.Value == "" || ctx.Err() != nil && !r.Kept() {
		return
	}
	ctx, cancel := r.Goodbye(ctx)
	defer cancel()
	_, _ = methods.DestroyView(ctx, r, &types.DestroyView{This: r.View})
}

func fromView(view types.ManagedObjectReference) types.ObjectSpec {
	return types.ObjectSpec{Obj: view, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
		&types.TraversalSpec{Type: view.Type, Path: "view"},
	}}
}

// Forget drops the properties that the server does not know from all queries to come. It reports whether err was
// about such a property, so that asking again makes sense.
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

// concerns reports whether a server that complains about name means path: it may name the path, what it lies in, or
// its last part alone.
func concerns(name, path string) bool {
	return name == path || strings.HasPrefix(path, name+".") || strings.HasSuffix(path, "."+name)
}

// NewReader reads for a caller that wants no progress.
func NewReader(s *session.Session) *Reader {
	return &Reader{Session: s, Progress: func(string) {}, Sees: slices.Clone(ViewTypes)}
}
