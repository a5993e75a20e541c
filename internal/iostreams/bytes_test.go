package iostreams

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 kB", 14_200: "14 kB", 1_440_000: "1.4 MB"} {
		require.Equal(t, want, Bytes(n))
	}
}
