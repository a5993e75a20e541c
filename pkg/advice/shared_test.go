package advice_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestEvidenceOfAHost: shared evidence is computed for the object's own host, and evidence that only looks shared is
// the object's own.
func TestEvidenceOfAHost(t *testing.T) {
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	for host, memory := range map[string][]int64{"host-1": {1, 2}, "host-2": {4, 8}} {
		h := new(inventory.Host)
		h.ID, h.Name = host, host
		v.Hosts = append(v.Hosts, h)
		for i, mb := range memory {
			vm := &inventory.VM{HostID: inventory.Known(host), PowerState: inventory.Known("poweredOn"), MemoryMB: inventory.Known(mb), VCPUs: inventory.Known(mb)}
			vm.ID, vm.Name = fmt.Sprintf("%s-vm-%d", host, i), strconv.FormatInt(mb, 10)
			v.VMs = append(v.VMs, vm)
		}
	}
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{v}}
	s.Link()
	set := rulesOf(t, advice.Selection{}, `id: given
title: Memory of the host
category: memory
scope: vm
severity: low
want: vm.memoryMB < 0
params: {least: {value: 2, about: "MB"}}
evidence:
  ofAll: sum(host.vms.map(v, v.memoryMB))
  wide: 'host.vms.exists(v, v.vcpus > 4)'
  ofOthers: sum(host.vms.filter(v, v.name != vm.name).map(v, v.memoryMB))
  ofThose: sum(host.vms.filter(v, v.memoryMB > params.least).map(v, v.memoryMB))
  byProfile: 'host.vms.exists(v, profile == "general")'
why: W.
`)
	r, err := advice.Evaluate(t.Context(), s, set, advice.Options{Profile: advice.ProfileGeneral})
	require.NoError(t, err)
	got := map[string][]any{}
	for _, f := range r.Findings {
		for _, e := range f.Evidence {
			x, _ := e.Value.Value()
			got[f.Object.Name] = append(got[f.Object.Name], x)
		}
	}
	require.Equal(t, map[string][]any{
		"1": {int64(3), false, int64(2), int64(0), true}, "2": {int64(3), false, int64(1), int64(0), true},
		"4": {int64(12), true, int64(8), int64(12), true}, "8": {int64(12), true, int64(4), int64(12), true},
	}, got)
}
