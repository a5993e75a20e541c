package vsphere

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlain(t *testing.T) {
	require.Equal(t, "a b", plain("a\x1bb\n"))
	require.Len(t, []rune(plain(strings.Repeat("é", 1000))), 301)
}
