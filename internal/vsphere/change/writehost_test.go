package change

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/proof"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

const (
	demoDisk  = "naa.6000097000019790031853303030314"
	mellanox  = "nmlx5_core"
	pinOption = "host-option/Net.NetNetqNumaIOCpuPinThreshold"
)

// TestWriteReadAndTakeBack applies and undoes a change of every kind: the planned values are there afterwards, nothing else has
// changed, and the inverse restores everything.
func TestWriteReadAndTakeBack(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	w := openWorkshop(t)
	start := w.everything(t)
	for name, c := range map[string]struct {
		kind          inventory.Scope
		on            string
		want          []tuning.Assignment
		before, after []valueFact
		activation    inventory.Activation
		group         string
		privilege     string
		changes       []string // suffixes of the changed paths
	}{
		"an option, typed as the host has it": {
			inventory.ScopeHost, "host01", []tuning.Assignment{assign(pinOption, "", "40")},
			[]valueFact{aLong(0)}, []valueFact{aLong(40)}, inventory.ActivationLive, "", "Host.Config.AdvancedConfig",
			[]string{"config.option Net.NetNetqNumaIOCpuPinThreshold"},
		},
		"an option of the next boot": {
			inventory.ScopeHost, "host04", []tuning.Assignment{assign("host-option/VMkernel.Boot.netNetqueueEnabled", "", "TRUE")},
			[]valueFact{aBool(false)}, []valueFact{aBool(true)}, inventory.ActivationHostReboot, "", "Host.Config.AdvancedConfig",
			[]string{"config.option VMkernel.Boot.netNetqueueEnabled"},
		},
		"the power policy": {
			inventory.ScopeHost, "host06", []tuning.Assignment{assign("power-policy", "", "static")},
			[]valueFact{aText("dynamic")}, []valueFact{aText("static")}, inventory.ActivationLive, "", "Host.Config.Power",
			[]string{"config.option Power.CpuPolicy", "config.powerSystemInfo.currentPolicy.shortName"},
		},
		"hyper-threading": {
			inventory.ScopeHost, "host04", []tuning.Assignment{assign("hyperthreading", "", "true")},
			[]valueFact{aBool(false)}, []valueFact{aBool(true)}, inventory.ActivationHostReboot, "", "Host.Config.HyperThreading",
			[]string{"config.hyperThread.config", "config.option VMkernel.Boot.hyperthreading"},
		},
		"two options of a driver, one of them new": {
			inventory.ScopeHost, "host02", []tuning.Assignment{
				assign("driver-options/RSS", mellanox, "8,8"), assign("driver-options/GEN_RSS", mellanox, "4"),
			},
			[]valueFact{aText("4"), noValue()}, []valueFact{aText("8,8"), aText("4")},
			inventory.ActivationDriverReload, "module " + mellanox, "Host.Config.Settings", []string{"module " + mellanox},
		},
		"an option of a driver that goes": {
			inventory.ScopeHost, "host02", []tuning.Assignment{remove("driver-options/DRSS", mellanox)},
			[]valueFact{aText("4")}, []valueFact{noValue()},
			inventory.ActivationDriverReload, "module " + mellanox, "Host.Config.Settings", []string{"module " + mellanox},
		},
		"I/Os of a disk": {
			inventory.ScopeHost, "host04", []tuning.Assignment{assign("lun-outstanding-ios", demoDisk, "32")},
			[]valueFact{aLong(8)}, []valueFact{aLong(32)}, inventory.ActivationLive, "", "Host.Config.Settings",
			[]string{"disk " + demoDisk + " NoofoutstandingIOswithcompetingworlds"},
		},
		"how a volume gives space back": {
			inventory.ScopeDatastore, "san02", []tuning.Assignment{assign("datastore-unmap", "", "low")},
			[]valueFact{aText("none")}, []valueFact{aText("low")}, inventory.ActivationLive, "", "Host.Config.Storage",
			[]string{"info.vmfs.unmapPriority"},
		},
		"Network I/O Control": {
			inventory.ScopeSwitch, "dvs-lowlat", []tuning.Assignment{assign("switch-nioc", "", "true")},
			[]valueFact{aBool(false)}, []valueFact{aBool(true)}, inventory.ActivationLive, "", "DVSwitch.ResourceManagement",
			[]string{"config.networkResourceManagementEnabled"},
		},
		"both settings of DRS": {
			inventory.ScopeCluster, "general", []tuning.Assignment{
				assign("cluster-drs-automation", "", "fullyAutomated"), assign("cluster-drs-rate", "", "3"),
			},
			[]valueFact{aText("manual"), aLong(5)}, []valueFact{aText("fullyAutomated"), aLong(3)},
			inventory.ActivationLive, "DRS", "Host.Inventory.EditCluster",
			[]string{"drsConfig.defaultVmBehavior", "drsConfig.vmotionRate"},
		},
		"a pool's CPU limit": {
			inventory.ScopePool, "batch", []tuning.Assignment{assign("pool-cpu-limit", "", "-1")},
			[]valueFact{aLong(20_000)}, []valueFact{aLong(-1)}, inventory.ActivationLive, "", "Resource.EditPool",
			[]string{"config.cpuAllocation.limit"},
		},
		"a pool's memory limit": {
			inventory.ScopePool, "batch", []tuning.Assignment{assign("pool-memory-limit", "", "4096")},
			[]valueFact{aLong(65_536)}, []valueFact{aLong(4096)}, inventory.ActivationLive, "", "Resource.EditPool",
			[]string{"config.memoryAllocation.limit"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := w.target(c.kind, c.on)
			var write, back []tuning.Assignment
			var addresses []tuning.Address
			for i, p := range w.prospect(t, target, c.want...) {
				require.Empty(t, p.Refused)
				require.Equal(t, c.before[i], p.Before)
				require.Equal(t, c.after[i], p.After)
				require.Equal(t, c.activation, p.Activation)
				require.Equal(t, c.group, p.Group)
				require.Equal(t, []string{c.privilege}, p.Privileges)
				require.Equal(t, inventory.InverseExact, p.Inverse.Kind)
				write = append(write, tuning.Assignment{Address: c.want[i].Address, Value: p.After})
				back = append(back, p.Inverse.Write...)
				addresses = append(addresses, c.want[i].Address)
			}
			w.writes(t, target, write, addresses, c.after)
			moved := changed(start, w.everything(t))
			require.Len(t, moved, len(c.changes), "%q", moved)
			for i, end := range c.changes {
				require.True(t, strings.HasSuffix(moved[i], end), "%q", moved)
			}
			w.writes(t, target, back, addresses, c.before) // later cases would see changes left behind
		})
	}
	require.Empty(t, changed(start, w.everything(t)))
}

