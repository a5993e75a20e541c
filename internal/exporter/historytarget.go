package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/esxtop"
)

// ErrHistoryByTag is a filter that a history cannot go by: tags are read in surveys, which it has none of.
var ErrHistoryByTag = errors.New("a history is not filtered by tag: filter by name or path")

// TargetHistory writes what the server of a target has kept for so long, an hour at most, as History does: of the hosts and VMs that the
// target tells of, what its modules measure.
func TargetHistory(ctx context.Context, c TargetConfig, long time.Duration, labels []string, w io.Writer) error {
	t, err := newTarget(c, slog.New(slog.DiscardHandler))
	switch {
	case err != nil:
		return err
	case t.keep.asksTags():
		return fmt.Errorf("target %s: %w", c.Name, ErrHistoryByTag)
	case !t.measures():
		return fmt.Errorf("target %s: none of its modules is measured: there is no history of configuration", c.Name)
	}
	session, err := t.config.Dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close(ctx) }() // a session that is left times out
	now, err := session.Now(ctx)
	if err != nil {
		return err
	}
	roster, err := measure.ReadRoster(ctx, session)
	if err != nil {
		return err
	}
	here := newPresent(roster, t.keep, nil)
	source, err := measure.Performance(ctx, roster, here.connected(), measure.PerformanceOptions{
		Request: esxtop.Request{Interval: interval, Objects: t.objects}, History: long, EverySample: true, Clock: t.config.Clock,
	})
	if err != nil {
		return err
	}
	defer func() { _ = source.Close(ctx) }() // the server keeps nothing for it
	hosts, vms := here.members()
	return History(ctx, source, HistoryOptions{Hosts: hosts, VMs: vms, Objects: t.objects, Until: now, Labels: labels}, w)
}
