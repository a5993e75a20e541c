package vsphere

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/inventory"
)

// How many objects one answer holds. A host's options and their definitions alone are half a megabyte.
const (
	pageOfIndex = 500
	pageOfHosts = 25
	pageOfVMs   = 250
)

// query is one retrieval: which properties of which objects, in pages of which size.
type query struct {
	what  string // for progress and errors: "hosts"
	paths []types.PropertySpec
	// from are the objects to start at; nil means everything in the view.
	from []types.ObjectSpec
	// beside are objects outside the view that ride on a query of it.
	beside []types.ObjectSpec
	page   int32
	needs  inventory.Needs
	server inventory.Version
}

// queried is the type by which queries name objects of type of.
func queried(of string) string {
	switch of {
	case "VirtualApp":
		return "ResourcePool"
	case "VmwareDistributedVirtualSwitch":
		return typeSwitch
	}
	return of
}

// reader is one reading of one endpoint.
type reader struct {
	*Session
	view     types.ManagedObjectReference // over the whole inventory; zero until it is needed
	sees     []string                     // the types it holds
	progress func(string)
}

// collect hands every object of the query to each. It begins again, once, when the session or a page was lost on the
// way: each must bear to see an object twice. When it fails, each has seen the objects that came before.
func (r *reader) collect(ctx context.Context, q *query, each func(*props)) error {
	for restarted := false; ; {
		err := r.runPages(ctx, q, each)
		var again *restartError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
		case r.forget(q, err):
			continue // bounded: every round has one path less
		case !restarted && errors.As(err, &again):
			restarted = true
			r.view = types.ManagedObjectReference{} // it went with its session
			continue
		}
		return fmt.Errorf("reading %s: %w", q.what, err)
	}
}

// runPages runs the query once.
func (r *reader) runPages(ctx context.Context, q *query, each func(*props)) error {
	spec, err := r.spec(ctx, q)
	if err != nil {
		return err
	}
	renewals := r.Renewals()
	res, err := methods.RetrievePropertiesEx(ctx, r, &types.RetrievePropertiesEx{
		This:    r.Client().ServiceContent.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{spec},
		Options: types.RetrieveOptions{MaxObjects: r.PageLimit(q.page)},
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
		r.report(q, seen)
		if page.Token == "" {
			return nil
		}
		if page, err = r.nextPage(ctx, page.Token); err != nil {
			return err
		}
	}
}

func (r *reader) report(q *query, seen int) { r.progress(fmt.Sprintf("reading %s: %d", q.what, seen)) }

func (r *reader) nextPage(ctx context.Context, token string) (types.RetrieveResult, error) {
	res, err := methods.ContinueRetrievePropertiesEx(ctx, r, &types.ContinueRetrievePropertiesEx{
		This: r.Client().ServiceContent.PropertyCollector, Token: token,
	})
	if err != nil {
		return types.RetrieveResult{}, err
	}
	return res.Returnval, nil
}

// hand gives the objects of a page on, unless they show that nobody is logged in any more.
func (r *reader) hand(ctx context.Context, renewals int64, q *query, objects []types.ObjectContent, each func(*props)) error {
	for _, o := range objects {
		p := newProps(o, q, &r.unknown)
		if p.sessionOver() {
			if err := r.Renew(ctx, renewals); err != nil {
				return err
			}
			return &restartError{&sessionError{host: r.Host(), doing: "reading properties from"}}
		}
		each(p)
	}
	return nil
}

// abandon tells the server that nobody will ask for the pages that are left. The session's end does so too.
func (r *reader) abandon(ctx context.Context, token string) {
	if token == "" || ctx.Err() != nil {
		return
	}
	_, _ = methods.CancelRetrievePropertiesEx(ctx, r, &types.CancelRetrievePropertiesEx{
		This: r.Client().ServiceContent.PropertyCollector, Token: token,
	})
}

// spec is the query as the server takes it, without the properties that it does not know.
func (r *reader) spec(ctx context.Context, q *query) (types.PropertyFilterSpec, error) {
	spec := types.PropertyFilterSpec{ObjectSet: q.from}
	for _, s := range q.paths {
		var known []string
		for _, path := range s.PathSet {
			if !r.unknown.has(s.Type, path) {
				known = append(known, path)
			}
		}
		spec.PropSet = append(spec.PropSet, types.PropertySpec{Type: s.Type, PathSet: known})
	}
	if q.from != nil {
		spec.ReportMissingObjectsInResults = new(true) // one host that was removed must not fail the others
		return spec, nil
	}
	if err := r.openView(ctx); err != nil {
		return spec, err
	}
	spec.ObjectSet = append([]types.ObjectSpec{fromView(r.view)}, q.beside...)
	if q.beside != nil {
		spec.ReportMissingObjectsInResults = new(true)
	}
	return spec, nil
}

// viewTypes is what vperf always reads; types below them in vSphere's family tree are included.
var viewTypes = []string{"Folder", "Datacenter", "ComputeResource", "ResourcePool", "HostSystem", "VirtualMachine"}

func (r *reader) openView(ctx context.Context) error {
	if r.view.Value != "" {
		return nil
	}
	res, err := methods.CreateContainerView(ctx, r, &types.CreateContainerView{
		This:      *r.Client().ServiceContent.ViewManager,
		Container: r.Client().ServiceContent.RootFolder,
		Type:      r.sees,
		Recursive: true,
	})
	if err == nil {
		r.view = res.Returnval
	}
	return err
}

// closeView frees the view. A session's end does so too, so failing is no loss; only for a session that goes on it is
// done after ctx has ended, too.
func (r *reader) closeView(ctx context.Context) {
	if r.view.Value == "" || ctx.Err() != nil && !r.Kept() {
		return
	}
	ctx, cancel := r.Goodbye(ctx)
	defer cancel()
	_, _ = methods.DestroyView(ctx, r, &types.DestroyView{This: r.view})
}

func fromView(view types.ManagedObjectReference) types.ObjectSpec {
	return types.ObjectSpec{Obj: view, Skip: new(true), SelectSet: []types.BaseSelectionSpec{
		&types.TraversalSpec{Type: view.Type, Path: "view"},
	}}
}

// forget drops the properties that the server does not know from all queries to come. It reports whether err was
// about such a property, so that asking again makes sense.
func (r *reader) forget(q *query, err error) bool {
	f, ok := faultOf(err).(*types.InvalidProperty)
	if !ok || f.Name == "" {
		return false
	}
	dropped := false
	for _, s := range q.paths {
		for _, path := range s.PathSet {
			if concerns(f.Name, path) && !r.unknown.has(s.Type, path) {
				r.unknown.add(s.Type, path)
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
