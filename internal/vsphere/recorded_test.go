package vsphere

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/simulator"

	"github.com/vperf/vperf/pkg/inventory"
)

// recorded loads a recording of a real vCenter 8.0.1 into the simulator.
func recorded(t *testing.T) *simulator.Model {
	t.Helper()
	file, err := filepath.Abs("../../../shared/testdata/vcenter/recorded-vcenter-8.0.1.tar.xz")
	require.NoError(t, err)
	if _, err := os.Stat(file); err != nil {
		t.Skip("recorded vCenter not present: the test of a real host's facts needs it")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "xJf", file, "-C", dir).CombinedOutput(); err != nil {
		t.Skipf("recorded vCenter not present: it cannot be unpacked: %s", out)
	}
	dir = filepath.Join(dir, "test-data", "SDDC-Datacenter")
	for _, large := range []string{"*ExtensionManager*", "*PerformanceManager*", "*LocalizationManager*"} {
		files, _ := filepath.Glob(filepath.Join(dir, large)) // nothing of it is read here
		for _, f := range files {
			require.NoError(t, os.RemoveAll(f))
		}
	}
	m := new(simulator.Model)
	require.NoError(t, m.Load(dir))
	return m
}

func TestReadRecordedVCenter(t *testing.T) {
	s := startSim(t, recorded(t), nil)
	vc := s.read(t, inventory.Everything())
	t.Logf("unread in the recording: %q", gaps(vc))
	require.Empty(t, gaps(vc), "a real vCenter gives all that vperf reads")
	require.Equal(t, inventory.Known(inventory.Version{Major: 8, Minor: 0, Update: 1}), vc.Version)
	require.Len(t, vc.VMs, 7)
	require.Len(t, vc.Hosts, 1)
	testRecordedHost(t, vc.Hosts[0])
	testRecordedVMs(t, vc.VMs)
}

func testRecordedHost(t *testing.T, h *inventory.Host) {
	t.Helper()
	require.Equal(t, "/SDDC-Datacenter/host/Cluster-1/10.2.32.4", h.Path)
	require.Equal(t, inventory.Known(inventory.HostPhysical), h.Kind)
	require.Equal(t, inventory.Known(int64(36)), h.Cores)
	require.Equal(t, inventory.Known(int64(2300)), h.CPUMHz)
	require.Equal(t, inventory.Known("ACPI P-states, ACPI C-states"), h.PowerHardware)
	require.NotNil(t, h.Cluster())

	options, _ := h.Options.Value()
	threshold := options["Net.NetNetqNumaIOCpuPinThreshold"]
	require.Equal(t, inventory.LongValue(0), threshold.Value)
	require.EqualValues(t, 60, *threshold.Max)
	for key, o := range options {
		require.NotNil(t, o.Default, "%s: every option that is read is defined", key)
		doc, ok := inventory.LookupOption(key)
		require.True(t, ok)
		if doc.Type == inventory.TypeString || doc.Type == inventory.TypeBool {
			require.Equal(t, doc.Type, o.Value.Type, key)
		}
	}
	nics, _ := h.PNICs.Value()
	require.Len(t, nics, 1)
	require.Equal(t, inventory.Known(int64(25_000)), nics[0].LinkMbps)
	require.Equal(t, inventory.Known(int64(0)), nics[0].NUMANode)
	require.Equal(t, inventory.Known(true), nics[0].Uplink)
	nodes, _ := h.NUMANodes.Value()
	require.Len(t, nodes, 2)
}

func testRecordedVMs(t *testing.T, vms []*inventory.VM) {
	t.Helper()
	snapshots, features := 0, 0
	for _, v := range vms {
		points, _ := v.Snapshots.Value()
		snapshots += len(points)
		nics, _ := v.VNICs.Value()
		for _, n := range nics {
			if f, _ := n.PNICFeatures.Value(); f != 0 {
				features++
			}
		}
		keys, _ := v.VMX.Value()
		for key := range keys {
			require.True(t, isTuning(key), key)
		}
	}
	require.Positive(t, snapshots)
	require.Equal(t, 10, features, "the vNICs of the two edges")
}
