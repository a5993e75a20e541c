package efficiency

import "github.com/vperf/vperf/pkg/inventory"

// Minimum amounts for meaningful figures. They are vperf's own: there are no published limits, and they only prevent
// divisions by almost zero.
const (
	leastGbps    = 0.1 // a tenth of the slowest link that servers have
	leastCores   = 0.1 // in use
	leastWork    = 1   // core in use: below that, nearly all power is idle power
	leastPackets = 100 // by second
)

var (
	crowding = kind{
		"vcpus-per-core", "vCPUs by core", "vCPUs per core",
		"vCPUs of running VMs by physical core. The second thread of a core is not counted as one: it adds capacity, but no core. " +
			"How many are too many depends on the VMs' load: ready time shows it.",
	}
	throughputByCore = kind{
		"gbps-per-core", "throughput by core", "Gb/s per core",
		"Throughput of the NICs, both ways, by core in use. All work of the host counts, also what has nothing to do with its traffic: " +
			"compare it with itself at a like load, before a change and after.",
	}
	coresByThroughput = kind{
		"cores-per-gbps", "CPU by throughput", "cores per Gb/s",
		"Cores in use for each Gb/s of the NICs, both ways. All work of the host counts, also what has nothing to do with its traffic: " +
			"compare it with itself at a like load, before a change and after.",
	}
	workByWatt = kind{
		"mhz-per-watt", "work by watt", "MHz per W",
		"Clock of the cores in use, at their nominal speed, by power. Turbo does not count. Much of the power goes into being on, so that it " +
			"rises with the load: compare it at a like load.",
	}
	throughputByWatt = kind{
		"mbps-per-watt", "throughput by watt", "Mb/s per W",
		"Throughput of the NICs, both ways, by power. Much of the power goes into being on, so that it rises with the load: compare it at a " +
			"like load.",
	}
)

func vcpusByCore(of inventory.Ref, vcpus, cores quantity) Figure {
	return crowding.of(of, quotient, vcpus, cores)
}

func byCore(of inventory.Ref, l load) []Figure {
	return []Figure{
		throughputByCore.of(of, quotient, l.gbps.atLeast(leastGbps, "Gb/s"), l.used.atLeast(leastCores, "cores")),
		coresByThroughput.of(of, quotient, l.used, l.gbps.atLeast(leastGbps, "Gb/s")),
	}
}

func byWatt(of inventory.Ref, l load) []Figure {
	const mbits = 1000 // in a gigabit
	return []Figure{
		workByWatt.of(of, quotient, l.mhz.given(l.used.atLeast(leastWork, "core")), l.watts),
		throughputByWatt.of(of, func(v []float64) float64 { return v[0] * mbits / v[1] }, l.gbps.atLeast(leastGbps, "Gb/s"), l.watts),
	}
}
