package guide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/read"
)

// TestGuideFactsHaveWords checks that every fact that rules read has a description and a source.
func TestGuideFactsHaveWords(t *testing.T) {
	facts, err := readFacts(read.Origins())
	require.NoError(t, err)
	for name, f := range facts {
		require.NotEmpty(t, f.Words, "%s has no comment in pkg/inventory", name)
	}
	require.Equal(t, "counts virtual CPUs", facts["VM.vcpus"].Words)
}
