package live_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/live"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// moment returns a frame of host at a time.
func moment(host string, after time.Duration, rows ...esxtop.Row) *esxtop.Frame {
	f := frame(rows...)
	f.MoID, f.Time = host, begun.Add(after)
	return f
}

func homesOf(frames ...*esxtop.Frame) inventory.Fact[[]inventory.NUMAHome] {
	return read(frames...).VMs[0].NUMAHomes
}

func TestHomes(t *testing.T) {
	const s = time.Second
	on := func(mask float64) esxtop.Row { return group(figures{"numa.homeNodes": mask, "numa.remote": 0}) }
	node := func(id string) esxtop.Row { return row(esxtop.Node, id, nil) }
	type home = inventory.NUMAHome
	known := inventory.Known[[]home]
	unread, absent := inventory.Fact[[]home]{}, inventory.Absent[[]home]()
	for name, test := range map[string]struct {
		frames []*esxtop.Frame
		want   inventory.Fact[[]home]
	}{
		"on one":                 {[]*esxtop.Frame{moment("host-1", 0, on(2)), moment("host-1", 20*s, on(2))}, known([]home{{Nodes: []int64{1}, Samples: 2}})},
		"a wide one":             {[]*esxtop.Frame{moment("host-1", 0, on(11))}, known([]home{{Nodes: []int64{0, 1, 3}, Samples: 1}})},
		"the last of 32":         {[]*esxtop.Frame{moment("host-1", 0, on(1<<31))}, known([]home{{Nodes: []int64{31}, Samples: 1}})},
		"moved, and back":        {[]*esxtop.Frame{moment("host-1", 0, on(1)), moment("host-1", 20*s, on(2)), moment("host-1", 40*s, on(1))}, known([]home{{Nodes: []int64{0}, Samples: 2}, {Nodes: []int64{1}, Samples: 1}})},
		"none":                   {[]*esxtop.Frame{moment("host-1", 0, on(0))}, known([]home{{Nodes: []int64{}, Samples: 1}})},
		"none: the mask omitted": {[]*esxtop.Frame{moment("host-1", 0, group(figures{"numa.remote": 0}))}, known([]home{{Nodes: []int64{}, Samples: 1}})},
		"not told":               {[]*esxtop.Frame{moment("host-1", 0, group(figures{"mem.granted": 9}))}, unread},
		"nobody looked":          {nil, unread},
		"below nothing":          {[]*esxtop.Frame{moment("host-1", 0, on(-1))}, unread},
		"half a node":            {[]*esxtop.Frame{moment("host-1", 0, on(1.5))}, unread},
		"more nodes than bits":   {[]*esxtop.Frame{moment("host-1", 0, on(1<<32))}, unread},
		"a host with one":        {[]*esxtop.Frame{moment("host-1", 0, on(1), node("0"))}, absent},
		"one, listed":            {[]*esxtop.Frame{moment("host-1", 0, group(nil), node("0"))}, absent},
		"a host with two":        {[]*esxtop.Frame{moment("host-1", 0, on(1), node("0"), node("1"))}, known([]home{{Nodes: []int64{0}, Samples: 1}})},
		"a duplicate sample":     {[]*esxtop.Frame{moment("host-1", 0, on(1)), moment("host-1", 0, on(2))}, known([]home{{Nodes: []int64{0}, Samples: 1}})},
		"elsewhere before":       {[]*esxtop.Frame{moment("host-2", 0, on(2)), moment("host-1", 20*s, on(1))}, known([]home{{Nodes: []int64{0}, Samples: 1}})},
		"elsewhere alone":        {[]*esxtop.Frame{moment("host-2", 0, on(2))}, unread},
	} {
		require.Equal(t, test.want, homesOf(test.frames...), name)
	}
}

// TestHomesOfOneNode: the inventory may have the number of nodes when a capture does not list them.
func TestHomesOfOneNode(t *testing.T) {
	var w window
	w.Add(frame(group(figures{"numa.homeNodes": 1})))
	v := fleet()
	v.Hosts[0].NUMANodes = inventory.Known([]*inventory.NUMANode{{}})
	w.Put(v)
	require.Equal(t, inventory.Absent[[]inventory.NUMAHome](), v.VMs[0].NUMAHomes)
}

// TestHomesBeginAnew: home nodes of a snapshot, or of an earlier measurement, are replaced.
func TestHomesBeginAnew(t *testing.T) {
	var w window
	w.Add(frame(group(figures{"numa.homeNodes": 1})))
	v := fleet()
	w.Put(v)
	_, known := v.VMs[0].NUMAHomes.Value()
	require.True(t, known)
	w.Add(frame(row(esxtop.Host, "", figures{"mem.state": 0})))
	w.Put(v)
	require.True(t, v.VMs[0].NUMAHomes.IsZero())

	few := live.For([]string{"cpu.ready"})
	few.Add(frame(group(figures{"numa.homeNodes": 1})))
	few.Put(v)
	_, known = v.VMs[0].NUMAHomes.Value()
	require.True(t, known, "homes come with the rows of VMs, which are read in any case")
}
