package change

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/vmfacts"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"

	govmomi "github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// bench is a session with a demo fleet that tests share which change a VM that is theirs alone.
type bench struct {
	*testing.T
	*estate
	settings *settings
}

var benchFleet = sync.OnceValues(func() (*simfleet.Fleet, error) {
	vspheretest.Building.Lock()
	defer vspheretest.Building.Unlock()
	return simfleet.Start(simfleet.Config{})
})

func newBench(t *testing.T) bench {
	t.Helper()
	f, err := benchFleet()
	require.NoError(t, err)
	u := *f.URL()
	u.User = nil
	s := vspheretest.Dial(t, session.Endpoint{URL: &u, User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute})
	e := estateOn(s)
	return bench{t, e, &settings{e}}
}

func (b bench) vm(name string) tuning.Target {
	b.Helper()
	v, err := view.NewManager(b.Client()).CreateContainerView(b.Context(), b.Client().ServiceContent.RootFolder, []string{"VirtualMachine"}, true)
	require.NoError(b, err)
	var all []mo.VirtualMachine
	require.NoError(b, v.Retrieve(b.Context(), []string{"VirtualMachine"}, []string{"name"}, &all))
	for _, one := range all {
		if one.Name == name {
			return tuning.Target{Kind: inventory.ScopeVM, ID: one.Self.Value, Name: name}
		}
	}
	b.Fatalf("no VM %s", name)
	return tuning.Target{}
}

// turns switches a VM on or off.
func (b bench) turns(vm tuning.Target, on bool) {
	b.Helper()
	o := object.NewVirtualMachine(b.Client(), ref{Type: "VirtualMachine", Value: vm.ID})
	power := o.PowerOff
	if on {
		power = o.PowerOn
	}
	task, err := power(b.Context())
	require.NoError(b, err)
	require.NoError(b, task.Wait(b.Context()))
}

// reconfigures is what another client does.
func (b bench) reconfigures(vm tuning.Target, spec types.VirtualMachineConfigSpec) {
	b.Helper()
	task, err := object.NewVirtualMachine(b.Client(), ref{Type: "VirtualMachine", Value: vm.ID}).Reconfigure(b.Context(), spec)
	require.NoError(b, err)
	require.NoError(b, task.Wait(b.Context()))
}

// config is all of a VM's configuration, by path, but for when it was last changed.
func (b bench) config(vm tuning.Target) map[string]string {
	b.Helper()
	var m mo.VirtualMachine
	require.NoError(b, govmomi.DefaultCollector(b.Client()).RetrieveOne(b.Context(), ref{Type: "VirtualMachine", Value: vm.ID}, []string{"config"}, &m))
	text, err := json.Marshal(m.Config)
	require.NoError(b, err)
	var tree any
	require.NoError(b, json.Unmarshal(text, &tree))
	flat := map[string]string{}
	flatPaths(flat, "", tree)
	delete(flat, ".changeVersion")
	delete(flat, ".modified")
	return flat
}

// flatPaths lists a tree's leaves. Parts of a list go by their key, where they have one.
func flatPaths(into map[string]string, path string, tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		for k, v := range tree {
			flatPaths(into, path+"."+k, v)
		}
	case []any:
		for i, v := range tree {
			name := strconv.Itoa(i)
			if m, ok := v.(map[string]any); ok && m["key"] != nil {
				name = fmt.Sprint(m["key"])
			}
			flatPaths(into, path+"["+name+"]", v)
		}
	default:
		into[path] = fmt.Sprint(tree)
	}
}

// changedPaths lists the paths in which two configurations differ, without the dot that they begin with.
func changedPaths(a, b map[string]string) []string {
	out := []string{}
	all := maps.Clone(a)
	maps.Copy(all, b)
	for path := range all {
		x, inA := a[path]
		if y, inB := b[path]; x != y || inA != inB {
			out = append(out, strings.TrimPrefix(path, "."))
		}
	}
	slices.Sort(out)
	return out
}

// asks parses assignments written as setting=value; a setting alone removes it, and DEVICE:setting belongs to a device.
func asks(all ...string) []tuning.Assignment {
	out := make([]tuning.Assignment, len(all))
	for i, text := range all {
		setting, value, given := strings.Cut(text, "=")
		device, rest, ofDevice := strings.Cut(setting, ":")
		if ofDevice {
			out[i].Device, setting = device, rest
		}
		out[i].Setting = setting
		out[i].Value = inventory.Absent[inventory.Value]()
		if given {
			out[i].Value = inventory.Known(inventory.StringValue(value))
		}
	}
	return out
}

func (b bench) prospects(vm tuning.Target, want []tuning.Assignment) []tuning.Preview {
	b.Helper()
	out, err := prospectsOf(b.Context(), b.settings, vm, want)
	require.NoError(b, err)
	return out
}

func (b bench) now(vm tuning.Target, a ...tuning.Assignment) []inventory.Fact[inventory.Value] {
	b.Helper()
	out, err := b.settings.Read(b.Context(), vm, addressesOf(a))
	require.NoError(b, err)
	return out
}

// shown formats a fact for comparison in these tests.
func shown(f inventory.Fact[inventory.Value]) string {
	v, state, reason := f.Get()
	switch state {
	case inventory.StateKnown:
		return string(v.Type) + " " + v.Text
	case inventory.StateAbsent:
		return "absent"
	}
	return "unread: " + reason
}

