package inventory

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seriesOf returns a series of samples, like the counters' window.
func seriesOf(below bool, samples ...float32) Series {
	track := &Track{Every: 20 * time.Second, Values: samples}
	sorted := slices.DeleteFunc(slices.Clone(samples), func(v float32) bool { return v != v })
	slices.Sort(sorted)
	if below {
		slices.Reverse(sorted)
	}
	at := func(percent int) float64 {
		return math.Round(float64(sorted[Rank(int64(percent), int64(len(sorted)))-1])*1000) / 1000
	}
	return Series{Median: at(50), P95: at(95), Worst: at(100), Samples: int64(len(sorted)), Track: track, Below: below}
}

func TestBeyond(t *testing.T) {
	none := float32(math.NaN())
	for name, test := range map[string]struct {
		series Series
		limit  float64
		exact  float64
		sure   float64 // from the summary alone
	}{
		"half of them":                   {seriesOf(false, 1, 9, 2, 8), 5, 0.5, 0.5},
		"half of them, and the median":   {seriesOf(false, 9, 1, 8), 5, 2. / 3, 2. / 3},
		"none":                           {seriesOf(false, 1, 2, 3), 5, 0, 0},
		"at the limit is not beyond it":  {seriesOf(false, 5, 5, 5), 5, 0, 0},
		"one of many":                    {seriesOf(false, 1, 1, 1, 1, 9), 5, 0.2, 0.2},
		"two of twenty":                  {seriesOf(false, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 5, 0.1, 0.1},
		"all of them":                    {seriesOf(false, 7, 7, 7, 7), 5, 1, 0.75},
		"one sample":                     {seriesOf(false, 7), 5, 1, 1},
		"empty slots are no samples":     {seriesOf(false, none, 9, none, 1), 5, 0.5, 0.5},
		"a tenth is a tenth":             {seriesOf(false, 0.1, 0.1, 0.1), 0.1, 0, 0},
		"the lowest is the worst":        {seriesOf(true, 100, 60, 90, 95), 80, 0.25, 0.25},
		"the lowest, all alike":          {seriesOf(true, 60, 60, 60, 60), 80, 1, 0.75},
		"the lowest, all alike and well": {seriesOf(true, 90, 90), 80, 0, 0},
		"no samples":                     {Series{}, 5, 0, 0},
		"nothing, and below":             {Series{Below: true}, 5, 0, 0},
	} {
		require.InDelta(t, test.exact, test.series.RatioBeyond(test.limit), 1e-12, name)
		test.series.Track = nil
		require.InDelta(t, test.sure, test.series.RatioBeyond(test.limit), 1e-12, name)
		require.LessOrEqual(t, test.sure, test.exact, name)
	}
}

// TestBeyondOfExamples: series in rules' examples do not contain the direction of their metric; unless all samples are
// equal, it follows from them.
func TestBeyondOfExamples(t *testing.T) {
	s := Series{Median: 70, P95: 60, Worst: 50, Samples: 10}
	require.InDelta(t, 0.6, s.RatioBeyond(80), 1e-12)
	require.InDelta(t, 0.1, s.RatioBeyond(55), 1e-12)
}

// TestLiveOfDevices: counters of devices stay with their devices, and linking restores their direction.
func TestLiveOfDevices(t *testing.T) {
	live := func(name string, v float64) Live {
		return NewLive(map[string]Series{name: {Median: v, P95: v, Worst: v, Mean: v, Samples: 3, WorstAt: time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)}})
	}
	s := fleet()
	h, vm := s.VCenters[0].Hosts[0], s.VCenters[0].VMs[0]
	h.Live = live("cpu.clock", 70)
	h.PNICs = Known([]*PNIC{{Device: "vmnic0", Live: live("net.rx", 1)}})
	h.LUNs = Known([]*LUN{{Device: "naa.1", Live: live("disk.aborts", 2)}})
	vm.Live = live("numa.local", 60)
	vm.NUMAHomes = Known([]NUMAHome{{Nodes: []int64{0, 1}, Samples: 2}, {Nodes: []int64{}, Samples: 1}})
	vm.Disks = Known([]*VDisk{{Key: 2000, Label: "Hard disk 1", Address: Known("scsi0:1"), Live: live("disk.readLatency", 3)}})
	s.VCenters[0].Datastores = []*Datastore{{Entity: Entity{ID: "ds", Name: "ds"}, HostIDs: Known([]string{"host-1"}), Live: live("disk.readLatency", 4)}}
	s.Link()

	var text bytes.Buffer
	require.NoError(t, Save(&text, s))
	loaded, err := Load(&text)
	require.NoError(t, err)
	require.Equal(t, s, loaded)
	narrow, err := loaded.Narrow(Targets{Hosts: []string{"esx-a"}})
	require.NoError(t, err)
	v := narrow.VCenters[0]
	nics, _ := v.Hosts[0].PNICs.Value()
	luns, _ := v.Hosts[0].LUNs.Value()
	disks, _ := v.VMs[0].Disks.Value()
	require.InDelta(t, 1, nics[0].Live.Of("net.rx").Worst, 0)
	require.InDelta(t, 2, luns[0].Live.Of("disk.aborts").Worst, 0)
	require.InDelta(t, 3, disks[0].Live.Of("disk.readLatency").Worst, 0)
	require.InDelta(t, 4, v.Datastores[0].Live.Of("disk.readLatency").Worst, 0)
	near, clock := v.VMs[0].Live.Of("numa.local"), v.Hosts[0].Live.Of("cpu.clock")
	require.InDelta(t, 2./3, near.RatioBeyond(80), 1e-12, "all samples are alike, and too low")
	require.True(t, clock.Below)
	require.False(t, nics[0].Live.Of("net.rx").Below)
}
