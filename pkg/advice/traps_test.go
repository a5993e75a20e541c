package advice_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/advice/ruletool"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// trap is a common mistake that follows from outdated books.
type trap struct {
	number int
	about  string
	// rule and example test it: the example fails if the rule makes the mistake.
	rule, example string
	// walks is a part of the rule's file, and its replacement that makes the mistake.
	walks [2]string
	// check tests mistakes that no example can show.
	check func(*testing.T)
}

var traps = []trap{
	{number: 1, about: "Disk.SchedNumReqOutstanding is no option of a host any more: no rule can read it",
		check: func(t *testing.T) {
			bad := strings.Replace(goodRule, "host.cores > 3", `host.option("Disk.SchedNumReqOutstanding") == 32`, 1)
			require.ErrorContains(t, compileText(bad), "no release from 6.0 to 9.0 has")
			bad = goodRule + "remedy:\n  - {set: host-option/Disk.SchedNumReqOutstanding, to: \"32\"}\n"
			require.ErrorContains(t, compileText(bad), "no release from 6.0 to 9.0 has")
		}},
	{number: 1, about: "the number of outstanding I/Os is a setting of each device", rule: "disk-dsnro",
		example: "trap: limit of the device, not the host option Disk.SchedNumReqOutstanding",
		walks:   [2]string{`lun.outstandingIOs == params.outstanding || vendors.accepts(lun, "lun-outstanding-ios", lun.outstandingIOs)`, "host.offDefault.size() == 0"}},
	{number: 2, about: "NetNetqNumaIOCpuPinThreshold ends at 60 from 6.7, at 200 before", rule: "numa-io",
		example: "trap: 60 is the maximum from 6.7, 200 was up to 6.5 U2",
		walks:   [2]string{`to: min(params.threshold, host.optionMax("Net.NetNetqNumaIOCpuPinThreshold"))`, "to: params.threshold"},
		check: func(t *testing.T) {
			ranges(t, "Net.NetNetqNumaIOCpuPinThreshold", "6.5U2", 200)
			ranges(t, "Net.NetNetqNumaIOCpuPinThreshold", "6.7", 60)
		}},
	{number: 3, about: "0 helper threads means automatic", rule: "vmotion-stream-helpers",
		example: "trap: 0 is automatic; 8 and more are advice of old pages",
		walks:   [2]string{`host.option("Migrate.VMotionStreamHelpers") == 0`, `host.option("Migrate.VMotionStreamHelpers") >= 8`},
		check: func(t *testing.T) {
			ranges(t, "Migrate.VMotionStreamHelpers", "7.0U1", 32)
			ranges(t, "Migrate.VMotionStreamHelpers", "7.0U2", 112)
		}},
	{number: 4, about: "pages are not shared between VMs by default: salting is 2", rule: "mem-tps-salting",
		example: "trap: 2 is the default, not 0",
		walks:   [2]string{`host.option("Mem.ShareForceSalting") == 2`, `host.option("Mem.ShareForceSalting") == 0`},
		check: func(t *testing.T) {
			defaults(t, "Mem.ShareForceSalting", "6.0U3", "2")
			defaults(t, "Mem.ShareForceSalting", "9.0.1", "2")
		}},
	{number: 5, about: "the weight of action affinity is 130 by default", rule: "numa-action-affinity",
		example: "trap: 130 is the default, not 0 and not 100",
		walks:   [2]string{`== host.optionDefault("Numa.LocalityWeightActionAffinity")`, `== 0`},
		check:   func(t *testing.T) { defaults(t, "Numa.LocalityWeightActionAffinity", "8.0", "130") }},
	{number: 6, about: "Net.TcpipDefLROEnabled is of the VMkernel's stack", rule: "lro-vmkernel",
		example: "trap: VMkernel LRO on; LRO of vmxnet3 is not evaluated",
		walks:   [2]string{`want: host.option("Net.TcpipDefLROEnabled") == 1`, `want: host.option("Net.Vmxnet3HwLRO") == 1`}},
	{number: 6, about: "LRO of vmxnet3 has two switches of its own", rule: "lro",
		example: "trap: Net.TcpipDefLROEnabled does not control LRO of vmxnet3",
		walks: [2]string{`host.option("Net.Vmxnet3HwLRO") == 1 && host.option("Net.Vmxnet3SwLRO") == 1`,
			`host.option("Net.TcpipDefLROEnabled") == 1`}},
	{number: 7, about: "NetQueue's dynamic options exist in 6.0 only", rule: "netqueue-enabled",
		example: "trap: the dynamic options of 6.0 are not evaluated on later releases",
		walks:   [2]string{`host.version.atLeast("6.5") ||`, `host.version.atLeast("9.9") ||`},
		check: func(t *testing.T) {
			for _, key := range []string{"RxDynamicLB", "LBDynamicPool", "NumaIOAwareDynamicLB", "RxQueueFeatPairEnable"} {
				defaults(t, "Net.NetNetq"+key, "6.0U3", "1")
				defaults(t, "Net.NetNetq"+key, "6.5d", "")
			}
		}},
	{number: 8, about: "pnicFeatures is a mask of bits", rule: "pnic-features",
		example: "trap: pnicFeatures is a bitmask; 5 includes the RSS bit",
		walks:   [2]string{"want: math.bitAnd(vnic.pnicFeatures, 4) == 4", "want: vnic.pnicFeatures == 4"}},
	{number: 8, about: "udpRSS is 1 or 2, not TRUE", rule: "vnic-udp-rss",
		example: "trap: 1 means on, TRUE does not",
		walks:   [2]string{`in ["", "2"]`, `in ["", "2", "TRUE"]`}},
	{number: 8, about: "ctxPerDev is 1, 2 or 3, not TRUE", rule: "vnic-ctx-per-dev",
		example: "trap: TRUE is not a value of ctxPerDev, which is 1, 2 or 3",
		walks:   [2]string{`in ["", "1", "2", "3"] && (`, `in ["", "1", "2", "3", "TRUE"] && (`}},
	{number: 9, about: "Power.CpuPolicy is an option only from 8.0: no rule reads or sets it",
		check: func(t *testing.T) {
			defaults(t, "Power.CpuPolicy", "7.0U3r", "")
			defaults(t, "Power.CpuPolicy", "8.0", "Balanced")
			set, err := library(t).Select(advice.Selection{Diagnoses: true})
			require.NoError(t, err)
			require.NotContains(t, set.Needs(advice.Options{}).OptionKeys(), "Power.CpuPolicy")
			require.Equal(t, []string{"power-policy", "power-policy"}, settings(ruleOf(t, "power-policy")))
		}},
	{number: 10, about: "Misc.EnablePSPLatencyPolicy is gone in 9.0", rule: "rr-iops",
		example: "trap: Misc.EnablePSPLatencyPolicy does not exist in 9.0",
		walks:   [2]string{`host.version.atLeast("9.0") || host.option`, `host.option`},
		check: func(t *testing.T) {
			defaults(t, "Misc.EnablePSPLatencyPolicy", "6.7", "0")
			defaults(t, "Misc.EnablePSPLatencyPolicy", "8.0U3g", "1")
			defaults(t, "Misc.EnablePSPLatencyPolicy", "9.0.0", "")
		}},
	{number: 11, about: "VSAN.ClomRepairDelay is gone in 6.7 Update 3", rule: "vsan-advanced",
		example: "trap: VSAN.ClomRepairDelay does not exist from 6.7 Update 3",
		walks:   [2]string{`.size() == 0`, `.size() == 0 && host.option("VSAN.ClomRepairDelay") == 60`},
		check: func(t *testing.T) {
			defaults(t, "VSAN.ClomRepairDelay", "6.7U2", "60")
			defaults(t, "VSAN.ClomRepairDelay", "6.7U3", "")
		}},
	{number: 12, about: "Storage I/O Control is deprecated from 8.0 Update 3", rule: "sioc",
		example: "trap: Storage I/O Control is deprecated from 8.0 Update 3 and not proposed there",
		walks:   [2]string{`datastore.hosts.all(h, !h.version.atLeast("8.0.3"))`, `datastore.hosts.all(h, !h.version.atLeast("9.9"))`}},
	{number: 12, about: "Flash Read Cache is deprecated from 7.0", rule: "vfrc-deprecated",
		example: "trap: Flash Read Cache is deprecated from 7.0",
		walks:   [2]string{`'!host.version.atLeast("7.0")'`, `'!host.version.atLeast("9.9")'`}},
	{number: 12, about: "htSharing is deprecated", rule: "ht-sharing-flag",
		example: "trap: the flag is deprecated since 6.7, and internal is as old as none",
		walks:   [2]string{`want: vm.htSharing == "any"`, `want: vm.htSharing != "none"`}},
	{number: 12, about: "memory affinity is deprecated", rule: "numa-affinity",
		example: "trap: memory affinity is deprecated but still binds the VM",
		walks:   [2]string{` && vm.memoryAffinity.size() == 0`, ``}},
	{number: 13, about: "CPU hot-add hides NUMA until vSphere 8, hardware version 20 and a flag", rule: "vnuma-cpu-hotadd",
		example: "trap: vSphere 8 is not enough, hardware 19 cannot expose it",
		walks:   [2]string{`vm.hardwareVersion >= 20 && vm.vnumaOnHotAdd`, `vm.vnumaOnHotAdd`}},
	{number: 14, about: "cores per socket size NUMA nodes up to 6.0 only", rule: "vnuma-cores-per-socket",
		example: "trap: from 6.5 cores per socket do not size NUMA nodes, so 12 sockets of one core have little effect",
		walks:   [2]string{`host.version.atLeast("6.5") && vm.coresPerSocket`, `host.version.atLeast("9.9") && vm.coresPerSocket`}},
	{number: 15, about: "SCAv2 is the mitigation with IntraVM false", rule: "cpu-scheduler-mitigation",
		example: "trap: SCAv2 is mitigation with IntraVM False",
		walks:   [2]string{`  !host.optionBool("VMkernel.Boot.hyperthreadingMitigation") &&`, `  (!host.optionBool("VMkernel.Boot.hyperthreadingMitigation") || !host.optionBool("VMkernel.Boot.hyperthreadingMitigationIntraVM")) &&`},
		check: func(t *testing.T) {
			defaults(t, "VMkernel.Boot.hyperthreadingMitigationIntraVM", "6.7U1", "")
			defaults(t, "VMkernel.Boot.hyperthreadingMitigationIntraVM", "6.7U2", "true")
		}},
	{number: 16, about: "heap sizes of old guides are below today's defaults", rule: "tcpip-heap",
		example: "trap: heap of an old guide, below today's default",
		walks:   [2]string{`host.option("Net.TcpipHeapMax") >= host.optionDefault("Net.TcpipHeapMax")`, `host.option("Net.TcpipHeapMax") >= 128`},
		check: func(t *testing.T) {
			defaults(t, "Net.TcpipHeapMax", "6.7U2", "512")
			defaults(t, "Net.TcpipHeapMax", "6.7U3", "1024")
		}},
	{number: 17, about: "the queues of the NIC scheduler are automatic from 7.0 Update 1", rule: "nic-sched-mq",
		example: "trap: automatic (2) is the default from 7.0 U1; 1 is not needed",
		walks:   [2]string{`want: host.option("Net.NetSchedHClkMQ") > 0`, `want: host.option("Net.NetSchedHClkMQ") == 1`},
		check: func(t *testing.T) {
			defaults(t, "Net.NetSchedHClkMQ", "7.0", "0")
			defaults(t, "Net.NetSchedHClkMQ", "7.0U1", "2")
		}},
	{number: 18, about: "the scheduler's defaults changed with 7.0 Update 2", rule: "cpu-advanced-nondefault",
		example: "trap: the rebalance period was 100 up to 7.0 U1 and is 2000 from 7.0 U2",
		walks:   [2]string{"to: host.defaultOf(key)", "to: '100'"},
		check: func(t *testing.T) {
			defaults(t, "Cpu.HostRebalancePeriod", "7.0U1", "100")
			defaults(t, "Cpu.HostRebalancePeriod", "7.0U2", "2000")
			defaults(t, "Cpu.PackageRebalancePeriod", "7.0U1", "20")
			defaults(t, "Cpu.PackageRebalancePeriod", "7.0U2", "2000")
		}},
	{number: 19, about: "a host mounts 32 NFS volumes by default from 7.0, 8 before",
		rule:    "tcpip-heap",
		example: "trap: defaults of 7.0, where 32 volumes are also the default",
		walks:   [2]string{"volumes: {value: 32", "volumes: {value: 8"},
		check: func(t *testing.T) {
			for _, key := range []string{"NFS.MaxVolumes", "NFS41.MaxVolumes"} {
				defaults(t, key, "6.7U3", "8")
				defaults(t, key, "7.0", "32")
			}
		}},
	{number: 20, about: "the default of Power.PerfBias is the host's own", rule: "power-custom-policy",
		example: "trap: PerfBias 6 is an old default; this host's default is 17",
		walks:   [2]string{`to: host.defaultOf(key)`, `to: '6'`},
		check: func(t *testing.T) {
			defaults(t, "Power.PerfBias", "6.0U3", "6")
			defaults(t, "Power.PerfBias", "6.5d", "4294967294")
			defaults(t, "Power.PerfBias", "6.5U1", "17")
		}},
	{number: 21, about: "halt_desched is of 5.x", rule: "legacy-vmx-keys",
		example: "trap: halt_desched is a 5.x key without an effect today",
		walks:   [2]string{`|monitor_control\\..*)$`, ")$"}},
	{number: 21, about: "idleLoopSpinBeforeHalt is of 5.x", rule: "latency-extra-keys",
		example: "trap: idleLoopSpinBeforeHalt is a 5.x key without an effect today",
		walks:   [2]string{`|monitor\\.idleLoopSpinBeforeHalt)$`, ")$"}},
	{number: 22, about: "sched.mem.pin is not to be seen through a vCenter: no rule rests on it",
		check: func(t *testing.T) {
			for _, r := range library(t).Rules() {
				require.NotContains(t, expressions(r), "sched.mem.pin", r.ID)
			}
		}},
	{number: 23, about: "vSAN does not scrub objects by default from 7.0 Update 3", rule: "vsan-advanced",
		example: "trap: scrubbing once a year was the default before 7.0 Update 3",
		walks:   [2]string{`to: host.defaultOf(key)`, `to: '1'`},
		check: func(t *testing.T) {
			defaults(t, "VSAN.ObjectScrubsPerYear", "7.0U2", "1")
			defaults(t, "VSAN.ObjectScrubsPerYear", "7.0U3d", "0")
		}},
	{number: 24, about: "an option is written with the type it was read with: int is not long",
		check: func(t *testing.T) {
			require.Equal(t, inventory.TypeInt, proposedType(t, inventory.IntValue(4)))
			require.Equal(t, inventory.TypeLong, proposedType(t, inventory.LongValue(4)))
		}},
	{number: 25, about: "esxtop sums ready time over the vCPUs", rule: "cpu-ready",
		example: "trap: the value is per vCPU, not the sum that esxtop shows, and is not divided again",
		walks:   [2]string{`vm.live("cpu.ready").p95 <= (profile`, `vm.live("cpu.ready").p95 / double(vm.vcpus) <= (profile`}},
	{number: 26, about: "rate 5 of DRS is the mildest in the API", rule: "drs-automation",
		example: "trap: rate 5 of the API is the most conservative, not the most aggressive",
		walks:   [2]string{"&& cluster.drsMigrationRate == 3", "&& cluster.drsMigrationRate >= 3"}},
	{number: 27, about: "a BIOS that keeps power control leaves four policies listed", rule: "power-bios-control",
		example: "trap: the BIOS keeps everything, but four policies are listed, as on R740xd hosts",
		walks:   [2]string{`&& !host.powerHardware.contains("P-states")`, `&& host.powerPolicy == ""`}},
	{number: 28, about: "old Tools can be supported", rule: "tools-version",
		example: "trap: old Tools that are supported are not a fault",
		walks:   [2]string{`  - when: vm.toolsStatus == "guestToolsSupportedOld"`, `  - when: vm.toolsStatus == "guestToolsTooOld"`}},
	{number: 29, about: "a running VM refuses hot-add flags and cores per socket: no change is pending",
		check: func(t *testing.T) {
			for _, kind := range []string{"vm-cpu-hotadd", "vm-memory-hotadd", "vm-cores-per-socket", "vm-vcpus", "vm-cores-per-numa-node",
				"vm-vnuma-on-hotadd", "vm-nested-hv", "vm-virtual-pmc", "vm-stats-collection"} {
				s, err := inventory.LookupSetting(kind)
				require.NoError(t, err)
				require.Equal(t, inventory.ActivationPowerOff, s.Activation(), kind)
			}
		}},
	{number: 30, about: "a vCenter never announces changes of quickStats: nothing that waits for changes rests on them",
		check: func(t *testing.T) {
			for _, folder := range []string{"../inventory", "../../internal/vsphere/*"} {
				files, err := filepath.Glob(filepath.Join(folder, "*.go"))
				require.NoError(t, err)
				require.NotEmpty(t, files)
				for _, file := range files {
					text, err := os.ReadFile(file)
					require.NoError(t, err)
					if slices.Contains(quickStatsReaders, filepath.Base(file)) {
						continue
					}
					require.NotContains(t, string(text), "pathTierStats", file)
					require.NotContains(t, strings.ToLower(string(text)), "quickstats", file)
				}
			}
			// A plan reads the memory in use again; a stored verdict would become outdated.
			for _, r := range library(t).Rules() {
				judges := []string{r.Applies.Source, r.Want.Source, r.Because.Source}
				for _, c := range r.Cases {
					judges = append(judges, c.When.Source)
				}
				for _, e := range r.Evidence {
					judges = append(judges, e.Expr.Source)
				}
				require.NotContains(t, strings.Join(judges, "\n"), "memoryUsedMB", r.ID)
			}
		}},
}

