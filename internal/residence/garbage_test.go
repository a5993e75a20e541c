package residence

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func percent() int {
	now := debug.SetGCPercent(77)
	debug.SetGCPercent(now)
	return now
}

func TestCollectSooner(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	t.Setenv("GOGC", "")
	first := CollectSooner(15)
	require.Equal(t, 15, percent())
	second := CollectSooner(15)
	first()
	first()
	require.Equal(t, 15, percent(), "the second one has not ended")
	second()
	require.Equal(t, 40, percent())
	t.Setenv("GOGC", "90")
	end := CollectSooner(15)
	require.Equal(t, 40, percent(), "GOGC decides")
	end()
	require.Equal(t, 40, percent())
}
