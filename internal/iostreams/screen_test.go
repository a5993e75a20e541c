package iostreams

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestScreenDrawsOverItsLines(t *testing.T) {
	streams, _, stderr := Test()
	streams.SetTTY(false, false, true)
	streams.SetWidth(40)
	c := streams.StartScreen()
	require.True(t, c.Shown())
	require.Equal(t, 39, c.Width())
	c.Draw([]string{"one", "two"})
	require.Equal(t, "\rone\x1b[K\ntwo\x1b[K\n\x1b[J", stderr.String())
	stderr.Reset()
	c.Draw([]string{"too early"})
	require.Empty(t, stderr.String())
	c.drawn = time.Time{}
	c.Draw([]string{"three"})
	require.Equal(t, "\r\x1b[2Athree\x1b[K\n\x1b[J", stderr.String())
	stderr.Reset()
	c.Done()
	c.Done()
	require.Equal(t, "\r\x1b[1A\x1b[J", stderr.String(), "erased once")
}

func TestNoScreenWithoutTerminal(t *testing.T) {
	streams, _, stderr := Test()
	c := streams.StartScreen()
	require.False(t, c.Shown())
	c.Draw([]string{"one"})
	c.Done()
	require.Empty(t, stderr.String())
}
