package simfleet

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/vperf/vperf/internal/simfleet/esxi"
	"github.com/vperf/vperf/internal/simfleet/world"
	"github.com/vperf/vperf/pkg/inventory"
)

// hostNamed finds a host by its short name.
func hostNamed(t *testing.T, c *vim25.Client, short string) *object.HostSystem {
	t.Helper()
	for _, h := range retrieve[mo.HostSystem](t, c, "HostSystem", "name") {
		if h.Name == short+".demo.local" {
			return object.NewHostSystem(c, h.Self)
		}
	}
	t.Fatalf("no host %s", short)
	return nil
}

func optionsOf(t *testing.T, h *object.HostSystem) *object.OptionManager {
	t.Helper()
	m, err := h.ConfigManager().OptionManager(t.Context())
	require.NoError(t, err)
	return m
}

func hostProperties(t *testing.T, h *object.HostSystem, paths ...string) mo.HostSystem {
	t.Helper()
	var m mo.HostSystem
	require.NoError(t, h.Properties(t.Context(), h.Reference(), paths, &m))
	return m
}

func set(key string, value any) []types.BaseOptionValue {
	return []types.BaseOptionValue{&types.OptionValue{Key: key, Value: value}}
}

// requireOption checks a value in each property and answer that shows it.
func requireOption(t *testing.T, h *object.HostSystem, key string, want any) {
	t.Helper()
	m := optionsOf(t, h)
	got, err := m.Query(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, want, got[0].GetOptionValue().Value, "QueryOptions")
	require.Equal(t, want, option(hostProperties(t, h, "config.option"), key), "config.option")
	var props mo.OptionManager
	require.NoError(t, property.DefaultCollector(h.Client()).RetrieveOne(t.Context(), m.Reference(), []string{"setting"}, &props))
	mirror := mo.HostSystem{Config: &types.HostConfigInfo{Option: props.Setting}}
	require.Equal(t, want, option(mirror, key), "setting")
}

func TestOptionsFollowTheRelease(t *testing.T) {
	hosts := untouched(t).hosts
	for _, row := range hostTable {
		h := hosts[row.Name]
		for _, key := range inventory.OptionKeys() {
			kind, value, ok := esxi.TableOption(key, row.Release)
			if !ok {
				require.Nil(t, option(h, key), "%s on %s", key, row.Name)
				continue
			}
			if own, set := row.Options[key]; set {
				value = own
			} else if key == esxi.PowerOption {
				value = esxi.PolicyWord(esxi.PolicyNamed(row.Power))
			}
			require.Equal(t, value, option(h, key), "%s on %s", key, row.Name)
			require.Equal(t, kind, definition(h, key), "%s on %s", key, row.Name)
		}
		for _, o := range esxi.OtherOptions {
			_, inTable := inventory.LookupOption(o.Key)
			require.False(t, inTable, o.Key)
			require.Equal(t, o.Value, option(h, o.Key))
		}
		require.Len(t, h.Config.OptionDef, len(h.Config.Option))
	}
}

func TestUpdateOption(t *testing.T) {
	t.Parallel()
	c := workshop(t)
	h := hostNamed(t, c, "host05")
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set(world.NUMAIO, int64(60))))
	requireOption(t, h, world.NUMAIO, int64(60))
	requireOption(t, hostNamed(t, c, "host02"), world.NUMAIO, int64(0)) // hosts do not share options
	require.NoError(t, optionsOf(t, h).Update(t.Context(), set("VMkernel.Boot.hyperthreading", false)))
	requireOption(t, h, "VMkernel.Boot.hyperthreading", false)
}

func TestQueryOptions(t *testing.T) {
	m := optionsOf(t, hostNamed(t, login(t, common(t)), "host01"))
	below, err := m.Query(t.Context(), "Numa.")
	require.NoError(t, err)
	require.Greater(t, len(below), 5)
	for _, name := range []string{"No.Such", "Net.NetNetqNumaIO", "numa.preferht"} {
		_, err := m.Query(t.Context(), name)
		require.Equal(t, name, requireFault[*types.InvalidName](t, err).Name)
	}
}

// Rows 1 to 3 of the refusals: unknown keys, wrong types, values out of range. Nothing is written then.
func TestUpdateOptionRefusals(t *testing.T) {
	h := hostNamed(t, login(t, common(t)), "host02")
	m := optionsOf(t, h)
	const other = "Numa.LocalityWeightActionAffinity"
	for name, bad := range map[string]types.OptionValue{
		"int for long":     {Key: world.NUMAIO, Value: int32(10)},
		"text for long":    {Key: world.NUMAIO, Value: "10"},
		"over the maximum": {Key: world.NUMAIO, Value: int64(61)},
		"as 6.5 took it":   {Key: world.NUMAIO, Value: int64(200)},
		"below minimum":    {Key: world.NUMAIO, Value: int64(-1)},
		"long for bool":    {Key: "VMkernel.Boot.hyperthreading", Value: int64(1)},
		"long for text":    {Key: "Net.CoalesceScheme", Value: int64(1)},
		"long for int":     {Key: "Config.GlobalSettings.guest.commands.sharedPolicyRefCount", Value: int64(1)},
	} {
		err := m.Update(t.Context(), []types.BaseOptionValue{&types.OptionValue{Key: other, Value: int64(0)}, &bad})
		require.Equal(t, bad.Key, requireFault[*types.InvalidArgument](t, err).InvalidProperty, name)
	}
	for _, key := range []string{"No.Such", "net.netnetqnumaiocputhreshold", esxi.PowerOption, "RUN.container"} {
		err := m.Update(t.Context(), append(set(other, int64(0)), set(key, int64(1))...))
		require.Equal(t, key, requireFault[*types.InvalidName](t, err).Name)
	}
	requireOption(t, h, other, int64(130))
	requireOption(t, h, world.NUMAIO, int64(0))
}
