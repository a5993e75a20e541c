package cli

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
)

// writingCalls are the calls that change a setting or a power state.
var writingCalls = []string{
	"UpdateOptions", "UpdateModuleOptionString", "ConfigurePowerPolicy", "EnableHyperThreading", "DisableHyperThreading", "ReconfigVM_Task",
	"ReconfigureComputeResource_Task", "UpdateConfig", "EnableNetworkResourceManagement", "UpdateVmfsUnmapPriority", "esxcli storage core device set",
	"ShutdownGuest", "PowerOnVM_Task", "PowerOffVM_Task", "EnterMaintenanceMode_Task", "ExitMaintenanceMode_Task", "RebootHost_Task",
	"BackupFirmwareConfiguration", "PostEvent",
}

// writes counts the change requests that a fleet received.
func writes(fleet *simfleet.Fleet) int {
	n := 0
	for _, call := range writingCalls {
		n += fleet.Calls()[call]
	}
	return n
}

// TestTwoAppliesAtOnce holds one vperf in the middle of its write while others come: on the same host they are refused and
// write nothing, on another host one works.
func TestTwoAppliesAtOnce(t *testing.T) {
	t.Parallel()
	writing, on := make(chan struct{}), make(chan struct{})
	var held atomic.Bool
	fleet, err := simfleet.Start(simfleet.Config{Before: func(call string) bool {
		if call == "UpdateOptions" && held.CompareAndSwap(false, true) {
			close(writing)
			<-on
		}
		return false
	}})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	v := newProgram(t, fleet.Endpoints()[0])
	type end struct {
		code int
		text string
	}
	first := make(chan end, 1)
	go func() {
		code, text := v.run("apply", "host01", "--rule", "numa-io", "--yes")
		first <- end{code, text}
	}()
	select {
	case <-writing:
	case e := <-first:
		t.Fatalf("it ended with %d before it wrote:\n%s", e.code, e.text)
	case <-time.After(time.Minute):
		t.Fatal("it never writes")
	}
	before := writes(fleet)
	for _, args := range [][]string{
		{"apply", "host01", "--rule", "numa-io", "--yes"},
		{"apply", "host01", "--rule", "power-policy", "--yes"}, // another setting of the same host
		{"rollback", "--last", "--yes"},
	} {
		require.Contains(t, v.must(t, exitLocked, args...), "another run is active: run ", "%s", args)
	}
	require.Equal(t, before, writes(fleet), "who is refused writes nothing")
	v.must(t, 0, "apply", "host02", "--rule", "lro", "--yes")
	close(on)
	e := <-first
	require.Equal(t, 0, e.code, "%s", e.text)
	require.Contains(t, v.must(t, 0, "apply", "host01", "--rule", "numa-io", "--yes"), "nothing to do", "the lock is free")
	v.must(t, 0, "history", "verify")
}

// find looks up an object by its name, as another client does.
func (h *healer) find(t *testing.T, kind, name string) types.ManagedObjectReference {
	t.Helper()
	v, err := view.NewManager(h.operator).CreateContainerView(t.Context(), h.operator.ServiceContent.RootFolder, []string{kind}, true)
	require.NoError(t, err)
	found, err := v.Find(t.Context(), []string{kind}, property.Match{"name": name})
	require.NoError(t, err)
	require.Len(t, found, 1, name)
	return found[0]
}

// TestStalePlansWriteNothing has another client change a value between plan and apply.
func TestStalePlansWriteNothing(t *testing.T) {
	t.Parallel()
	fleet, err := simfleet.Start(simfleet.Config{})
	require.NoError(t, err)
	t.Cleanup(fleet.Close)
	v := newProgram(t, fleet.Endpoints()[0])
	h := newHealer(t, fleet)
	for name, c := range map[string]struct {
		plan    []string
		changes func()
		said    string
	}{
		"an option of a host": {[]string{"host01", "--rule", "numa-io"}, func() {
			options, err := object.NewHostSystem(h.operator, h.find(t, "HostSystem", "host01.demo.local")).ConfigManager().OptionManager(t.Context())
			require.NoError(t, err)
			require.NoError(t, options.Update(t.Context(), []types.BaseOptionValue{
				&types.OptionValue{Key: "Net.NetNetqNumaIOCpuPinThreshold", Value: int64(12)},
			}))
		}, "host-option/Net.NetNetqNumaIOCpuPinThreshold of host01.demo.local is 12; the plan found 0"},
		"a VM that would be shut down": {[]string{"--vm", "trade-mid-01", "--rule", "latency-sensitivity"}, func() {
			task, err := object.NewVirtualMachine(h.operator, h.find(t, "VirtualMachine", "trade-mid-01")).Reconfigure(t.Context(),
				types.VirtualMachineConfigSpec{LatencySensitivity: &types.LatencySensitivity{Level: types.LatencySensitivitySensitivityLevelLow}})
			require.NoError(t, err)
			require.NoError(t, task.Wait(t.Context()))
		}, "vm-latency of trade-mid-01 is low; the plan found "},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "plan.json")
			v.must(t, 0, append([]string{"plan", "-o", "json=" + file}, c.plan...)...)
			c.changes()
			start, before := settingsOf(t, fleet, "lowlat"), writes(fleet)
			require.Contains(t, v.must(t, exitStale, "apply", "--plan", file, "--yes", "--allow", "power-cycle"), c.said)
			require.Equal(t, before, writes(fleet), "no call that writes")
			require.Equal(t, start, settingsOf(t, fleet, "lowlat"))
			require.Contains(t, v.must(t, 0, "history", "list"), "no runs yet")
		})
	}
}
