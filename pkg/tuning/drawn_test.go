package tuning

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDraw: a lot changes nothing, stays readable, and takes notes after it has ended.
func TestDraw(t *testing.T) {
	f, p := hosts(2)
	runs, options := newMemory().runs(), Options{User: "ann"}
	id, err := Draw(f.estate(), runs, p, options, json.RawMessage(`{"lot":[true]}`))
	require.NoError(t, err)
	require.Empty(t, f.calls, "nothing is written")
	run, err := runs.Get(id)
	require.NoError(t, err)
	require.Empty(t, run.Broken)
	require.Equal(t, ResultDrawn, run.Result)
	require.False(t, run.Open())
	require.True(t, run.Trial())
	require.NoError(t, NoteDrawn(f.estate(), runs, id, options, json.RawMessage(`{"result":1}`)))
	run, err = runs.Get(id)
	require.NoError(t, err)
	require.Empty(t, run.Broken)
	require.Equal(t, ResultDrawn, run.Result)
	require.Len(t, run.Notes(), 2)
	require.False(t, run.Open())
	require.Error(t, NoteDrawn(f.estate(), runs, id, options, json.RawMessage(`{`)))

	values, err := Values(t.Context(), f.estate(), p)
	require.NoError(t, err)
	require.Len(t, values, len(p.Steps))
	for _, v := range values {
		require.True(t, v.Old)
		require.False(t, v.Made)
		require.NotEmpty(t, v.Text)
	}
	_, err = Apply(t.Context(), f.estate(), runs, p, options)
	require.NoError(t, err)
	values, err = Values(t.Context(), f.estate(), p)
	require.NoError(t, err)
	for _, v := range values {
		require.True(t, v.Made)
		require.False(t, v.Old)
	}
}
