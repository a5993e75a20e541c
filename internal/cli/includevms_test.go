package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
)

func TestIncludeVMsFlag(t *testing.T) {
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
		require.ElementsMatch(t, c.want, c.flag.states(c.named))
	}
}