func shownAll(list []tuning.Assignment) string {
	var out []string
	for _, a := range list {
		out = append(out, a.Setting+"="+shown(a.Value))
	}
	return strings.Join(out, ", ")
}

const extraKey = "extraConfig[%s]"

// Each kind is read, planned, written, read back, and undone by its inverse. Nothing else of the VM changes.
func TestEachKindOfAVM(t *testing.T) {
	b := newBench(t)
	key := func(k string) []string {
		at := fmt.Sprintf(extraKey, k)
		return []string{at + ".key", at + ".value"}
	}
	for _, c := range []struct {
		vm, want, before, after string
		off                     bool
		activation              inventory.Activation
		inverse, back           string
		paths, left             []string // the paths that change, and those that still differ after the inverse
	}{
		{vm: "app-vbs-01", want: "vm-latency=medium", before: "string normal", after: "string medium", activation: "power-cycle",
			inverse: "exact", back: "vm-latency=string normal", paths: []string{"latencySensitivity.level"}},
		{vm: "web-01", want: "vm-latency=low", before: "string normal", after: "string low", activation: "power-cycle",
			inverse: "equivalent", back: "vm-latency=string normal", paths: []string{"latencySensitivity.level"}, left: []string{"latencySensitivity.level"}},
		{vm: "db-sql-02", want: "vm-vcpus=4", before: "long 8", after: "long 4", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-vcpus=long 8", paths: []string{"hardware.numCPU"}},
		{vm: "hpc-cfd-02", want: "vm-cores-per-socket=8", before: "long 16", after: "long 8", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-cores-per-socket=long 16", paths: []string{"hardware.numCoresPerSocket"}},
		{vm: "db-sql-02", want: "vm-cores-per-socket=4", before: "long 0", after: "long 4", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-cores-per-socket=long 0", paths: []string{"hardware.autoCoresPerSocket", "hardware.numCoresPerSocket"},
			left: []string{"hardware.numCoresPerSocket"}}, // until the VM starts
		{vm: "db-sql-02", want: "vm-cores-per-numa-node=4", before: "long 0", after: "long 4", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-cores-per-numa-node=long 0", paths: []string{"numaInfo.autoCoresPerNumaNode", "numaInfo.coresPerNumaNode"},
			left: []string{"numaInfo.coresPerNumaNode"}},
		{vm: "db-sql-02", want: "vm-cpu-hotadd=true", before: "bool false", after: "bool true", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-cpu-hotadd=bool false", paths: []string{"cpuHotAddEnabled"}},
		{vm: "db-sql-02", want: "vm-vnuma-on-hotadd=TRUE", before: "bool false", after: "bool true", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-vnuma-on-hotadd=bool false", paths: []string{"numaInfo.vnumaOnCpuHotaddExposed"}},
		{vm: "db-sql-02", want: "vm-memory-hotadd=true", before: "bool false", after: "bool true", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-memory-hotadd=bool false", paths: []string{"memoryHotAddEnabled"}},
		{vm: "feed-pin-02", want: "vm-cpu-affinity=", before: "string 4 5", after: "string ", activation: "live",
			inverse: "exact", back: "vm-cpu-affinity=string 4 5", paths: []string{"cpuAffinity.affinitySet[0]", "cpuAffinity.affinitySet[1]"}},
		{vm: "app-vbs-01", want: "vm-cpu-affinity=5,3-4,4", before: "string ", after: "string 3 4 5", activation: "live",
			inverse: "exact", back: "vm-cpu-affinity=string ", paths: []string{"cpuAffinity.affinitySet[0]", "cpuAffinity.affinitySet[1]", "cpuAffinity.affinitySet[2]"}},
		{vm: "app-vbs-01", want: "vm-cpu-affinity=0,1", before: "string ", after: "string 0 1", activation: "live",
			inverse: "exact", back: "vm-cpu-affinity=string ", paths: []string{"cpuAffinity.affinitySet[0]", "cpuAffinity.affinitySet[1]"}},
		{vm: "app-vbs-01", want: "vm-memory-affinity=0", before: "string ", after: "string 0", activation: "live",
			inverse: "exact", back: "vm-memory-affinity=string ", paths: []string{"memoryAffinity.affinitySet[0]"}},
		{vm: "app-prefer-01", want: "vm-memory-affinity=", before: "string 1", after: "string ", activation: "live",
			inverse: "exact", back: "vm-memory-affinity=string 1", paths: []string{"memoryAffinity.affinitySet[0]"}},
		{vm: "lic-oracle-01", want: "vm-ht-sharing=any", before: "string none", after: "string any", activation: "live",
			inverse: "exact", back: "vm-ht-sharing=string none", paths: []string{"flags.htSharing"}},
		{vm: "case-4711", want: "vm-virtual-mmu=automatic", before: "string off", after: "string automatic", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-virtual-mmu=string off", paths: []string{"flags.virtualMmuUsage"}},
		{vm: "db-sql-02", want: "vm-virtual-mmu=on", before: "string automatic", after: "string on", activation: "next-power-on", off: true,
			inverse: "equivalent", back: "vm-virtual-mmu=string automatic", paths: []string{"flags.virtualMmuUsage"}, left: []string{"flags.virtualMmuUsage"}},
		{vm: "case-4711", want: "vm-virtual-exec=hvAuto", before: "string hvOn", after: "string hvAuto", activation: "next-power-on", off: true,
			inverse: "exact", back: "vm-virtual-exec=string hvOn", paths: []string{"flags.virtualExecUsage"}},
		{vm: "case-4711", want: "vm-monitor-type=release", before: "string debug", after: "string release", activation: "power-cycle",
			inverse: "exact", back: "vm-monitor-type=string debug", paths: []string{"flags.monitorType"}},
		{vm: "case-4711", want: "vm-logging=true", before: "bool false", after: "bool true", activation: "power-cycle",
			inverse: "exact", back: "vm-logging=bool false", paths: []string{"flags.enableLogging"}},
		{vm: "app-vbs-01", want: "vm-cpu-reservation=500", before: "long 0", after: "long 500", activation: "live",
			inverse: "exact", back: "vm-cpu-reservation=long 0", paths: []string{"cpuAllocation.reservation"}},
		{vm: "batch-etl-01", want: "vm-cpu-limit=-1", before: "long 4000", after: "long -1", activation: "live",
			inverse: "exact", back: "vm-cpu-limit=long 4000", paths: []string{"cpuAllocation.limit"}},
		{vm: "app-vbs-01", want: "vm-memory-reservation=512", before: "long 0", after: "long 512", activation: "live",
			inverse: "exact", back: "vm-memory-reservation=long 0", paths: []string{"memoryAllocation.reservation"}},
		{vm: "app-cache-01", want: "vm-memory-limit=-1", before: "long 24576", after: "long -1", activation: "live",
			inverse: "exact", back: "vm-memory-limit=long 24576", paths: []string{"memoryAllocation.limit"}},
		{vm: "db-sql-02", want: "vm-memory-lock=true", before: "bool false", after: "bool true", activation: "live", off: true,
			inverse: "equivalent", back: "vm-memory-lock=bool false, vm-memory-reservation=long 0",
			paths: []string{"memoryAllocation.reservation", "memoryReservationLockedToMax"}, left: []string{"memoryReservationLockedToMax"}},
		{vm: "nfv-upt-02", want: "vm-memory-lock=false", before: "bool true", after: "bool false", activation: "live",
			inverse: "exact", back: "vm-memory-lock=bool true", paths: []string{"memoryReservationLockedToMax"}},
		{vm: "app-vbs-01", want: "vm-vmx/numa.autosize=TRUE", before: "absent", after: "string TRUE", activation: "power-cycle",
			inverse: "exact", back: "vm-vmx/numa.autosize=absent", paths: key("numa.autosize")},
		{vm: "app-lega-02", want: "vm-vmx/ethernet0.INTRMODE", before: "string 1", after: "absent", activation: "power-cycle",
			inverse: "exact", back: "vm-vmx/ethernet0.INTRMODE=string 1", paths: key("Ethernet0.IntrMode"),
			left: append(key("Ethernet0.IntrMode"), key("ethernet0.INTRMODE")...)}, // the same, in the case in which the key is written again
		{vm: "app-lega-02", want: "vm-vmx/monitor_control.RESTRICT_backdoor=", before: "string TRUE", after: "absent", activation: "power-cycle",
			inverse: "exact", back: "vm-vmx/monitor_control.RESTRICT_backdoor=string TRUE", paths: key("monitor_control.restrict_backdoor"),
			left: append(key("monitor_control.RESTRICT_backdoor"), key("monitor_control.restrict_backdoor")...)},
		{vm: "feed-keys-01", want: "vm-vmx/Ethernet0.CoalescingParams=64", before: "string 16", after: "string 64", activation: "live",
			inverse: "exact", back: "vm-vmx/Ethernet0.CoalescingParams=string 16", paths: key("ethernet0.coalescingParams")[1:]},
		{vm: "app-files-01", want: "2000:vdisk-iops-limit=-1", before: "long 500", after: "long -1", activation: "live",
			inverse: "exact", back: "vdisk-iops-limit=long 500", paths: []string{"hardware.device[2000].storageIOAllocation.limit"}},
		{vm: "db-pg-01", want: "2001:vdisk-iops-limit=1000", before: "long 500", after: "long 1000", activation: "live",
			inverse: "exact", back: "vdisk-iops-limit=long 500", paths: []string{"hardware.device[2001].storageIOAllocation.limit"}},
	} {
		t.Run(c.vm+" "+c.want, func(t *testing.T) {
			b := bench{t, b.estate, b.settings}
			vm, want := b.vm(c.vm), asks(c.want)
			if c.off {
				b.turns(vm, false)
				defer b.turns(vm, true)
			}
			start := b.config(vm)
			require.Equal(t, c.before, shown(b.now(vm, want...)[0]))

			p := b.prospects(vm, want)[0]
			require.Empty(t, p.Refused)
			require.Equal(t, c.before, shown(p.Before))
			require.Equal(t, c.after, shown(p.After))
			require.Equal(t, c.activation, p.Activation)
			require.Equal(t, c.inverse, string(p.Inverse.Kind))
			require.Equal(t, c.back, shownAll(p.Inverse.Write))
			require.Equal(t, c.inverse == "equivalent", p.Inverse.About != "", p.Inverse.About)
			require.Equal(t, reconfigureGroup, p.Group)
			require.NotEmpty(t, p.Privileges)
			require.Empty(t, changedPaths(start, b.config(vm)), "looking changes nothing")

			require.NoError(t, b.settings.Write(t.Context(), vm, []tuning.Assignment{{Address: want[0].Address, Value: p.After}}))
			require.Equal(t, c.after, shown(b.now(vm, want...)[0]))
			slices.Sort(c.paths)
			require.Equal(t, c.paths, changedPaths(start, b.config(vm)))

			require.NoError(t, b.settings.Write(t.Context(), vm, p.Inverse.Write))
			require.Equal(t, c.before, shown(b.now(vm, want...)[0]))
			left := append([]string{}, c.left...)
			slices.Sort(left)
			require.Equal(t, left, changedPaths(start, b.config(vm)))
		})
	}
}

// Every kind of a VM or a virtual disk that the vocabulary calls applicable has a row and a privilege, and there are no other
// rows.
func TestVMKindsAreComplete(t *testing.T) {
	var applicable []string
	for _, k := range inventory.SettingKinds() {
		if k.Applicable() && (k.Scope == inventory.ScopeVM || k.Scope == inventory.ScopeVDisk) {
			applicable = append(applicable, k.Name)
			require.Equal(t, vmWriter{}, writers[k.Name])
		}
	}
	slices.Sort(applicable)
	require.Equal(t, applicable, slices.Sorted(maps.Keys(vmSettings)))
}

// A raw device mapping requires one more privilege.
func TestPrivilegesOfRawDevices(t *testing.T) {
	file, raw := "VirtualMachine.Config.EditDevice", "VirtualMachine.Config.RawDevice"
	for _, c := range []struct {
		backing types.BaseVirtualDeviceBackingInfo
		want    []string
	}{
		{&types.VirtualDiskFlatVer2BackingInfo{}, []string{file, "VirtualMachine.Config.Resource"}},
		{&types.VirtualDiskRawDiskMappingVer1BackingInfo{}, []string{file, "VirtualMachine.Config.Resource", raw}},
		{&types.VirtualDiskRawDiskVer2BackingInfo{}, []string{file, "VirtualMachine.Config.Resource", raw}},
		{&types.VirtualDiskPartitionedRawDiskVer2BackingInfo{}, []string{file, "VirtualMachine.Config.Resource", raw}},
	} {
		now := &vmState{new(vm), &property.Props{Unknown: func(string) bool { return false }, Values: map[string]any{vmfacts.PathDevices: types.ArrayOfVirtualDevice{VirtualDevice: []types.BaseVirtualDevice{
			&types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 2000, Backing: c.backing}},
			&types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 2001}},
		}}}}}
		vmfacts.Table.Plan(vspheretest.NeedsOf("VM.disks")).Fill(now.props, now.vm)
		p, err := vmWriter{}.preview(now, asks("2000:vdisk-iops-limit=100")[0])
		require.NoError(t, err)
		require.Equal(t, c.want, p.Privileges)
		other, err := vmWriter{}.preview(now, asks("2001:vdisk-iops-limit=100")[0])
		require.NoError(t, err)
		require.Equal(t, []string{file, "VirtualMachine.Config.Resource"}, other.Privileges)
	}
}

func TestWhatIsRefusedOfAVM(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ vm, want, why string }{
		{"app-vbs-01", "vm-latency=high", "all of the VM's memory reserved"},
		{"app-vbs-01", "vm-latency=highest", `"highest" is not one of low, normal, medium, high`},
		{"app-vbs-01", "vm-latency", "can be changed but not removed"},
		{"app-vbs-01", "vm-vcpus=0", "less than the minimum of 1"},
		{"app-vbs-01", "vm-vcpus=many", `"many" is not a whole number`},
		{"app-vbs-01", "vm-vcpus=3000000000", "more than the maximum"},
		{"hpc-cfd-01", "vm-vcpus=15", "15 vCPUs cannot be split into sockets of 16 cores"},
		{"hpc-cfd-01", "vm-cores-per-socket=7", "16 vCPUs cannot be split into sockets of 7 cores"},
		{"hpc-cfd-01", "vm-cores-per-socket=0", "needs hardware version 20; the VM has 15"},
		{"app-prefer-01", "vm-vnuma-on-hotadd=true", "needs hardware version 20; the VM has 19"},
		{"hpc-cfd-01", "vm-cores-per-numa-node=4", "needs hardware version 20; the VM has 15"},
		{"db-sql-02", "vm-cores-per-numa-node=9", "a node of 9 cores is more than the VM's 8 vCPUs"},
		{"app-vbs-01", "vm-logging=maybe", "neither true nor false"},
		{"app-vbs-01", "vm-ht-sharing=all", "is not one of any, none, internal"},
		{"app-vbs-01", "vm-cpu-affinity=0-", "is not a list of numbers"},
		{"app-vbs-01", "vm-cpu-affinity=-1", "is not a list of numbers"},
		{"app-vbs-01", "vm-cpu-affinity=0-99999999", "is not a list of numbers"},
		{"app-vbs-01", "vm-cpu-reservation=-1", "less than the minimum of 0"},
		{"db-oltp-01", "vm-cpu-reservation=10001", "the CPU reservation of 10001 MHz would be above the limit of 10000 MHz"},
		{"trade-gw-01", "vm-cpu-limit=10399", "the CPU reservation of 10400 MHz would be above the limit of 10399 MHz"},
		{"app-vbs-01", "vm-cpu-limit=0", "not a valid limit"},
		{"app-vbs-01", "vm-cpu-limit=-2", "less than the minimum of -1"},
		{"app-vbs-01", "vm-memory-reservation=99999999", "more than the VM's memory"},
		{"trade-gw-01", "vm-memory-reservation=1024", "locked to the memory size of 16384 MB"},
		{"db-pg-02", "vm-memory-lock=true", "the memory reservation of 65536 MB would be above the limit of 32768 MB"},
		{"app-vbs-01", "vm-vmx/sched.cpu.LatencySensitivity=high", "an API field controls it: use vm-latency"},
		{"app-vbs-01", "vm-vmx/sched.mem.min=1", "use vm-memory-reservation"},
		{"app-vbs-01", "vm-vmx/cpuid.coresPerSocket=2", "use vm-cores-per-socket"},
		{"app-vbs-01", "vm-vmx/numvcpus=2", "use vm-vcpus"},
		{"app-vbs-01", "vm-vmx/sched.mem.shares=2", "an API field controls it"},
		{"app-vbs-01", "vm-vmx/guestinfo.x=2", "not a tuning key"},
		{"app-vbs-01", "vm-vmx/sched.swap.dir=/tmp", "not a tuning key"},
		{"app-vbs-01", "vm-vmx/ethernet0.present=FALSE", "defines a device"},
		{"app-vbs-01", "vm-vmx/ethernet0.networkName=x", "not a tuning key"},
		{"app-vbs-01", "vm-vmx/pciPassthru0.id=x", "defines a device"},
		{"app-vbs-01", "vm-vmx/svga.present=FALSE", "defines a device"},
		{"app-vbs-01", "vm-vmx/numa.autosize=a\nb", "characters that a VMX file cannot"},
		{"app-files-01", "2000:vdisk-iops-limit=15", "16 or more, or -1 for no limit"},
		{"app-files-01", "2009:vdisk-iops-limit=-1", `no disk 2009 with device key "2009"`},
	} {
		t.Run(c.vm+" "+c.want, func(t *testing.T) {
			b := bench{t, b.estate, b.settings}
			vm := b.vm(c.vm)
			p := b.prospects(vm, asks(c.want))[0]
			require.Contains(t, p.Refused, c.why)
		})
	}
}

// All changes requested of one VM are checked together, so that one change can satisfy what another requires.
func TestWishesOfOneVMAreJudgedTogether(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		vm    string
		want  []string
		fails int // the index of the refused one; -1 is none
	}{
		{"app-vbs-01", []string{"vm-latency=high", "vm-memory-lock=true"}, -1},
		{"app-vbs-01", []string{"vm-memory-reservation=4095", "vm-latency=high"}, 1},
		{"app-vbs-01", []string{"vm-memory-reservation=4096", "vm-latency=high"}, -1},
		{"hpc-cfd-01", []string{"vm-vcpus=12", "vm-cores-per-socket=6"}, -1},
		{"hpc-cfd-01", []string{"vm-cores-per-socket=8", "vm-logging=true"}, -1},
		{"trade-gw-01", []string{"vm-memory-lock=false", "vm-memory-reservation=1024"}, -1},
		{"app-vbs-01", []string{"vm-memory-reservation=1024", "vm-logging=what", "vm-cpu-limit=-1"}, 1},
		{"db-pg-02", []string{"vm-memory-lock=true", "vm-memory-limit=-1"}, -1},
		// The second is invalid, and the third would be invalid with it.
		{"app-vbs-01", []string{"vm-logging=false", "vm-memory-reservation=99999", "vm-memory-limit=1000"}, 1},
		// The value is already set, although it could not be set now.
		{"trade-lat-02", []string{"vm-latency=high", "vm-memory-limit=-1"}, -1},
	} {
		for i, p := range b.prospects(b.vm(c.vm), asks(c.want...)) {
			require.Equal(t, i == c.fails, p.Refused != "", "%s: %s: %s", c.vm, c.want[i], p.Refused)
		}
	}
	// A memory lock that is refused does not satisfy latency sensitivity high.
	for _, p := range b.prospects(b.vm("db-pg-02"), asks("vm-latency=high", "vm-memory-lock=true")) {
		require.NotEmpty(t, p.Refused)
	}
}

