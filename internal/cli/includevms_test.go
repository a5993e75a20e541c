package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

func TestIncludeVMsFlag(t *testing.T) {
	t.Setenv("VPERF_CONFIG", t.TempDir()+"/none.yaml")
	require.NoError(t, includeVMs{"off", "templates"}.check())
	require.ErrorContains(t, includeVMs{"of"}.check(), `--include-vms: no state of VMs "of" (did you mean "off"?)`)
	for _, c := range []struct {
		flag  includeVMs
		named bool
		want  []advice.VMState
	}{
		{nil, false, nil},
		{includeVMs{"off"}, false, []advice.VMState{advice.VMOff}},
		{nil, true, advice.VMStates()},
	} {
		got, err := c.flag.states(c.named)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}
