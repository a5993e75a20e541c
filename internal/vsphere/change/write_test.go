package change

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/vsphere/estatefacts"
	"github.com/vperf/vperf/internal/vsphere/perhost"
	"github.com/vperf/vperf/internal/vsphere/property"
	"github.com/vperf/vperf/internal/vsphere/read"
	"github.com/vperf/vperf/internal/vsphere/session"
	"github.com/vperf/vperf/internal/vsphere/tree"
	"github.com/vperf/vperf/internal/vsphere/vspheretest"
	"github.com/vperf/vperf/pkg/inventory"
	"github.com/vperf/vperf/pkg/tuning"
)

// workshop is a session with a demo fleet and the names of its objects.
type workshop struct {
	*settings
	t     *testing.T
	all   *inventory.VCenter
	crash func(host string) error
}

func openWorkshop(t *testing.T, scenarios ...string) *workshop {
	t.Helper()
	return openWorkshopWith(t, simfleet.Config{Scenarios: scenarios})
}

func openWorkshopWith(t *testing.T, cfg simfleet.Config) *workshop {
	t.Helper()
	vspheretest.Building.Lock()
	defer vspheretest.Building.Unlock()
	f, err := simfleet.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	u := *f.URL()
	u.User = nil
	s := vspheretest.Dial(t, session.Endpoint{
		URL: &u, User: f.User(), Password: session.Secret(f.Password()), CertificatePEM: f.CertificatePEM(), CallTimeout: time.Minute,
	})
	needs := vspheretest.NeedsOf("Host.powerPolicy", "VM.vcpus", "Cluster.drsAutomation", "Pool.cpuLimitMHz", "Switch.niocEnabled", "Datastore.unmapPriority")
	all, err := read.Inventory(t.Context(), s, tree.Scope{}, needs, nil)
	require.NoError(t, err)
	return &workshop{settings: &settings{estateOn(s)}, t: t, all: all, crash: f.CrashHost}
}

// target finds an object by its name.
func (w *workshop) target(kind inventory.Scope, name string) tuning.Target {
	w.t.Helper()
	var found []inventory.Entity
	for _, h := range w.all.Hosts {
		if kind == inventory.ScopeHost {
			found = append(found, h.Entity)
		}
	}
	for _, c := range w.all.Clusters {
		if kind == inventory.ScopeCluster {
			found = append(found, c.Entity)
		}
	}
	for _, p := range w.all.Pools {
		if kind == inventory.ScopePool {
			found = append(found, p.Entity)
		}
	}
	for _, s := range w.all.Switches {
		if kind == inventory.ScopeSwitch {
			found = append(found, s.Entity)
		}
	}
	for _, d := range w.all.Datastores {
		if kind == inventory.ScopeDatastore {
			found = append(found, d.Entity)
		}
	}
	for _, e := range found {
		if e.Name == name || e.Name == name+".demo.local" {
			return tuning.Target{Kind: kind, ID: e.ID, Name: e.Name, Path: e.Path}
		}
	}
	w.t.Fatalf("no %s %s", kind, name)
	panic("not reached")
}

