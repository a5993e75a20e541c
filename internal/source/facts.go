package source

import (
	"context"

	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/inventory"
)

// Facts reads the facts of one server as a separate snapshot. tell gets progress messages; it may be nil.
func Facts(ctx context.Context, s *session.Session, t inventory.Targets, needs inventory.Needs, notify func(string)) (*inventory.Snapshot, error) {
	v, err := read.Inventory(ctx, s, tree.Scope{Hosts: t.Hosts, Clusters: t.Clusters}, needs, notify)
	if err != nil {
		return nil, err
	}
	return snapshotOf(v.Name, []*inventory.VCenter{v}, t)
}

// snapshotOf links what servers returned. Hosts and clusters were narrowed when they were read; VMs are narrowed here.
func snapshotOf(name string, all []*inventory.VCenter, t inventory.Targets) (*inventory.Snapshot, error) {
	s := &inventory.Snapshot{Schema: inventory.SnapshotSchema, Source: name, VCenters: all}
	s.Link()
	return s.Narrow(inventory.Targets{VMs: t.VMs})
}
