package advice_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// BenchmarkLoad reads and compiles the whole library, as an audit without --rule does.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		l, err := advice.Load(advice.Source{FS: rules.FS})
		require.NoError(b, err)
		_, err = l.Select(advice.Selection{})
		require.NoError(b, err)
	}
}

// BenchmarkEvaluate holds the whole library against fleets of 64 hosts.
func BenchmarkEvaluate(b *testing.B) {
	set, err := library(b).Select(advice.Selection{})
	require.NoError(b, err)
	for _, vms := range []int{1000, 8000} {
		s := largeFleet(64, vms)
		b.Run(fmt.Sprintf("hosts=64/vms=%d", vms), func(b *testing.B) {
			b.ReportAllocs()
			checks := 0
			for b.Loop() {
				r, err := advice.Evaluate(b.Context(), s, set, advice.Options{})
				require.NoError(b, err)
				checks = r.Checks
			}
			b.ReportMetric(float64(checks), "checks")
		})
	}
}

// largeFleet repeats one host with fast NICs and one VM that is right but for its adapter.
func largeFleet(hosts, vms int) *inventory.Snapshot {
	v := &inventory.VCenter{Kind: inventory.EndpointVCenter}
	v.Name = "vc"
	for i := range hosts {
		v.Hosts = append(v.Hosts, largeHost(i))
	}
	for i := range vms {
		v.VMs = append(v.VMs, largeVM(i, hosts))
	}
	s := &inventory.Snapshot{VCenters: []*inventory.VCenter{v}}
	s.Link()
	return s
}

func largeHost(i int) *inventory.Host {
	nic := func(n int) *inventory.PNIC {
		return &inventory.PNIC{
			Device: fmt.Sprint("vmnic", n), LinkMbps: inventory.Known(int64(40_000)), Uplink: inventory.Known(true),
			EDP: inventory.Known(true), RSS: inventory.Known(false), NUMANode: inventory.Known(int64(n)),
		}
	}
	most := int64(60)
	options := map[string]inventory.Option{"Net.NetNetqNumaIOCpuPinThreshold": {Value: inventory.LongValue(0), Max: &most}}
	for _, key := range []string{"Net.Vmxnet3HwLRO", "Net.Vmxnet3SwLRO", "Net.Vmxnet2HwLRO", "Net.Vmxnet2SwLRO", "Net.NetpollSwLRO"} {
		options[key] = inventory.Option{Value: inventory.LongValue(1)}
	}
	h := &inventory.Host{
		ClusterID: inventory.Absent[string](), Kind: inventory.Known(inventory.HostPhysical),
		Version: inventory.Known(inventory.Version{Major: 8}), Cores: inventory.Known(int64(28)), CPUMHz: inventory.Known(int64(2600)),
		NUMANodes: inventory.Known([]*inventory.NUMANode{{ID: 0}, {ID: 1}}), VSAN: inventory.Known(false),
		PNICs:       inventory.Known([]*inventory.PNIC{nic(0), nic(1)}),
		PowerPolicy: inventory.Known("static"), PowerHardware: inventory.Known("ACPI P-states"), Options: inventory.Known(options),
	}
	h.ID, h.Name, h.Path = fmt.Sprint("host-", i), fmt.Sprint("host", i), fmt.Sprint("/dc/host/host", i)
	return h
}

func largeVM(i, hosts int) *inventory.VM {
	vm := &inventory.VM{
		HostID: inventory.Known(fmt.Sprint("host-", i%hosts)), VCPUs: inventory.Known(int64(4)), MemoryMB: inventory.Known(int64(8192)),
		LatencySensitivity: inventory.Known("normal"), CPULimitMHz: inventory.Known(int64(inventory.NoLimit)),
		Snapshots: inventory.Known([]*inventory.SnapshotPoint{}), ConsolidationNeeded: inventory.Known(false),
		VNICs: inventory.Known([]*inventory.VNIC{{
			Key: 4000, Label: "Network adapter 1", Type: inventory.Known("vmxnet3"), PNICFeatures: inventory.Known(int64(0)),
		}}),
		VMX: inventory.Known(map[string]string{}),
	}
	vm.ID, vm.Name, vm.Path = fmt.Sprint("vm-", i), fmt.Sprint("vm", i), fmt.Sprint("/dc/vm/vm", i)
	return vm
}
