package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

func setOption(t *testing.T, c *govmomi.Client, host, key string, value int64) {
	t.Helper()
	require.NoError(t, options(t, c, host).Update(t.Context(), []types.BaseOptionValue{&types.OptionValue{Key: key, Value: value}}))
}

// restart restarts a host as somebody at its console does, and starts its VMs again.
func restart(t *testing.T, c *govmomi.Client, host string) {
	t.Helper()
	ctx := t.Context()
	h, err := find.NewFinder(c.Client).HostSystem(ctx, "/*/host/*/"+host)
	require.NoError(t, err)
	collector := property.DefaultCollector(c.Client)
	var before, now mo.HostSystem
	require.NoError(t, h.Properties(ctx, h.Reference(), []string{"vm", "runtime"}, &before))
	var vms []mo.VirtualMachine
	if len(before.Vm) > 0 {
		require.NoError(t, collector.Retrieve(ctx, before.Vm, []string{"runtime.powerState"}, &vms))
	}
	_, err = methods.RebootHost_Task(ctx, c, &types.RebootHost_Task{This: h.Reference(), Force: true})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		err := h.Properties(ctx, h.Reference(), []string{"runtime"}, &now)
		return err == nil && now.Runtime.ConnectionState == types.HostSystemConnectionStateConnected && now.Runtime.BootTime.After(*before.Runtime.BootTime)
	}, time.Minute, 20*time.Millisecond)
	for _, vm := range vms {
		if vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn {
			task, err := object.NewVirtualMachine(c.Client, vm.Self).PowerOn(ctx)
			require.NoError(t, err)
			_ = task.Wait(ctx) // some VMs of the fleet are broken and stay off
		}
	}
}

// drawnLot is what `vperf trial run` prints about a lot.
type drawnLot struct {
	run   string
	apply []string // the command that makes the change, without vperf
}

// draw draws a lot, and returns what to type next.
func (s *trialStage) draw(t *testing.T, args ...string) (l drawnLot) {
	t.Helper()
	text := s.must(t, exitClean, append([]string{"trial", "run"}, args...)...)
	run, apply := regexp.MustCompile(`vperf trial resume (\S+)`).FindStringSubmatch(text), regexp.MustCompile(`(?m)^ +vperf (apply .+)$`).FindStringSubmatch(text)
	require.Len(t, run, 2, text)
	require.Len(t, apply, 2, text)
	require.Contains(t, s.must(t, exitClean, "trial", "list"), "drawn, not judged yet")
	require.Contains(t, s.must(t, exitClean, "trial", "show", run[1]), "vperf "+apply[1], "what to do is shown again")
	s.must(t, exitUsage, "trial", "report", run[1], "--out", "-")
	return drawnLot{run[1], strings.Fields(apply[1])}
}

// TestTrialLotOfHosts: the change needs a restart, which somebody makes later.
func TestTrialLotOfHosts(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newTrialStageAt(t, time.Now(), simfleet.Config{})
	c := s.somebody(t)
	hosts := []string{"host01", "host02", "host03", "host04", "host05", "host06", "host07", "host08"}
	for _, h := range hosts {
		setOption(t, c, h+".demo.local", "Net.UseHwTSO", 0)
	}
	lot := s.draw(t, append(hosts, "--rule", "tso", "--seed", "5")...)
	require.Contains(t, s.must(t, exitRefused, "trial", "resume", lot.run), "was drawn and does not have the change")
	s.must(t, exitPending, append(lot.apply, "--yes", "--max-hosts", "4")...)
	require.Contains(t, s.must(t, exitRefused, "trial", "resume", lot.run), "is not in force yet (host-reboot): vperf history verify")
	for _, word := range lot.apply {
		if strings.HasPrefix(word, "host") {
			restart(t, c, word)
		}
	}
	s.must(t, exitClean, "history", "verify")
	require.Contains(t, s.must(t, exitIncomplete, "trial", "resume", lot.run), "the days after the changes are not over")
	s.forward(25 * time.Hour)
	text := s.must(t, exitClean, "trial", "resume", lot.run)
	require.Contains(t, text, "No difference that matters: tso changes used CPU per Gb/s of the host by", "the fleet has no effect of it")
	require.Contains(t, text, "This design can prove a causal effect.")
	require.Contains(t, text, "network-throughput", "other outcomes are described")
	require.NotContains(t, s.must(t, exitClean, "trial", "list"), "not judged yet")
}

func limitMemory(t *testing.T, c *govmomi.Client, vm string, mb int64) {
	t.Helper()
	m, err := find.NewFinder(c.Client).VirtualMachine(t.Context(), "/*/vm/*/"+vm)
	require.NoError(t, err)
	task, err := m.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{MemoryAllocation: &types.ResourceAllocationInfo{Limit: &mb}})
	require.NoError(t, err)
	require.NoError(t, task.Wait(t.Context()))
}

// TestTrialLotOfVMs: a lot between 8 VMs proves the effect of their memory limits, and one between 4 VMs does not.
func TestTrialLotOfVMs(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	s := newTrialStageAt(t, time.Now().Add(-25*time.Hour), simfleet.Config{})
	c := s.somebody(t)
	const limit = 1536
	eight := []string{"web-01", "web-02", "web-03", "db-my-01", "app-mail-01", "db-spread-01", "db-pile-01", "feed-rx-01"}
	four := []string{"feed-rx-02", "feed-tx-01", "db-pg-01", "app-build-01"}
	for _, vm := range append(slices.Clone(eight), four...) {
		limitMemory(t, c, vm, limit)
	}
	s.forward(25 * time.Hour)
	large := s.draw(t, "--rule", "mem-limit", "--seed", "5", "--vm", strings.Join(eight, ","))
	small := s.draw(t, "--rule", "mem-limit", "--seed", "5", "--vm", strings.Join(four, ","))
	for _, lot := range []drawnLot{large, small} {
		s.must(t, exitClean, append(lot.apply, "--yes")...)
	}
	s.forward(25 * time.Hour)
	require.NotContains(t, large.apply, "app-mail-01")
	limitMemory(t, c, "app-mail-01", -1)
	require.Contains(t, s.must(t, exitRefused, "trial", "resume", large.run), "app-mail-01 was not drawn and its values have changed")
	limitMemory(t, c, "app-mail-01", limit)

	text := s.must(t, exitClean, "trial", "resume", large.run)
	require.Contains(t, text, "Keep: mem-limit lowers memory latency of VMs by 6")
	require.Contains(t, s.must(t, exitClean, "trial", "show", large.run, "-o", "md"), "| web-02 | yes | 1.")
	require.Contains(t, s.must(t, exitClean, "trial", "report", large.run, "--out", "-"), "Keep: mem-limit lowers memory latency")
	require.Contains(t, s.must(t, exitClean, "trial", "list"), "keep (simulated)")

	text = s.must(t, exitIncomplete, "trial", "resume", small.run)
	require.Contains(t, text, "Observed, not proven: with mem-limit, memory latency of VMs differs by -")
	require.Contains(t, text, "a lot proves an effect from 8 VMs on, and 4 count here")
}
