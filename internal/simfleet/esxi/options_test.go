package esxi

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// A row has no option that a host has by default, and no value that it would refuse.
func TestOptionsOfRowsAreOffDefault(t *testing.T) {
	for _, row := range slices.Concat(fleetdata.Demo().Managed(), fleetdata.Demo().Standalone()) {
		for key, value := range row.Options {
			kind, byDefault, _ := TableOption(key, row.Release)
			require.NotEqual(t, byDefault, value, "%s of %s says nothing", key, row.Name)
			require.True(t, accepts(kind, value), "%s of %s: a host would refuse %v", key, row.Name, value)
		}
	}
}
