package simfleet

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// oddRequest is an implausible request.
type oddRequest struct {
	name string
	send func() (*object.Task, error)
}

// odd makes requests to objects of one fleet.
type odd struct {
	ctx       context.Context
	vm        *object.VirtualMachine // powered on, with a snapshot
	off, tmpl *object.VirtualMachine
	folder    *object.Folder
	pool      *object.ResourcePool
	host      *object.HostSystem
}

// A request may be refused, but it must not end the process or leave an object locked for ever.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	c := login(t, start(t, Config{}))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	o := odd{
		ctx: ctx, vm: vmNamed(t, c, "web-03"), off: vmNamed(t, c, "app-legacy-01"), tmpl: vmNamed(t, c, "tmpl-rhel9"),
		folder: folderOf(t, c), pool: object.NewResourcePool(c, *poolRef(t, c)), host: hostNamed(t, c, "host06"),
	}
	for _, list := range [][]oddRequest{o.devices(), o.specs(), o.clones(), o.creations(), o.lifecycle(), o.queries()} {
		for _, r := range list {
			task, err := r.send()
			if err == nil && task != nil {
				err = task.Wait(ctx)
			}
			t.Logf("%s: %v", r.name, err)
			require.NoError(t, ctx.Err(), r.name)
		}
	}
	require.NotEmpty(t, retrieve[mo.VirtualMachine](t, c, "VirtualMachine", "name", "config", "runtime"))
	require.Len(t, retrieve[mo.HostSystem](t, c, "HostSystem", "name", "summary"), 16)
}

func (o odd) reconfigure(name string, spec types.VirtualMachineConfigSpec) oddRequest {
	return oddRequest{name, func() (*object.Task, error) { return o.vm.Reconfigure(o.ctx, spec) }}
}

func (o odd) device(name string, op types.VirtualDeviceConfigSpecOperation, d types.BaseVirtualDevice) oddRequest {
	return o.reconfigure(name, types.VirtualMachineConfigSpec{DeviceChange: change(op, d)})
}

func change(op types.VirtualDeviceConfigSpecOperation, d types.BaseVirtualDevice) []types.BaseVirtualDeviceConfigSpec {
	return []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: op, Device: d}}
}

func diskWith(key, controller int32, backing types.BaseVirtualDeviceBackingInfo) *types.VirtualDisk {
	return &types.VirtualDisk{VirtualDevice: types.VirtualDevice{Key: key, ControllerKey: controller, Backing: backing}}
}

func nicWith(key int32, backing types.BaseVirtualDeviceBackingInfo) *types.VirtualVmxnet3 {
	n := &types.VirtualVmxnet3{}
	n.Key, n.Backing = key, backing
	return n
}

func (o odd) devices() []oddRequest {
	const (
		add    = types.VirtualDeviceConfigSpecOperationAdd
		edit   = types.VirtualDeviceConfigSpecOperationEdit
		remove = types.VirtualDeviceConfigSpecOperationRemove
	)
	noStore := &types.VirtualDiskFlatVer2BackingInfo{}
	noStore.FileName = "[none] x.vmdk"
	noNetwork := &types.VirtualEthernetCardNetworkBackingInfo{}
	noNetwork.DeviceName = "none"
	return []oddRequest{
		o.device("no device", add, nil),
		o.device("disk of nothing", add, diskWith(0, 0, nil)),
		o.device("disk without a controller", add, diskWith(-1, 0, &types.VirtualDiskFlatVer2BackingInfo{})),
		o.device("disk without a file", add, diskWith(-1, scsiKey, &types.VirtualDiskFlatVer2BackingInfo{})),
		o.device("disk on no datastore", add, diskWith(-1, scsiKey, noStore)),
		o.device("edit of a disk that is not there", edit, diskWith(77, 0, nil)),
		o.device("edit of a disk to nothing", edit, diskWith(firstDiskKey, 0, nil)),
		o.device("remove a disk that is not there", remove, diskWith(77, 0, nil)),
		o.device("NIC of nothing", add, nicWith(0, nil)),
		o.device("NIC on no network", add, nicWith(0, noNetwork)),
		o.device("NIC on no switch", add, nicWith(0, &types.VirtualEthernetCardDistributedVirtualPortBackingInfo{})),
		o.device("edit of a NIC to nothing", edit, nicWith(firstNICKey, nil)),
		o.device("remove a NIC", remove, nicWith(firstNICKey, nil)),
		o.device("drive of nothing", add, &types.VirtualCdrom{}),
		o.device("port of nothing", add, &types.VirtualSerialPort{}),
	}
}

