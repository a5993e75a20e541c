package read

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestFillFromTheCommandLine(t *testing.T) {
	t.Parallel()
	session := vspheretest.Demo(t)
	needs := vspheretest.NeedsOf("PNIC.uplink", "PNIC.driver", "PNIC.ringRx", "PNIC.ringTxMax", "PNIC.coalesceAdaptiveRx", "PNIC.coalesceRxMicros",
		"PNIC.driverVersion", "Host.kernelSettings")
	vc, err := Inventory(t.Context(), session, tree.Scope{Hosts: []string{"host01", "host03"}}, needs, nil)
	require.NoError(t, err)
	require.NoError(t, Fill(t.Context(), session, vc.Hosts, needs, nil))
	for _, h := range vc.Hosts {
		nics, _ := h.PNICs.Value()
		require.Equal(t, inventory.Known(map[string]int64{"host01.demo.local": 512, "host03.demo.local": 1024}[h.Name]), nics[0].RingRx)
		require.Equal(t, inventory.Known(map[string]int64{"host01.demo.local": 8192, "host03.demo.local": 4096}[h.Name]), nics[0].RingTxMax)
		require.Equal(t, inventory.Known(true), nics[0].CoalesceAdaptiveRx)
		require.Equal(t, inventory.Known(int64(25)), nics[0].CoalesceRxMicros)
		_, known := nics[0].DriverVersion.Value()
		require.True(t, known)
		require.Equal(t, inventory.Absent[string](), h.KernelSetting("latencyOptimMode"), "a setting of 9.0")
		require.Equal(t, inventory.Known("TRUE"), h.KernelSetting("netNetqueueEnabled"))
	}
}

// The underlying library ends the process if a command does not have a flag.
func TestCommandLineSurvivesBadArguments(t *testing.T) {
	t.Parallel()
	session := vspheretest.Demo(t)
	vc, err := Inventory(t.Context(), session, tree.Scope{Hosts: []string{"host01"}}, vspheretest.NeedsOf("Host.cores"), nil)
	require.NoError(t, err)
	cli := &perhost.CommandLine{Session: session, Host: hostRef(vc.Hosts[0])}
	reason := func(command string, flags ...perhost.Flag) string {
		_, _, why := cli.Run(t.Context(), command, flags...).Get()
		return why
	}
	require.Equal(t, "esxcli network nic ring current get has no flag --nic on this release", reason("network nic ring current get", perhost.Flag{Name: "--nic", Value: "vmnic0"}))
	require.Contains(t, reason("network nic ring current get", perhost.Flag{Name: "-n", Value: `vmnic9</nicname><x a="&">`}), "esxcli network nic ring current get: Invalid argument")
	require.Contains(t, reason("network nic ring future get"), "esxcli network nic ring future get: ")
	require.Contains(t, reason(""), "a form that vperf does not understand")
	rows, known := cli.Run(t.Context(), "network nic ring current get", perhost.Flag{Name: "-n", Value: "vmnic0"}).Value()
	require.True(t, known, "and goes on")
	require.Len(t, rows, 1)
}

func TestPathConfig(t *testing.T) {
	text := "{policy=iops,iops=1,bytes=10485760,useANO=0; lastPathIndex=1: NumIOsPending=0,numBytesPending=0}"
	config, known := pathConfig(esx.Values{"PathSelectionPolicyDeviceConfig": {text}}).Value()
	require.True(t, known)
	require.Equal(t, "1", config["iops"])
	require.Equal(t, "iops", config["policy"])
	_, known = pathConfig(esx.Values{"Device": {"naa.1"}}).Value()
	require.False(t, known)
}

func TestCells(t *testing.T) {
	row := esx.Values{"NoofoutstandingIOswithcompetingworlds": {"64"}, "AdaptiveRX": {"N/A"}}
	require.Equal(t, inventory.Known(int64(64)), perhost.Cell(row, perhost.WholeNumber, "No of outstanding IOs with competing worlds"))
	require.Equal(t, inventory.Unread[bool](`esxcli shows Adaptive RX as "N/A"`), perhost.Cell(row, perhost.OnOff, "Adaptive RX"))
	require.Equal(t, inventory.Unread[int64]("esxcli does not show RX here"), perhost.Cell(row, perhost.WholeNumber, "RX"))
}