func (w *workshop) writes(t *testing.T, target tuning.Target, all []tuning.Assignment, addresses []tuning.Address, want []valueFact) {
	t.Helper()
	require.NoError(t, w.Write(t.Context(), target, all))
	found, err := w.Read(t.Context(), target, addresses)
	require.NoError(t, err)
	require.Equal(t, want, found)
}

// A value that no plan may contain is still accepted if it was the previous value.
func TestWriteTakesWhatWasThere(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	cluster := w.target(inventory.ScopeCluster, "vsan")
	rate := []tuning.Assignment{{Address: tuning.Address{Setting: "cluster-drs-rate"}, Value: aLong(4)}}
	require.NoError(t, w.Write(t.Context(), cluster, rate))
	found, err := w.Read(t.Context(), cluster, []tuning.Address{rate[0].Address, {Setting: "cluster-drs-automation"}})
	require.NoError(t, err)
	require.Equal(t, []valueFact{aLong(4), aText("fullyAutomated")}, found)
}

func TestRefusedProspects(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	for name, c := range map[string]struct {
		kind   inventory.Scope
		on     string
		want   tuning.Assignment
		before valueFact
		why    string
	}{
		"a value out of range": {
			inventory.ScopeHost, "host01", assign(pinOption, "", "200"), aLong(0), "200 is out of range: this host accepts 0 to 60",
		},
		"a text for a number": {
			inventory.ScopeHost, "host01", assign(pinOption, "", "many"), aLong(0), `it accepts a whole number, not "many"`,
		},
		"a number for a boolean": {
			inventory.ScopeHost, "host04", assign("host-option/VMkernel.Boot.netNetqueueEnabled", "", "1"), aBool(false),
			`it accepts true or false, not "1"`,
		},
		"an option of another release": {
			inventory.ScopeHost, "host04", assign("host-option/Mem.TierNvmePct", "", "25"), noValue(),
			"the host has no option Mem.TierNvmePct: it is not on this release",
		},
		"an option cannot be removed": {
			inventory.ScopeHost, "host01", remove(pinOption, ""), aLong(0), "it always has a value and cannot be removed",
		},
		"a key that no release has": {
			inventory.ScopeHost, "host01", assign("host-option/Net.NoSuch", "", "1"), valueFact{},
			`no release from 6.0 to 9.0 has a host option "Net.NoSuch"`,
		},
		"what is never written": {
			inventory.ScopeHost, "host01", assign("lun-path-policy", demoDisk, "x"), valueFact{}, "vperf explains lun-path-policy but never writes it",
		},
		"a policy that the host does not have": {
			inventory.ScopeHost, "host01", assign("power-policy", "", "turbo"), aText("dynamic"),
			`the host has no power policy "turbo"; it has static, dynamic, low, custom`,
		},
		"a policy where the BIOS is in charge": {
			inventory.ScopeHost, "host03", assign("power-policy", "", "dynamic"), aText("static"),
			"its BIOS controls power: the host would accept the policy without effect; set it in the BIOS",
		},
		"second threads that the BIOS hides": {
			inventory.ScopeHost, "host05", assign("hyperthreading", "", "false"), aBool(true),
			"the host has no hyper-threading: its processor has none, or the BIOS turns it off",
		},
		"a driver's option with a blank": {
			inventory.ScopeHost, "host02", assign("driver-options/RSS", mellanox, "4 DRSS=0"), aText("4"),
			"a value with blanks, quotes or control characters would change the options after it",
		},
		"a driver's option with a quote": {
			inventory.ScopeHost, "host02", assign("driver-options/RSS", mellanox, `"4"`), aText("4"),
			"a value with blanks, quotes or control characters would change the options after it",
		},
		"a driver's option with a name of two": {
			inventory.ScopeHost, "host02", assign("driver-options/A=1 RSS", mellanox, "4"), noValue(), `no driver has an option "A=1 RSS"`,
		},
		"an option that the driver does not have": {
			inventory.ScopeHost, "host02", assign("driver-options/num_rings_per_rss_queue", mellanox, "4"), noValue(),
			"module nmlx5_core has no option num_rings_per_rss_queue; it has DRSS, GEN_RSS, RSS, dropless_rq, max_vfs, netq_rss_ens, " +
				"pfcrx, pfctx, supported_num_ports",
		},
		"an option of a driver without any": {
			inventory.ScopeHost, "host02", assign("driver-options/x", "vmw_ahci", "4"), noValue(), "module vmw_ahci has no option x; it has none",
		},
		"a module that is not there": {
			inventory.ScopeHost, "host02", assign("driver-options/RSS", "nosuch", "4"),
			inventory.Unread[inventory.Value]("the host has no module nosuch"), "",
		},
		"more I/Os than a host takes": {
			inventory.ScopeHost, "host04", assign("lun-outstanding-ios", demoDisk, "257"), aLong(8), "a host accepts 1 to 256, not 257",
		},
		"no I/Os": {
			inventory.ScopeHost, "host04", assign("lun-outstanding-ios", demoDisk, "0"), aLong(8), "a host accepts 1 to 256, not 0",
		},
		"an unmap priority that cannot be set": {
			inventory.ScopeDatastore, "san02", assign("datastore-unmap", "", "high"), aText("none"), `it accepts none or low, not "high"`,
		},
		"VMFS 5": {
			inventory.ScopeDatastore, "old01", assign("datastore-unmap", "", "low"), noValue(), "only VMFS 6 reclaims space automatically",
		},
		"NFS": {
			inventory.ScopeDatastore, "nas01", assign("datastore-unmap", "", "low"), noValue(), "only VMFS 6 reclaims space automatically",
		},
		"another rate than the middle": {
			inventory.ScopeCluster, "general", assign("cluster-drs-rate", "", "2"), aLong(5), "vperf sets the migration threshold to 3 only, not to 2",
		},
		"a level that DRS does not know": {
			inventory.ScopeCluster, "general", assign("cluster-drs-automation", "", "wild"), aText("manual"),
			`DRS accepts manual, partiallyAutomated, fullyAutomated, not "wild"`,
		},
		"the root pool": {
			inventory.ScopePool, "Resources", assign("pool-cpu-limit", "", "-1"), aLong(415_442),
			"the root resource pool has the capacity of its hosts and no limit of its own",
		},
		"a limit below none": {
			inventory.ScopePool, "batch", assign("pool-cpu-limit", "", "-2"), aLong(20_000), "a limit is a number of MHz, or -1 for no limit, not -2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := w.prospect(t, w.target(c.kind, c.on), c.want)[0]
			require.Equal(t, c.why, p.Refused)
			require.Equal(t, c.before, p.Before)
		})
	}
}