// A running VM refuses some changes: the plan reports that, and writers return the server's error.
func TestOnlyWhileOff(t *testing.T) {
	b := newBench(t)
	vm := b.vm("db-ora-03")
	for _, want := range []string{
		"vm-vcpus=12", "vm-cores-per-socket=4", "vm-cores-per-numa-node=4", "vm-cpu-hotadd=false", "vm-vnuma-on-hotadd=false",
		"vm-memory-hotadd=true", "vm-virtual-mmu=on", "vm-virtual-exec=hvOn", "vm-vmx/sched.mem.lpage.enable1GPage=TRUE",
	} {
		p := b.prospects(vm, asks(want))[0]
		require.Empty(t, p.Refused, want)
		require.Equal(t, inventory.ActivationPowerOff, p.Activation, want)
		start := b.config(vm)
		err := b.settings.Write(t.Context(), vm, asks(want))
		require.ErrorContains(t, err, "of db-ora-03: reconfiguring", want)
		require.IsType(t, new(types.InvalidPowerState), session.FaultOf(err), want)
		require.NotErrorIs(t, err, tuning.ErrUnsure)
		require.Empty(t, changedPaths(start, b.config(vm)))
	}
}

func TestASuspendedVM(t *testing.T) {
	b := newBench(t)
	vm := b.vm("app-disc-02")
	task, err := object.NewVirtualMachine(b.Client(), ref{Type: "VirtualMachine", Value: vm.ID}).Suspend(t.Context())
	require.NoError(t, err)
	require.NoError(t, task.Wait(t.Context()))
	require.Contains(t, b.prospects(vm, asks("vm-cpu-limit=-1"))[0].Refused, "suspended")
}

