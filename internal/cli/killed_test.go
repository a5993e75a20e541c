package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/simfleet"
)

// leastCalls is how many calls a run makes: one with fewer is over too soon.
const leastCalls = 25

// killsOfASample is how many moments make test tries.
const killsOfASample = 6

// killsOneIn is how many of the moments around calls that only read are tried: others each time, until all were.
const killsOneIn = 4

// reading calls, by how their names begin, change nothing.
var reading = []string{"Retrieve", "ContinueRetrieve", "Query", "CurrentTime", "Create", "Destroy", "Login", "Logout", "WaitFor", "Fetch", "Find"}

func writing(call string) bool {
	return !slices.ContainsFunc(reading, func(r string) bool { return strings.HasPrefix(call, r) })
}

// TestProveKilled kills `vperf apply` around every call that writes and some of those that read. Each time, history shows the run,
// rollback reverts its changes, and every setting has its original value.
func TestProveKilled(t *testing.T) {
	t.Parallel()
	log.SetOutput(io.Discard) // the simulator remarks on VMs that start
	for name, c := range map[string]struct {
		plan  []string
		ahead []bool // of a call, or after it
	}{
		"a host's option": {[]string{"host01", "--rule", "numa-io"}, []bool{true, false}},
		// After one call is before the next, as far as the server goes; the other run does both.
		"a VM that is shut": {[]string{"--vm", "trade-mid-01", "--rule", "latency-sensitivity"}, []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := new(killer)
			fleet, err := simfleet.Start(simfleet.Config{Before: k.before, After: k.after})
			require.NoError(t, err)
			t.Cleanup(fleet.Close)
			v := newProgram(t, fleet.Endpoints()[0])
			file := filepath.Join(t.TempDir(), "plan.json")
			v.must(t, 0, append([]string{"plan", "-o", "json=" + file}, c.plan...)...)
			start, near := settingsOf(t, fleet, "demo"), settingsOf(t, fleet, "lowlat")
			require.False(t, k.kills(t, v, 0, file, false), "this run is to the end")
			calls := slices.Clone(k.names)
			require.Greater(t, len(calls), leastCalls, "the run is over too soon")
			require.True(t, slices.ContainsFunc(calls, writing), "%q", calls)
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			killed := 0
			for _, m := range proof.Sample(t, killsOfASample, momentsOf(calls, c.ahead, rand.New(rand.NewPCG(seed, 0)))) {
				if k.kills(t, v, m.at, file, m.ahead) {
					killed++
				}
				require.Equal(t, near, settingsOf(t, fleet, "lowlat"), "killed at %+v of %q", m, calls)
			}
			require.Equal(t, start, settingsOf(t, fleet, "demo"))
			require.Greater(t, k.settled, killed/3, "much of the run is after it has begun")
			t.Logf("killed %d times in %d calls, %d after the run had begun", killed, len(calls), k.settled)
		})
	}
}

// moment is one to kill a run at: ahead of a call, counted from 1, or after it.
type moment struct {
	at    int
	ahead bool
}

// momentsOf are all around the calls that write, and some of the others.
func momentsOf(calls []string, ahead []bool, dice *rand.Rand) (list []moment) {
	for i := range calls {
		for _, a := range ahead {
			near := writing(calls[i]) || !a && i+1 < len(calls) && writing(calls[i+1])
			if near || dice.IntN(killsOneIn) == 0 {
				list = append(list, moment{i + 1, a})
			}
		}
	}
	return list
}

// kills applies a plan and kills it at a moment, and goes back. It reports whether the run came that far.
func (k *killer) kills(t *testing.T, v *program, at int, plan string, ahead bool) bool {
	t.Helper()
	v.state = t.TempDir()
	cmd, output := v.command("apply", "--plan", plan, "--yes", "--allow", "power-cycle"), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	require.NoError(t, k.start(cmd, at, ahead))
	err := cmd.Wait()
	killed := k.disarm()
	if !killed {
		require.NoError(t, err, "%s", output)
	}
	if v.settle(t, output.String()) {
		k.settled++
	}
	return killed
}

// settle rolls the run back and fails if any unrecorded change remains. It does nothing if no run began.
func (v *program) settle(t *testing.T, output string) (begun bool) {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(v.state, "vperf", "simulated", "runs", "*", "journal.jsonl"))
	require.NoError(t, err)
	if len(journals) == 0 {
		return false
	}
	v.must(t, exitClean, "history", "list")
	code, text := v.run("rollback", "--last", "--yes", "--allow", "power-cycle")
	if code == exitFailed {
		require.Contains(t, text, "no run has changed anything", "killed before anything was written")
	} else {
		require.Equal(t, exitClean, code, "apply had said:\n%s\nthen\n%s", output, text)
	}
	require.NotContains(t, text, "needs manual review")
	return true
}

// killer kills a process at the moment of one of its calls.
type killer struct {
	mu     sync.Mutex
	victim *exec.Cmd
	at     int
	ahead  bool     // before the call is carried out
	names  []string // of the calls that have begun
	done   int
	dead   bool

	settled int // runs that had begun
}

// start starts the victim, whose calls are not looked at before that is done.
func (k *killer) start(victim *exec.Cmd, at int, ahead bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.victim, k.at, k.ahead, k.names, k.done, k.dead = victim, at, ahead, nil, 0, false
	return victim.Start()
}

// disarm reports whether it killed.
func (k *killer) disarm() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.victim = nil
	return k.dead
}

func (k *killer) before(call string) (drop bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.victim == nil {
		return false
	}
	k.names = append(k.names, call)
	if k.ahead && len(k.names) == k.at {
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

// kill sends SIGKILL and returns when the victim has ended.
func (k *killer) kill() {
	k.dead = true
	_ = k.victim.Process.Kill()
	for k.victim.Process.Signal(syscall.Signal(0)) == nil {
		time.Sleep(time.Millisecond)
	}
}

// settingsOf reads, with an independent client, every setting of every host and VM below an object of the fleet's vCenter,
// and the power states.
func settingsOf(t *testing.T, fleet *simfleet.Fleet, below string) map[string]string {
	t.Helper()
	ctx := t.Context()
	u := *fleet.URL()
	u.User = url.UserPassword(fleet.User(), fleet.Password())
	c, err := govmomi.NewClient(ctx, &u, true)
	require.NoError(t, err)
	defer func() { _ = c.Logout(ctx) }()
	views := view.NewManager(c.Client)
	v, err := views.CreateContainerView(ctx, c.ServiceContent.RootFolder, []string{"Datacenter", "ClusterComputeResource"}, true)
	require.NoError(t, err)
	root, err := v.Find(ctx, nil, property.Match{"name": below})
	require.NoError(t, err)
	require.Len(t, root, 1)
	v, err = views.CreateContainerView(ctx, root[0], nil, true)
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
