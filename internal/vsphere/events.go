package vsphere

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/pkg/tuning"
)

// events is the session as tuning leaves traces with it.
type events struct{ *Session }

// longestEvent is how much of a text goes into an event: vCenter keeps no novels.
const longestEvent = 2000

// Post implements tuning.Events.
func (s *events) Post(ctx context.Context, t tuning.Target, text string) error {
	manager := s.client.ServiceContent.EventManager
	if manager == nil {
		return fmt.Errorf("posting an event on %s: %s keeps no events", plain(t.Name), s.call.host)
	}
	o, err := s.managed(ctx, t)
	if err != nil {
		return fmt.Errorf("posting an event on %s: %w", plain(t.Name), err)
	}
	_, err = methods.LogUserEvent(ctx, s.call, &types.LogUserEvent{This: *manager, Entity: o, Msg: oneLine(text, longestEvent)})
	if err != nil {
		return fmt.Errorf("posting an event on %s: %w", plain(t.Name), err)
	}
	return nil
}

// managed is the managed object of a target. Which of several it can be takes a look.
func (s *Session) managed(ctx context.Context, t tuning.Target) (ref, error) {
	of := kinds[t.Kind]
	switch len(of) {
	case 0:
		return ref{}, fmt.Errorf("vperf changes nothing of a %s", t.Kind)
	case 1:
		return ref{Type: of[0], Value: t.ID}, nil
	}
	var from []types.ObjectSpec
	for _, typ := range of {
		from = append(from, types.ObjectSpec{Obj: ref{Type: typ, Value: t.ID}})
	}
	found, err := s.objects(ctx, plain(t.Name), from, types.PropertySpec{Type: "ManagedEntity", PathSet: []string{pathName}})
	if err != nil {
		return ref{}, err
	}
	for _, p := range found {
		if !p.missed() {
			return p.ref, nil
		}
	}
	return ref{}, fmt.Errorf("%s has no %s %s", s.call.host, t.Kind, plain(t.ID))
}
