package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlain(t *testing.T) {
	require.Equal(t, "a b", Plain("a\x1bb\n"))
	require.Len(t, []rune(Plain(strings.Repeat("é", 1000))), 301)
}
