package esxtop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestJudgeInTheFirstSample: in the first sample of a host only gauges are judged; a few pages read back from swap are
// not swapping.
func TestJudgeInTheFirstSample(t *testing.T) {
	row := func(id string, v float64) *Row {
		r := NewRow(Group, "1", "web")
		r.VM, r.VCPUs = true, 1
		r.Set(Lookup(id), v)
		return &r
	}
	first, later := &Frame{}, &Frame{Interval: 5 * time.Second}
	swap, balloon := Lookup("mem.swapIn"), Lookup("mem.balloon")
	require.Equal(t, Unremarkable, swap.JudgeIn(first, row("mem.swapIn", 9)))
	require.Equal(t, Warning, swap.JudgeIn(later, row("mem.swapIn", 9)))
	require.Equal(t, Unremarkable, swap.JudgeIn(later, row("mem.swapIn", .01)))
	require.Equal(t, Warning, balloon.JudgeIn(first, row("mem.balloon", 9)))
}