// Many options of a host take no more calls than few.
func TestManyOptionsTakeFewCalls(t *testing.T) {
	proof.NotRaced(t)
	t.Parallel()
	w := openWorkshop(t)
	var many []tuning.Assignment
	for _, key := range []string{
		"Net.NetNetqNumaIOCpuPinThreshold", "Net.UseHwTSO", "Net.UseHwTSO6", "Mem.ShareForceSalting", "Numa.PreferHT", "Mem.TierNvmePct",
	} {
		many = append(many, assign("host-option/"+key, "", "0"))
	}
	host := w.target(inventory.ScopeHost, "host01")
	before := w.Calls()
	found := w.prospect(t, host, many...)
	after := w.Calls()
	require.Equal(t, 1, after["QueryOptions"]-before["QueryOptions"])
	require.Equal(t, 2, after["RetrievePropertiesEx"]-before["RetrievePropertiesEx"])
	require.Equal(t, aLong(0), found[0].Before)
	require.Equal(t, noValue(), found[5].Before)
	for _, p := range found[:5] {
		require.Equal(t, []valueFact{p.Before}, []valueFact{w.prospect(t, host, many[slices.IndexFunc(found, func(q tuning.Preview) bool {
			return q.Inverse.Write != nil && q.Inverse.Write[0].Setting == p.Inverse.Write[0].Setting
		})])[0].Before}, "alone it is the same")
	}
}

// Plans ask about several targets in parallel; the answers are the same as one by one.
func TestSeveralAskAtOnce(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	type question struct {
		target tuning.Target
		want   []tuning.Assignment
	}
	var questions []question
	for _, c := range oneOfEach {
		questions = append(questions, question{w.target(c.kind, c.on), []tuning.Assignment{c.write}})
	}
	for _, v := range w.all.VMs[:12] {
		questions = append(questions, question{tuning.Target{Kind: inventory.ScopeVM, ID: v.ID, Name: v.Name}, asks("vm-latency=high", "vm-vmx/numa.autosize=TRUE")})
	}
	alone := make([][]tuning.Preview, len(questions))
	for i, q := range questions {
		alone[i] = w.prospect(t, q.target, q.want...)
	}
	found, errs := make([][]tuning.Preview, len(questions)), make([]error, len(questions))
	var group sync.WaitGroup
	for i, q := range questions {
		group.Go(func() { found[i], errs[i] = prospectsOf(t.Context(), w, q.target, q.want) })
		group.Go(func() { _, _ = w.Survey(t.Context(), []tuning.Target{q.target}) })
	}
	group.Wait()
	for i := range questions {
		require.NoError(t, errs[i])
		require.Equal(t, alone[i], found[i])
	}
}
