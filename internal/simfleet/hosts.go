package simfleet

import (
	"cmp"
	"fmt"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// esxi is one host of the fleet with the managers that the simulator lacks.
type esxi struct {
	*node
	number    int // 1 for the first
	power     *powerSystem
	options   *optionManager
	scheduler *cpuScheduler
}

// hostRows is the vCenter's hosts, followed by clones of the clean reference up to n.
func hostRows(n int) []fleetdata.Host {
	fleet := fleetdata.Demo()
	rows := fleet.Managed()
	joined := fleet.CloneClusters()
	for i := 1; len(rows) < n; i++ {
		c, cluster := *fleet.Host(fleet.CloneHost), joined[i%len(joined)]
		c.Name = fmt.Sprintf("host%d"+fleetdata.Domain, 100+i)
		c.Cluster, c.DVS = cluster.Name, cluster.DVS
		c.Address = fmt.Sprintf("198.18.%d.%d", i>>8&0xff, i&0xff)
		rows = append(rows, c)
	}
	return rows
}

// addHosts adds all hosts before it dresses the first: the simulator looks at the releases of those it has, knows only
// some, and ends the process over another.
func (b *builder) addHosts() error {
	for i, row := range b.site.hosts {
		host, err := b.addHost(row)
		if err != nil {
			return err
		}
		e := &esxi{node: newNode(row, host, b.cfg.Now), number: b.site.number + i + 1}
		b.hosts[row.Name] = e
		b.hostOrder = append(b.hostOrder, e)
	}
	now := b.cfg.Now()
	for _, e := range b.hostOrder {
		e.dress(now)
		e.mirrorNetwork(get[*simulator.HostNetworkSystem](b, *e.host.ConfigManager.NetworkSystem))
		e.mirrorServices(get[*simulator.HostVirtualNicManager](b, *e.host.ConfigManager.VirtualNicManager))
		e.addOptions(b.ctx)
		e.addPower(b.ctx)
		e.addModules(b.ctx)
		e.addCPUScheduler(b.ctx)
		e.addFirmware(b.ctx)
		e.addVSAN(b.ctx)
		e.addStorage(b.ctx, get[*simulator.HostStorageSystem](b, *e.host.ConfigManager.StorageSystem))
		e.options.profile = e.options.Setting
	}
	return nil
}

// addHost lets the simulator add a host of its own kind to the row's cluster. A standalone host is there already.
func (b *builder) addHost(row fleetdata.Host) (*simulator.HostSystem, error) {
	if b.site.standalone() {
		return b.ctx.Map.Any("HostSystem").(*simulator.HostSystem), nil
	}
	if b.clusters[row.Cluster] == nil {
		if err := b.addCluster(row.Cluster); err != nil {
			return nil, err
		}
	}
	cluster := b.clusters[row.Cluster]
	body := cluster.AddHostTask(b.ctx, &types.AddHost_Task{
		This: cluster.Self, AsConnected: true, Spec: types.HostConnectSpec{HostName: row.Name},
	})
	task := get[*simulator.Task](b, body.(*methods.AddHost_TaskBody).Res.Returnval)
	info := b.await(task)
	if info.Error != nil {
		return nil, fmt.Errorf("adding host %s: %w: %T", row.Name, errRefused, info.Error.Fault)
	}
	return get[*simulator.HostSystem](b, info.Result.(types.ManagedObjectReference)), nil
}

// await is Task.Wait without its pause of 10 ms, which is most of what a start would take.
func (b *builder) await(task *simulator.Task) (info types.TaskInfo) {
	other := &simulator.Context{Context: b.ctx.Context, Map: b.ctx.Map} // the task holds locks as b.ctx
	for {
		b.ctx.Map.WithLock(other, task, func() { info = task.Info })
		if info.State == types.TaskInfoStateSuccess || info.State == types.TaskInfoStateError {
			return info
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// dress replaces every part of the stock host that tells of hardware, release or network. Whatever the stock template
// holds by pointer is shared by all hosts, so each part is a new one.
func (e *esxi) dress(now time.Time) {
	e.perCore.Store(e.row.Threads == "")
	h := e.host
	product := e.product()
	h.Config.Product = product
	h.Summary.Config.Product = &product
	h.Config.HyperThread = threadsInfo(e.row.Threads)
	h.Config.VsanHostConfig = e.vsanConfig()
	h.Config.VFlashConfigInfo = e.flashCache()
	h.Config.CacheConfigurationInfo = nil // until there is a datastore
	if e.row.Version >= "8.0.3" {
		h.Config.CpuScheduler = &types.HostCpuSchedulerInfo{Policy: cmp.Or(e.row.Scheduler, "systemDefault")}
	}
	h.Capability.LatencySensitivitySupported = true
	if e.row.Version >= "8" {
		h.Capability.MaxSupportedSimultaneousThreads = 2
	}
	booted := e.row.Booted
	h.Runtime.BootTime = &booted
	h.Runtime.HealthSystemRuntime = e.health()
	h.Summary.OverallStatus = types.ManagedEntityStatusGreen
	self := h.Self
	h.Name, h.Summary.Config.Name = e.row.Name, e.row.Name
	h.Summary.Host, h.Config.Host = &self, self
	h.Summary.QuickStats = types.HostListSummaryQuickStats{Uptime: int32(now.Sub(booted).Seconds())}
	e.dressHardware()
	e.dressNetwork()
}

// threadsInfo is what the host says of its second threads. A host without them keeps the default for what it is configured to.
func threadsInfo(state string) *types.HostHyperThreadScheduleInfo {
	info := &types.HostHyperThreadScheduleInfo{Available: true, Active: true, Config: true}
	switch state {
	case fleetdata.ThreadsOff:
		info.Active, info.Config = false, false
	case fleetdata.ThreadsHidden, fleetdata.ThreadsNone:
		info.Available, info.Active = false, false
	}
	return info
}

func (e *esxi) product() types.AboutInfo {
	r := e.row
	return types.AboutInfo{
		Name: "VMware ESXi", Vendor: "VMware, Inc.",
		FullName: r.FullName(), Version: r.Version, Build: r.Build, ApiType: "HostAgent", ApiVersion: r.APIVersion(),
		OsType: "vmnix-x86", ProductLineId: "embeddedEsx", LocaleVersion: "INTL", LocaleBuild: "000",
		LicenseProductName: "VMware ESX Server", LicenseProductVersion: r.Version[:1] + ".0",
	}
}
