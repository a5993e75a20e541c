package doc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 0, "one two three"},
		{"one two three", 7, "one two\n  three"},
		{"a-name-that-is-too-long b", 5, "a-name-that-is-too-long\n  b"},
		{"\x1b[1mone\x1b[22m two", 7, "\x1b[1mone\x1b[22m two"},
	} {
		require.Equal(t, c.want, Wrap(c.text, "  ", c.width), "%q in %d", c.text, c.width)
	}
}
