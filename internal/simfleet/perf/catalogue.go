package perf

import (
	"hash/fnv"
	"math/rand/v2"
)

// perfCounters is a choice of what a vCenter has five hundred of: all that esxtop's figures can be had from, and some more.
var perfCounters = pointers(cpuCounters(), memoryCounters(), diskCounters(), netCounters(), otherCounters())

func pointers(chapters ...[]perfCounter) (list []*perfCounter) {
	for _, chapter := range chapters {
		for i := range chapter {
			list = append(list, &chapter[i])
		}
	}
	return list
}

// perfIDs are out of how many the ids of counters are drawn.
const perfIDs = 600

// counterIDs draws the ids of an endpoint's counters: others than another endpoint has, and the same at each start.
func counterIDs(site string) []int32 {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(site))
	var ids []int32
	for _, n := range rand.New(rand.NewPCG(seed.Sum64(), 0)).Perm(perfIDs)[:len(perfCounters)] {
		ids = append(ids, int32(n)+1)
	}
	return ids
}
