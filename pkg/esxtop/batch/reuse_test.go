package batch

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestReuse reads a file twice in parallel, once with reused memory: the rounds are equal, whatever was done to the
// rows of the previous one.
func TestReuse(t *testing.T) {
	text, err := io.ReadAll(newManyRows(t, 4<<20))
	require.NoError(t, err)
	open := func() *Reader {
		r, err := NewReader(bytes.NewReader(text), esxtop.AllObjects)
		require.NoError(t, err)
		return r
	}
	fresh, again := open(), open()
	again.Reuse()
	rounds := 0
	for ; ; rounds++ {
		want, err := fresh.Next()
		got, err2 := again.Next()
		require.Equal(t, err, err2)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.Equal(t, want.Time, got.Time)
		a, b := want.Frames[0], got.Frames[0]
		for o := range esxtop.NumObjects {
			require.Len(t, b.Rows(o), len(a.Rows(o)))
			for i := range a.Rows(o) {
				x, y := a.Rows(o)[i], b.Rows(o)[i]
				require.Equal(t, []any{x.ID, x.Name, x.MoID, x.VM}, []any{y.ID, y.Name, y.MoID, y.VM})
				for _, m := range esxtop.MetricsOf(o) {
					v, ok := x.Value(m)
					w, too := y.Value(m)
					require.Equal(t, []any{v, ok}, []any{w, too})
				}
			}
		}
		for i := range b.Rows(esxtop.Group) {
			b.Rows(esxtop.Group)[i].MoID = "vm-1"
			b.Rows(esxtop.Group)[i].Set(esxtop.Lookup("mem.swapped"), 7)
		}
		b.Put(esxtop.Group, b.Rows(esxtop.Group)[:0])
	}
	require.Greater(t, rounds, 5)
}

func TestReuseLeavesNoGarbage(t *testing.T) {
	r, err := NewReader(newManyRows(t, 40<<20), esxtop.AllObjects)
	require.NoError(t, err)
	r.Reuse()
	_, err = r.Next()
	require.NoError(t, err)
	require.Less(t, testing.AllocsPerRun(20, func() { _, err = r.Next() }), 10.0)
	require.NoError(t, err)
}
