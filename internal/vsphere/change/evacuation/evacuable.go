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

// Obstacles returns the reasons why a host cannot be evacuated. It checks DRS; each VM's automation level, host devices, CPU
// affinity, high latency sensitivity, host-local datastores and mandatory rules; the other hosts of the cluster and their
// unreserved memory; vSAN; and whether vCenter's own VM runs on the host. It does not predict admission control or the
// availability of a VM's networks.
func Obstacles(ctx context.Context, s *session.Session, host tuning.Target) ([]string, error) {
	e, err := look(ctx, s, ref{Type: property.TypeHost, Value: host.ID})
	if err != nil {
		return nil, fmt.Errorf("checking whether %s can be evacuated: %w", session.Plain(host.Name), err)
	}
	vsan, err := e.vsan(ctx)
	if err != nil {
		return nil, fmt.Errorf("checking vSAN on %s: %w", session.Plain(host.Name), err)
	}
	var against []string
	for _, some := range [][]string{e.state(), e.vcenterHere(), e.othersBusy(), e.staying(), e.capacity(), vsan} {
		against = append(against, some...)
	}
	return against, nil
}

func (e *evacuation) state() []string {
	for _, check := range []func(*property.Props) string{tree.HostUnreadReason, condition.HostState} {
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

// othersBusy reports other hosts of the cluster that are out of service: with two hosts out, one failure more would cause an
// outage.
func (e *evacuation) othersBusy() []string {
	var against []string
	for _, h := range e.others {
		if in, _ := property.Read(h, tree.PathMaintenance, property.Bool, property.Required).Value(); in {
			against = append(against, session.Plain(tree.NameOf(h))+" of the same cluster is in maintenance mode")
		}
	}
	return against
}
