package iostreams

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// brokenPipe is an Out whose reader has left.
func brokenPipe(t *testing.T) *output {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return &output{File: w}
}

func TestWriteErrorKeepsTheFirst(t *testing.T) {
	for name, write := range map[string]func(io.Writer) (int, error){
		"fmt":         func(w io.Writer) (int, error) { return fmt.Fprint(w, "x") },
		"WriteString": func(w io.Writer) (int, error) { return io.WriteString(w, "x") },
		"ReadFrom": func(w io.Writer) (int, error) {
			n, err := io.Copy(w, struct{ io.Reader }{strings.NewReader("x")})
			return int(n), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := Test()
			s.Out = brokenPipe(t)
			require.NoError(t, s.WriteError())

			_, first := write(s.Out)
			require.True(t, IsBrokenPipe(first), "%v", first)
			require.Equal(t, first, s.WriteError())

			_, second := write(s.Out)
			require.Equal(t, first, second, "nothing is written behind a hole")
		})
	}
}

func TestIsBrokenPipe(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want bool
	}{
		{"none", nil, false},
		{"another", os.ErrPermission, false},
		{"closed in-process pipe", fmt.Errorf("printing findings: %w", io.ErrClosedPipe), true},
		{"same words only", errors.New("broken pipe"), false},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, IsBrokenPipe(tc.err)) })
	}
}
