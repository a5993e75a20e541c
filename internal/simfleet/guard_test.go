package simfleet

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/performance"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/world"
)

var missing = types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-9999"}

func TestQueryPerfGuards(t *testing.T) {
	c := login(t, common(t))
	perf := performance.NewManager(c)
	host := hostNamed(t, c, "host01").Reference()
	ids := []types.PerfMetricId{{CounterId: newStatistics(t, c).id("cpu.usage.average")}}
	now := noon()
	before := now.Add(-time.Minute)

	_, err := perf.Query(t.Context(), []types.PerfQuerySpec{{Entity: missing, MetricId: ids, IntervalId: 20}})
	require.Equal(t, missing, requireFault[*types.ManagedObjectNotFound](t, err).Obj)
	_, err = perf.AvailableMetric(t.Context(), missing, 20)
	requireFault[*types.ManagedObjectNotFound](t, err)
	_, err = perf.Query(t.Context(), []types.PerfQuerySpec{{MetricId: ids, IntervalId: 20}})
	requireFault[*types.ManagedObjectNotFound](t, err)
	_, err = perf.Query(t.Context(), []types.PerfQuerySpec{{Entity: host, MetricId: ids, IntervalId: 20, StartTime: &now, EndTime: &before}})
	requireFault[*types.InvalidArgument](t, err)
	_, err = perf.Query(t.Context(), []types.PerfQuerySpec{{Entity: host, MetricId: ids, IntervalId: -7}})
	requireFault[*types.InvalidArgument](t, err)

	// nothing is locked, and a query without an end time returns
	got, err := perf.Query(t.Context(), []types.PerfQuerySpec{{Entity: host, MetricId: ids, IntervalId: 20}})
	require.NoError(t, err)
	require.Len(t, got[0].(*types.PerfEntityMetric).SampleInfo, 180)
}

func reconfigure(t *testing.T, c *vim25.Client, spec types.VirtualMachineConfigSpec) error {
	t.Helper()
	_, err := vmNamed(t, c, "web-03").Reconfigure(t.Context(), spec)
	return err
}

func TestTheMachineStaysOutOfReach(t *testing.T) {
	t.Parallel()
	c := workshop(t)
	for _, key := range []string{"RUN.container", "run.container", "SET.config.name"} {
		err := reconfigure(t, c, types.VirtualMachineConfigSpec{ExtraConfig: set(key, "alpine")})
		require.Equal(t, key, requireFault[*types.InvalidName](t, err).Name)
	}
	for _, path := range []string{"[san01] ../../x", "../x", "[san01] a/../../x", `[san01] a\..\x`, "[san01]..", "[san01] x/.."} {
		err := reconfigure(t, c, types.VirtualMachineConfigSpec{Files: &types.VirtualMachineFileInfo{LogDirectory: path}})
		requireFault[*types.InvalidArgument](t, err)
	}
	finishes(t, c, types.VirtualMachineConfigSpec{Annotation: "3..4 cores, see a/b.. and ... more"})

	host := hostNamed(t, c, "host01")
	stores, err := host.ConfigManager().DatastoreSystem(t.Context())
	require.NoError(t, err)
	_, err = stores.CreateLocalDatastore(t.Context(), "root", "/")
	requireFault[*types.NotSupported](t, err)
	_, err = stores.CreateNasDatastore(t.Context(), types.HostNasVolumeSpec{RemoteHost: "x", RemotePath: "/", LocalPath: "/"})
	requireFault[*types.NotSupported](t, err)
	_, err = methods.MakeDirectory(t.Context(), c, &types.MakeDirectory{This: *c.ServiceContent.FileManager, Name: "[san01] ../x"})
	requireFault[*types.InvalidArgument](t, err)
}

func finishes(t *testing.T, c *vim25.Client, spec types.VirtualMachineConfigSpec) {
	t.Helper()
	task, err := vmNamed(t, c, "web-03").Reconfigure(t.Context(), spec)
	finish(t, task, err)
}

func TestTheFleetsOwnObjectsAreHidden(t *testing.T) {
	c := login(t, common(t))
	ours := types.ManagedObjectReference{Type: world.OwnType, Value: "overrides"}
	_, err := methods.CurrentTime(t.Context(), c, &types.CurrentTime{This: ours})
	requireFault[*types.ManagedObjectNotFound](t, err)
	var m mo.Folder
	require.Error(t, property.DefaultCollector(c).RetrieveOne(t.Context(), ours, nil, &m))
	cluster := retrieve[mo.ClusterComputeResource](t, c, "ClusterComputeResource", "name")[0]
	_, err = methods.AddHost_Task(t.Context(), c, &types.AddHost_Task{This: cluster.Self, Spec: types.HostConnectSpec{HostName: "x"}})
	requireFault[*types.NotSupported](t, err)
	_, err = methods.UpdateOptions(t.Context(), c, &types.UpdateOptions{This: *c.ServiceContent.Setting, ChangedValue: set("vcsim.home", "/")})
	requireFault[*types.InvalidName](t, err)
}

// panicky is an object whose method panics, as for panics that the guard does not know.
type panicky struct{ mo.SimpleCommand }

// ExecuteSimpleCommand panics.
func (*panicky) ExecuteSimpleCommand(*types.ExecuteSimpleCommand) soap.HasFault { panic("test") }

func TestAPanicLocksNothing(t *testing.T) {
	f := common(t)
	p := &panicky{}
	p.Self = types.ManagedObjectReference{Type: "SimpleCommand", Value: "panicky"}
	f.vcenter().built.ctx.Map.Put(p)
	c := login(t, f)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 3 {
		_, err := methods.ExecuteSimpleCommand(ctx, c, &types.ExecuteSimpleCommand{This: p.Self})
		requireFault[*types.SystemErrorFault](t, err)
		var m mo.SimpleCommand
		require.NoError(t, property.DefaultCollector(c).RetrieveOne(ctx, p.Self, nil, &m), "the object can still be read")
	}
}

// Many clients read and write concurrently, for the race detector.
func TestManyClients(t *testing.T) {
	t.Parallel()
	f := start(t, Config{})
	var wg sync.WaitGroup
	for i := range 4 {
		c := login(t, f)
		wg.Go(func() { work(t, c, i) })
	}
	wg.Wait()
}

// work makes the calls of an audit and an apply, and reports errors without ending the test's goroutine.
func work(t *testing.T, c *vim25.Client, n int) {
	host := hostNamed(t, c, "host0"+[]string{"1", "2", "3", "6"}[n%4])
	shared := hostNamed(t, c, "host01")
	manager, err := shared.ConfigManager().OptionManager(t.Context())
	if err != nil {
		t.Error(err)
		return
	}
	for i := range 2 {
		var m mo.HostSystem
		errs := []error{
			manager.Update(t.Context(), set(world.NUMAIO, int64(n*10+i))),
			shared.Properties(t.Context(), shared.Reference(), []string{"config.option", "config.optionDef", "config.powerSystemInfo"}, &m),
			setPower(t, shared, int32(1+i%4)),
			host.Properties(t.Context(), host.Reference(), []string{"hardware", "summary", "config.network"}, &m),
		}
		task, err := vmNamed(t, c, "web-03").Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Annotation: fmt.Sprint(n, i)})
		if err == nil {
			err = task.Wait(t.Context())
		}
		for _, e := range append(errs, err) {
			if e != nil {
				t.Error(e)
			}
		}
	}
}
