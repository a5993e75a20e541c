package tagging

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// ref names a managed object.
type ref = types.ManagedObjectReference

// tagsAtOnce is the maximum number of objects in one request for tags.
const tagsAtOnce = 1000

// Tagged holds the tags of an object by name, sorted.
type Tagged struct {
	Names []string
	Doubt string // why it may have others; "" if it has none
}

// Of returns the tags of an object, one of those that were asked for.
func Of(on inventory.Fact[map[ref]Tagged], object ref) inventory.Fact[[]string] {
	return property.Then(on, func(on map[ref]Tagged) inventory.Fact[[]string] {
		if t := on[object]; t.Doubt != "" {
			return inventory.Unread[[]string](t.Doubt)
		}
		return inventory.Known(append([]string{}, on[object].Names...))
	})
}

// Tags returns the tags of objects that have some, or why they cannot be read. c is open unless failed says why not; progress
// receives the number of objects done. The number of calls grows with the tags in use, not with the objects.
func Tags(ctx context.Context, s *session.Session, c *rest.Client, failed error, objects []ref, progress func(done int)) inventory.Fact[map[ref]Tagged] {
	on, err := map[ref]Tagged(nil), failed
	if err == nil {
		t := &tagReader{Session: s, rest: c, names: map[string]Tagged{}, categories: map[string]string{}}
		on, err = t.read(ctx, objects, progress)
	}
	if err != nil {
		return inventory.Unread[map[ref]Tagged](session.RESTCause(err))
	}
	return inventory.Known(on)
}

// tagReader reads each tag and category once.
type tagReader struct {
	*session.Session
	rest       *rest.Client
	names      map[string]Tagged // CATEGORY/NAME of one tag by id
	categories map[string]string
}

func (t *tagReader) read(ctx context.Context, all []ref, progress func(done int)) (map[ref]Tagged, error) {
	on := map[ref]Tagged{}
	done := 0
	for part := range slices.Chunk(all, tagsAtOnce) {
		attached, err := t.attached(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, a := range attached {
			if a.ObjectID == nil || a.ObjectID.Reference().Value == "" || a.TagIDs == nil {
				return nil, errors.New(callAttached + " answered an item without an object or without a list of tags")
			}
			of := a.ObjectID.Reference()
			if err := undamaged(append(a.TagIDs, of.Value)...); err != nil {
				return nil, err
			}
			has := on[of]
			for _, id := range a.TagIDs {
				tag, err := t.name(ctx, id)
				if err != nil {
					return nil, err
				}
				has = Tagged{append(has.Names, tag.Names...), cmp.Or(has.Doubt, tag.Doubt)}
			}
			slices.Sort(has.Names)
			on[of] = has
		}
		done += len(part)
		progress(done)
	}
	return on, nil
}

func (t *tagReader) attached(ctx context.Context, objects []ref) (found []tags.AttachedTags, err error) {
	refs := make([]mo.Reference, len(objects))
	for i, o := range objects {
		refs[i] = o
	}
	err = t.REST(ctx, session.RESTTags, func(ctx context.Context) error {
		found, err = tags.NewManager(t.rest).ListAttachedTagsOnObjects(ctx, refs)
		return err
	})
	return session.ListOf(found, err, callAttached)
}

// name returns CATEGORY/NAME, or NAME if the category cannot be read. A tag that is attached but not known, or that has no name, can
// be any: it has none.
func (t *tagReader) name(ctx context.Context, id string) (Tagged, error) {
	if tag, known := t.names[id]; known {
		return tag, nil
	}
	var tag tags.Tag
	err := t.get(ctx, pathTag, id, &tag)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case session.HasStatus(err, http.StatusNotFound), other, err == nil && tag.Name == "":
		t.names[id] = Tagged{Doubt: "over REST GET " + pathTag + "/id:" + session.Plain(id) + " answered no name, although the tag is attached"}
		return t.names[id], nil
	case err != nil:
		return Tagged{}, err
	}
	category, err := t.category(ctx, tag.CategoryID)
	if err != nil {
		return Tagged{}, err
	}
	t.names[id] = Tagged{Names: []string{category + tag.Name}}
	return t.names[id], undamaged(category + tag.Name)
}

// undamaged returns an error if a character of a text was damaged: a tag of another name would decide something else.
func undamaged(texts ...string) error {
	for _, s := range texts {
		if strings.Contains(s, "\uFFFD") {
			return fmt.Errorf("%q of a tag has a damaged character", session.Plain(s))
		}
	}
	return nil
}

// category returns the name of the category, the prefix of a tag's name.
func (t *tagReader) category(ctx context.Context, id string) (string, error) {
	if prefix, known := t.categories[id]; known {
		return prefix, nil
	}
	var category tags.Category
	err := t.get(ctx, pathCategory, id, &category)
	switch {
	case session.HasStatus(err, http.StatusNotFound), session.HasStatus(err, http.StatusForbidden), err == nil && category.Name == "":
		t.categories[id] = ""
		return "", nil
	case err != nil:
		return "", err
	}
	t.categories[id] = category.Name + "/"
	return t.categories[id], nil
}

const (
	pathTag      = "/com/vmware/cis/tagging/tag"
	pathCategory = "/com/vmware/cis/tagging/category"
	callAttached = "POST /com/vmware/cis/tagging/tag-association"
)

// get reads one object by its id. The manager's own method lists all objects if an id could be a name.
func (t *tagReader) get(ctx context.Context, path, id string, into any) error {
	return t.REST(ctx, session.RESTTags, func(ctx context.Context) error {
		return t.rest.Do(ctx, t.rest.Resource(path).WithID(id).Request(http.MethodGet), into)
	})
}
