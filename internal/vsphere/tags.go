package vsphere

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"

	"github.com/vperf/vperf/pkg/inventory"
)

// tagsAtOnce is how many objects one request for tags names.
const tagsAtOnce = 1000

// tagged are the objects whose tags are needed.
func tagged(all []bearer, needs inventory.Needs) []bearer {
	return slices.DeleteFunc(all, func(b bearer) bool { return !needs.Any(b.kind + ".tags") })
}

func setTags(all []bearer, of func(bearer) inventory.Fact[[]string]) {
	for _, b := range all {
		b.Tags = of(b)
	}
}

// readTags tells the objects their tags, or why these cannot be read. The calls grow with the tags in use, not with the
// objects.
func (r *reader) readTags(ctx context.Context, c *rest.Client, failed error, all []bearer) {
	t := newTagReader(r, c)
	on, err := map[ref][]string(nil), failed
	if err == nil {
		on, err = t.read(ctx, all)
	}
	if err != nil {
		unread := inventory.Unread[[]string](whyREST(err))
		setTags(all, func(bearer) inventory.Fact[[]string] { return unread })
		return
	}
	setTags(all, func(b bearer) inventory.Fact[[]string] { return inventory.Known(listed(on[b.ref])) })
}

// readTags lists the tags on the objects of a survey by name, or says why they cannot be read.
func (v *survey) readTags(ctx context.Context, c *rest.Client, failed error) inventory.Fact[map[ref][]string] {
	if failed != nil {
		return inventory.Unread[map[ref][]string](whyREST(failed))
	}
	var all []bearer
	for _, p := range v.objects {
		all = append(all, bearer{ref: p.ref})
	}
	on, err := newTagReader(v.reader(), c).read(ctx, all)
	if err != nil {
		return inventory.Unread[map[ref][]string](whyREST(err))
	}
	return inventory.Known(on)
}

func newTagReader(r *reader, c *rest.Client) *tagReader {
	return &tagReader{reader: r, client: c, names: map[string]string{}, categories: map[string]string{}}
}

// tagReader reads each tag and category once.
type tagReader struct {
	*reader
	client     *rest.Client
	names      map[string]string // CATEGORY/NAME by id; "" for a tag that is gone
	categories map[string]string
}

// read lists the tags on objects by name, sorted.
func (t *tagReader) read(ctx context.Context, all []bearer) (map[ref][]string, error) {
	on := map[ref][]string{}
	done := 0
	for part := range slices.Chunk(all, tagsAtOnce) {
		attached, err := t.attached(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, a := range attached {
			of := a.ObjectID.Reference()
			for _, id := range a.TagIDs {
				name, err := t.name(ctx, id)
				if err != nil {
					return nil, err
				}
				if name != "" {
					on[of] = append(on[of], name)
				}
			}
			slices.Sort(on[of])
		}
		done += len(part)
		t.report(&query{what: "tags"}, done)
	}
	return on, nil
}

func (t *tagReader) attached(ctx context.Context, objects []bearer) (found []tags.AttachedTags, err error) {
	refs := make([]mo.Reference, len(objects))
	for i, b := range objects {
		refs[i] = b.ref
	}
	err = t.call.rest(ctx, restTags, func(ctx context.Context) error {
		found, err = tags.NewManager(t.client).ListAttachedTagsOnObjects(ctx, refs)
		return err
	})
	return found, err
}

// name is CATEGORY/NAME, or NAME where the category may not be read.
func (t *tagReader) name(ctx context.Context, id string) (string, error) {
	if name, known := t.names[id]; known {
		return name, nil
	}
	var tag tags.Tag
	err := t.get(ctx, pathTag, id, &tag)
	switch {
	case answered(err, http.StatusNotFound): // deleted a moment ago
		t.names[id] = ""
		return "", nil
	case err != nil:
		return "", err
	}
	category, err := t.category(ctx, tag.CategoryID)
	if err != nil {
		return "", err
	}
	t.names[id] = category + tag.Name
	return t.names[id], nil
}

// category is what a tag's name begins with.
func (t *tagReader) category(ctx context.Context, id string) (string, error) {
	if prefix, known := t.categories[id]; known {
		return prefix, nil
	}
	var category tags.Category
	err := t.get(ctx, pathCategory, id, &category)
	switch {
	case answered(err, http.StatusNotFound), answered(err, http.StatusForbidden):
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
)

// get asks for one thing by its id. The manager's own way lists all there are for an id that could be a name.
func (t *tagReader) get(ctx context.Context, path, id string, into any) error {
	return t.call.rest(ctx, restTags, func(ctx context.Context) error {
		return t.client.Do(ctx, t.client.Resource(path).WithID(id).Request(http.MethodGet), into)
	})
}

// answered reports an HTTP answer.
func answered(err error, code int) bool {
	e, ok := errors.AsType[*statusError](err)
	return ok && e.code == code
}
