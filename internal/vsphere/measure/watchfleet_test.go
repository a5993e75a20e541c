package measure

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
)

// vmCalled finds a VM of the demo fleet, which sends updates as a vCenter does.
func vmCalled(t *testing.T, r *Roster, name string) ref {
	t.Helper()
	for _, list := range r.vms {
		if i := slices.IndexFunc(list, func(v RosterVM) bool { return v.Name == name }); i >= 0 {
			return ref{Type: property.TypeVM, Value: list[i].MoID}
		}
	}
	require.FailNow(t, "no VM "+name)
	return ref{}
}

func hostCalled(t *testing.T, r *Roster, name string) ref {
	t.Helper()
	i := slices.IndexFunc(r.Hosts(), func(h RosterHost) bool { return h.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return ref{Type: property.TypeHost, Value: r.Hosts()[i].MoID}
}

func TestWatchedRosterOfTheFleet(t *testing.T) {
	t.Parallel()
	s := vspheretest.Fleet(t, "vcenter")
	r := watched(t, s)
	sameAsFresh(t, s, r)
	web, host := vmCalled(t, r, "web-03"), hostCalled(t, r, "host09.demo.local")
	folder := func(name string) (of ref) {
		for _, n := range r.tree.Nodes {
			if n.Name == name && n.Ref.Type == "Folder" {
				of = n.Ref
			}
		}
		require.NotEmpty(t, of.Value, name)
		return of
	}
	vm := func() RosterVM { // on any host
		for _, list := range r.vms {
			if i := slices.IndexFunc(list, func(v RosterVM) bool { return v.MoID == web.Value }); i >= 0 {
				return list[i]
			}
		}
		return RosterVM{}
	}
	home, known := r.host(vm().Host)
	require.True(t, known, "%+v", vm())
	task := func(method string) func(ref, error) {
		return func(task ref, err error) {
			require.NoError(t, err, method)
			require.NoError(t, vspheretest.AwaitTask(t.Context(), s, task))
		}
	}
	var deep ref
	for _, step := range []struct {
		name   string
		change func() (done func(ref, error), began ref, err error)
		shows  func() bool
	}{
		{"rename a VM", func() (func(ref, error), ref, error) {
			res, err := methods.Rename_Task(t.Context(), s, &types.Rename_Task{This: web, NewName: "shop"})
			return task("Rename_Task"), res.Returnval, err
		}, func() bool { return vm().Name == "shop" }},
		{"vMotion", func() (func(ref, error), ref, error) {
			to := neighbour(r, home)
			res, err := methods.RelocateVM_Task(t.Context(), s, &types.RelocateVM_Task{This: web, Spec: types.VirtualMachineRelocateSpec{Host: &to}})
			return task("RelocateVM_Task"), res.Returnval, err
		}, func() bool { return vm().Host != home.MoID && vm().Host != "" }},
		{"power off", func() (func(ref, error), ref, error) {
			res, err := methods.PowerOffVM_Task(t.Context(), s, &types.PowerOffVM_Task{This: web})
			return task("PowerOffVM_Task"), res.Returnval, err
		}, func() bool { return vm().Power == "poweredOff" }},
		{"more memory", func() (func(ref, error), ref, error) {
			res, err := methods.ReconfigVM_Task(t.Context(), s, &types.ReconfigVM_Task{This: web, Spec: types.VirtualMachineConfigSpec{NumCPUs: 3, MemoryMB: 6144, GuestId: "debian12_64Guest"}})
			return task("ReconfigVM_Task"), res.Returnval, err
		}, func() bool { return vm().MemoryBytes == 6<<30 && vm().VCPUs == 3 && vm().Guest == "debian12_64Guest" }},
		{"a new folder", func() (func(ref, error), ref, error) {
			res, err := methods.CreateFolder(t.Context(), s, &types.CreateFolder{This: folder("vm"), Name: "deep"})
			deep = res.Returnval
			return nil, ref{}, err
		}, func() bool { return folder("deep") == deep }},
		{"into the folder", func() (func(ref, error), ref, error) {
			res, err := methods.MoveIntoFolder_Task(t.Context(), s, &types.MoveIntoFolder_Task{This: deep, List: []ref{web}})
			return task("MoveIntoFolder_Task"), res.Returnval, err
		}, func() bool { return vm().Path == r.tree.Path(deep)+"/shop" }},
		{"rename the folder", func() (func(ref, error), ref, error) {
			res, err := methods.Rename_Task(t.Context(), s, &types.Rename_Task{This: deep, NewName: "deeper"})
			return task("Rename_Task"), res.Returnval, err
		}, func() bool { return vm().Path == r.tree.Path(folder("vm"))+"/deeper/shop" }},
		{"a template", func() (func(ref, error), ref, error) {
			_, err := methods.MarkAsTemplate(t.Context(), s, &types.MarkAsTemplate{This: web})
			return nil, ref{}, err
		}, func() bool { return vm().Template }},
		{"enter maintenance mode", func() (func(ref, error), ref, error) {
			res, err := methods.EnterMaintenanceMode_Task(t.Context(), s, &types.EnterMaintenanceMode_Task{This: host})
			return task("EnterMaintenanceMode_Task"), res.Returnval, err
		}, func() bool { h, _ := r.host(host.Value); return isTrue(h.Maintenance) }},
		{"disconnect", func() (func(ref, error), ref, error) {
			res, err := methods.DisconnectHost_Task(t.Context(), s, &types.DisconnectHost_Task{This: host})
			return task("DisconnectHost_Task"), res.Returnval, err
		}, func() bool { h, _ := r.host(host.Value); return h.Down != "" }},
		{"reconnect", func() (func(ref, error), ref, error) {
			res, err := methods.ReconnectHost_Task(t.Context(), s, &types.ReconnectHost_Task{This: host})
			return task("ReconnectHost_Task"), res.Returnval, err
		}, func() bool { h, _ := r.host(host.Value); return h.Down == "" }},
		{"remove a VM", func() (func(ref, error), ref, error) {
			res, err := methods.Destroy_Task(t.Context(), s, &types.Destroy_Task{This: web})
			return task("Destroy_Task"), res.Returnval, err
		}, func() bool { return vm().MoID == "" }},
	} {
		done, began, err := step.change()
		require.NoError(t, err, step.name)
		if done != nil {
			done(began, err)
		}
		calls := vspheretest.CallsOf(s, func() { require.NoError(t, r.Refresh(t.Context())) })
		require.Equal(t, map[string]int{"WaitForUpdatesEx": 1}, calls, step.name)
		require.True(t, step.shows(), "%s: %+v", step.name, vm())
		sameAsFresh(t, s, r)
	}
}

// neighbour returns another host of the same cluster.
func neighbour(r *Roster, than RosterHost) ref {
	for _, h := range r.Hosts() {
		if h.Cluster == than.Cluster && h.MoID != than.MoID && h.Down == "" {
			return ref{Type: property.TypeHost, Value: h.MoID}
		}
	}
	return ref{}
}

// Objects that the account may not see are the same in both ways of reading.
func TestWatchedRosterOfADeniedUser(t *testing.T) {
	t.Parallel()
	s := vspheretest.Fleet(t, "vcenter", "denied-user")
	sameAsFresh(t, s, watched(t, s))
}

// A standalone host is watched, too.
func TestWatchedRosterOfAHost(t *testing.T) {
	t.Parallel()
	s := vspheretest.Fleet(t, "esxi-a")
	r := watched(t, s)
	require.Len(t, r.Hosts(), 1)
	require.NoError(t, r.Refresh(t.Context()))
	sameAsFresh(t, s, r)
}

// lossyLine drops the next answers to a method.
type lossyLine struct {
	next http.RoundTripper
	drop int
}

func (l *lossyLine) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(req)
	if err == nil && l.drop > 0 {
		l.drop--
		_ = res.Body.Close()
		return nil, http.ErrHandlerTimeout
	}
	return res, err
}

// A lost answer is sent again, because its version was not acknowledged.
func TestLostChanges(t *testing.T) {
	t.Parallel()
	s := vspheretest.Fleet(t, "vcenter")
	r := watched(t, s)
	web := vmCalled(t, r, "web-03")
	res, err := methods.Rename_Task(t.Context(), s, &types.Rename_Task{This: web, NewName: "shop"})
	require.NoError(t, err)
	require.NoError(t, vspheretest.AwaitTask(t.Context(), s, res.Returnval))
	line := &lossyLine{next: s.Client().Transport, drop: 1}
	s.Client().Transport = line
	require.Error(t, r.Refresh(t.Context()))
	require.Zero(t, line.drop)
	require.NotContains(t, allVMs(r), "shop")
	require.NoError(t, r.Refresh(t.Context()))
	require.Contains(t, allVMs(r), "shop")
	require.Equal(t, 1, s.Calls()["CreatePropertyCollector"])
	sameAsFresh(t, s, r)
}
