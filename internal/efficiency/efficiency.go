// Package efficiency computes efficiency figures from facts and counters: Gb/s per core, cores per Gb/s, work per watt,
// vCPUs per core, packet rates and sizes, the parts of latency, and headroom.
package efficiency

import (
	"slices"

	"github.com/vperf/vperf/pkg/inventory"
)

// Of computes the figures of a snapshot's hosts and clusters. Without counters, it returns only those that need none.
func Of(s *inventory.Snapshot) []Figure {
	var all []Figure
	for _, v := range s.VCenters {
		measured := slices.ContainsFunc(v.Hosts, func(h *inventory.Host) bool { return len(h.Live) > 0 })
		for _, c := range v.Clusters {
			all = append(all, ofCluster(c, measured)...)
		}
		for _, h := range v.Hosts {
			all = append(all, ofHost(h, measured)...)
		}
	}
	return all
}

func ofHost(h *inventory.Host, measured bool) []Figure {
	of := h.Ref()
	own := loadOf(h)
	all := []Figure{vcpusByCore(of, own.vcpus, own.cores)}
	if !measured {
		return all
	}
	all = append(all, byCore(of, own)...)
	all = append(all, byWatt(of, own)...)
	all = append(all, packets(h)...)
	all = append(all, latency(h)...)
	return append(all, headroomOfHost(h, own)...)
}

// ofCluster combines all hosts of a cluster. If some hosts are missing, the figures are unread with the reason.
func ofCluster(c *inventory.Cluster, measured bool) []Figure {
	of := c.Ref()
	hosts, state, reason := c.Hosts.Get()
	if state == inventory.StateKnown && len(hosts) == 0 {
		return nil
	}
	loads := make([]load, 0, len(hosts))
	for _, h := range hosts {
		loads = append(loads, loadOf(h))
	}
	sum := sumOf(loads)
	if state != inventory.StateKnown {
		sum = unreadLoad(reason)
	}
	all := []Figure{vcpusByCore(of, sum.vcpus, sum.cores)}
	if !measured {
		return all
	}
	all = append(all, byCore(of, sum)...)
	all = append(all, byWatt(of, sum)...)
	return append(all, headroomOfCluster(of, loads, sum)...)
}
