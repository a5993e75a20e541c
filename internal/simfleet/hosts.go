package simfleet

import (
	"fmt"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/fleetdata"
)

// addHosts adds all hosts before it configures the first.
//
// govmomi v0.56.0 simulator: adding a host checks the releases of existing ones, and ends the process for those that it does not know.
func (b *builder) addHosts() error {
	for i, row := range b.site.hosts {
		host, err := b.addHost(row)
		if err != nil {
			return err
		}
		if err := b.completeConfig(host); err != nil {
			return err
		}
		e := esxi.New(row, host, b.site.number+i+1, b.cfg.Now)
		b.hosts[row.Name] = e
		b.hostOrder = append(b.hostOrder, e)
	}
	for _, e := range b.hostOrder {
		e.SetUp(b.ctx)
	}
	return nil
}

// addHost lets the simulator add one of its hosts to the row's cluster. A standalone host exists already.
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

// await is Task.Wait without its pause of 10 ms, which would be most of the start time.
func (b *builder) await(task *simulator.Task) (info types.TaskInfo) {
	other := &simulator.Context{Context: b.ctx.Context, Map: b.ctx.Map} // the task uses the locks of b.ctx
	for {
		b.ctx.Map.WithLock(other, task, func() { info = task.Info })
		if info.State == types.TaskInfoStateSuccess || info.State == types.TaskInfoStateError {
			return info
		}
		time.Sleep(100 * time.Microsecond)
	}
}
