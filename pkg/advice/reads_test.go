package advice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/rules"
)

// TestReads: the facts of the automatic profile are needed as well, but are not among the facts that a rule reads.
func TestReads(t *testing.T) {
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Rules: []string{"disk-iops-limit", "tso"}})
	require.NoError(t, err)
	reads := set.Reads()
	require.Len(t, reads, 2)
	require.True(t, reads["disk-iops-limit"].Any("VDisk.iopsLimit"))
	require.False(t, reads["tso"].Any("Host.numaNodes"))
	require.True(t, set.Needs(advice.Options{}).Any("Host.numaNodes"))
	require.Equal(t, []string{"Net.UseHwTSO", "Net.UseHwTSO6"}, reads["tso"].OptionKeys())
}
