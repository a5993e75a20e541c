package advice

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSortStable: equal items keep their order, as with slices.SortStableFunc.
func TestSortStable(t *testing.T) {
	type item struct{ key, at int }
	for _, n := range []int{0, 1, 2, 3, 30, 1000} {
		list := make([]item, n)
		for i := range list {
			list[i] = item{i * 7919 % 13, i}
		}
		byKey := func(a, b item) int { return cmp.Compare(a.key, b.key) }
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		sortStable(list, byKey)
		require.Equal(t, want, list)
	}
}
