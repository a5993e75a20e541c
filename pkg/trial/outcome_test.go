package trial

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/advice/strictyaml"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

func TestLoad(t *testing.T) {
	l := library(t)
	require.Len(t, l.Outcomes, 4)
	require.Len(t, l.Guards, 8)
	o := l.Outcome("cpu-per-gbit")
	require.Equal(t, seconds(20), o.TimeConstant)
	require.Equal(t, []Outcome{*o}, l.For("numa-io"))
	require.Empty(t, l.For("no-such-rule"))
	require.Nil(t, l.Outcome("no-such-outcome"))
	require.True(t, o.Suits(inventory.ScopeHost))
	require.False(t, o.Suits(inventory.ScopeVM))
}

// TestLoadReportsMistakes changes one text of a good file each.
func TestLoadReportsMistakes(t *testing.T) {
	good, err := os.ReadFile("testdata/outcomes/cpu-per-gbit.yaml")
	require.NoError(t, err)
	for want, change := range map[string][2]string{
		`cpu-per-gbit.yaml:1:5: id "cpu-per-gb"`:              {"cpu-per-gbit", "cpu-per-gb"},
		`:4:9: better "less": write down or up`:               {"better: down", "better: less"},
		`:5:7: form "quotient"`:                               {"form: ratio", "form: quotient"},
		`:6:8: the catalogue of counters has no "host.cpu"`:   {"host.cpuUsageMHz", "host.cpu"},
		`host.cpuUsageMHz is not a figure of a port`:          {"cost: [{object: host", "cost: [{object: port"},
		`no object "hosts" (did you mean "host"?)`:            {"cost: [{object: host", "cost: [{object: hosts"},
		`:2:1: no field "titel" here (did you mean "title"?)`: {"title:", "titel:"},
		`field work is missing`:                               {"work:", "# work:"},
		`field about is missing`:                              {"about:", "# about:"},
		`timeConstant "0s"`:                                   {"20s", "0s"},
		`:8:16: scope "rack"`:                                 {"cluster", "rack"},
		`a vm has no rows of host`:                            {"cluster", "vm"},
		`PerformanceManager does not have numa.free`:          {"object: host, metric: host.cpuUsageMHz", "object: numa-node, metric: numa.free"},
		`only ports can be uplinks`:                           {"metric: host.cpuUsageMHz", "metric: host.cpuUsageMHz, only: uplinks"},
		`only a group has vCPUs`:                              {"metric: host.cpuUsageMHz", "metric: host.cpuUsageMHz, perVCPU: true"},
		`fold "median": want sum`:                             {"metric: host.cpuUsageMHz", "metric: host.cpuUsageMHz, fold: median"},
		`needs and atLeast go together`:                       {"metric: host.cpuUsageMHz", "metric: host.cpuUsageMHz, needs: host.load1"},
		`counters "perf": write esxtop`:                       {"about:", "counters: perf\nabout:"},
	} {
		text := strings.Replace(string(good), change[0], change[1], 1)
		require.NotEqual(t, string(good), text, want)
		_, err := Load(fstest.MapFS{"cpu-per-gbit.yaml": {Data: []byte(text)}})
		require.ErrorContains(t, err, want)
		var list strictyaml.Errors
		require.ErrorAs(t, err, &list)
	}
	_, err = Load(fstest.MapFS{"guards.yaml": {Data: []byte("guards:\n  - {id: x, title: X, unit: MB}\n  - {id: x, title: X, unit: MB, term: {object: host, metric: no}}\n")}})
	require.ErrorContains(t, err, "guards.yaml:2:5: field term is missing")
	require.ErrorContains(t, err, `guards.yaml:3:10: id "x": write`)
	require.ErrorContains(t, err, `the catalogue of counters has no "no"`)
	_, err = Load(fstest.MapFS{"guards.yaml": {Data: []byte("{}")}})
	require.ErrorContains(t, err, "field guards is missing")
	_, err = Load(fstest.MapFS{"x.yaml": {Data: []byte("- 1\n")}})
	require.ErrorContains(t, err, "x.yaml:1:1: write a map")
}

// busyFrame has two VMs, two LUNs and two ports.
func busyFrame() *esxtop.Frame {
	f := hostFrame("host-1", start, 1)
	set := func(r *esxtop.Row, id string, v float64) { r.Set(esxtop.Lookup(id), v) }
	groups := esxtop.NewRows(esxtop.Group, 3)
	for i, ready := range []float64{8, 30, 500} {
		groups[i].ID, groups[i].VCPUs, groups[i].VM = string(rune('1'+i)), 4, i < 2
		groups[i].MoID = []string{"vm-1", "vm-2", ""}[i]
		set(&groups[i], "cpu.ready", ready)
	}
	f.Put(esxtop.Group, groups)
	worlds := esxtop.NewRows(esxtop.World, 2)
	for i := range worlds {
		worlds[i].Parent = i
		set(&worlds[i], "cpu.ready", float64(5+i))
	}
	f.Put(esxtop.World, worlds)
	devices := esxtop.NewRows(esxtop.Device, 3)
	for i, d := range [][2]float64{{100, 2}, {300, 10}, {1, 900}} {
		devices[i].ID = []string{"naa.1", "naa.2", "naa.3"}[i]
		set(&devices[i], "disk.commands", d[0])
		set(&devices[i], "disk.guestLatency", d[1])
	}
	f.Put(esxtop.Device, devices)
	ports := esxtop.NewRows(esxtop.Port, 3)
	for i, p := range []float64{1, 2, 4} {
		ports[i].Name, ports[i].MoID = []string{"vmnic0", "vm-1.eth0", "vmnic1"}[i], []string{"", "vm-1", ""}[i]
		ports[i].VM = i == 1
		set(&ports[i], "net.droppedRxRate", p)
	}
	ports[0].Set(esxtop.Lookup("net.uplink"), 1)
	ports[1].Set(esxtop.Lookup("net.uplink"), 0)
	f.Put(esxtop.Port, ports)
	return f
}

