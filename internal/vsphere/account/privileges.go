package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
)

// User is the account as the server names it, and the key of its session.
type User struct{ Name, Key string }

// ReadUser reads who is logged in.
func ReadUser(ctx context.Context, s *session.Session) (User, error) {
	p, err := property.Object(ctx, s, *s.Client().ServiceContent.SessionManager, "currentSession")
	if err != nil {
		return User{}, fmt.Errorf("reading the session: %w", err)
	}
	found, _, reason := property.Read(p, "currentSession", property.As[types.UserSession], property.Required).Get()
	if found.Key == "" {
		return User{}, fmt.Errorf("reading the session of %s: %s", s.Host(), reason)
	}
	return User{Name: found.UserName, Key: found.Key}, nil
}

// atOnce is the maximum number of objects in one call. With 25 privileges its answer has half a megabyte.
const atOnce = 150

// Granted reports which privileges the session of a user has on each object, with one call for every 150 objects. Objects about which
// the server says nothing are missing in the answer. A server without the call, before release 5.5, has an older one.
func Granted(ctx context.Context, s *session.Session, user User, ids, privileges []string) (map[string]map[string]bool, error) {
	manager := s.Client().ServiceContent.AuthorizationManager
	if manager == nil {
		return nil, errors.New("the server has no authorization manager")
	}
	var (
		mu      sync.Mutex
		all     sync.WaitGroup
		failed  error
		granted = map[string]map[string]bool{}
	)
	for some := range slices.Chunk(refs(ids), atOnce) {
		all.Go(func() {
			list, err := ask(ctx, s, *manager, user, some, privileges)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			for _, e := range list {
				has := map[string]bool{}
				for _, p := range e.PrivAvailability {
					has[p.PrivId] = p.IsGranted
				}
				granted[e.Entity.String()] = has
			}
		})
	}
	all.Wait()
	return granted, failed
}

// refs returns the references of ids such as HostSystem:host-12.
func refs(ids []string) (list []types.ManagedObjectReference) {
	for _, id := range ids {
		var r types.ManagedObjectReference
		if r.FromString(id) {
			list = append(list, r)
		}
	}
	return list
}

func ask(ctx context.Context, s *session.Session, manager types.ManagedObjectReference, user User, objects []types.ManagedObjectReference, privileges []string) ([]types.EntityPrivilege, error) {
	res, err := methods.HasPrivilegeOnEntities(ctx, s, &types.HasPrivilegeOnEntities{
		This: manager, Entity: objects, SessionId: user.Key, PrivId: privileges,
	})
	switch {
	case err == nil:
		return res.Returnval, nil
	case !hasNoCall(err):
		return nil, err
	}
	var list []types.EntityPrivilege
	for _, o := range objects {
		res, err := methods.HasPrivilegeOnEntity(ctx, s, &types.HasPrivilegeOnEntity{This: manager, Entity: o, SessionId: user.Key, PrivId: privileges})
		if err != nil {
			return list, err
		}
		e := types.EntityPrivilege{Entity: o}
		for i, yes := range res.Returnval[:min(len(res.Returnval), len(privileges))] {
			e.PrivAvailability = append(e.PrivAvailability, types.PrivilegeAvailability{PrivId: privileges[i], IsGranted: yes})
		}
		list = append(list, e)
	}
	return list, nil
}

// hasNoCall reports a server that does not know a method.
func hasNoCall(err error) bool {
	switch session.FaultOf(err).(type) {
	case *types.NotSupported, *types.MethodNotFound:
		return true
	}
	return false
}