// All settings of a VM go in one call.
func TestOneReconfigureForOneVM(t *testing.T) {
	b := newBench(t)
	vm := b.vm("trade-mid-02")
	want := asks("vm-latency=high", "vm-memory-lock=true", "vm-cpu-reservation=4000", "vm-cpu-limit=8000", "vm-vmx/numa.nodeAffinity=0",
		"vm-vmx/ethernet0.pnicFeatures=5", "vm-logging=false", "vm-ht-sharing=none", "vm-cpu-affinity=2 3", "2000:vdisk-iops-limit=100")
	start := b.config(vm)
	list := b.prospects(vm, want)
	before := b.Calls()["ReconfigVM_Task"]
	require.NoError(t, b.settings.Write(t.Context(), vm, want))
	require.Equal(t, 1, b.Calls()["ReconfigVM_Task"]-before)
	for i, f := range b.now(vm, want...) {
		require.Equal(t, shown(list[i].After), shown(f), want[i].Setting)
	}
	var back []tuning.Assignment
	for _, p := range list {
		require.Empty(t, p.Refused)
		back = append(back, p.Inverse.Write...)
	}
	require.NoError(t, b.settings.Write(t.Context(), vm, back))
	require.Equal(t, 2, b.Calls()["ReconfigVM_Task"]-before)
	require.Subset(t, []string{"memoryReservationLockedToMax", "hardware.device[2000].storageIOAllocation.limit"}, changedPaths(start, b.config(vm)),
		"unset before, and false or none now")
}

