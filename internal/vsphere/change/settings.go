package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// settings implements tuning.Settings on a session: it reads and writes settings live.
type settings struct{ *estate }

// Survey implements tuning.Settings.
func (s *settings) Survey(ctx context.Context, targets []tuning.Target) ([]tuning.Condition, error) {
	return condition.Survey(ctx, s.Session, s.protected, targets)
}

// Preview implements tuning.Settings. VMs are read together, since the server returns many in one answer. Settings in a host's
// managers take calls per host, so several targets are read in parallel.
func (s *settings) Preview(ctx context.Context, requests []tuning.Request) ([][]tuning.Preview, error) {
	vms, err := s.readVMs(ctx, requests)
	if err != nil {
		return nil, fmt.Errorf("reading settings of virtual machines: %w", err)
	}
	out, errs := make([][]tuning.Preview, len(requests)), make([]error, len(requests))
	perhost.Parallel(requests, func(i int, w tuning.Request) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			out[i], errs[i] = s.previewTarget(ctx, w, vms)
		}
	})
	for i, err := range errs {
		switch {
		case err == nil:
		case ctx.Err() == nil && ofTarget(err):
			out[i] = refusedAll(requests[i].Assignments, err)
		default:
			return nil, fmt.Errorf("reading settings of %s: %w", session.Plain(requests[i].Condition.Target.Name), err)
		}
	}
	return out, nil
}

// ofTarget reports whether an error concerns one target only: the server no longer has the object, or returned a fault about it.
func ofTarget(err error) bool {
	_, denied := errors.AsType[*session.PermissionError](err)
	return errors.Is(err, property.ErrGone) || denied || session.FaultOf(err) != nil
}

// refusedAll returns the previews of a target that could not be read.
func refusedAll(want []tuning.Assignment, err error) []tuning.Preview {
	reason := "its settings could not be read: " + session.Cause(err)
	out := make([]tuning.Preview, len(want))
	for i := range out {
		unread := inventory.Unread[inventory.Value](reason)
		out[i] = tuning.Preview{Before: unread, After: unread, Refused: reason}
	}
	return out
}

// previewTarget returns the previews of one target.
func (s *settings) previewTarget(ctx context.Context, request tuning.Request, vms map[string]*vmState) ([]tuning.Preview, error) {
	out := make([]tuning.Preview, len(request.Assignments))
	groups, refused := byWriter(addressesOf(request.Assignments))
	for i, err := range refused {
		out[i] = tuning.Preview{Refused: err.Error()}
	}
	for w, places := range groups {
		found, err := s.previewWith(ctx, w, request.Condition, chosen(request.Assignments, places), vms)
		if err != nil {
			return nil, err
		}
		placed(out, places, found)
	}
	return out, nil
}

func (s *settings) previewWith(
	ctx context.Context, w writer, c tuning.Condition, want []tuning.Assignment, vms map[string]*vmState,
) ([]tuning.Preview, error) {
	switch w := w.(type) {
	case previewer:
		return w.previews(ctx, s.estate, c, want)
	case vmWriter:
		if now := vms[c.Target.ID]; now != nil {
			return w.previews(now, want)
		}
	}
	return nil, property.ErrGone
}

// Read implements tuning.Settings.
func (s *settings) Read(ctx context.Context, t tuning.Target, addresses []tuning.Address) ([]inventory.Fact[inventory.Value], error) {
	out := make([]inventory.Fact[inventory.Value], len(addresses))
	groups, refused := byWriter(addresses)
	for i, err := range refused {
		out[i] = inventory.Unread[inventory.Value](err.Error())
	}
	for w, places := range groups {
		found, err := w.read(ctx, s.estate, t, chosen(addresses, places))
		if err != nil {
			return nil, fmt.Errorf("reading settings of %s: %w", session.Plain(t.Name), err)
		}
		placed(out, places, found)
	}
	return out, nil
}

// Write implements tuning.Settings.
func (s *settings) Write(ctx context.Context, t tuning.Target, all []tuning.Assignment) error {
	if len(all) == 0 {
		return nil
	}
	w, err := writerOf(all[0].Address)
	if err != nil {
		return err
	}
	for _, a := range all[1:] {
		if other, err := writerOf(a.Address); err != nil || other != w {
			return fmt.Errorf("%s and %s cannot be written in one call", all[0].Setting, a.Setting)
		}
	}
	if err := w.write(ctx, s.estate, t, all); err != nil {
		return fmt.Errorf("writing %s of %s: %w", all[0].Setting, session.Plain(t.Name), err)
	}
	return nil
}
