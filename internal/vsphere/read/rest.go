package read

import (
	"context"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
)

// readOverREST reads what only vCenter's REST API has: tags and content libraries. It opens a session of its own, which ends with
// the read. If the session cannot be opened, the facts are unread for that reason; an error means that ctx has ended.
func (r *inventoryReader) readOverREST(ctx context.Context, x *selection, needs inventory.Needs, vc *inventory.VCenter) error {
	marked := tagged(x.taggables(vc), needs)
	libraries := needs.Any("VCenter.libraries")
	if len(marked) == 0 && !libraries {
		return nil
	}
	if !r.Client().IsVC() { // a standalone host has neither
		setTags(marked, func(taggable) inventory.Fact[[]string] { return inventory.Absent[[]string]() })
		if libraries {
			vc.Libraries = inventory.Absent[[]*inventory.ContentLibrary]()
		}
		return nil
	}
	c, err := r.OpenREST(ctx)
	if err == nil {
		defer r.CloseREST(ctx, c)
	}
	if len(marked) > 0 {
		r.readTags(ctx, c, err, marked)
	}
	if libraries {
		vc.Libraries = r.readLibraries(ctx, c, err)
	}
	if ctx.Err() != nil {
		return r.Interrupted(ctx, session.RESTTags)
	}
	return nil
}
