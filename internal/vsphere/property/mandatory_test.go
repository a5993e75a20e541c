package property

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/inventory"
)

func TestMandatory(t *testing.T) {
	for key, want := range map[[2]string]bool{
		{TypeVM, "runtime.powerState"}:          true,
		{TypeVM, "runtime.bootTime"}:            false,
		{TypeVM, "config.template"}:             true, // something of config is set
		{TypeVM, "config.hardware.numCPU"}:      true,
		{TypeVM, "config.hardware.device"}:      false, // a list
		{TypeVM, "config.cpuAllocation.limit"}:  false,
		{TypeVM, "guest.toolsStatus"}:           false, // there may be no guest
		{TypeVM, "name"}:                        true,
		{TypeHost, "runtime.inMaintenanceMode"}: true,
		{TypeHost, "hardware.systemInfo.model"}: true,
		{TypeHost, "config.option"}:             false,
		{TypeHost, "config.no.such"}:            false,
		{"NoSuchType", "name"}:                  false,
	} {
		require.Equal(t, want, mandatory(ref{Type: key[0], Value: "x-1"}, key[1]), key)
	}
	p := &Props{Ref: ref{Type: TypeVM, Value: "vm-1"}, Values: map[string]any{}, Unknown: func(string) bool { return false }}
	require.Equal(t, inventory.Unread[string]("the server returned no runtime.faultToleranceState"), Read(p, "runtime.faultToleranceState", Text, DefaultTo("none")))
	require.Equal(t, inventory.Known("none"), Read(p, "runtime.minRequiredEVCModeKey", Text, DefaultTo("none")))
}
