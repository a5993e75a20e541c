package read

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/hostfacts"
)

// Every fact of the tables has an origin: without it the guide would lack its paths.
func TestOrigins(t *testing.T) {
	all := Origins()
	require.ElementsMatch(t, tableFacts(), slices.Collect(maps.Keys(all)))
	require.Equal(t, []string{"config.hardware.numCPU"}, all["VM.vcpus"])
	require.Equal(t, []string{hostfacts.PathPNIC, "hardware.numaInfo"}, all["PNIC.numaNode"])
	require.Equal(t, []string{"HostKernelModuleSystem.QueryConfiguredModuleOptionString"}, all["PNIC.rss"])
	require.Equal(t, []string{"esxcli network nic ring preset get"}, all["PNIC.ringTxMax"])
}
