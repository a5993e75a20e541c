package esxtop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// In the first sample of a host only what is so at that moment is judged; a few pages that come back from swap are no swapping.
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