// An empty key differs from an absent key.
func TestEmptyAndAbsentKeys(t *testing.T) {
	empty := &vmState{&vm{VMX: inventory.Known(map[string]string{"Numa.AutoSize": "", "numa.x": "1", "NUMA.X": "2"})}, vspheretest.Given(nil)}
	of, err := inventory.LookupSetting("vm-vmx/numa.autosize")
	require.NoError(t, err)
	at := tuning.Address{Setting: "vm-vmx/numa.autosize"}
	before := vmxSetting.current(empty, of, at)
	require.Equal(t, "string ", shown(before))
	inverse := vmxSetting.inverse(empty, at, before)
	require.Equal(t, inventory.InverseEquivalent, inverse.Kind)
	require.Equal(t, "vm-vmx/numa.autosize=absent", shownAll(inverse.Write))

	of.Key = "numa.y"
	require.Equal(t, "absent", shown(vmxSetting.current(empty, of, at)))
	of.Key = "numa.x"
	require.Contains(t, vmxSetting.refusal(empty, of), "whether it runs could not be read")
	require.Contains(t, vmxSetting.refuseKind(empty, of), "more than once, as NUMA.X and numa.x")
	of.Key = "guestinfo.secret"
	require.Equal(t, "unread: "+notTuningKey, shown(vmxSetting.current(empty, of, at)))
}