// quickStatsReaders are the files that may contain quickStats: the facts of memory tiers, of memory in use and of the use of
// pools are retrieved at each reading, and are not watched.
var quickStatsReaders = []string{"vm.go", "host.go", "table.go", "memory.go", "memory_test.go", "cluster.go", "pool.go"}

// TestTraps proves that vperf makes none of these mistakes.
func TestTraps(t *testing.T) {
	seen := map[int]bool{}
	for _, trap := range traps {
		seen[trap.number] = true
		t.Run(trap.about, func(t *testing.T) {
			require.True(t, trap.rule != "" || trap.check != nil, "a trap without a proof")
			if trap.check != nil {
				trap.check(t)
			}
			if trap.rule != "" {
				trap.prove(t)
			}
		})
	}
	for n := 1; n <= 30; n++ {
		require.True(t, seen[n], "trap %d is missing", n)
	}
}

// prove checks that the trap's example passes, and that it fails once the rule makes the mistake.
func (p trap) prove(t *testing.T) {
	t.Helper()
	examples := trapExamples(t, p.rule)
	if p.example == "" {
		require.NotEmpty(t, examples)
	} else {
		require.Contains(t, examples, p.example)
	}
	set, err := library(t).Select(advice.Selection{Rules: []string{p.rule}})
	require.NoError(t, err)
	_, err = ruletool.RunExamples(t.Context(), set)
	require.NoError(t, err)
	if p.walks[0] != "" {
		require.ErrorContains(t, p.walk(t), p.example)
	}
}

