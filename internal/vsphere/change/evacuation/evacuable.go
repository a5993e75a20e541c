package evacuation

import (
	"context"
	"fmt"

	"github.com/vperf/vperf/internal/vsphere/change/condition"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/pkg/tuning"
)

// Obstacles are what stands against evacuating a host. It looks at DRS and at what of each VM keeps it from being moved: its
// level of automation, devices of the host, CPU affinity, high latency sensitivity, datastores of one host and rules that must
// hold; at the other hosts of the cluster and the memory they have not promised to others; at vSAN; and for vCenter's own VM. It
// does not foretell what admission control or a VM's networks will say.
func Obstacles(ctx context.Context, s *session.Session, host tuning.Target) ([]string, error) {
	e, err := look(ctx, s, ref{Type: property.TypeHost, Value: host.ID})
	if err != nil {
		return nil, fmt.Errorf("looking whether %s can be evacuated: %w", session.Plain(host.Name), err)
	}
	vsan, err := e.vsan(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking at vSAN on %s: %w", session.Plain(host.Name), err)
	}
	var against []string
	for _, some := range [][]string{e.state(), e.vcenterHere(), e.othersBusy(), e.staying(), e.capacity(), vsan} {
		against = append(against, some...)
	}
	return against, nil
}

func (e *evacuation) state() []string {
	for _, check := range []func(*property.Props) string{tree.HostDown, condition.HostState} {
		if reason := check(e.host); reason != "" {
			return []string{reason}
		}
	}
	return nil
}

func (e *evacuation) vcenterHere() []string {
	for _, vm := range e.running {
		if e.own.Is(vm) {
			return []string{"the vCenter itself runs on it, as " + session.Plain(tree.NameOf(vm))}
		}
	}
	return nil
}

// othersBusy: two hosts out of service at once are one failure away from trouble.
func (e *evacuation) othersBusy() []string {
	var against []string
	for _, h := range e.others {
		if in, _ := property.Read(h, tree.PathMaintenance, property.Bool, property.Must).Value(); in {
			against = append(against, session.Plain(tree.NameOf(h))+" of the same cluster is in maintenance mode")
		}
	}
	return against
}
