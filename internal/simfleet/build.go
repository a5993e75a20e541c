package simfleet

import (
	"fmt"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
	"github.com/vperf/vperf/internal/simfleet/world"
)

// building serializes builds.
//
// govmomi v0.56.0 simulator: creating a model writes data of the process without a lock.
var building sync.Mutex

func build(cfg Config, s site, dir string) (*builder, error) {
	building.Lock()
	defer building.Unlock()
	b := &builder{
		cfg: cfg, site: s, dir: dir, scene: newScene(cfg.Scenarios),
		clusters: map[string]*simulator.ClusterComputeResource{},
		pools:    map[string]*simulator.ResourcePool{},
		folders:  map[string]*simulator.Folder{},
		hosts:    map[string]*esxi.Host{},
	}
	steps := []func() error{
		b.addVCenter, b.addDatacenter, b.addClusters, b.addHosts, b.addSwitches, b.addDatastore, b.addStores, b.addPools,
		b.addFolders, b.addVMs, b.addLoads, b.addServices, b.configureClusters, b.addTags, b.addREST, b.addAlarms, b.playScene, b.alignIDs,
	}
	if s.standalone() {
		steps = []func() error{b.addESXi, b.addHosts, b.addDatastore, b.addPools, b.addVMs, b.addLoads, b.addServices, b.playScene, b.alignIDs}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return b, err
		}
	}
	return b, nil
}

// addVCenter creates an empty vCenter.
func (b *builder) addVCenter() error {
	b.model = simulator.VPX()
	b.model.Datacenter, b.model.Datastore, b.model.Portgroup = 0, 0, 0
	about := &b.model.ServiceContent.About
	about.Version, about.ApiVersion, about.Build = "8.0.3", "8.0.3.1", "24022515" // strict latency of a vmxnet3 requires the last .1
	about.FullName = "VMware vCenter Server 8.0.3 build-24022515"
	about.InstanceUuid, about.Vendor = b.cfg.vcenterUUID(), Vendor
	if err := b.model.Create(); err != nil {
		return fmt.Errorf("creating a vCenter: %w", err)
	}
	b.ctx = b.model.Service.Context
	settings := b.ctx.Map.OptionManager()
	ownSettings(settings)
	settings.Setting = append(settings.Setting,
		&types.OptionValue{Key: "VirtualCenter.FQDN", Value: vcenterFQDN},
		&types.OptionValue{Key: "VirtualCenter.HostBiosUuid", Value: world.UUID("the machine of the vCenter")}, // it runs elsewhere
	)
	return nil
}

// Vendor is the vendor in the about information of each server of the fleet. Name, version and build are those of the simulated
// product; the vendor shows that it is a simulator.
const Vendor = "vperf sim (govmomi simulator)"

// vcenterFQDN is the demo vCenter's own name.
const vcenterFQDN = "vcenter.demo.local"

// addESXi creates a standalone host with its datacenter and folders.
func (b *builder) addESXi() error {
	b.model = simulator.ESX()
	b.model.Datastore, b.model.Machine = 0, 0
	row := b.site.hosts[0]
	about := &b.model.ServiceContent.About
	about.Version, about.ApiVersion, about.Build = row.Version, row.APIVersion(), row.Build
	about.FullName, about.Vendor = row.FullName(), Vendor
	if err := b.model.Create(); err != nil {
		return fmt.Errorf("creating ESXi host %s: %w", row.Name, err)
	}
	b.ctx = b.model.Service.Context
	ownSettings(b.ctx.Map.OptionManager())
	b.datacenter = b.ctx.Map.Any("Datacenter").(*simulator.Datacenter)
	b.network = b.datacenter.Network[0]
	b.folders[""] = get[*simulator.Folder](b, b.datacenter.VmFolder)
	compute := b.compute("")
	compute.Name = row.Name
	return nil
}

// ownSettings copies the vCenter's settings, which all simulators of a process share.
func ownSettings(m *simulator.OptionManager) {
	own := make([]types.BaseOptionValue, len(m.Setting))
	for i, s := range m.Setting {
		v := *s.GetOptionValue()
		own[i] = &v
	}
	m.Setting = own
}

func (b *builder) addDatacenter() error {
	root := get[*simulator.Folder](b, b.model.ServiceContent.RootFolder)
	body := root.CreateDatacenter(b.ctx, &types.CreateDatacenter{This: root.Self, Name: datacenterName})
	if err := refused(body, "creating datacenter "+datacenterName); err != nil {
		return err
	}
	b.datacenter = get[*simulator.Datacenter](b, body.(*methods.CreateDatacenterBody).Res.Returnval)
	b.network = b.datacenter.Network[0]
	return nil
}

// addFolders creates the VM folders in the table.
func (b *builder) addFolders() error {
	root := get[*simulator.Folder](b, b.datacenter.VmFolder)
	for _, name := range fleetdata.Demo().Folders {
		body := root.CreateFolder(b.ctx, &types.CreateFolder{This: root.Self, Name: name})
		if err := refused(body, "creating folder "+name); err != nil {
			return err
		}
		b.folders[name] = get[*simulator.Folder](b, body.(*methods.CreateFolderBody).Res.Returnval)
	}
	return nil
}

// alignIDs keeps ids assigned later from colliding with the fixed ones.
func (b *builder) alignIDs() error { return b.ctx.Map.AlignCounter() }
