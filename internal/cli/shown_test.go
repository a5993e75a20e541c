package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/internal/report/wording"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// notShown is the page that lists the rules without a finding in the demo fleet.
const notShown = "../../docs/demo.md"

func library(t *testing.T) []*advice.Rule {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	return l.Rules()
}

// cannotFail returns the reason why a rule has no finding in the demo fleet, or "".
func cannotFail(r *advice.Rule) string {
	switch {
	case r.Manual != "":
		return "needs a manual check"
	case len(r.Live()) > 0:
		return "needs live counters: " + strings.Join(r.Live(), ", ")
	case strings.Contains(r.Want.Source, "homeNodes()"):
		return "needs live counters: home nodes of VMs"
	}
	return withoutHardware[r.ID]
}

// withoutHardware lists rules about hardware that the demo fleet does not have, with the reason.
var withoutHardware = map[string]string{
	"perennially-reserved": "no VM has a raw device mapping",
	"vgpu-policy":          "no host has a GPU",
}

func TestRulesThatTheDemoCannotShow(t *testing.T) {
	proof.NotRaced(t)
	var b strings.Builder
	b.WriteString("# The demo fleet\n\n## Rules without a finding\n\n" +
		"In `vperf audit --demo --all`, every rule fails for one object of the demo fleet and passes, or does not apply, for another one.\n" +
		"The rules in this table are the exceptions. `vperf explain RULE` describes the manual check. Diagnoses are not part of an audit; they appear\nin `vperf advise --demo`.\n\n" +
		"| rule | reason |\n|---|---|\n")
	for _, r := range library(t) {
		if why := cannotFail(r); why != "" && len(r.Explains) == 0 {
			fmt.Fprintf(&b, "| [%s](%s#%s) | %s |\n", r.ID, wording.GuidePage(r.Category), r.ID, why)
		}
	}
	b.WriteString(canBeChanged)
	for _, s := range simfleet.Scenarios() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name, s.About)
	}
	b.WriteString(countersShow)
	golden.Equal(t, notShown, []byte(b.String()))
}

const canBeChanged = `
## What can be changed

Each server of ` + "`vperf sim`" + ` names the vendor ` + "`vperf sim (govmomi simulator)`" + `; ` + "`govc about`" + ` shows it. UUIDs are new at each start. ` + "`vperf sim`" + ` keeps changes
until it ends, and refuses the changes that vSphere refuses:

- VMs: size, reservations and limits, latency sensitivity, affinity, hot-add, virtual NUMA, flags, VMX keys and disk limits. A running
  VM refuses changes that need power-off. Guests with VMware Tools shut down on request.
- Hosts: advanced and boot options, driver options, the power policy, hyper-threading and the path policy. Also the outstanding-I/O limit of a device
  (` + "`esxcli storage core device set -O`" + `), and the receive ring of a NIC (` + "`esxcli network nic ring current set -r`" + `), which is reset by a
  restart. Settings that need a restart take effect after it.
- A host restarts only in maintenance mode or with force. vCenter loses it for a third of a second; a standalone host ends all sessions.
  In a fully automated DRS cluster, entering maintenance mode migrates the VMs of the host. Exceptions are VMs with CPU affinity or a host device,
  and VMs that no other host has room for.
- Settings of a host are lost if it crashes within an hour after the change, unless it was restarted or saved its configuration.
- Clusters: DRS and the swap file location. Resource pools: limits. Distributed switches: Network I/O Control. VMFS 6: automatic space
  reclamation (UNMAP).
- Events can be posted on objects and read from vCenter. One alarm, on host05, has been red for a long time.

No rule sets the cores of a virtual NUMA node. Every other kind of setting that vperf can change is wrong on at least one object.

## Scenarios

` + "`vperf sim --scenario NAME`" + `:

| scenario | effect |
|---|---|
`

