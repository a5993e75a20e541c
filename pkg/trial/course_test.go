package trial

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCourseEndsWithTheResult(t *testing.T) {
	r := registered(2, 12, 5)
	blocks := newFleet(perWork(.8), 2, -.1, 5).switchback(r, nil)
	res := Analyse(r, blocks)
	all := r.Course(res, 100)
	require.Len(t, all, res.Used)
	last := all[len(all)-1]
	require.Equal(t, res.Estimate, last.Estimate)
	require.Equal(t, res.P, last.P) //nolint:testifylint // the same computation
	require.Equal(t, res.E, last.E) //nolint:testifylint // the same computation
	for i, point := range all {
		require.Equal(t, i+1, point.Pairs)
		require.Equal(t, res.EValues[i], point.E) //nolint:testifylint // the same computation
	}
	few := r.Course(res, 5)
	require.Len(t, few, 5)
	require.Equal(t, last, few[4])
	require.Empty(t, r.Course(Analyse(r, nil), 5))
}