// prospectsOf returns the previews of one target.
func prospectsOf(ctx context.Context, s tuning.Settings, t tuning.Target, want []tuning.Assignment) ([]tuning.Preview, error) {
	found, err := s.Preview(ctx, []tuning.Request{{Condition: tuning.Condition{Target: t}, Assignments: want}})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func (w *workshop) prospect(t *testing.T, target tuning.Target, want ...tuning.Assignment) []tuning.Preview {
	t.Helper()
	found, err := prospectsOf(t.Context(), w, target, want)
	require.NoError(t, err)
	require.Len(t, found, len(want))
	return found
}

func assign(setting, device, value string) tuning.Assignment {
	return tuning.Assignment{
		Address: tuning.Address{Setting: setting, Device: device}, Value: inventory.Known(inventory.StringValue(value)),
	}
}

func remove(setting, device string) tuning.Assignment {
	return tuning.Assignment{Address: tuning.Address{Setting: setting, Device: device}, Value: inventory.Absent[inventory.Value]()}
}

// everything returns all that writers of these kinds can change, and neighbouring settings: one text for each smallest part.
func (w *workshop) everything(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	note := func(p *property.Props) {
		for path, v := range p.Values {
			flatten(t, found, p.Ref.Value+" "+path, v)
		}
	}
	var hosts, clusters, pools, switches, stores []ref
	for _, h := range w.all.Hosts {
		hosts = append(hosts, ref{Type: property.TypeHost, Value: h.ID})
	}
	for _, c := range w.all.Clusters {
		clusters = append(clusters, ref{Type: "ClusterComputeResource", Value: c.ID})
	}
	for _, p := range w.all.Pools {
		pools = append(pools, ref{Type: "ResourcePool", Value: p.ID})
	}
	for _, s := range w.all.Switches {
		if s.Kind == inventory.SwitchDistributed {
			switches = append(switches, ref{Type: "VmwareDistributedVirtualSwitch", Value: s.ID})
		}
	}
	for _, d := range w.all.Datastores {
		stores = append(stores, ref{Type: property.TypeDatastore, Value: d.ID})
	}
	for _, q := range []struct {
		objects []ref
		paths   []string
	}{
		{hosts, []string{"config.option", "config.hyperThread", "config.powerSystemInfo.currentPolicy.shortName", "runtime.bootTime"}},
		{clusters, []string{estatefacts.PathCluster}}, {pools, []string{"config"}}, {switches, []string{"config"}}, {stores, []string{estatefacts.PathInfo, "summary"}},
	} {
		from := make([]types.ObjectSpec, len(q.objects))
		for i, o := range q.objects {
			from[i].Obj = o
		}
		of := types.PropertySpec{Type: property.QueryType(q.objects[0].Type), PathSet: q.paths}
		all, err := w.objects(t.Context(), "everything", from, of)
		require.NoError(t, err)
		require.Len(t, all, len(from))
		for _, p := range all {
			note(p)
		}
	}
	for _, h := range w.all.Hosts {
		w.hostInside(t, found, h)
	}
	return found
}

// hostInside adds the settings that no property of the inventory shows.
func (w *workshop) hostInside(t *testing.T, found map[string]string, h *inventory.Host) {
	t.Helper()
	at := tuning.Target{Kind: inventory.ScopeHost, ID: h.ID}
	system, err := w.manager(t.Context(), at, perhost.PathModules)
	require.NoError(t, err)
	if m, ok := system.Value(); ok {
		res, err := methods.QueryModules(t.Context(), w, &types.QueryModules{This: m})
		require.NoError(t, err)
		for _, m := range res.Returnval {
			found[h.ID+" module "+m.Name] = m.OptionString
		}
	}
	rows, err := deviceRows(t.Context(), w.estate, at)
	require.NoError(t, err)
	list, _ := rows.Value()
	for _, r := range list {
		for column, values := range r {
			found[h.ID+" disk "+r["Device"][0]+" "+column] = values[0]
		}
	}
}

func flatten(t *testing.T, into map[string]string, at string, v any) {
	t.Helper()
	if list, ok := v.(types.ArrayOfOptionValue); ok {
		for _, o := range list.OptionValue {
			into[at+" "+o.GetOptionValue().Key] = fmt.Sprintf("%T %v", o.GetOptionValue().Value, o.GetOptionValue().Value)
		}
		return
	}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var plain any
	require.NoError(t, json.Unmarshal(text, &plain))
	leaves(into, at, plain)
}

func leaves(into map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if key != "configVersion" { // it counts writes
				leaves(into, at+"."+key, inner)
			}
		}
	case []any:
		for i, inner := range v {
			leaves(into, fmt.Sprintf("%s[%d]", at, i), inner)
		}
	default:
		into[at] = fmt.Sprint(v)
	}
}

// changed lists the differences.
func changed(before, after map[string]string) []string {
	all := maps.Clone(before)
	maps.Copy(all, after)
	list := []string{}
	for key := range all {
		was, had := before[key]
		is, has := after[key]
		if was != is || had != has {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

func aLong(n int64) valueFact  { return inventory.Known(inventory.LongValue(n)) }
func aText(s string) valueFact { return inventory.Known(inventory.StringValue(s)) }
func aBool(b bool) valueFact   { return inventory.Known(inventory.BoolValue(b)) }
func noValue() valueFact       { return inventory.Absent[inventory.Value]() }
