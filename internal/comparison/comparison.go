// Package comparison compares two sides, each of which is a file, a kept snapshot or an audit of a server.
package comparison

import (
	"context"
	"time"

	"github.com/vperf/vperf/internal/audit"
	"github.com/vperf/vperf/internal/diff"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/inventory"
)

// Side is one side of a comparison.
type Side struct {
	diff.Side

	Snapshot  *inventory.Snapshot // nil for an audit result
	judgement *diff.Judgement
}

// Audited is the side of an audit that was just made.
func Audited(a *audit.Audit, request audit.Request, kind string) *Side {
	return &Side{
		Side: diff.Side{Name: a.Snapshot.Source, Kind: kind}, Snapshot: a.Snapshot, judgement: diff.Judge(a.Result, a.Snapshot, request.Rules),
	}
}

// Sides compares facts and findings, or only findings if one side has no facts.
func Sides(ctx context.Context, from, to *Side, request audit.Request) (*diff.Diff, error) {
	for _, c := range []*Side{from, to} {
		if err := c.judge(ctx, request); err != nil {
			return nil, err
		}
	}
	if from.Snapshot == nil || to.Snapshot == nil {
		d, err := diff.Judgements(from.judgement, to.judgement)
		if err != nil {
			return nil, err
		}
		d.Old, d.New = from.Side, to.Side
		d.Notes = append(d.Notes, "an audit result has no facts: only findings are compared")
		return d, nil
	}
	d, err := diff.Facts(from.Snapshot, to.Snapshot)
	if err != nil {
		return nil, err
	}
	d.Old.Name, d.Old.Kind, d.New.Name, d.New.Kind = from.Name, from.Kind, to.Name, to.Kind
	if d.New.TakenAt.Before(d.Old.TakenAt) {
		d.Notes = append(d.Notes, "the old side is newer than the new one: are the files in the right order?")
	}
	d.Compare(from.judgement, to.judgement)
	return d, nil
}

// judge evaluates the rules on a snapshot, unless that is done.
func (c *Side) judge(ctx context.Context, request audit.Request) error {
	if c.judgement == nil {
		request.For = 0
		a, err := audit.Run(ctx, source.SavedOf(c.Snapshot), request)
		if err != nil {
			return err
		}
		c.judgement = diff.Judge(a.Result, a.Snapshot, request.Rules)
	}
	if c.Snapshot != nil {
		c.TakenAt = c.Snapshot.TakenAt()
	}
	return nil
}

// changeLogger is a source that has the events of its servers.
type changeLogger interface {
	ChangeLogs(ctx context.Context, from, to time.Time) []source.ChangeLog
}

// CreditEvents adds the servers' events about changed objects. It asks only if something changed.
func CreditEvents(ctx context.Context, d *diff.Diff, from source.Source) {
	log, ok := from.(changeLogger)
	if !ok || len(d.Changes)+len(d.Came)+len(d.Went) == 0 {
		return
	}
	about := map[any]inventory.Role{
		source.Configured: inventory.RoleSetting, source.Placed: inventory.RolePlacement, source.Operated: inventory.RoleState, source.Existence: inventory.RoleMembers,
	}
	var events []diff.Event
	for _, l := range log.ChangeLogs(ctx, d.Old.TakenAt, d.New.TakenAt) {
		for _, e := range l.Entries {
			events = append(events, diff.Event{Server: l.Server, ID: e.Object, About: about[e.Subject], When: e.When, User: e.User, Class: e.Class, Text: e.Text})
		}
		if !l.Whole {
			d.Notes = append(d.Notes, l.Server+" has more events than vperf reads: newer ones are not shown")
		}
	}
	d.CreditEvents(events)
}