// stateOf returns a VM with these properties.
func stateOf(values map[string]any) *vmState {
	p := vspheretest.Given(values)
	n := &vmState{new(vm), p}
	vmfacts.Table.Plan(inventory.Everything()).Fill(p, n.vm)
	return n
}

// TestWhatNothingUnsets lists the inverses that are not exact, with the reasons.
func TestWhatNothingUnsets(t *testing.T) {
	old := map[string]any{"config.version": "vmx-15", "runtime.powerState": "poweredOff"}
	young := map[string]any{"config.version": "vmx-20", "runtime.powerState": "poweredOff"}
	with := func(values map[string]any, path string, v any) map[string]any {
		values = maps.Clone(values)
		values[path] = v
		return values
	}
	for _, c := range []struct {
		values         map[string]any
		setting        string
		before, about  string
		inverse, write string
	}{
		{old, "vm-latency", "string normal", "which means normal", "equivalent", "string normal"},
		{with(old, pathLatencyLevel, types.LatencySensitivitySensitivityLevelCustom), "vm-latency", "string normal", "the level is custom", "equivalent", "string normal"},
		{with(old, pathLatencyLevel, types.LatencySensitivitySensitivityLevelHigh), "vm-latency", "string high", "", "exact", "string high"},
		{with(old, "config.hardware.autoCoresPerSocket", true), "vm-cores-per-socket", "long 0", "can only be written from hardware version 20 on", "equivalent", "long 1"},
		{with(young, "config.hardware.autoCoresPerSocket", true), "vm-cores-per-socket", "long 0", "", "exact", "long 0"},
		{old, "vm-cores-per-socket", "long 1", "it is not set, which means 1", "equivalent", "long 1"},
		{young, "vm-vnuma-on-hotadd", "absent", "as at the last power-on", "equivalent", "bool false"},
		{with(young, pathVNUMAOnHotAdd, true), "vm-vnuma-on-hotadd", "bool true", "", "exact", "bool true"},
		{young, "vm-cores-per-numa-node", "absent", "ESXi chooses the nodes again", "equivalent", "long 0"},
		{with(young, pathCoresPerNode, int32(4)), "vm-cores-per-numa-node", "long 4", "", "exact", "long 4"},
		{old, "vm-ht-sharing", "string any", "which means any", "equivalent", "string any"},
		{old, "vm-virtual-mmu", "string automatic", "which means automatic", "equivalent", "string automatic"},
		{old, "vm-virtual-exec", "string hvAuto", "which means hvAuto", "equivalent", "string hvAuto"},
		{old, "vm-logging", "bool true", "which means true", "equivalent", "bool true"},
		{old, "vm-cpu-hotadd", "bool false", "which means false", "equivalent", "bool false"},
		{old, "vm-cpu-affinity", "string ", "", "exact", "string "},
		{old, "vm-cpu-limit", "unread: the server returned no config.cpuAllocation.limit", "could not be read", "none", ""},
		{old, "vm-memory-lock", "bool false", "which the lock sets, could not be read", "none", ""},
	} {
		n, a := stateOf(c.values), tuning.Address{Setting: c.setting}
		setting, of, err := vmSettingOf(a)
		require.NoError(t, err)
		before := setting.current(n, of, a)
		require.Equal(t, c.before, shown(before), c.setting)
		inverse := setting.inverse(n, a, before)
		require.Equal(t, c.inverse, string(inverse.Kind), c.setting)
		require.Contains(t, inverse.About, c.about)
		require.Equal(t, c.about == "", inverse.About == "", inverse.About)
		if c.write == "" {
			require.Empty(t, inverse.Write)
		} else {
			require.Equal(t, c.setting+"="+c.write, shownAll(inverse.Write))
		}
	}
}

