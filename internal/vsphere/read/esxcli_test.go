package read

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/cli/esx"

	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
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

// TestVersionsOfAdapters: each adapter has the versions that the list of its kind shows, and the others have none.
func TestVersionsOfAdapters(t *testing.T) {
	t.Parallel()
	session := vspheretest.Demo(t)
	needs := vspheretest.NeedsOf("Host.hbas", "HBA.kind", "HBA.driverVersion", "HBA.firmwareVersion")
	vc, err := Inventory(t.Context(), session, tree.Scope{Hosts: []string{"host09", "host11", "host14", "host15"}}, needs, nil)
	require.NoError(t, err)
	before := session.Calls()["ExecuteSoap"]
	require.NoError(t, Fill(t.Context(), session, vc.Hosts, needs, nil))
	require.Equal(t, 2*6, session.Calls()["ExecuteSoap"]-before, "a description and a call for each list of a host")
	got := map[string][2]inventory.Fact[string]{}
	for _, h := range vc.Hosts {
		hbas, _ := h.HBAs.Value()
		for _, b := range hbas {
			got[h.Name[:6]+" "+b.Device] = [2]inventory.Fact[string]{b.DriverVersion, b.FirmwareVersion}
		}
	}
	both := func(driver, firmware string) [2]inventory.Fact[string] {
		return [2]inventory.Fact[string]{inventory.Known(driver), inventory.Known(firmware)}
	}
	sas, none := both("7.728.02.00", "25.5.9.0001"), [2]inventory.Fact[string]{inventory.Absent[string](), inventory.Absent[string]()}
	fc, old := both("14.0.169.26", "12.8.614.16"), both("14.0.169.26", "12.4.243.11")
	require.Equal(t, map[string][2]inventory.Fact[string]{
		"host09 vmhba0": sas, "host09 vmhba1": fc, "host09 vmhba2": fc,
		"host11 vmhba0": sas, "host11 vmhba1": old, "host11 vmhba2": old,
		"host14 vmhba0": none, "host14 vmhba1": fc, "host14 vmhba2": fc,
		"host15 vmhba0": sas, "host15 vmhba64": none,
	}, got)
}

// TestVersionsFromAnswers: what a list does not have is absent for SAS, whose types other adapters share, and unread for Fibre Channel.
func TestVersionsFromAnswers(t *testing.T) {
	t.Parallel()
	known := inventory.Known([]esx.Values{
		{"Adapter": {"vmhba1"}, "DeviceName": {"vmhba1"}, "DriverVersion": {"14.0"}, "FirmwareVersion": {" 12.8 "}},
		{"Adapter": {"vmhba2"}, "DeviceName": {"vmhba2"}, "Driver Version": {"14.0"}, "FirmwareVersion": {""}},
		{"Adapter": {"vmhba3"}, "DeviceName": {"vmhba3"}, "DriverVersion": {"14.0"}},
	})
	refused := inventory.Unread[[]esx.Values]("esxcli: denied")
	of := func(device string, answer inventory.Fact[[]esx.Values], row func(string) func([]esx.Values) inventory.Fact[esx.Values]) [2]inventory.Fact[string] {
		b := &inventory.HBA{Device: device}
		setVersions(t.Context(), b, property.Then(answer, row(device)))
		return [2]inventory.Fact[string]{b.DriverVersion, b.FirmwareVersion}
	}
	driver, absent := inventory.Known("14.0"), inventory.Absent[string]()
	for _, row := range []func(string) func([]esx.Values) inventory.Fact[esx.Values]{fcRow, sasRow} {
		require.Equal(t, [2]inventory.Fact[string]{driver, inventory.Known("12.8")}, of("vmhba1", known, row))
		require.Equal(t, [2]inventory.Fact[string]{driver, absent}, of("vmhba2", known, row), "the host lists no firmware of it")
		require.Equal(t, [2]inventory.Fact[string]{driver, inventory.Unread[string]("esxcli does not show Firmware Version here")}, of("vmhba3", known, row))
		unread := inventory.Unread[string]("esxcli: denied")
		require.Equal(t, [2]inventory.Fact[string]{unread, unread}, of("vmhba1", refused, row))
	}
	unlisted := inventory.Unread[string]("esxcli does not list vmhba9")
	require.Equal(t, [2]inventory.Fact[string]{unlisted, unlisted}, of("vmhba9", known, fcRow))
	require.Equal(t, [2]inventory.Fact[string]{absent, absent}, of("vmhba9", known, sasRow))
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
