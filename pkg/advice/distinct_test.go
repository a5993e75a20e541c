package advice

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDistinct: short and long lists keep each element once, in order.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, few, few + 1, 5 * few} {
		var d distinct[int]
		var want []int
		for i := range n {
			want = append(want, -i)
			for range 2 {
				d.add(-i)
				d.add(0)
			}
		}
		require.Equal(t, want, d.list)
		for i := range n {
			require.True(t, d.contains(-i))
		}
		require.False(t, d.contains(1))
	}
}