// A server of an earlier release does not have settings of later releases.
func TestSettingsOfLaterReleases(t *testing.T) {
	n := stateOf(map[string]any{"config.version": "vmx-20", "runtime.powerState": "poweredOff"})
	n.props.Unknown = func(path string) bool { return strings.HasPrefix(path, "config.numaInfo") }
	for _, kind := range []string{kindCoresPerNode, "vm-vnuma-on-hotadd"} {
		a := tuning.Address{Setting: kind}
		setting, of, err := vmSettingOf(a)
		require.NoError(t, err)
		require.Equal(t, "absent", shown(setting.current(n, of, a)))
		require.Contains(t, setting.refusal(n, of), "a later release introduced it")
	}
}

// intercept adds a handler to a session that sees the body of every request.
func intercept(s *session.Session, f func(body []byte, next func() (*http.Response, error)) (*http.Response, error)) {
	s.Client().Transport = interceptor{s.Client().Transport, f}
}

type interceptor struct {
	next http.RoundTripper
	f    func([]byte, func() (*http.Response, error)) (*http.Response, error)
}

func (x interceptor) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	return x.f(body, func() (*http.Response, error) { return x.next.RoundTrip(req) })
}

// A change by another client between the read and the write is not overwritten.
func TestStaleChangeVersion(t *testing.T) {
	b, other := newBench(t), newBench(t)
	vm := b.vm("app-guest-01")
	var once sync.Once
	intercept(b.Session, func(body []byte, next func() (*http.Response, error)) (*http.Response, error) {
		if bytes.Contains(body, []byte("<ReconfigVM_Task")) {
			once.Do(func() { other.reconfigures(vm, types.VirtualMachineConfigSpec{Annotation: "mine"}) })
		}
		return next()
	})
	start := b.config(vm)
	err := b.settings.Write(t.Context(), vm, asks("vm-cpu-limit=1000"))
	require.ErrorContains(t, err, "writing vm-cpu-limit of app-guest-01: reconfiguring")
	require.ErrorContains(t, err, "somebody else changed")
	require.IsType(t, new(types.ConcurrentAccess), session.FaultOf(err))
	require.NotErrorIs(t, err, tuning.ErrUnsure)
	require.Equal(t, []string{"annotation"}, changedPaths(start, b.config(vm)))
	require.NoError(t, b.settings.Write(t.Context(), vm, asks("vm-cpu-limit=1000")), "on a second look")
}

// A lost answer, of the call or of its task, leaves open whether the change was made.
func TestLostAnswersOfReconfiguring(t *testing.T) {
	for name, lost := range map[string]string{"the call's": "<ReconfigVM_Task", "the task's": "info.state"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.SetForTest(session.TestSettings{RetryPause: time.Millisecond})
			b.limits.change, b.limits.cancel = 50*time.Millisecond, 50*time.Millisecond
			vm := b.vm("app-crypt-01")
			intercept(b.Session, func(body []byte, next func() (*http.Response, error)) (*http.Response, error) {
				res, err := next()
				if err == nil && bytes.Contains(body, []byte(lost)) {
					_ = res.Body.Close()
					return nil, io.ErrUnexpectedEOF
				}
				return res, err
			})
			before := b.Calls()["ReconfigVM_Task"]
			err := b.settings.Write(t.Context(), vm, asks("vm-cpu-limit=1000"))
			require.ErrorIs(t, err, tuning.ErrUnsure)
			require.Equal(t, 1, b.Calls()["ReconfigVM_Task"]-before, "a write is never repeated")
		})
	}
}

