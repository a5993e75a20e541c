package simfleet

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// A request may be refused, but it may not end the process nor leave an object that nobody can read any more.
func TestOddRequests(t *testing.T) {
	f := start(t, Config{})
	c := login(t, f)
	vm, tmpl := vmNamed(t, c, "web-03"), vmNamed(t, c, "tmpl-rhel9")
	off := vmNamed(t, c, "app-legacy-01")
	folder, pool := folderOf(t, c), object.NewResourcePool(c, *poolRef(t, c))
	host := hostNamed(t, c, "host06")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	bare := &types.VirtualDeviceConfigSpec{Operation: types.VirtualDeviceConfigSpecOperationAdd}
	spec := func(s types.VirtualMachineConfigSpec) func() (*object.Task, error) {
		return func() (*object.Task, error) { return vm.Reconfigure(ctx, s) }
	}
	device := func(op types.VirtualDeviceConfigSpecOperation, d types.BaseVirtualDevice) func() (*object.Task, error) {
		return spec(types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{
			&types.VirtualDeviceConfigSpec{Operation: op, Device: d},
		}})
	}
	add, edit, remove := types.VirtualDeviceConfigSpecOperationAdd, types.VirtualDeviceConfigSpecOperationEdit, types.VirtualDeviceConfigSpecOperationRemove
	requests := map[string]func() (*object.Task, error){
		"empty spec":      spec(types.VirtualMachineConfigSpec{}),
		"no device":       spec(types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{bare}}),
		"bare disk":       device(add, &types.VirtualDisk{}),
		"disk, no controller": device(add, &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: -1, Backing: &types.VirtualDiskFlatVer2BackingInfo{}}}),
		"disk, no file": device(add, &types.VirtualDisk{CapacityInKB: 1, VirtualDevice: types.VirtualDevice{Key: -1, ControllerKey: 1000, Backing: &types.VirtualDiskFlatVer2BackingInfo{}}}),
		"disk, odd store": device(add, &types.VirtualDisk{CapacityInKB: 1, VirtualDevice: types.VirtualDevice{Key: -1, ControllerKey: 1000, Backing: &types.VirtualDiskFlatVer2BackingInfo{VirtualDeviceFileBackingInfo: types.VirtualDeviceFileBackingInfo{FileName: "[none] x.vmdk"}}}}),
		"bare nic":        device(add, &types.VirtualVmxnet3{}),
		"nic, odd network": device(add, &types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Backing: &types.VirtualEthernetCardNetworkBackingInfo{VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: "none"}}}}}}),
		"nic, odd dvs": device(add, &types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Backing: &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{}}}}}),
		"edit none":       device(edit, &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 77}}),
		"edit bare disk":       device(edit, &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 2000}}),
		"edit bare nic":       device(edit, &types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Key: 4000}}}}),
		"remove none":     device(remove, &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: 77}}),
		"remove bare nic": device(remove, &types.VirtualVmxnet3{VirtualVmxnet: types.VirtualVmxnet{VirtualEthernetCard: types.VirtualEthernetCard{VirtualDevice: types.VirtualDevice{Key: 4000}}}}),
		"bare cdrom": device(add, &types.VirtualCdrom{}),
		"bare serial": device(add, &types.VirtualSerialPort{}),
		"odd version":     spec(types.VirtualMachineConfigSpec{Version: "vmx-x"}),
		"odd files":       spec(types.VirtualMachineConfigSpec{Files: &types.VirtualMachineFileInfo{VmPathName: "nowhere"}}),
		"odd allocation":  spec(types.VirtualMachineConfigSpec{CpuAllocation: &types.ResourceAllocationInfo{}, MemoryAllocation: &types.ResourceAllocationInfo{Reservation: new(int64(-9))}}),
		"odd crypto": spec(types.VirtualMachineConfigSpec{Crypto: &types.CryptoSpecEncrypt{}}),
		"odd extra": spec(types.VirtualMachineConfigSpec{ExtraConfig: []types.BaseOptionValue{&types.OptionValue{Key: "a"}, &types.OptionValue{Key: "guestinfo.metadata", Value: int32(7)}, &types.OptionValue{}, &types.OptionValue{Key: "ip0", Value: "x"}, &types.OptionValue{Key: "ethernet9.present", Value: true}}}),
		"odd vapp": spec(types.VirtualMachineConfigSpec{VAppConfig: &types.VmConfigSpec{Property: []types.VAppPropertySpec{{}}}}),
		"odd profile": spec(types.VirtualMachineConfigSpec{VmProfile: []types.BaseVirtualMachineProfileSpec{&types.VirtualMachineDefinedProfileSpec{}}}),
		"clone, no pool":  func() (*object.Task, error) { return tmpl.Clone(ctx, folder, "a", types.VirtualMachineCloneSpec{}) },
		"clone, odd host":  func() (*object.Task, error) { r := host.Reference(); return vm.Clone(ctx, folder, "b", types.VirtualMachineCloneSpec{Location: types.VirtualMachineRelocateSpec{Host: &r}, Config: &types.VirtualMachineConfigSpec{DeviceChange: []types.BaseVirtualDeviceConfigSpec{bare}}}) },
		"clone, no name":  func() (*object.Task, error) { return vm.Clone(ctx, folder, "", types.VirtualMachineCloneSpec{}) },
		"clone, odd disk":  func() (*object.Task, error) { return vm.Clone(ctx, folder, "c", types.VirtualMachineCloneSpec{Location: types.VirtualMachineRelocateSpec{Disk: []types.VirtualMachineRelocateSpecDiskLocator{{DiskId: 9, Datastore: types.ManagedObjectReference{Type: "Datastore", Value: "x"}}}}}) },
		"clone custom":  func() (*object.Task, error) { return vm.Clone(ctx, folder, "d", types.VirtualMachineCloneSpec{Customization: &types.CustomizationSpec{}}) },
		"clone snapshot":  func() (*object.Task, error) { r := types.ManagedObjectReference{Type: "VirtualMachineSnapshot", Value: "snapshot-1"}; return vm.Clone(ctx, folder, "e", types.VirtualMachineCloneSpec{Snapshot: &r}) },
		"relocate":        func() (*object.Task, error) { return vm.Relocate(ctx, types.VirtualMachineRelocateSpec{}, "") },
		"relocate template": func() (*object.Task, error) { r := host.Reference(); return tmpl.Relocate(ctx, types.VirtualMachineRelocateSpec{Host: &r}, "") },
		"migrate": func() (*object.Task, error) { return vm.Migrate(ctx, nil, host, "", "") },
		"create, nothing": func() (*object.Task, error) { return folder.CreateVM(ctx, types.VirtualMachineConfigSpec{}, pool, nil) },
		"create, no file": func() (*object.Task, error) { return folder.CreateVM(ctx, types.VirtualMachineConfigSpec{Name: "x"}, pool, nil) },
		"create, odd store": func() (*object.Task, error) { return folder.CreateVM(ctx, types.VirtualMachineConfigSpec{Name: "x", Files: &types.VirtualMachineFileInfo{VmPathName: "[none]"}}, pool, host) },
		"create, no store": func() (*object.Task, error) { return folder.CreateVM(ctx, types.VirtualMachineConfigSpec{Name: "x", Files: &types.VirtualMachineFileInfo{VmPathName: "x"}}, pool, host) },
		"create, odd device": func() (*object.Task, error) { return folder.CreateVM(ctx, types.VirtualMachineConfigSpec{Name: "y", Files: &types.VirtualMachineFileInfo{VmPathName: "[san01]"}, DeviceChange: []types.BaseVirtualDeviceConfigSpec{bare}}, pool, host) },
		"register": func() (*object.Task, error) { return folder.RegisterVM(ctx, "[none] x", "x", false, pool, host) },
		"register template": func() (*object.Task, error) { return folder.RegisterVM(ctx, "[san01] web-03/web-03.vmx", "", true, nil, nil) },
		"register same": func() (*object.Task, error) { return folder.RegisterVM(ctx, "[san01] web-03/web-03.vmx", "", false, pool, nil) },
		"revert, none": func() (*object.Task, error) { return vmNamed(t, c, "web-01").RevertToCurrentSnapshot(ctx, true) },
		"revert": func() (*object.Task, error) { return vm.RevertToCurrentSnapshot(ctx, true) },
		"snapshot template": func() (*object.Task, error) { return tmpl.CreateSnapshot(ctx, "", "", true, true) },
		"power on template": func() (*object.Task, error) { return tmpl.PowerOn(ctx) },
		"power off off": func() (*object.Task, error) { return off.PowerOff(ctx) },
		"suspend off": func() (*object.Task, error) { return off.Suspend(ctx) },
		"reset off": func() (*object.Task, error) { return off.Reset(ctx) },
		"upgrade": func() (*object.Task, error) { return off.UpgradeVM(ctx, "vmx-99") },
		"upgrade odd": func() (*object.Task, error) { return off.UpgradeVM(ctx, "x") },
		"customize": func() (*object.Task, error) { return off.Customize(ctx, types.CustomizationSpec{}) },
		"move": func() (*object.Task, error) { return folder.MoveInto(ctx, []types.ManagedObjectReference{host.Reference()}) },
		"maintenance": func() (*object.Task, error) { return host.EnterMaintenanceMode(ctx, 0, false, nil) },
		"add host pg": func() (*object.Task, error) { ns, err := host.ConfigManager().NetworkSystem(ctx); if err != nil { return nil, err }; return nil, ns.AddPortGroup(ctx, types.HostPortGroupSpec{}) },
		"add host vs": func() (*object.Task, error) { ns, err := host.ConfigManager().NetworkSystem(ctx); if err != nil { return nil, err }; return nil, ns.AddVirtualSwitch(ctx, "", nil) },
		"remove vs": func() (*object.Task, error) { ns, err := host.ConfigManager().NetworkSystem(ctx); if err != nil { return nil, err }; return nil, ns.RemoveVirtualSwitch(ctx, "vSwitch0") },
		"update net": func() (*object.Task, error) { ns, err := host.ConfigManager().NetworkSystem(ctx); if err != nil { return nil, err }; _, err = ns.UpdateNetworkConfig(ctx, types.HostNetworkConfig{}, ""); return nil, err },
		"multipath": func() (*object.Task, error) { ss, err := host.ConfigManager().StorageSystem(ctx); if err != nil { return nil, err }; return nil, ss.RescanAllHba(ctx) },
		"mark template": func() (*object.Task, error) { return nil, vm.MarkAsTemplate(ctx) },
		"mark vm": func() (*object.Task, error) { return nil, tmpl.MarkAsVirtualMachine(ctx, *pool, nil) },
		"export": func() (*object.Task, error) { _, err := off.Export(ctx); return nil, err },
		"pool update": func() (*object.Task, error) { return nil, pool.UpdateConfig(ctx, "", &types.ResourceConfigSpec{}) },
		"pool create": func() (*object.Task, error) { _, err := pool.Create(ctx, "", types.ResourceConfigSpec{}); return nil, err },
		"alarms": func() (*object.Task, error) { _, err := methods.CreateAlarm(ctx, c, &types.CreateAlarm{This: *c.ServiceContent.AlarmManager, Entity: vm.Reference()}); return nil, err },
		"filter nothing": func() (*object.Task, error) { _, err := methods.CreateFilter(ctx, c, &types.CreateFilter{This: c.ServiceContent.PropertyCollector}); return nil, err },
		"filter odd": func() (*object.Task, error) { _, err := methods.RetrievePropertiesEx(ctx, c, &types.RetrievePropertiesEx{This: c.ServiceContent.PropertyCollector, SpecSet: []types.PropertyFilterSpec{{PropSet: []types.PropertySpec{{Type: "X", PathSet: []string{"a[", "config.option[\"x\"]", ""}}, {Type: "VirtualMachine", PathSet: []string{"a[", "config.extraConfig[\"x\"]", "config.hardware.device[", "", "."}}}, ObjectSet: []types.ObjectSpec{{Obj: vm.Reference(), SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "none"}, &types.TraversalSpec{Type: "VirtualMachine", Path: "nope"}}}}}}}); return nil, err },
		"collector": func() (*object.Task, error) { _, err := methods.CreateCollectorForEvents(ctx, c, &types.CreateCollectorForEvents{This: *c.ServiceContent.EventManager, Filter: types.EventFilterSpec{Entity: &types.EventFilterSpecByEntity{Entity: folder.Reference(), Recursion: "all"}}}); return nil, err },
		"view": func() (*object.Task, error) { _, err := methods.CreateContainerView(ctx, c, &types.CreateContainerView{This: *c.ServiceContent.ViewManager, Container: vm.Reference(), Type: []string{"Nope"}}); return nil, err },
		"search": func() (*object.Task, error) { _, err := methods.FindByInventoryPath(ctx, c, &types.FindByInventoryPath{This: *c.ServiceContent.SearchIndex, InventoryPath: "/x//"}); return nil, err },
		"find child": func() (*object.Task, error) { _, err := methods.FindChild(ctx, c, &types.FindChild{This: *c.ServiceContent.SearchIndex, Entity: vm.Reference(), Name: "x"}); return nil, err },
		"find uuid": func() (*object.Task, error) { _, err := methods.FindByUuid(ctx, c, &types.FindByUuid{This: *c.ServiceContent.SearchIndex, Uuid: "x", VmSearch: true}); return nil, err },
		"find path": func() (*object.Task, error) { _, err := methods.FindByDatastorePath(ctx, c, &types.FindByDatastorePath{This: *c.ServiceContent.SearchIndex, Path: "x", Datacenter: folder.Reference()}); return nil, err },
		"place": func() (*object.Task, error) { _, err := methods.PlaceVm(ctx, c, &types.PlaceVm{This: retrieve[mo.ClusterComputeResource](t, c, "ClusterComputeResource", "name")[0].Self}); return nil, err },
		"reconfigure cluster": func() (*object.Task, error) { return object.NewClusterComputeResource(c, retrieve[mo.ClusterComputeResource](t, c, "ClusterComputeResource", "name")[0].Self).Reconfigure(ctx, &types.ClusterConfigSpecEx{RulesSpec: []types.ClusterRuleSpec{{}}, GroupSpec: []types.ClusterGroupSpec{{}}}, true) },
		"perf counter": func() (*object.Task, error) { _, err := methods.QueryPerfCounter(ctx, c, &types.QueryPerfCounter{This: *c.ServiceContent.PerfManager, CounterId: []int32{-1, 99999}}); return nil, err },
		"perf folder": func() (*object.Task, error) { _, err := methods.QueryPerf(ctx, c, &types.QueryPerf{This: *c.ServiceContent.PerfManager, QuerySpec: []types.PerfQuerySpec{{Entity: folder.Reference()}}}); return nil, err },
		"esxcli": func() (*object.Task, error) { return nil, nil },
		"destroy host": func() (*object.Task, error) { return host.Destroy(ctx) },
		"destroy folder": func() (*object.Task, error) { return folder.Destroy(ctx) },
	}
	_ = reflect.TypeOf
	for name, request := range requests {
		t.Log(name)
		task, err := request()
		if err == nil && task != nil {
			err = task.WaitEx(ctx)
		}
		t.Logf("%s: %v", name, err)
		require.NoError(t, ctx.Err(), name)
	}
	retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name", "config", "runtime")
}
