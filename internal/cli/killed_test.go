package cli

import (
	"encoding/json"
	"io"
	"log"
	"net/url"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
)

// leastKills is how many calls a run is killed at, before and after each: all of a run that has more.
const leastKills = 25

// TestKilled kills `vperf apply` before and after every call that it makes to the fleet. Whatever the moment, history tells
// of the run, rollback takes back what it did, and no setting differs from how it was before.
func TestKilled(t *testing.T) {
	log.SetOutput(io.Discard) // the simulator remarks on VMs that start
	for name, plan := range map[string][]string{
		"a host's option":   {"host01", "--rule", "numa-io"},
		"a VM that is shut": {"--vm", "trade-mid-01", "--rule", "latency-sensitivity"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := new(killer)
			fleet, err := simfleet.Start(simfleet.Config{Before: k.before, After: k.after})
			require.NoError(t, err)
			t.Cleanup(fleet.Close)
			v := newProgram(t, fleet.Endpoints()[0])
			file := filepath.Join(t.TempDir(), "plan.json")
			v.must(t, 0, append([]string{"plan", "-o", "json=" + file}, plan...)...)
			start := settingsOf(t, fleet)
			calls := 0
			for k.kills(t, v, calls+1, file) {
				require.Equal(t, start, settingsOf(t, fleet), "killed at call %d", calls+1)
				calls++
			}
			require.Greater(t, calls, leastKills, "the run is over too soon")
			t.Logf("killed before and after each of %d calls", calls)
		})
	}
}

// kills applies a plan twice and kills it before and after one of its calls, and goes back each time. It reports whether the
// run came that far.
func (k *killer) kills(t *testing.T, v *program, at int, plan string) bool {
	t.Helper()
	killed := false
	for _, ahead := range []bool{true, false} {
		v.state = t.TempDir()
		cmd := v.command("apply", "--plan", plan, "--yes", "--allow", "power-cycle")
		k.arm(cmd, at, ahead)
		text, err := cmd.CombinedOutput()
		if k.disarm() {
			killed = true
		} else {
			require.NoError(t, err, "%s", text)
		}
		v.must(t, 0, "history", "list")
		v.settle(t, string(text))
	}
	return killed
}

// settle goes back until there is nothing to go back to, and insists that nothing is left that nobody accounts for.
func (v *program) settle(t *testing.T, said string) {
	t.Helper()
	code, text := v.run("rollback", "--last", "--yes", "--allow", "power-cycle")
	if code == exitFailed {
		require.Contains(t, text, "no run has changed anything", "killed before the run began")
	} else {
		require.Equal(t, exitClean, code, "apply had said:\n%s\nthen\n%s", said, text)
	}
	require.NotContains(t, text, "a person must look")
}

// killer kills a process at the moment of one of its calls.
type killer struct {
	mu     sync.Mutex
	victim *exec.Cmd
	at     int
	ahead  bool // before the call is carried out
	begun  int
	done   int
	dead   bool
}

func (k *killer) arm(victim *exec.Cmd, at int, ahead bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.victim, k.at, k.ahead, k.begun, k.done, k.dead = victim, at, ahead, 0, 0, false
}

// disarm reports whether it killed.
func (k *killer) disarm() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.victim = nil
	return k.dead
}

func (k *killer) before(string) (drop bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.victim == nil {
		return false
	}
	k.begun++
	if k.ahead && k.begun == k.at {
		k.kill()
	}
	return k.dead
}

func (k *killer) after(string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.victim == nil || k.dead {
		return
	}
	k.done++
	if !k.ahead && k.done == k.at {
		k.kill()
	}
}

// kill returns when nothing of the victim runs any more: SIGKILL gives it no last word.
func (k *killer) kill() {
	k.dead = true
	_ = k.victim.Process.Kill()
	for k.victim.Process.Signal(syscall.Signal(0)) == nil {
		time.Sleep(time.Millisecond)
	}
}

// settingsOf is what an independent client reads of the fleet's vCenter: every setting of every host and VM, and what runs.
func settingsOf(t *testing.T, fleet *simfleet.Fleet) map[string]string {
	t.Helper()
	ctx := t.Context()
	u := *fleet.URL()
	u.User = url.UserPassword(fleet.User(), fleet.Password())
	c, err := govmomi.NewClient(ctx, &u, true)
	require.NoError(t, err)
	defer func() { _ = c.Logout(ctx) }()
	v, err := view.NewManager(c.Client).CreateContainerView(ctx, c.ServiceContent.RootFolder, nil, true)
	require.NoError(t, err)
	all := map[string]string{}
	var hosts []mo.HostSystem
	require.NoError(t, v.Retrieve(ctx, []string{"HostSystem"}, []string{
		"name", "config.option", "config.powerSystemInfo", "config.hyperThread", "runtime.inMaintenanceMode", "runtime.connectionState",
		"configManager.kernelModuleSystem",
	}, &hosts))
	for _, h := range hosts {
		modules, err := methods.QueryModules(ctx, c.Client, &types.QueryModules{This: *h.ConfigManager.KernelModuleSystem})
		require.NoError(t, err)
		all[h.Name] = asText(t, h.Config.Option, h.Config.PowerSystemInfo, h.Config.HyperThread, h.Runtime, modules.Returnval)
	}
	var vms []mo.VirtualMachine
	require.NoError(t, v.Retrieve(ctx, []string{"VirtualMachine"}, []string{"name", "config", "runtime.powerState"}, &vms))
	for _, vm := range vms {
		vm.Config.ChangeVersion, vm.Config.Modified = "", time.Time{} // of the change, not of a setting
		all[vm.Name+" "+vm.Self.Value] = asText(t, vm.Config, vm.Runtime.PowerState)
	}
	return all
}

func asText(t *testing.T, parts ...any) string {
	t.Helper()
	b, err := json.Marshal(parts)
	require.NoError(t, err)
	return string(b)
}
