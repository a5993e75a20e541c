package simfleet

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

func setPower(t *testing.T, h *object.HostSystem, key int32) error {
	t.Helper()
	ref := hostProperties(t, h, "configManager.powerSystem").ConfigManager.PowerSystem
	_, err := methods.ConfigurePowerPolicy(t.Context(), h.Client(), &types.ConfigurePowerPolicy{This: *ref, Key: key})
	return err
}

// requirePower checks the policy in each of its properties.
func requirePower(t *testing.T, h *object.HostSystem, short, word string) {
	t.Helper()
	m := hostProperties(t, h, "config.powerSystemInfo", "hardware.cpuPowerManagementInfo", "configManager.powerSystem")
	require.Equal(t, short, m.Config.PowerSystemInfo.CurrentPolicy.ShortName)
	require.Equal(t, word, m.Hardware.CpuPowerManagementInfo.CurrentPolicy)
	var p mo.HostPowerSystem
	require.NoError(t, property.DefaultCollector(h.Client()).RetrieveOne(t.Context(), *m.ConfigManager.PowerSystem, nil, &p))
	require.Equal(t, short, p.Info.CurrentPolicy.ShortName)
	require.Len(t, p.Capability.AvailablePolicy, 4)
}

func TestPowerPolicy(t *testing.T) {
	t.Parallel()
	c := workshop(t)
	h1, h6 := hostNamed(t, c, "host01"), hostNamed(t, c, "host06")
	requirePower(t, h1, "dynamic", "Balanced")
	require.NoError(t, setPower(t, h1, esxi.PolicyStatic))
	requirePower(t, h1, "static", "High Performance")
	requirePower(t, h6, "dynamic", "Balanced")
	require.Equal(t, fleetdata.BothStates, hostProperties(t, h1, "hardware").Hardware.CpuPowerManagementInfo.HardwareSupport)

	require.NoError(t, setPower(t, h6, esxi.PolicyLow))
	requirePower(t, h6, "low", "Low Power")
	requireOption(t, h6, esxi.PowerOption, "Low Power")
	for _, key := range []int32{0, -1, 5} {
		require.Equal(t, "key", requireFault[*types.InvalidArgument](t, setPower(t, h1, key)).InvalidProperty)
	}
	requirePower(t, h1, "static", "High Performance")
}

// From 8.0 on the policy is an advanced option too: one setting under two names.
func TestPowerPolicyAsOption(t *testing.T) {
	h := hostNamed(t, workshop(t), "host08")
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(esxi.PowerOption, "High Performance")))
	requirePower(t, h, "static", "High Performance")
	requireOption(t, h, esxi.PowerOption, "High Performance")
	err := optionsOf(t, h).Update(t.Context(), set(esxi.PowerOption, "Fast"))
	requireFault[*types.InvalidArgument](t, err)
}

// Row 17 of the refusals: if the BIOS controls power, the call succeeds and changes nothing.
func TestPowerPolicyInTheBIOS(t *testing.T) {
	h := hostNamed(t, login(t, common(t)), "host03")
	require.NoError(t, setPower(t, h, esxi.PolicyDynamic))
	requirePower(t, h, "static", "High Performance")
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(esxi.PowerOption, "Balanced")))
	requirePower(t, h, "static", "High Performance")
	requireOption(t, h, esxi.PowerOption, "High Performance")
}

// A client that watches a host is notified of changes.
func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	c := workshop(t)
	h := hostNamed(t, c, "host07")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told, first := make(chan string, 10), make(chan bool, 1)
	go func() {
		paths := []string{"config.powerSystemInfo", "config.option"}
		_ = property.Wait(ctx, property.DefaultCollector(c), h.Reference(), paths, func(changes []types.PropertyChange) bool {
			for _, change := range changes {
				select {
				case first <- true:
				default:
					told <- change.Name
				}
			}
			return false
		})
	}()
	<-first
	require.NoError(t, setPower(t, h, esxi.PolicyLow))
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(60))))
	want := map[string]bool{"config.powerSystemInfo": true, "config.option": true}
	for len(want) > 0 {
		select {
		case name := <-told:
			delete(want, name)
		case <-ctx.Done():
			t.Fatalf("not notified of %v", want)
		}
	}
}
