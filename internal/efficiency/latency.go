package efficiency

import "github.com/vperf/vperf/pkg/inventory"

// leastLatency is the minimum latency, in milliseconds, for splitting it: the PerformanceManager has whole
// milliseconds.
const leastLatency = 1

const aboutSplit = "Of the LUN with the worst latency of the host, in how many hundredths of what its guests wait. "

var (
	inDevice = kind{
		"latency-device", "latency in the array", "%",
		aboutSplit + "The array, the fabric and the adapter make this part: more queue or CPU in the host does not help.",
	}
	inKernel = kind{
		"latency-kernel", "latency in the VMkernel", "%",
		aboutSplit + "The host makes this part, in its queues for the most: look at queue depth, at how many VMs share the LUN and at the host's CPU.",
	}
	inQueue = kind{
		"latency-queue", "of it waiting in the queue", "%",
		aboutSplit + "It is within the part of the VMkernel: commands that find the device's queue full.",
	}
)

// latency returns the parts of the latency of the host's worst LUN.
func latency(h *inventory.Host) []Figure {
	of, live := worstLUN(h)
	guest := live("disk.guestLatency").in("ms of latency as guests see it, on average").atLeast(leastLatency, "ms")
	part := func(k kind, metric, words string) Figure {
		return k.of(of, func(v []float64) float64 { return v[0] / v[1] * percent }, live(metric).in(words), guest)
	}
	return []Figure{
		part(inDevice, "disk.deviceLatency", "ms in the array"),
		part(inKernel, "disk.kernelLatency", "ms in the VMkernel"),
		part(inQueue, "disk.queueLatency", "ms waiting in the queue"),
	}
}

// worstLUN returns the LUN with the highest latency in the worst of 20 samples, and its counters. If no LUN has any, or
// the LUNs are unread, it returns the host with quantities that say so.
func worstLUN(h *inventory.Host) (inventory.Ref, func(metric string) quantity) {
	luns, state, reason := h.LUNs.Get()
	var worst *inventory.LUN
	idle := false
	for _, l := range luns {
		s, there := l.Live.Get("disk.guestLatency")
		idle = idle || there
		if s.Samples > 0 && (worst == nil || s.P95 > worst.Live.Of("disk.guestLatency").P95) {
			worst = l
		}
	}
	switch {
	case worst != nil:
		return worst.Ref(), func(metric string) quantity { return counter(worst.Live, metric, mean) }
	case state == inventory.StateUnread:
		if reason == "" {
			reason = "the host's LUNs were not read"
		}
		return h.Ref(), func(string) quantity { return gap(h, unread(reason)) }
	case len(h.Live) == 0:
		return h.Ref(), func(string) quantity { return unread(inventory.NoLiveCounters) }
	case len(luns) == 0 || idle:
		return h.Ref(), func(string) quantity { return none }
	}
	return h.Ref(), func(string) quantity { return unread("the source of the counters does not have the latency of LUNs") }
}