func TestTerms(t *testing.T) {
	host := Unit{Kind: inventory.ScopeHost, ID: "host-1"}
	vm := Unit{Kind: inventory.ScopeVM, ID: "vm-2"}
	lun := Unit{Kind: inventory.ScopeLUN, ID: "naa.2"}
	pool := Unit{Kind: inventory.ScopePool, VMs: []string{"vm-1", "vm-2"}}
	ready := Term{Object: "group", Metric: "cpu.ready", Only: VMRows}
	latency := Term{Object: "device", Metric: "disk.guestLatency", Needs: "disk.commands", AtLeast: 10}
	with := func(t Term, change func(*Term)) Term { change(&t); return t }
	for i, c := range []struct {
		term Term
		unit Unit
		want float64
		ok   bool
	}{
		{ready, host, 38, true},
		{with(ready, func(t *Term) { t.Fold, t.Only = Max, EveryRow }), host, 500, true},
		{with(ready, func(t *Term) { t.Fold = Min }), host, 8, true},
		{with(ready, func(t *Term) { t.Fold, t.PerVCPU = Mean, true }), host, 4.75, true},
		{with(ready, func(t *Term) { t.Scale = .5 }), vm, 15, true},
		{Term{Object: "world", Metric: "cpu.ready"}, vm, 6, true},
		{ready, pool, 38, true},
		{ready, Unit{Kind: inventory.ScopeVM, ID: "vm-9"}, 0, false},
		{with(latency, func(t *Term) { t.Fold = Max }), host, 10, true},
		{with(latency, func(t *Term) { t.Weight = "disk.commands" }), host, 3200, true},
		{with(latency, func(t *Term) { t.Weight = "disk.commands" }), lun, 3000, true},
		{with(latency, func(t *Term) { t.Weight = "disk.commands" }), Unit{Kind: inventory.ScopeLUN, ID: "naa.3"}, 0, true},
		{with(latency, func(t *Term) { t.Fold = Max }), Unit{Kind: inventory.ScopeLUN, ID: "naa.3"}, 0, false},
		{Term{Object: "port", Metric: "net.droppedRxRate", Only: Uplinks}, host, 5, true},
		{Term{Object: "port", Metric: "net.droppedRxRate", Only: VMRows}, host, 2, true},
		{ready, lun, 38, true}, // guards look at the VMs of the LUN's hosts
	} {
		b, err := c.term.bind()
		require.NoError(t, err)
		v, ok := b.read(busyFrame(), &c.unit)
		require.Equal(t, c.ok, ok, i)
		require.InDelta(t, c.want, v, 1e-9, i)
	}
	_, err := Term{Object: "group", Metric: "cpu.allocUnits"}.bind()
	require.ErrorContains(t, err, "not a figure")
}

func TestParseGuard(t *testing.T) {
	g, err := ParseGuard("vm.cpu.ready<5%")
	require.NoError(t, err)
	require.Equal(t, Term{Object: "group", Metric: "cpu.ready", Only: VMRows, PerVCPU: true, Fold: Max}, g.Term)
	require.InDelta(t, 5, *g.Limit, 0)
	require.False(t, g.Below)
	g, err = ParseGuard(" lun.disk.guestLatency < 12.5 ms")
	require.NoError(t, err)
	require.Equal(t, Term{Object: "device", Metric: "disk.guestLatency", Needs: "disk.commands", AtLeast: 10, Fold: Max}, g.Term)
	require.Equal(t, "lun.disk.guestLatency<12.5ms", g.ID)
	g, err = ParseGuard("host.net.allRx>100Mb/s")
	require.NoError(t, err)
	require.True(t, g.Below)
	require.Equal(t, Min, g.Term.Fold)
	for text, want := range map[string]string{
		"ready<5":             "want SCOPE.METRIC<VALUE",
		"vm.cpu.ready=5":      "want SCOPE.METRIC<VALUE",
		"vm.cpu.ready<5.5.5":  `"5.5.5" is not a number`,
		"vm.cpu.raedy<5":      `no figure "cpu.raedy" (did you mean "cpu.ready"?)`,
		"vms.cpu.ready<5":     `no scope "vms" (did you mean "vm"?)`,
		"host.cpu.ready<5":    "a host has no cpu.ready",
		"vm.cpu.ready<5ms":    "cpu.ready is in %, not ms",
		"vm.cpu.allocUnits<1": "no figure",
	} {
		_, err := ParseGuard(text)
		require.ErrorContains(t, err, want)
	}
}