func (o odd) specs() []oddRequest {
	return []oddRequest{
		o.reconfigure("nothing", types.VirtualMachineConfigSpec{}),
		o.reconfigure("version", types.VirtualMachineConfigSpec{Version: "vmx-x"}),
		o.reconfigure("file", types.VirtualMachineConfigSpec{Files: &types.VirtualMachineFileInfo{VmPathName: "nowhere"}}),
		o.reconfigure("allocation", types.VirtualMachineConfigSpec{
			CpuAllocation: &types.ResourceAllocationInfo{}, MemoryAllocation: &types.ResourceAllocationInfo{Reservation: new(int64(-9))},
		}),
		o.reconfigure("encryption", types.VirtualMachineConfigSpec{Crypto: &types.CryptoSpecEncrypt{}}),
		o.reconfigure("options", types.VirtualMachineConfigSpec{ExtraConfig: []types.BaseOptionValue{
			&types.OptionValue{}, &types.OptionValue{Key: "a"}, &types.OptionValue{Key: "guestinfo.metadata", Value: int32(7)},
			&types.OptionValue{Key: "ip0", Value: "x"}, &types.OptionValue{Key: "ethernet9.present", Value: true},
		}}),
		o.reconfigure("vApp", types.VirtualMachineConfigSpec{VAppConfig: &types.VmConfigSpec{Property: []types.VAppPropertySpec{{}}}}),
	}
}

func (o odd) clone(name, of string, spec types.VirtualMachineCloneSpec) oddRequest {
	return oddRequest{name, func() (*object.Task, error) { return o.vm.Clone(o.ctx, o.folder, of, spec) }}
}

func (o odd) clones() []oddRequest {
	host, nowhere := o.host.Reference(), types.ManagedObjectReference{Type: "Datastore", Value: "x"}
	gone := types.ManagedObjectReference{Type: "VirtualMachineSnapshot", Value: "snapshot-1"}
	return []oddRequest{
		{"template without a pool", func() (*object.Task, error) {
			return o.tmpl.Clone(o.ctx, o.folder, "a", types.VirtualMachineCloneSpec{})
		}},
		o.clone("no name", "", types.VirtualMachineCloneSpec{}),
		o.clone("no device", "b", types.VirtualMachineCloneSpec{
			Location: types.VirtualMachineRelocateSpec{Host: &host},
			Config:   &types.VirtualMachineConfigSpec{DeviceChange: change(types.VirtualDeviceConfigSpecOperationAdd, nil)},
		}),
		o.clone("disk to nowhere", "c", types.VirtualMachineCloneSpec{Location: types.VirtualMachineRelocateSpec{
			Disk: []types.VirtualMachineRelocateSpecDiskLocator{{DiskId: 9, Datastore: nowhere}},
		}}),
		o.clone("customized to nothing", "d", types.VirtualMachineCloneSpec{Customization: &types.CustomizationSpec{}}),
		o.clone("of no snapshot", "e", types.VirtualMachineCloneSpec{Snapshot: &gone}),
	}
}

func (o odd) create(name string, spec types.VirtualMachineConfigSpec) oddRequest {
	return oddRequest{name, func() (*object.Task, error) { return o.folder.CreateVM(o.ctx, spec, o.pool, o.host) }}
}

func (o odd) register(name, path string, template bool) oddRequest {
	return oddRequest{name, func() (*object.Task, error) { return o.folder.RegisterVM(o.ctx, path, "", template, o.pool, o.host) }}
}

