package exporter

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/vperf/vperf/internal/exporter/module"
	"github.com/vperf/vperf/internal/exporter/shard"
	"github.com/vperf/vperf/internal/ledger"
	"github.com/vperf/vperf/internal/source"
	"github.com/vperf/vperf/pkg/inventory"
)

// estateModules are about what belongs to no host. One shard of a server serves them.
var estateModules = []module.Name{module.Datastore, module.Cluster, module.Audit, module.Findings}

// serves reports whether the target collects a module. A shard that does not serve a module answers scrapes of it with
// nothing: all shards have one scrape configuration.
func (t *Target) serves(m module.Name) bool {
	return t.modules[m] && (t.config.Shard.Estate() || !slices.Contains(estateModules, m))
}

// ownHosts are the ids of the hosts that surveys read; none: all. Facts of an estate need all hosts.
func (t *Target) ownHosts() (ids []string) {
	if t.config.Shard.Whole() || slices.ContainsFunc(append(slices.Clone(estateModules), module.VSAN), t.serves) && t.config.Shard.Estate() {
		return nil
	}
	for _, h := range t.snapshot().here.asked {
		ids = append(ids, h.MoID)
	}
	return ids
}

// withoutEstate removes from a snapshot what another shard serves.
func (t *Target) withoutEstate(v *inventory.VCenter) {
	if !t.config.Shard.Estate() {
		v.Clusters, v.Datastores, v.Pools = nil, nil, nil
	}
}

// begin sets from when on the samples of hosts and VMs are this shard's: those of a VM that comes from a host of another shard begin
// after it was seen here, so that no sample is in the sums of both.
func (l *link) begin(hosts []ledger.Host, vms []ledger.VM) {
	last := l.snapshot()
	if l.config.Shard.Whole() || last.read.IsZero() && !l.resumed {
		return
	}
	had, now := map[string]bool{}, l.serverNow()
	for i := range last.here.hosts {
		had[last.here.hosts[i].MoID] = true
	}
	for _, list := range last.here.vms {
		for i := range list {
			had[list[i].MoID] = true
		}
	}
	for i := range hosts {
		if !had[hosts[i].MoID] {
			hosts[i].From = now
		}
	}
	for i := range vms {
		if !had[vms[i].MoID] {
			vms[i].From = now
		}
	}
}

// nothingHere says why a target that works shows nothing.
func (t *Target) nothingHere() string {
	if !t.config.Shard.Whole() && t.filter.everything() {
		return "no host of the server belongs to shard " + t.config.Shard.String() + ": use fewer shards"
	}
	return noneKept
}

// ReadHosts reads which hosts and VMs of a target are exported, for a plan of shards.
func ReadHosts(ctx context.Context, c TargetConfig) ([]shard.Host, error) {
	t, err := newTarget(c, slog.New(slog.DiscardHandler))
	switch {
	case err != nil:
		return nil, err
	case t.filter.asksTags():
		return nil, fmt.Errorf("target %s: a plan cannot be filtered by tag: filter by name or path", c.Name)
	}
	session, err := t.config.Dial(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close(ctx) }() // an abandoned session times out
	roster, err := source.ReadRoster(ctx, session)
	if err != nil {
		return nil, err
	}
	here := newPresent(roster, t.filter, nil)
	list := make([]shard.Host, 0, len(here.asked))
	for i := range here.asked {
		h := shard.Host{ID: here.asked[i].MoID, Cores: int64(here.asked[i].Cores)}
		for _, vm := range here.vms[h.ID] {
			if !isOn(vm.Power) {
				h.Off++
				continue
			}
			h.On++
			h.VCPUs += int64(vm.VCPUs)
		}
		list = append(list, h)
	}
	return list, nil
}