// otherRules matches the part of a rule that refers to others, which cannot be loaded with the rule alone.
var otherRules = regexp.MustCompile(`(?m)^covers:\n(  .*\n)+`)

// walk runs the rule's examples with the mistake.
func (p trap) walk(t *testing.T) error {
	t.Helper()
	files, err := filepath.Glob("../../rules/*/" + p.rule + ".yaml")
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := rules.FS.ReadFile(strings.TrimPrefix(filepath.ToSlash(files[0]), "../../rules/"))
	require.NoError(t, err)
	require.Contains(t, string(text), p.walks[0], "%s no longer contains the text to replace", p.rule)
	walked := otherRules.ReplaceAllString(strings.ReplaceAll(string(text), p.walks[0], p.walks[1]), "")
	l, err := advice.Load(articles(t), advice.Source{FS: fstest.MapFS{p.rule + ".yaml": {Data: []byte(walked)}}, Name: "rules", User: true})
	require.NoError(t, err)
	set, err := l.Select(advice.Selection{Diagnoses: true})
	require.NoError(t, err)
	_, err = ruletool.RunExamples(t.Context(), set)
	return err
}

// trapExamples returns the names of a rule's examples that are traps; none if the rule does not exist.
func trapExamples(t *testing.T, id string) []string {
	t.Helper()
	var names []string
	for _, r := range library(t).Rules() {
		for _, e := range r.Examples {
			if r.ID == id && strings.HasPrefix(e.Name, "trap: ") {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

func ruleOf(t *testing.T, id string) *advice.Rule {
	t.Helper()
	all := library(t).Rules()
	i := slices.IndexFunc(all, func(r *advice.Rule) bool { return r.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return all[i]
}

// settings lists the settings that a rule's remedies change.
func settings(r *advice.Rule) []string {
	var all []string
	for _, m := range r.Remedy {
		all = append(all, m.Setting().String())
	}
	return all
}

// expressions lists all expressions of a rule.
func expressions(r *advice.Rule) string {
	all := []string{r.Applies.Source, r.Want.Source}
	for _, e := range r.Evidence {
		all = append(all, e.Expr.Source)
	}
	for _, m := range r.Remedy {
		all = append(all, m.Set.Text, m.When.Source, m.To.Source, m.Each.Source)
	}
	return strings.Join(all, "\n")
}

// defaults checks an option's default in a release; "" if the release does not have the option.
func defaults(t *testing.T, key, release, want string) {
	t.Helper()
	e := era(t, key, release)
	require.Equal(t, want == "", e.Absent, "%s in %s", key, release)
	require.Equal(t, want, e.Default.Text, "%s in %s", key, release)
}

// ranges checks the maximum that a release accepts for an option.
func ranges(t *testing.T, key, release string, most int64) {
	t.Helper()
	require.Equal(t, new(most), era(t, key, release).Max, "%s in %s", key, release)
}

func era(t *testing.T, key, release string) inventory.OptionEra {
	t.Helper()
	d, ok := inventory.LookupOption(key)
	require.True(t, ok, key)
	e, ok := d.At(release)
	require.True(t, ok, release)
	return e
}

// proposedType returns the type of the value that a rule proposes for an option with this value.
func proposedType(t *testing.T, has inventory.Value) inventory.ValueType {
	t.Helper()
	s := smallFleet()
	h := s.VCenters[0].Hosts[0]
	h.Version = inventory.Known(inventory.Version{Major: 7})
	h.Options = inventory.Known(map[string]inventory.Option{"Migrate.VMotionStreamHelpers": {Value: has}})
	for _, f := range evaluate(t, s, advice.Options{}, "vmotion-stream-helpers").Findings {
		if f.Object.Name == h.Name {
			require.Len(t, f.Remedies, 1)
			to, ok := f.Remedies[0].To.Value()
			require.True(t, ok)
			return to.Type
		}
	}
	require.Fail(t, "no finding")
	return ""
}
