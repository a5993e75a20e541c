package advice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice/internal/expr"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestReadings: what the result of an expression depends on. A variable without a fact is its object, with all that can be
// reached from it; the fields of a list's elements are in braces.
func TestReadings(t *testing.T) {
	env, err := expr.ForScope(inventory.ScopeVM, false)
	require.NoError(t, err)
	for source, want := range map[string][]string{
		"1 == 1":                                nil,
		"vm.vcpus > host.cores && vm.vcpus > 1": {"vm.vcpus", "host.cores"},
		`host.option("Numa.PreferHT") == 1 && vm.vmx("numa.autosize") == ""`:   {"host.option(Numa.PreferHT)", "vm.vmx(numa.autosize)"},
		`vm.vmxKeys("^numa").size() > 0`:                                       {"vm.vmxKeys(^numa)"},
		`host.version.atLeast("8.0")`:                                          {"host.version"},
		`profile == "latency"`:                                                 {"profile."},
		"vm.disks.exists(d, d.controller == 'ide' && d.capacityMB > 1)":        {"vm.disks{capacityMB,controller}"},
		"vm.disks.filter(d, d.controller == 'ide').size() > 0":                 {"vm.disks{controller}"},
		"vm.disks.size() > 0":                                                  {"vm.disks{}"},
		"vm.disks[0] == vm.disks[1]":                                           {"vm.disks"},
		"vm.disks.filter(d, d.controller == 'ide')":                            {"vm.disks"},
		`vm.disks.exists(d, d.live("disk.readLatency").p95 > 1.0)`:             {"vm.disks"},
		"host.vms.exists(v, v.name == vm.name)":                                {"host.vms{name}", "vm.name"},
		`vm.live("cpu.ready").p95 > 1.0`:                                       {"vm."},
		`vm.vnics.exists(vm, vm.type == "e1000")`:                              {"vm.vnics{type}"},
		`vendors.disagree(host, "host-option/Disk.QFullSampleSize")`:           {"host."},
		"host.vms.exists(v, v.disks.exists(d, d.controller == vm.guestId))":    {"host.vms{disks,guestId}", "vm.guestId"},
		`vm.disks.exists(d, d.datastore.kind == "vmfs" && d.controller != "")`: {"vm.disks{controller,datastore}"},
	} {
		tree, issues := env.Compile(source)
		require.NoError(t, issues.Err(), source)
		readings, complete := expr.ReadingsOf(tree)
		require.True(t, complete, source)
		var got []string
		for _, r := range readings {
			got = append(got, string(r.Variable)+"."+r.Fact)
		}
		require.Equal(t, want, got, source)
	}
	tree, issues := env.Compile(`key == "a"`)
	require.NoError(t, issues.Err())
	_, complete := expr.ReadingsOf(tree)
	require.False(t, complete, "the key of a remedy is no fact")
}
