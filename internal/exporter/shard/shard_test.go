package shard

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Shard{"": {}, "1/1": {1, 1}, "2/3": {2, 3}, "64/64": {64, 64}} {
		got, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for text, want := range map[string]string{
		"2": "write NUMBER/OF", "a/3": "write NUMBER/OF", "1/": "write NUMBER/OF", "2/3/4": "write NUMBER/OF",
		"0/3": "the first is 1/3 and the last is 3/3", "4/3": "the last is 3/3", "1/65": "1 to 64", "1/0": "1 to 64", "-1/3": "the first is 1/3",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// hosts are ids as vCenter gives them: numbers that grow, with gaps.
func hosts(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("host-%d", 1000+i*7))
	}
	return ids
}

func TestEachHostIsInOneShard(t *testing.T) {
	for of := 1; of <= 8; of++ {
		for _, h := range append(hosts(200), "", "host-é") {
			owners := 0
			for n := 1; n <= of; n++ {
				if (Shard{n, of}).Owns(h) {
					owners++
				}
			}
			require.Equal(t, 1, owners, "%s of %d", h, of)
		}
	}
	require.True(t, Shard{}.Owns("host-1"))
	require.True(t, Shard{}.Estate())
	require.False(t, Shard{2, 3}.Estate())
}

// TestAShardMoreMovesFewHosts: hosts move to the new shard only, and about 1/(N+1) of them do.
func TestAShardMoreMovesFewHosts(t *testing.T) {
	ids := hosts(3000)
	for of := 1; of < 8; of++ {
		moved, held := 0, map[int]int{}
		for _, h := range ids {
			before, after := Of(h, of), Of(h, of+1)
			held[after]++
			if before != after {
				require.Equal(t, of+1, after, "%s moved between old shards", h)
				moved++
			}
		}
		share := float64(len(ids)) / float64(of+1)
		require.InDelta(t, share, moved, share/5)
		for n, count := range held {
			require.InDelta(t, share, count, share/5, "shard %d of %d", n, of+1)
		}
	}
}

// TestOfNeverChanges: exporters of different releases divide a fleet together.
func TestOfNeverChanges(t *testing.T) {
	var got []int
	for _, h := range hosts(12) {
		got = append(got, Of(h, 3))
	}
	require.Equal(t, []int{2, 1, 1, 1, 3, 3, 1, 3, 3, 1, 1, 1}, got)
}

// TestPlanOfALargeFleet compares the forecast with the figures that docs/exporter-scale.md has for 992 hosts and 40,000 VMs. It allows 10 %.
func TestPlanOfALargeFleet(t *testing.T) {
	var fleet []Host
	for i, id := range hosts(992) {
		h := Host{ID: id, Cores: 48, On: 37, Off: 3} // about 37,000 of 40,000 run
		if i%3 == 0 {
			h.On++
		}
		fleet = append(fleet, h)
	}
	whole := Plan(fleet, []string{"basic"}, 1)[0]
	require.InDelta(t, 1_971_000, whole.Series, 197_100)
	require.InDelta(t, 408<<20, whole.Memory, 41<<20)
	sum := 0
	for _, p := range Plan(fleet, []string{"basic"}, 3) {
		sum += p.Series
		require.InDelta(t, 602_000, p.Series, 100_000)
		require.InDelta(t, 200<<20, p.Memory, 25<<20)
	}
	require.InDelta(t, whole.Series, sum, 3)
	require.Equal(t, 28+1+2, Plan(fleet, []string{"firmware"}, 1)[0].Calls, "five calls to each of 992 hosts in an hour")
	require.Zero(t, Plan(nil, []string{"basic"}, 2)[1].Series)
	require.Zero(t, Plan(fleet, []string{"cluster"}, 1)[0].Series, "a module that belongs to no host")
}
