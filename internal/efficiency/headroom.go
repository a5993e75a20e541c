package efficiency

import (
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
)

var (
	headroomCores = kind{
		"headroom-cores", "cores left", "cores",
		"Physical cores that are not in use in the worst of 20 samples. The second threads of cores are a reserve on top of them.",
	}
	headroomMemory = kind{
		"headroom-memory", "memory left", "GiB",
		"Memory that is free in the worst of 20 samples. VMs may have been given more than they use, which is not counted as left.",
	}
	headroomBoth = kind{
		"headroom", "room for more VMs", "%",
		"The part that is left of what is scarcer, cores or memory, in the worst of 20 samples. What the measurement did not see, such as a " +
			"month's end, is not in it.",
	}
	failedCores = kind{
		"headroom-cores", "cores left after a host failed", "cores",
		"Physical cores that are left when the host with the most of them has failed and its VMs run on the others. Below zero they do not fit.",
	}
	failedMemory = kind{
		"headroom-memory", "memory left after a host failed", "GiB",
		"Memory that is left when the host with the most of it has failed and its VMs run on the others. Below zero they do not fit.",
	}
	failedBoth = kind{
		"headroom", "room for more VMs after a host failed", "%",
		"The part that is left of what is scarcer, cores or memory, when the largest host has failed and its VMs run on the others. Below zero " +
			"they do not fit. Each host is taken at the worst of 20 samples of its own, which need not be at one time.",
	}
)

// headroom is the headroom of a resource.
type headroom struct {
	what  string
	left  Figure
	whole quantity // the total capacity
}

func headroomOfHost(h *inventory.Host, l load) []Figure {
	of := h.Ref()
	cores := headroom{"cores", headroomCores.of(of, difference, l.cores, l.worst), l.cores}
	memory := headroom{"memory", headroomMemory.of(of, difference, l.memory, l.taken), l.memory}
	return []Figure{cores.left, memory.left, scarcer(headroomBoth, of, cores, memory)}
}

func headroomOfCluster(of inventory.Ref, hosts []load, all load) []Figure {
	cores := afterFailure("cores", failedCores, of, hosts, func(l load) (whole, taken quantity) { return l.cores, l.worst }, all)
	memory := afterFailure("memory", failedMemory, of, hosts, func(l load) (whole, taken quantity) { return l.memory, l.taken }, all)
	return []Figure{cores.left, memory.left, scarcer(failedBoth, of, cores, memory)}
}

// afterFailure returns the headroom after the host with the largest capacity has failed. A cluster of one host has
// none.
func afterFailure(what string, k kind, of inventory.Ref, hosts []load, part func(load) (whole, taken quantity), all load) headroom {
	whole, taken := part(all)
	if len(hosts) == 1 {
		whole = quantity{amount: inventory.Absent[float64](), words: "one host, whose VMs no other can take"}
		return headroom{what, k.of(of, difference, whole, taken), whole}
	}
	largest, name := 0.0, ""
	for _, h := range hosts {
		own, _ := part(h)
		if v, ok := own.value(); ok && v > largest {
			largest, name = v, h.name
		}
	}
	left := work(func(v []float64) float64 { return v[0] - largest }, whole).in(fmt.Sprintf("of %s without %s", whole.words, name))
	return headroom{what, k.of(of, difference, left, taken), left}
}

// scarcer returns the smaller of two headrooms as a ratio, and names its resource.
func scarcer(k kind, of inventory.Ref, a, b headroom) Figure {
	part := func(r headroom) quantity {
		q := work(func(v []float64) float64 { return v[0] / v[1] * percent }, quantity{amount: r.left.Value}, r.whole)
		return q.in(fmt.Sprintf("%% of the %s left", r.what))
	}
	first, second := part(a), part(b)
	f := k.of(of, func(v []float64) float64 { return min(v[0], v[1]) }, first, second)
	if _, known := f.Value.Value(); !known {
		return f
	}
	x, _ := first.value()
	y, _ := second.value()
	if x <= y {
		return f.also("bound by " + a.what)
	}
	return f.also("bound by " + b.what)
}
