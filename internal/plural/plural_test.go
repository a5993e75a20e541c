package plural_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/plural"
)

func TestPlural(t *testing.T) {
	require.Equal(t, "0 hosts", plural.Count(0, "host"))
	require.Equal(t, "1 host", plural.Count(1, "host"))
	require.Equal(t, "2 switches", plural.Count(2, "switch"))
	require.Equal(t, "1 thing is", plural.Are(1, "thing"))
	require.Equal(t, "2 are", plural.Are(2, ""))
}
