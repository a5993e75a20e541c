package efficiency

import (
	"fmt"

	"github.com/vperf/vperf/pkg/inventory"
)

// load is the capacity of a host or a cluster, and its average activity during the measurement.
type load struct {
	name   string
	cores  quantity // physical ones
	vcpus  quantity // of running VMs
	used   quantity // cores in use
	worst  quantity // cores in use in the worst of 20 samples
	mhz    quantity // of work at the nominal clock
	gbps   quantity // received and sent
	watts  quantity
	memory quantity // GiB installed
	taken  quantity // GiB in use in the worst of 20 samples
}

const (
	percent = 100
	mbInGb  = 1e-3 // gigabits in a megabit
	mbGiB   = 1024 // megabytes in a gigabyte

	poweredOn = "poweredOn" // VM.powerState
)

func loadOf(h *inventory.Host) load {
	l := load{
		name:   h.Name,
		cores:  gap(h, known(h.Cores, "the number of cores", "physical cores"+byCounters(h))),
		vcpus:  vcpusOf(h),
		memory: work(func(v []float64) float64 { return v[0] / mbGiB }, gap(h, known(h.MemoryMB, "the host's memory", ""))).in("GiB of memory" + byCounters(h)),
		watts:  counter(h.Live, "power.watts", mean).in("W on average"),
	}
	l.used, l.worst = coresUsed(h, l.cores, mean).in("cores in use on average"), coresUsed(h, l.cores, p95).in("cores in use at the 95th percentile")
	l.mhz = work(product, l.used, gap(h, known(h.CPUMHz, "the nominal clock", ""))).in("MHz of cores in use on average, by their nominal clock")
	l.gbps = throughput(h)
	free := work(func(v []float64) float64 { return v[0] / mbGiB }, counter(h.Live, "mem.free", p95))
	l.taken = work(difference, l.memory, free).in("GiB of memory taken at the 95th percentile")
	return l
}

// coresUsed returns how many cores are in use, by the time that any thread of each was. If the source does not have it,
// it uses the time of the logical processors, which counts two threads of a core as little more than one.
func coresUsed(h *inventory.Host, cores quantity, of func(inventory.Series) float64) quantity {
	share := func(v []float64) float64 { return v[0] * v[1] / percent }
	busy := counter(h.Live, "cpu.coreUtilization", of)
	if _, there := h.Live.Get("cpu.coreUtilization"); there {
		return work(share, cores, busy)
	}
	threads := gap(h, known(h.CPUThreads, "the number of logical processors", ""))
	used := work(share, threads, counter(h.Live, "cpu.used", of))
	if _, ok := used.value(); !ok {
		return busy
	}
	return used
}

// throughput returns the traffic of the host's NICs, in both directions.
func throughput(h *inventory.Host) quantity {
	rx, tx := counter(h.Live, "net.rx", mean), counter(h.Live, "net.tx", mean)
	q := work(func(v []float64) float64 { return (v[0] + v[1]) * mbInGb }, rx, tx).in("Gb/s through the NICs on average")
	if q.words != "" {
		received, _ := rx.value()
		sent, _ := tx.value()
		q.words += fmt.Sprintf(", %s received and %s sent", round(received*mbInGb), round(sent*mbInGb))
	}
	return q
}

// vcpusOf counts the vCPUs of running VMs.
func vcpusOf(h *inventory.Host) quantity {
	vms, state, reason := h.VMs.Get()
	if state != inventory.StateKnown {
		return gap(h, unread(reason))
	}
	running, vcpus := 0, int64(0)
	for _, vm := range vms {
		power, _, why := vm.PowerState.Get()
		n, counted := vm.VCPUs.Value()
		switch {
		case power == "":
			return unread("whether all VMs run was not read" + because(why))
		case power != poweredOn:
		case !counted:
			return unread("how many vCPUs all VMs have was not read")
		default:
			running, vcpus = running+1, vcpus+n
		}
	}
	return quantity{amount: inventory.Known(float64(vcpus))}.in(fmt.Sprintf("vCPUs of %d running VMs", running) + byCounters(h))
}

// byCounters returns a note if a host's configuration is known only from its counters.
func byCounters(h *inventory.Host) string {
	if h.Unread == "" {
		return ""
	}
	return ", according to the counters"
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// gap makes q unread if all facts of the host are.
func gap(h *inventory.Host, q quantity) quantity {
	if _, ok := q.value(); !ok && h.Unread != "" {
		return unread(h.Unread)
	}
	return q
}

// sumOf adds up all hosts of a cluster.
func sumOf(hosts []load) load {
	all := func(of func(load) quantity, words string) quantity {
		parts := make([]quantity, len(hosts))
		for i, h := range hosts {
			parts[i] = of(h)
			if _, state, reason := parts[i].amount.Get(); state == inventory.StateUnread {
				return unread(h.name + because(reason))
			}
		}
		return work(total, parts...).in(fmt.Sprintf("%s, of %d hosts", words, len(hosts)))
	}
	return load{
		cores:  all(func(l load) quantity { return l.cores }, "physical cores"),
		vcpus:  all(func(l load) quantity { return l.vcpus }, "vCPUs of running VMs"),
		used:   all(func(l load) quantity { return l.used }, "cores in use on average"),
		worst:  all(func(l load) quantity { return l.worst }, "cores in use at the 95th percentile of each host"),
		mhz:    all(func(l load) quantity { return l.mhz }, "MHz of cores in use on average, by their nominal clock"),
		gbps:   all(func(l load) quantity { return l.gbps }, "Gb/s through the NICs on average"),
		watts:  all(func(l load) quantity { return l.watts }, "W on average"),
		memory: all(func(l load) quantity { return l.memory }, "GiB of memory"),
		taken:  all(func(l load) quantity { return l.taken }, "GiB of memory taken at the 95th percentile of each host"),
	}
}

// unreadLoad is for a cluster that was read only in part.
func unreadLoad(reason string) load {
	q := unread(reason)
	return load{cores: q, vcpus: q, used: q, worst: q, mhz: q, gbps: q, watts: q, memory: q, taken: q}
}
