package advice_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/rules"
)

// BenchmarkLoad reads the whole library, as every command does that speaks of rules.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
		require.NoError(b, err)
	}
}

// BenchmarkSelect compiles what is selected: one rule, and the whole library as an audit without --rule does.
func BenchmarkSelect(b *testing.B) {
	l, err := advice.Load(advice.Source{FS: rules.FS, Lean: true})
	require.NoError(b, err)
	for name, s := range map[string]advice.Selection{"one": {Rules: []string{"numa-io"}}, "all": {}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err = l.Select(s)
				require.NoError(b, err)
			}
		})
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
			Driver: inventory.Known("nmlx5_core"), DriverOptions: inventory.Known(""), Switch: inventory.Known("vSwitch0"),
			BestMbps: inventory.Known(int64(40_000)), FullDuplex: inventory.Known(true),
		}
	}
	most := int64(60)
	options := map[string]inventory.Option{"Net.NetNetqNumaIOCpuPinThreshold": {Value: inventory.LongValue(0), Max: &most}}
	for _, key := range inventory.OptionKeys() {
		doc, _ := inventory.LookupOption(key)
		if era, _ := doc.At("8.0"); !era.Absent && key != "Net.NetNetqNumaIOCpuPinThreshold" {
			options[key] = inventory.Option{Value: era.Default}
		}
	}
	h := &inventory.Host{
		ClusterID: inventory.Absent[string](), Kind: inventory.Known(inventory.HostPhysical),
		Version: inventory.Known(inventory.Version{Major: 8}), Cores: inventory.Known(int64(28)), CPUMHz: inventory.Known(int64(2600)),
		NUMANodes: inventory.Known([]*inventory.NUMANode{{ID: 0}, {ID: 1}}), VSAN: inventory.Known(false),
		PNICs:   inventory.Known([]*inventory.PNIC{nic(0), nic(1)}),
		VMKNICs: inventory.Known([]*inventory.VMKNIC{}), LatencySensitivitySupported: inventory.Known(true),
		HyperThreadingActive: inventory.Known(true), HyperThreadingAvailable: inventory.Known(true), HyperThreadingConfigured: inventory.Known(true),
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
		VMX:        inventory.Known(map[string]string{"numa.autosize.once": "TRUE", "ethernet0.pciSlotNumber": "192", "svga.present": "TRUE"}),
		PowerState: inventory.Known("poweredOn"), Template: inventory.Known(false), GuestID: inventory.Known("windows2019srv_64Guest"),
		HardwareVersion: inventory.Known(int64(19)), ToolsStatus: inventory.Known("guestToolsCurrent"),
		CPUAffinity: inventory.Known([]int64{}), CPUHotAdd: inventory.Known(false), CoresPerSocket: inventory.Known(int64(1)),
		AutoCoresPerSocket: inventory.Known(false), MemoryLimitMB: inventory.Known(int64(inventory.NoLimit)),
		Disks: inventory.Known([]*inventory.VDisk{{
			Key: 2000, Label: "Hard disk 1", Controller: inventory.Known(inventory.ControllerPVSCSI), IOPSLimit: inventory.Known(int64(inventory.NoLimit)),
		}}),
	}
	vm.ID, vm.Name, vm.Path = fmt.Sprint("vm-", i), fmt.Sprint("vm", i), fmt.Sprint("/dc/vm/vm", i)
	return vm
}
