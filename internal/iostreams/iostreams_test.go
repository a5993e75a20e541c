package iostreams

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTwinIsNoTerminal(t *testing.T) {
	s, out, err := Test()
	fmt.Fprint(s.Out, "result")
	fmt.Fprint(s.Err, "message")

	require.Equal(t, "result", out.String())
	require.Equal(t, "message", err.String())
	require.False(t, s.InTTY() || s.OutTTY() || s.ErrTTY())
	require.False(t, s.ColorEnabled())
	require.NoError(t, s.WriteError())
}

func TestSetTTY(t *testing.T) {
	s, _, _ := Test()
	for i := range 3 {
		s.SetTTY(i == 0, i == 1, i == 2)
		require.Equal(t, []bool{i == 0, i == 1, i == 2}, []bool{s.InTTY(), s.OutTTY(), s.ErrTTY()})
	}
}

func TestWidth(t *testing.T) {
	s, _, _ := Test()
	s.SetWidth(72)
	require.Zero(t, s.Width(), "a pipe has no width")
	s.SetTTY(false, true, false)
	require.Equal(t, 72, s.Width())
}

func TestSystemReadsTheFilesThemselves(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	before := os.Stdout
	t.Cleanup(func() { os.Stdout = before })
	os.Stdout = f

	s := System()
	require.False(t, s.OutTTY())
	require.Zero(t, s.outWidth())
	require.Zero(t, s.Width())
	fmt.Fprint(s.Out, "result")
	require.NoError(t, s.WriteError())
	got, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	require.Equal(t, "result", string(got))
}
