package proof_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
)

func TestProveSample(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	require.Equal(t, all, proof.Sample(t, 10, all))
	t.Setenv("PROVE", "")
	require.False(t, proof.Long(t))
	t.Setenv("PROVE", "long")
	require.Equal(t, proof.Everything(t), proof.Long(t))
	some := proof.Sample(t, 3, all)
	if proof.Everything(t) {
		require.Equal(t, all, some)
		require.Equal(t, 2000, proof.Count(t, 3, 2000))
		return
	}
	require.Equal(t, 3, proof.Count(t, 3, 2000))
	require.Len(t, some, 3)
	require.True(t, slices.IsSorted(some))
	require.Len(t, slices.Compact(slices.Clone(some)), 3)
	require.Equal(t, some, proof.Sample(t, 3, all), "a sample stays the same")
	require.NotEqual(t, all[:3], some)
}
