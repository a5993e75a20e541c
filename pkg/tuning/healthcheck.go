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

// remember stores the health of hosts before the run changes anything on them; hosts that are stored already keep their
// value.
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), conditionLimit)
	defer cancel()
	hosts, err := w.named(ctx, ids)
	if err != nil {
		return nil, err
	}
	all, err := w.estate.Power.Health(ctx, hosts)
	if err == nil && len(all) != len(hosts) {
		err = errors.New("unexpected number of hosts in the answer")
	}
	if err != nil {
		return nil, fmt.Errorf("checking the hosts' health: %w", err)
	}
	health := map[string]Health{}
	for i, h := range all {
		health[ids[i]] = h
	}
	return health, nil
}

// named returns hosts with their names, given their ids.
func (w *work) named(ctx context.Context, ids []string) ([]Target, error) {
	var hosts, strangers []Target
	for _, id := range ids {
		if _, known := w.hosts[host(id).Key()]; !known {
			strangers = append(strangers, host(id))
		}
	}
	if len(strangers) > 0 {
		found, err := surveyTargets(ctx, w.estate.Settings, strangers)
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

// gate checks after a batch that its hosts and VMs are no worse than before, and that the written values can still be
// read and are unchanged. A host that was restarted gets time for its links and paths to come up.
func (w *work) gate(ctx context.Context, batch []*unit) error {
	const pause = 5 * time.Second
	tries := 0
	if slices.ContainsFunc(batch, func(u *unit) bool { return u.restarted }) {
		tries = 24
	}
	for ; ; tries-- {
		worse, err := w.worse(ctx, batch)
		if err != nil {
			return fmt.Errorf("checking that nothing got worse: %w", err)
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

// worse lists the problems that hosts and VMs of a batch did not have before.
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
	sicker, err := w.worseHosts(ctx, hosts)
	return append(worse, sicker...), err
}

// worseHosts lists the problems that hosts did not have before.
func (w *work) worseHosts(ctx context.Context, hosts []string) (worse []string, err error) {
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

// worseUnit lists the problems that one object did not have before, and returns its host.
func (w *work) worseUnit(ctx context.Context, u *unit) (host string, worse []string, err error) {
	c, err := w.condition(ctx, u.target)
	if err != nil || c.Gone != "" && u.rollback { // it was skipped, and that is recorded
		return "", nil, err
	}
	if u.ran && !c.Running {
		worse = append(worse, u.target.Name+" was running and no longer runs")
	}
	lost, err := w.lostSettings(ctx, u)
	return c.Host, append(worse, lost...), err
}

// worse lists the problems in now that h does not have, as whole sentences.
func (h Health) worse(now Health, name string) []string {
	var worse []string
	say := func(format string, args ...any) {
		worse = append(worse, name+" "+fmt.Sprintf(format, args...))
	}
	if now.Trouble != "" && h.Trouble == "" {
		say("now fails the health check: %s", now.Trouble)
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
		say("has %d working storage paths; it had %d before", now.LivePaths, h.LivePaths)
	}
	return worse
}

// lostSettings lists settings of a unit that cannot be read any more, or differ from the value read after the write.
func (w *work) lostSettings(ctx context.Context, u *unit) ([]string, error) {
	written := w.resultIndexes(u, func(c *Result) bool {
		return c.State == StateDone || c.State == StatePending || c.State == StateProven || c.State == StateUndone
	})
	if len(written) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), conditionLimit)
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
			lost = append(lost, fmt.Sprintf("%s of %s is %s; a moment earlier it was %s", c.Key(), u.target.Name, formatFact(now), formatFact(c.Now)))
		}
	}
	return lost, nil
}