// The previous value is written back even if it is not allowed in a plan.
func TestTakingBackWhatIsOdd(t *testing.T) {
	b := newBench(t)
	vm := b.vm("app-nobal-01")
	setting, of, err := vmSettingOf(tuning.Address{Setting: "vm-monitor-type"})
	require.NoError(t, err)
	odd := inventory.Known(inventory.StringValue("profile"))
	_, err = setting.allowed(of, odd)
	require.ErrorContains(t, err, `vm-monitor-type: "profile" is not one of release, debug, stats`)
	_, err = setting.typed(of, odd)
	require.NoError(t, err)

	for _, never := range []string{"vm-vmx/sched.cpu.min=1", "vm-vcpus=3000000000", "vm-vcpus", "vm-cpu-limit=x", "2009:vdisk-iops-limit=-1"} {
		require.Error(t, b.settings.Write(t.Context(), vm, asks("vm-logging=false", never)), never)
	}
	require.Zero(t, b.Calls()["ReconfigVM_Task"], "all or nothing")
}

func TestWhatTheHostCannotGive(t *testing.T) {
	b := newBench(t)
	vm := b.vm("app-grow-01")
	err := b.settings.Write(t.Context(), vm, asks("vm-cpu-reservation=9000000"))
	require.IsType(t, new(types.InsufficientCpuResourcesFault), session.FaultOf(err))
	require.NotErrorIs(t, err, tuning.ErrUnsure)
}

func TestWritingToAVMThatIsGone(t *testing.T) {
	b := newBench(t)
	gone := tuning.Target{Kind: inventory.ScopeVM, ID: "vm-99999", Name: "gone"}
	_, err := b.settings.Read(t.Context(), gone, addressesOf(asks("vm-cpu-limit")))
	require.ErrorContains(t, err, "reading settings of gone: the server ")
	require.ErrorContains(t, b.settings.Write(t.Context(), gone, asks("vm-cpu-limit=1")), "writing vm-cpu-limit of gone: the server ")
	require.Zero(t, b.Calls()["ReconfigVM_Task"])
}

// Only the changed fields are sent. An empty affinity is sent as such, because omitting it would keep the old one.
func TestWhatIsSent(t *testing.T) {
	b := newBench(t)
	var sent []byte
	intercept(b.Session, func(body []byte, next func() (*http.Response, error)) (*http.Response, error) {
		if bytes.Contains(body, []byte("<ReconfigVM_Task")) {
			sent = body
		}
		return next()
	})
	require.NoError(t, b.settings.Write(t.Context(), b.vm("feed-keys-02"), asks("vm-cpu-affinity=", "vm-logging=false", "vm-vmx/ETHERNET0.udprss")))
	require.Contains(t, string(sent), "<key>ethernet0.udpRSS</key>", "as the VM writes it")
	require.Contains(t, string(sent), "<cpuAffinity></cpuAffinity>")
	require.Contains(t, string(sent), "<flags><enableLogging>false</enableLogging></flags>", "no flag but the one that changes")
	require.NotContains(t, string(sent), "memoryAffinity")
}

// CPU 0 and NUMA node 0 are ordinary numbers: they are sent, in the order of the specification, and restored.
func TestAffinityWithZeroGoesBack(t *testing.T) {
	b := newBench(t)
	var sent []byte
	intercept(b.Session, func(body []byte, next func() (*http.Response, error)) (*http.Response, error) {
		if bytes.Contains(body, []byte("<ReconfigVM_Task")) {
			sent = body
		}
		return next()
	})
	vm := b.vm("app-nobal-01")
	start := b.config(vm)
	both := asks("vm-cpu-affinity=0 1", "vm-memory-affinity=0")
	first := b.prospects(vm, both)
	require.NoError(t, b.settings.Write(t.Context(), vm, both))
	require.Contains(t, string(sent), "<cpuAffinity><affinitySet>0</affinitySet><affinitySet>1</affinitySet></cpuAffinity>"+
		"<memoryAffinity><affinitySet>0</affinitySet></memoryAffinity>")
	p := b.prospects(vm, asks("vm-cpu-affinity=2", "vm-memory-affinity="))
	require.Equal(t, "string 0 1", shown(p[0].Before))
	require.Equal(t, "string 0", shown(p[1].Before))
	there := b.config(vm)
	require.NoError(t, b.settings.Write(t.Context(), vm, asks("vm-cpu-affinity=2", "vm-memory-affinity=")))
	require.NoError(t, b.settings.Write(t.Context(), vm, append(p[0].Inverse.Write, p[1].Inverse.Write...)))
	require.Empty(t, changedPaths(there, b.config(vm)))
	require.NoError(t, b.settings.Write(t.Context(), vm, append(first[0].Inverse.Write, first[1].Inverse.Write...)))
	require.Contains(t, string(sent), "<cpuAffinity></cpuAffinity><memoryAffinity></memoryAffinity>")
	require.Empty(t, changedPaths(start, b.config(vm)))
}

// Of a VM's keys only those that tune it are kept.
func TestSecretsStayOutOfPlans(t *testing.T) {
	b := newBench(t)
	now, err := b.readVM(t.Context(), b.vm("web-02"), addressesOf(asks("vm-vmx/numa.autosize")))
	require.NoError(t, err)
	keys, ok := now.VMX.Value()
	require.True(t, ok)
	for key := range keys {
		require.True(t, vmfacts.IsTuning(key), key)
	}
	p := b.prospects(b.vm("web-02"), asks("vm-vmx/guestinfo.x=1"))[0]
	require.Equal(t, "unread: "+notTuningKey, shown(p.Before))
	require.NotContains(t, fmt.Sprintf("%+v", p), "SECRET")
}
