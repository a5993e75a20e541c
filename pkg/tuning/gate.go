package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vperf/vperf/pkg/inventory"
)

// remember keeps how hosts are before anything of theirs is touched; those known already keep what they were.
func (w *work) remember(ctx context.Context, ids ...string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, known := w.health[id]
		return id == "" || known
	})
	health, err := w.healthOf(ctx, ids)
	maps.Copy(w.health, health)
	return err
}

func (w *work) healthOf(ctx context.Context, ids []string) (map[string]Health, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	hosts, err := w.named(ctx, ids)
	if err != nil {
		return nil, err
	}
	all, err := w.estate.Power.Health(ctx, hosts)
	if err == nil && len(all) != len(hosts) {
		err = errors.New("the answer does not fit the question")
	}
	if err != nil {
		return nil, fmt.Errorf("looking at the hosts' health: %w", err)
	}
	health := map[string]Health{}
	for i, h := range all {
		health[ids[i]] = h
	}
	return health, nil
}

// named are hosts with their names, of which others tell the ids only.
func (w *work) named(ctx context.Context, ids []string) ([]Target, error) {
	var hosts, strangers []Target
	for _, id := range ids {
		if _, known := w.hosts[host(id).Key()]; !known {
			strangers = append(strangers, host(id))
		}
	}
	if len(strangers) > 0 {
		found, err := look(ctx, w.estate.Settings, strangers)
		if err != nil {
			return nil, err
		}
		maps.Copy(w.hosts, found)
	}
	for _, id := range ids {
		known := w.hosts[host(id).Key()].Target
		known.Kind, known.ID, known.Name = inventory.ScopeHost, id, cmp.Or(known.Name, id)
		hosts = append(hosts, known)
	}
	return hosts, nil
}

// gate looks after a batch whether its hosts and VMs are no worse than before, and whether what was written can still be
// read and is still there. A host that was restarted gets a while for its links and paths.
func (w *work) gate(ctx context.Context, batch []*unit) error {
	const pause = 5 * time.Second
	tries := 0
	if slices.ContainsFunc(batch, func(u *unit) bool { return u.restarted }) {
		tries = 24
	}
	for ; ; tries-- {
		worse, err := w.worse(ctx, batch)
		if err != nil {
			return fmt.Errorf("making sure that nothing got worse: %w", err)
		}
		if len(worse) == 0 {
			return nil
		}
		if tries <= 0 || ctx.Err() != nil {
			return fmt.Errorf("after %s: %s", names(batch), strings.Join(worse, "; "))
		}
		wait(ctx, pause)
	}
}

func names(batch []*unit) string {
	var all []string
	for _, u := range batch {
		all = append(all, u.target.Name)
	}
	return strings.Join(all, ", ")
}

// worse lists what got worse.
func (w *work) worse(ctx context.Context, batch []*unit) ([]string, error) {
	var worse, hosts []string
	for _, u := range batch {
		host, found, err := w.worseUnit(ctx, u)
		if err != nil {
			return nil, err
		}
		worse = append(worse, found...)
		if host != "" {
			hosts = append(hosts, host)
		}
	}
	health, err := w.healthOf(ctx, hosts)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(health)) {
		if before, known := w.health[id]; known {
			worse = append(worse, before.worse(health[id], w.hosts[host(id).Key()].Target.Name)...)
		}
	}
	return worse, nil
}

// worseUnit lists what got worse about one object, and the host that it is on.
func (w *work) worseUnit(ctx context.Context, u *unit) (host string, worse []string, err error) {
	c, err := w.look(ctx, u.target)
	if err != nil || c.Gone != "" && u.back { // it was left alone, and said so
		return "", nil, err
	}
	if u.ran && !c.Running {
		worse = append(worse, u.target.Name+" ran and does not run any more")
	}
	lost, err := w.lost(ctx, u)
	return c.Host, append(worse, lost...), err
}

// worse lists what is worse now, in whole sentences.
func (h Health) worse(now Health, name string) []string {
	var worse []string
	say := func(format string, args ...any) {
		worse = append(worse, name+" "+fmt.Sprintf(format, args...))
	}
	if now.Trouble != "" && h.Trouble == "" {
		say("cannot be relied on any more: %s", now.Trouble)
	}
	for _, alarm := range now.RedAlarms {
		if !slices.Contains(h.RedAlarms, alarm) {
			say("has a new red alarm: %s", alarm)
		}
	}
	for _, uplink := range now.DeadUplinks {
		if !slices.Contains(h.DeadUplinks, uplink) {
			say("lost the link of its uplink %s", uplink)
		}
	}
	if now.LivePaths < h.LivePaths {
		say("has %d storage paths that work; before it had %d", now.LivePaths, h.LivePaths)
	}
	return worse
}

// lost lists settings of a unit that cannot be read any more, or are not what was read after the write.
func (w *work) lost(ctx context.Context, u *unit) ([]string, error) {
	written := w.of(u, func(c *Result) bool {
		return c.State == StateDone || c.State == StatePending || c.State == StateProven || c.State == StateUndone
	})
	if len(written) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	var addresses []Address
	for _, i := range written {
		addresses = append(addresses, w.run.Results[i].Address)
	}
	live, err := w.read(ctx, u.target, addresses)
	if err != nil {
		return []string{err.Error()}, nil
	}
	var lost []string
	for _, i := range written {
		c := &w.run.Results[i]
		if now := live[c.Key()]; !Same(c.Address, now, c.Now) {
			lost = append(lost, fmt.Sprintf("%s of %s is %s; a moment ago it was %s", c.Key(), u.target.Name, show(now), show(c.Now)))
		}
	}
	return lost, nil
}
