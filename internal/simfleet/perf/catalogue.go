package perf

import (
	"hash/fnv"
	"math/rand/v2"
)

// perfCounters are some of a vCenter's five hundred counters: all from which esxtop's metrics can be derived, and some more.
var perfCounters = pointers(cpuCounters(), memoryCounters(), diskCounters(), netCounters(), otherCounters(), gpuCounters())

func pointers(chapters ...[]perfCounter) (list []*perfCounter) {
	for _, chapter := range chapters {
		for i := range chapter {
			list = append(list, &chapter[i])
		}
	}
	return list
}

// perfIDs is the range from which the counter ids are drawn.
const perfIDs = 600

// counterIDs returns the ids of an endpoint's counters: different from other endpoints', and the same at each start.
func counterIDs(site string) []int32 {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(site))
	var ids []int32
	for _, n := range rand.New(rand.NewPCG(seed.Sum64(), 0)).Perm(perfIDs)[:len(perfCounters)] {
		ids = append(ids, int32(n)+1)
	}
	return ids
}
