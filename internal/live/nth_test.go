package live

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNth(t *testing.T) {
	chaos := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 60; n++ {
		values := make([]float32, n)
		for i := range values {
			values[i] = float32(chaos.IntN(n)) // some of them twice
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, place := range chaos.Perm(n) {
			require.InDelta(t, sorted[place], nth(values, place), 0, "%d of %d", place, n)
		}
		require.ElementsMatch(t, sorted, values)
	}
}
