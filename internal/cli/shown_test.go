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
	"github.com/vperf/vperf/internal/report"
	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// notShown is the page of the rules that the demo fleet cannot make fail.
const notShown = "../../docs/demo.md"

func library(t *testing.T) []*advice.Rule {
	t.Helper()
	l, err := advice.Load(advice.Source{FS: rules.FS})
	require.NoError(t, err)
	return l.Rules()
}

// cannotFail is why no fact of the fleet makes a rule fail, or "".
func cannotFail(r *advice.Rule) string {
	switch {
	case r.Manual != "":
		return "only a person can look"
	case len(r.Live()) > 0:
		return "live counters: " + strings.Join(r.Live(), ", ")
	case strings.Contains(r.Want.Source, "homeNodes()"):
		return "live counters: home nodes of VMs"
	}
	return withoutHardware[r.ID]
}

// withoutHardware are the rules over what no host or VM of the demo fleet has.
var withoutHardware = map[string]string{
	"perennially-reserved": "no VM maps raw devices",
	"vgpu-policy":          "no host has graphics devices",
}

func TestRulesThatTheDemoCannotShow(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What the demo fleet does not show\n\n" +
		"Every rule fails for an object of the demo fleet and passes, or does not apply, for another: `vperf audit --demo --all`.\n" +
		"These are the others. `vperf explain RULE` says how to look. Diagnoses are no part of an audit: `vperf advise --demo`.\n\n" +
		"| rule | why |\n|---|---|\n")
	for _, r := range library(t) {
		if why := cannotFail(r); why != "" && len(r.Explains) == 0 {
			fmt.Fprintf(&b, "| [%s](%s#%s) | %s |\n", r.ID, report.GuidePage(r.Category), r.ID, why)
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

Each server of ` + "`vperf sim`" + ` names the vendor ` + "`vperf sim (govmomi simulator)`" + ` in its about information, which ` + "`govc about`" + ` shows,
and each start has UUIDs of its own. ` + "`vperf sim`" + ` keeps what is written until it ends, and refuses what vSphere refuses:

- VMs: size, reservations and limits, latency sensitivity, affinity, hot-add, virtual NUMA, flags, VMX keys and the limits
  of disks. What a VM takes only while it is off is refused while it runs. Guests with VMware Tools shut down when asked.
- Hosts: advanced and boot options, options of drivers, the power policy, hyper-threading, the policy of paths, and with
  ` + "`esxcli storage core device set -O`" + ` the I/Os that a device may have open, with ` + "`esxcli network nic ring current set -r`" + `
  the receive ring of a NIC, until it starts again. What waits for a start is in force after one.
- A host restarts only in maintenance mode, or by force. For a third of a second its vCenter does not see it; one by itself
  ends all sessions. Where DRS is fully automated, a host that enters maintenance mode is emptied, but for VMs with CPU
  affinity or a device of the host's, and those that no other host has room for.
- What is set on a host is lost when it crashes within the hour, unless it was started again or has saved its
  configuration.
- Clusters: DRS and where VMs swap. Resource pools: their limits. Distributed switches: Network I/O Control. VMFS 6: whether
  freed space is given back.
- Events can be put on objects and read again from the vCenter. One alarm, on host05, has been red for long.

No rule sets the cores of a virtual NUMA node; every other kind of setting that vperf can change is wrong on some object.

## What can go wrong

` + "`vperf sim --scenario NAME`" + `:

| scenario | what happens |
|---|---|
`

const countersShow = `
## What the counters show

Statistics, quick stats, ` + "`" + `esxcli network nic stats get` + "`" + ` and the Esxtop service show one load, so they agree. It follows the hour
of the day in UTC, with ` + "`" + `--demo` + "`" + ` of a place where it is mid-morning, and is never the same twice, but the same for whoever asks again. ` + "`" + `vperf sim --speed 60` + "`" + ` plays a day in
24 minutes. What is written shows from the next 20 seconds on, and leaves what was measured as it is.

| what is wrong | where | counters | clean |
|---|---|---|---|
| a CPU limit, a pool's | db-oltp-01, app-build-01 | max limited | db-sql-01, replay-01 |
| more vCPUs than cores | host16 and its desktops, esxi-b | ready, co-stop, core utilization; receive drops of lab-db-01, which waits | web-03 |
| wider than the host likes | spark-01, spark-02, hpc-monster-01 | co-stop | hpc-monster-02 |
| low latency, nothing reserved | trade-lat-01, trade-lat-02 | ready | trade-gw-01 |
| more to do than its vCPUs can | app-clean-01 | used | db-my-01 |
| a memory limit | db-pg-02, at times app-cache-01 | balloon, swap, decompression | app-cache-02 |
| a host short of memory | host14, host16, esxi-b | memory state, balloon, swap | host06 |
| short of memory long ago: no fault now | app-iis-01, vdi-clone-01 | swapped and balloon, no rates | db-sql-02 |
| pinned to CPUs or a node, a NUMA scheduler that is switched off | feed-pin-01, hpc-monster-03, app-prefer-01, db-ora-01, db-ora-02 | memory on other nodes | trade-gw-01, db-ora-03 |
| wider than a node, and not evenly | hpc-mesh-02 | memory on other nodes | hpc-mesh-01 |
| emulated NICs, one queue for many packets | web-01, web-02, feed-rx-01 | receive drops at the port | web-03, feed-keys-01 |
| small receive rings, a link at 1 Gb/s | host01, host07 | receive drops at the NIC | host03, host08 |
| NUMA I/O off, fast NICs: possible, not proven | host01, where trade-mid-01 keeps one busy, host02, where trade-md-02 does | used of those VMs, system of VMs, used of the worlds that poll | host03 with trade-mid-02 |
| a full wire: no fault | host08, by db-hana-01 | 9.4 Gb/s sent, no drops | host06 |
| one ring for a VM's packets | esxi-a, where edge-lat-02 receives 15 Gb/s; host01, host02 | receive drops at the NIC; one world that polls each NIC, one interrupt vector | host03 |
| no receive offload | host05, where app-arch-02 receives much, host02, where replay-02 does | seven packets for one, of 1.4 KB; system and used of those VMs | app-arch-01 |
| an array that is too slow | host06, for db-pile-01 and vdi-clone-02 | device latency, aborts | db-spread-01 |
| a limit of I/Os | app-files-01 | latency of its disk, not of the device | web-03 |
| few I/Os open at a time | host04 | kernel and queue latency | host05 |
| a power policy that saves | host05, a little host06 | used below run, clocks of busy cores, ready | host07 |
| a long chain of snapshots | app-build-01 | co-stop, latency of its disk | web-03 |

What NUMA I/O, receive offload and one ring cost is what the articles behind the rules measured: 20 % of the CPU that packets take at
40GbE, 7 % at 10GbE; a third of it where frames of a stream come one by one, in seven times as many packets; 20 Gb/s for each ring.
All that is planted is in a table with what ` + "`" + `vperf advise` + "`" + ` is to say of it, and what shows in no counter, with the reason:
` + "`" + `internal/simfleet/testdata` + "`" + `.
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
			Remedy  []struct {
				Setting string `json:"setting"`
			} `json:"remedy"`
		} `json:"findings"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &audit))
	outcomes, wrong := map[string][]advice.Outcome{}, map[string]bool{}
	for _, f := range audit.Findings {
		outcomes[f.Rule] = append(outcomes[f.Rule], f.Outcome)
		for _, r := range f.Remedy {
			kind, _, _ := strings.Cut(r.Setting, "/")
			wrong[kind] = true
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