const countersShow = `
With ` + "`" + `--demo` + "`" + `, ` + "`" + `audit` + "`" + `, ` + "`" + `advise` + "`" + `, ` + "`" + `report` + "`" + `, ` + "`" + `plan` + "`" + ` and ` + "`" + `snapshot` + "`" + ` do not wait in real time. They replay the counters of the fleet's last
minutes at once (the last hour at most, ` + "`" + `--for 1h` + "`" + `), and ` + "`" + `slow-host` + "`" + ` delays each read by 50 ms. A replay of more than 10 minutes reads the
samples that hosts keep instead of their Esxtop service, unless ` + "`" + `--source esxtop` + "`" + ` is set. With ` + "`" + `--realtime` + "`" + `, these commands wait, and
` + "`" + `slow-host` + "`" + ` delays each read by 2 s. ` + "`" + `plan` + "`" + ` has no ` + "`" + `--realtime` + "`" + `. ` + "`" + `top` + "`" + ` and ` + "`" + `exporter` + "`" + ` always watch the fleet live.

## Faults that the counters show

The performance statistics, quick stats, ` + "`esxcli network nic stats get`" + ` and the Esxtop service all show the same simulated load. The load
follows the hour of the day in UTC; with ` + "`--demo`" + ` it is always mid-morning. It varies over time, but all clients see the same values. ` + "`vperf sim --speed 60`" + ` runs a day in 24 minutes. A
change of a setting affects the samples from the next 20 seconds on, and never past samples.

| fault | where | counters | healthy counterpart |
|---|---|---|---|
| CPU limit of a VM or of its pool | db-oltp-01, app-build-01 | max limited | db-sql-01, replay-01 |
| more vCPUs than cores | host16 and its desktops, esxi-b | ready, co-stop, core utilization; receive drops of lab-db-01, which waits for a CPU | web-03 |
| VM is too wide for the host | spark-01, spark-02, hpc-monster-01 | co-stop | hpc-monster-02 |
| Latency Sensitivity without reservation | trade-lat-01, trade-lat-02 | ready | trade-gw-01 |
| VM needs more vCPUs | app-clean-01 | used | db-my-01 |
| memory limit | db-pg-02, at times app-cache-01 | balloon, swap, decompression | app-cache-02 |
| host is short of memory | host14, host16, esxi-b | memory state, balloon, swap | host06 |
| memory was short long ago: no current fault | app-iis-01, vdi-clone-01 | swapped and balloon, no rates | db-sql-02 |
| affinity to CPUs or a NUMA node, or NUMA scheduler disabled | feed-pin-01, hpc-monster-03, app-prefer-01, db-ora-01, db-ora-02 | remote memory | trade-gw-01, db-ora-03 |
| uneven VM, wider than a NUMA node | hpc-mesh-02 | remote memory | hpc-mesh-01 |
| emulated NICs, one queue for many packets | web-01, web-02, feed-rx-01 | receive drops at the port | web-03, feed-keys-01 |
| small receive rings, a link at 1 Gb/s | host01, host07 | receive drops at the NIC | host03, host08 |
| NUMA I/O off with fast NICs: possible, not proven | host01 (trade-mid-01 keeps one NIC busy), host02 (trade-md-02) | used of those VMs, system of VMs, used of the poll worlds | host03 with trade-mid-02 |
| link at full speed: no fault | host08, by db-hana-01 | 9.4 Gb/s sent, no drops | host06 |
| one ring for the packets of a VM | esxi-a (edge-lat-02 receives 15 Gb/s), host01, host02 | receive drops at the NIC; one poll world and one interrupt vector per NIC | host03 |
| no receive offload | host05 (app-arch-02 receives much), host02 (replay-02) | seven times as many packets, of 1.4 KB; system and used of those VMs | app-arch-01 |
| slow array | host06, for db-pile-01 and vdi-clone-02 | device latency, aborts | db-spread-01 |
| I/O limit | app-files-01 | latency of its disk, not of the device | web-03 |
| low outstanding-I/O limit | host04 | kernel and queue latency | host05 |
| power-saving policy | host05, slightly host06 | used below run, clocks of busy cores, ready | host07 |
| long chain of snapshots | app-build-01 | co-stop, latency of its disk | web-03 |

The costs of NUMA I/O, receive offload and one ring are those measured in the articles behind the rules: 20 % of the CPU time for packets at
40GbE, 7 % at 10GbE; one third of it without receive offload, with seven times as many packets; 20 Gb/s per ring.
` + "`internal/simfleet/testdata`" + ` has a table of all faults with the advice that ` + "`vperf advise`" + ` must give, and of all faults that no counter shows,
with the reason.
`

// showsAllRules FILE holds the findings of an audit with --all against the library: each rule fails for one object and not for
// another, or is on the page of those that cannot; and each kind of setting that vperf can change is wrong somewhere.
func showsAllRules(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shown FILE")
	}
	var audit struct {
		Findings []struct {
			Rule    string         `json:"rule"`
			Outcome advice.Outcome `json:"outcome"`
			Objects []struct {
				Remedy []struct {
					Setting string `json:"setting"`
				} `json:"remedy"`
			} `json:"objects"`
		} `json:"findings"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &audit))
	outcomes, wrong := map[string][]advice.Outcome{}, map[string]bool{}
	for _, f := range audit.Findings {
		outcomes[f.Rule] = append(outcomes[f.Rule], f.Outcome)
		for _, o := range f.Objects {
			for _, r := range o.Remedy {
				kind, _, _ := strings.Cut(r.Setting, "/")
				wrong[kind] = true
			}
		}
	}
	page, err := os.ReadFile(notShown)
	ts.Check(err)
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	ts.Check(err)
	var missing []string
	for _, r := range l.Rules() {
		if len(r.Explains) > 0 || strings.Contains(string(page), "| ["+r.ID+"](") { // an audit leaves diagnoses out
			continue
		}
		have := outcomes[r.ID]
		if !slices.Contains(have, advice.Fail) {
			missing = append(missing, r.ID+" fails for no object")
		}
		one := r.Scope == inventory.ScopeVCenter // the fleet has one vCenter
		if !one && !slices.Contains(have, advice.Pass) && !slices.Contains(have, advice.NotApplicable) {
			missing = append(missing, r.ID+" has no object that it passes or does not apply to")
		}
	}
	asked := map[string]bool{} // some kinds only go with others: a reservation goes back with its lock
	for _, r := range l.Rules() {
		for _, m := range r.Remedy {
			asked[m.Setting().Kind.Name] = true
		}
	}
	for _, k := range inventory.SettingKinds() {
		if k.Applicable() && asked[k.Name] && !wrong[k.Name] {
			missing = append(missing, k.Name+" is wrong on no object")
		}
	}
	if len(missing) > 0 {
		ts.Fatalf("the demo fleet does not show all rules:\n%s", strings.Join(missing, "\n"))
	}
}
