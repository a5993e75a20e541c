package read

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/vmware/govmomi/vapi/library"
	"github.com/vmware/govmomi/vapi/rest"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// readLibraries reads the content libraries by name, or why they cannot be read.
func (r *inventoryReader) readLibraries(ctx context.Context, c *rest.Client, failed error) inventory.Fact[[]*inventory.ContentLibrary] {
	all, err := []*inventory.ContentLibrary{}, failed
	if err == nil {
		all, err = r.listLibraries(ctx, library.NewManager(c))
	}
	if err != nil {
		return inventory.Unread[[]*inventory.ContentLibrary](session.RESTCause(err))
	}
	slices.SortFunc(all, func(a, b *inventory.ContentLibrary) int { return cmp.Compare(a.Name, b.Name) })
	return inventory.Known(all)
}

func (r *inventoryReader) listLibraries(ctx context.Context, m *library.Manager) ([]*inventory.ContentLibrary, error) {
	var ids []string
	err := r.REST(ctx, session.RESTLibraries, func(ctx context.Context) (err error) {
		ids, err = m.ListLibraries(ctx)
		return err
	})
	ids, err = session.ListOf(ids, err, "GET /com/vmware/content/library")
	if err != nil {
		return nil, err
	}
	all := []*inventory.ContentLibrary{}
	for _, id := range ids {
		var l *library.Library
		err := r.REST(ctx, session.RESTLibraries, func(ctx context.Context) (err error) {
			l, err = m.GetLibraryByID(ctx, id)
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case l.Name == "":
			return nil, errors.New("GET /com/vmware/content/library/id:" + session.Plain(id) + " answered without a name")
		}
		all = append(all, contentLibrary(l))
	}
	return all, nil
}

func contentLibrary(l *library.Library) *inventory.ContentLibrary {
	c := &inventory.ContentLibrary{Name: l.Name, DatastoreIDs: []string{}}
	for _, s := range l.Storage {
		if s.DatastoreID != "" {
			c.DatastoreIDs = append(c.DatastoreIDs, s.DatastoreID)
		}
	}
	return c
}
