package condition

import (
	"context"
	"slices"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const pathUser = "currentSession.userName"

// privilegesAtOnce is the maximum number of objects in one call.
const privilegesAtOnce = 1000

// readPrivileges reads the user's privileges on each object. If the server cannot report them, the privileges are unread for that
// reason; this is not an error, because older servers do not have the call.
func (v *survey) readPrivileges(ctx context.Context, _ []tuning.Target) error {
	v.privileges = map[ref]inventory.Fact[[]string]{}
	var all []ref
	for _, p := range v.objects {
		all = append(all, p.Ref)
	}
	manager := v.Client().ServiceContent.AuthorizationManager
	user, _, reason := v.user.Get()
	if manager == nil {
		user, reason = "", "the server has no authorization manager"
	}
	for some := range slices.Chunk(all, privilegesAtOnce) {
		if user == "" {
			v.setPrivileges(some, nil, reason)
			continue
		}
		res, err := methods.FetchUserPrivilegeOnEntities(ctx, v, &types.FetchUserPrivilegeOnEntities{This: *manager, Entities: some, UserName: user})
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil:
			v.setPrivileges(some, nil, session.Cause(err))
		default:
			v.setPrivileges(some, res.Returnval, "the server does not report the user's privileges on it")
		}
	}
	return nil
}

// setPrivileges stores the reported privileges of some objects; missing is the reason if the server reported none.
func (v *survey) setPrivileges(objects []ref, reported []types.UserPrivilegeResult, missing string) {
	for _, o := range objects {
		v.privileges[o] = inventory.Unread[[]string](missing)
	}
	for _, t := range reported {
		v.privileges[t.Entity] = inventory.Known(slices.Clone(t.Privileges))
	}
}
