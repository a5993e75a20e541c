package simfleet

import (
	"hash/fnv"

	"github.com/vmware/govmomi/vim25/types"
)

// The figures of the performance manager follow a simple curve. It is no model of load: nothing in the fleet's settings
// changes it, and a VM with more vCPUs uses more of them only because it has more. What it is good for: whoever asks
// twice gets the same, and a host's figures agree with those of its VMs.

// curve is the course that one figure takes.
type curve uint64

func newCurve(names ...string) curve {
	h := fnv.New64a()
	for _, n := range names {
		_, _ = h.Write([]byte(n))
		_, _ = h.Write([]byte{0})
	}
	return curve(h.Sum64())
}

// slotsAnHour is how often a curve rises and falls.
const slotsAnHour = 3600 / realtimeInterval

// at is from 0 to 1000: up and down once in an hour, starting anywhere, with some noise. The slot decides, nothing else.
func (c curve) at(slot int64) int64 {
	place := (slot + int64(c%slotsAnHour)) % slotsAnHour
	slow := place * 2000 / slotsAnHour
	if slow > 1000 {
		slow = 2000 - slow
	}
	noise := uint64(c) ^ uint64(slot)*0x9E3779B97F4A7C15
	noise = (noise ^ noise>>30) * 0xBF58476D1CE4E5B9
	noise = (noise ^ noise>>27) * 0x94D049BB133111EB
	return (3*slow + int64((noise^noise>>31)%1001)) / 4
}

// usedMHz is from 2 to 25 % of what the vCPUs could use.
func (s *stay) usedMHz(slot int64) int64 {
	return s.vcpus * s.clock * (20 + s.curve("cpu").at(slot)*230/1000) / 1000
}

// cpuUsage is in hundredths of a percent, as all percentages are.
func (s *stay) cpuUsage(slot int64) int64 { return s.usedMHz(slot) * 10_000 / max(s.vcpus*s.clock, 1) }

// ready is up to 100 ms of each 20 s, by vCPU; the total is their sum.
func (s *stay) ready(instance string, slot int64) (sum int64) {
	if instance != "" {
		return s.curve("ready", instance).at(slot) / 10
	}
	for _, name := range s.vcpuNames()[1:] {
		sum += s.ready(name, slot)
	}
	return sum
}

func (s *stay) vcpuNames() []string { return numbered("", int(s.vcpus)) }

// costop is nothing most of the time.
func (s *stay) costop(slot int64) int64 {
	if s.vcpus == 1 {
		return 0
	}
	return max(0, s.curve("costop").at(slot)-850)
}

func (s *stay) memoryUsage(slot int64) int64 { return 2000 + 4*s.curve("mem").at(slot) }

func (s *stay) consumedKB(slot int64) int64 { return s.memoryMB * 1024 * s.memoryUsage(slot) / 10_000 }

func (s *stay) netKBps(slot int64) int64 { return s.curve("net").at(slot) / 2 }

func (s *stay) latency(slot int64) int64 { return 1 + s.curve("disk").at(slot)/200 }

func (s *stay) curve(names ...string) curve {
	return newCurve(append([]string{s.vm.Value}, names...)...)
}

// hostLoad is a host with the VMs that ran on it.
type hostLoad struct {
	esxi  *esxi
	stays []*stay
}

// sum adds up a figure of the VMs that were on the host in a slot.
func (h *hostLoad) sum(slot int64, f func(s *stay, slot int64) int64) (n int64) {
	for _, s := range h.stays {
		if s.covers(slot) {
			n += f(s, slot)
		}
	}
	return n
}

func (h *hostLoad) curve(names ...string) curve {
	return newCurve(append([]string{h.esxi.row.name}, names...)...)
}

// capacityMHz is from the table: nobody changes hardware while the fleet runs.
func (h *hostLoad) capacityMHz() int64 {
	return int64(h.esxi.row.server.sockets*h.esxi.row.server.cores) * h.esxi.row.hz / 1_000_000
}

// mhz is what the VMs use, and 0.5 to 1.5 % of the host for the host itself.
func (h *hostLoad) mhz(slot int64) int64 {
	return h.sum(slot, (*stay).usedMHz) + h.capacityMHz()*(5+h.curve("cpu").at(slot)/100)/1000
}

func (h *hostLoad) cpuUsage(slot int64) int64 {
	return min(h.mhz(slot)*10_000/max(h.capacityMHz(), 1), 10_000)
}

// utilization is the same of every logical CPU.
func (h *hostLoad) utilization(_ string, slot int64) int64 { return h.cpuUsage(slot) }

func (h *hostLoad) threads() []string {
	server := h.esxi.row.server
	return numbered("", server.sockets*server.cores*h.esxi.perCore.count())
}

// hostMemoryKB is what the host itself needs.
const hostMemoryKB = 4 << 20

func (h *hostLoad) consumedKB(slot int64) int64 {
	return h.sum(slot, (*stay).consumedKB) + hostMemoryKB
}

func (h *hostLoad) memoryUsage(slot int64) int64 {
	return min(h.consumedKB(slot)*10_000/max(h.esxi.row.server.memoryGB<<20, 1), 10_000)
}

// netKBps goes through the first NIC; the others stand by.
func (h *hostLoad) netKBps(instance string, slot int64) int64 {
	if instance != "" && instance != "vmnic0" {
		return 0
	}
	return h.sum(slot, (*stay).netKBps)
}

func (h *hostLoad) nics() []string { return numbered("vmnic", len(h.esxi.cards())) }

// latency is the worst that a VM sees.
func (h *hostLoad) latency(slot int64) (worst int64) {
	for _, s := range h.stays {
		if s.covers(slot) {
			worst = max(worst, s.latency(slot))
		}
	}
	return worst
}

// oddResources are instances with whatever their makers called them.
var oddResources = []string{"host/system/kernel", "host/user", `host/iofilters/"cache" & Co, Ltd <1>`}

func (*hostLoad) resources() []string { return oddResources }

func (h *hostLoad) resourceMHz(instance string, slot int64) int64 {
	return h.curve("resource", instance).at(slot) / 10
}

// reading is one figure of a host or a VM as a function of time.
type reading struct {
	id      types.PerfMetricId
	counter *perfCounter
	at      func(slot int64) int64
}

// over is the figure for a number of slots up to one: a sum where the counter is one, else the average, or the last.
func (r *reading) over(last, slots int64) (n int64) {
	if r.counter.rollup == "latest" {
		return r.at(last)
	}
	for slot := last - slots + 1; slot <= last; slot++ {
		n += r.at(slot)
	}
	if r.counter.rollup != "summation" {
		n /= slots
	}
	return n
}
