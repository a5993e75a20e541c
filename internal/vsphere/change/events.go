package change

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/tuning"
)

// events implements tuning.Events on a session.
type events struct{ *estate }

// longestEvent is the maximum length of an event's text.
const longestEvent = 2000

// Post implements tuning.Events.
func (s *events) Post(ctx context.Context, t tuning.Target, text string) error {
	manager := s.Client().ServiceContent.EventManager
	if manager == nil {
		return fmt.Errorf("posting an event on %s: %s keeps no events", session.Plain(t.Name), s.Host())
	}
	o, err := s.managed(ctx, t)
	if err != nil {
		return fmt.Errorf("posting an event on %s: %w", session.Plain(t.Name), err)
	}
	_, err = methods.LogUserEvent(ctx, s, &types.LogUserEvent{This: *manager, Entity: o, Msg: session.OneLine(text, longestEvent)})
	if err != nil {
		return fmt.Errorf("posting an event on %s: %w", session.Plain(t.Name), err)
	}
	return nil
}

// managed returns the managed object of a target. If the target can have several types, it asks the server.
func (s *estate) managed(ctx context.Context, t tuning.Target) (ref, error) {
	switch of := condition.Types[t.Kind]; len(of) {
	case 0:
		return ref{}, fmt.Errorf("vperf cannot change a %s", t.Kind)
	case 1:
		return ref{Type: of[0], Value: t.ID}, nil
	}
	p, err := s.target(ctx, t, tree.PathName)
	if err != nil {
		return ref{}, err
	}
	return p.Ref, nil
}