func (o odd) creations() []oddRequest {
	at := func(path string) *types.VirtualMachineFileInfo {
		return &types.VirtualMachineFileInfo{VmPathName: path}
	}
	return []oddRequest{
		o.create("nothing", types.VirtualMachineConfigSpec{}),
		o.create("no file", types.VirtualMachineConfigSpec{Name: "x"}),
		o.create("no datastore", types.VirtualMachineConfigSpec{Name: "x", Files: at("[none]")}),
		o.create("no path", types.VirtualMachineConfigSpec{Name: "x", Files: at("x")}),
		o.create("no device", types.VirtualMachineConfigSpec{
			Name: "y", Files: at("[san01]"), DeviceChange: change(types.VirtualDeviceConfigSpecOperationAdd, nil),
		}),
		o.register("from no datastore", "[none] x", false),
		o.register("from no path", "x", false),
		o.register("one that is there", "[san01] web-03/web-03.vmx", false),
		o.register("template in a pool", "[san01] web-03/web-03.vmx", true),
	}
}

func (o odd) lifecycle() []oddRequest {
	host := o.host.Reference()
	return []oddRequest{
		{"relocate to nothing", func() (*object.Task, error) { return o.vm.Relocate(o.ctx, types.VirtualMachineRelocateSpec{}, "") }},
		{"relocate a template", func() (*object.Task, error) {
			return o.tmpl.Relocate(o.ctx, types.VirtualMachineRelocateSpec{Host: &host}, "")
		}},
		{"revert to no snapshot", func() (*object.Task, error) { return o.tmpl.RevertToCurrentSnapshot(o.ctx, true) }},
		{"revert", func() (*object.Task, error) { return o.vm.RevertToCurrentSnapshot(o.ctx, true) }},
		{"snapshot of a template", func() (*object.Task, error) { return o.tmpl.CreateSnapshot(o.ctx, "", "", true, true) }},
		{"power on a template", func() (*object.Task, error) { return o.tmpl.PowerOn(o.ctx) }},
		{"power off twice", func() (*object.Task, error) { return o.off.PowerOff(o.ctx) }},
		{"suspend a powered-off VM", func() (*object.Task, error) { return o.off.Suspend(o.ctx) }},
		{"upgrade to nothing", func() (*object.Task, error) { return o.off.UpgradeVM(o.ctx, "x") }},
		{"customize to nothing", func() (*object.Task, error) { return o.off.Customize(o.ctx, types.CustomizationSpec{}) }},
		{"move a host among VMs", func() (*object.Task, error) {
			return o.folder.MoveInto(o.ctx, []types.ManagedObjectReference{host})
		}},
		{"destroy a host", func() (*object.Task, error) { return o.host.Destroy(o.ctx) }},
		{"destroy a folder", func() (*object.Task, error) { return o.folder.Destroy(o.ctx) }},
	}
}

func (o odd) queries() []oddRequest {
	c := o.vm.Client()
	content := c.ServiceContent
	return []oddRequest{
		{"filter of nothing", func() (*object.Task, error) {
			_, err := methods.CreateFilter(o.ctx, c, &types.CreateFilter{This: content.PropertyCollector})
			return nil, err
		}},
		{"broken paths", func() (*object.Task, error) {
			_, err := methods.RetrievePropertiesEx(o.ctx, c, &types.RetrievePropertiesEx{
				This: content.PropertyCollector, SpecSet: []types.PropertyFilterSpec{{
					PropSet:   []types.PropertySpec{{Type: "VirtualMachine", PathSet: []string{"a[", "config.hardware.device[", "", "."}}},
					ObjectSet: []types.ObjectSpec{{Obj: o.vm.Reference()}},
				}},
			})
			return nil, err
		}},
		{"view of a VM", func() (*object.Task, error) {
			_, err := methods.CreateContainerView(o.ctx, c, &types.CreateContainerView{This: *content.ViewManager, Container: o.vm.Reference()})
			return nil, err
		}},
		{"counters that are not there", func() (*object.Task, error) {
			_, err := methods.QueryPerfCounter(o.ctx, c, &types.QueryPerfCounter{This: *content.PerfManager, CounterId: []int32{-1}})
			return nil, err
		}},
		{"counters of a folder", func() (*object.Task, error) {
			_, err := methods.QueryPerf(o.ctx, c, &types.QueryPerf{
				This: *content.PerfManager, QuerySpec: []types.PerfQuerySpec{{Entity: o.folder.Reference()}},
			})
			return nil, err
		}},
	}
}
