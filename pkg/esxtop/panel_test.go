package esxtop

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPanelsAreEsxtops holds the panels against a configuration file of esxtop 6.0 with its defaults.
func TestPanelsAreEsxtops(t *testing.T) {
	want := []struct{ key, fields string }{
		{"c", "ABcDEFghijk"}, // k is ours
		{"m", "aBcDefgHijKLmnOpq"}, {"d", "ABCdEfGhijkl"}, {"u", "ABcdeFGhIjklmnop"},
		{"v", "aBCDEFGH"}, {"n", "AbcDEFGHIJKLMNopq"}, {"i", "ABCDeF"},
		{"p", "ABCDeF"}, // F came with 6.5
		{"x", "ABCd"},
	}
	require.Len(t, Panels(), len(want))
	for i, p := range Panels() {
		require.Equal(t, want[i].key, string(p.Key))
		require.Equal(t, want[i].fields, p.DefaultFields())
		require.Same(t, p, PanelOf(p.Key))
	}
	require.Nil(t, PanelOf('z'))
}

func TestPanelColumnsHaveSomethingToShow(t *testing.T) {
	for _, p := range Panels() {
		objects := append(append([]Object{p.Object}, p.With...), p.Expand...)
		for _, f := range p.Fields {
			require.NotEmpty(t, f.Columns, "%c %s", p.Key, f.Title)
			for _, c := range f.Columns {
				require.NotEmpty(t, c.Label)
				if c.Metric == nil {
					require.NotEqual(t, NoAttribute, c.Attribute, "%c %s", p.Key, c.Label)
					continue
				}
				if c.Each != Host {
					require.NotNil(t, c.Of(c.Each), c.Label)
					require.Equal(t, p.Object, c.Each.Parent(), c.Label)
					continue
				}
				found := false
				for _, o := range objects {
					found = found || c.Of(o) != nil
				}
				if p.Key == 'u' && (f.Letter == 'M' || f.Letter == 'N') {
					require.False(t, found, "only paths split commands; esxtop has the field here nevertheless")
					continue
				}
				require.True(t, found, "%c %s has no row that could fill it", p.Key, c.Label)
			}
		}
		for key, id := range p.Sorts {
			require.True(t, id == "" || Lookup(id) != nil, "%c: key %c sorts by %q", p.Key, key, id)
		}
	}
}

func TestPanelField(t *testing.T) {
	p := PanelOf('c')
	require.Equal(t, byte('F'), p.Field('f').Letter)
	require.Same(t, p.Field('f'), p.Field('F'))
	for _, b := range []byte{0, ' ', '@', '[', 'z', 'L', 0xe1} {
		require.Nil(t, p.Field(b), "%q", b)
	}
}

func TestPanelShowsGroupsWithMemory(t *testing.T) {
	with, without := NewRow(Group, "2", "init"), NewRow(Group, "1", "system")
	with.Set(Lookup("mem.size"), 0)
	without.Set(Lookup("cpu.used"), 1)
	m := PanelOf('m')
	require.True(t, m.Shows(&with))
	require.False(t, m.Shows(&without))
	require.True(t, PanelOf('c').Shows(&without))
}

func TestNeedsInterruptsOnlyWhereTheyAreShown(t *testing.T) {
	columns := func(p *Panel) (list []Column) {
		for _, f := range p.Fields {
			if f.Default {
				list = append(list, f.Columns...)
			}
		}
		return list
	}
	for _, p := range Panels() {
		needs := p.Needs(columns(p), false)
		require.True(t, needs.Has(p.Object))
		require.Equal(t, p.Key == 'i', needs.Has(Vector), "%c", p.Key)
		require.Equal(t, p.Key == 'i', needs.Has(VectorCPU), "%c", p.Key)
		require.False(t, needs.Has(World))
	}
	cpu := PanelOf('c')
	require.True(t, cpu.Needs(nil, true).Has(World))
	require.True(t, PanelOf('u').Needs(nil, false).Has(NFS))
}

func TestDecimals(t *testing.T) {
	for id, want := range map[string]int{
		"cpu.ready": 2, "cpu.members": 0, "mem.size": 2, "numa.local": 0, "mem.active": 0, "disk.load": 2, "disk.usedQueue": 0,
		"net.linkSpeed": 0, "net.sizeTx": 2, "vaai.ats": 0, "power.cstate": 0, "cpu.power": 0,
	} {
		require.Equal(t, want, Lookup(id).decimals(), id)
	}
}

func lend(t *testing.T, id string, threshold *Threshold) *Metric {
	t.Helper()
	m := Lookup(id)
	old := m.Threshold
	m.Threshold = threshold
	t.Cleanup(func() { m.Threshold = old })
	return m
}

func TestLevel(t *testing.T) {
	ready := lend(t, "cpu.ready", &Threshold{Warn: 5, Critical: 10, PerVCPU: true})
	local := lend(t, "numa.local", &Threshold{Warn: 80, Below: true})
	latency := lend(t, "disk.guestLatency", &Threshold{Warn: 25})
	clock := lend(t, "pcpu.aperfMperf", &Threshold{Warn: 80, Critical: 50, Below: true})

	row := func(o Object, set func(*Row)) Row {
		r := NewRow(o, "1", "a")
		set(&r)
		return r
	}
	var f Frame
	f.Put(Group, []Row{
		row(Group, func(r *Row) { r.VM = true }),
		row(Group, func(*Row) {}),
	})
	for _, tc := range []struct {
		name  string
		row   Row
		m     *Metric
		want  Level
		value float64
	}{
		{"by vCPU below", row(Group, func(r *Row) { r.VM, r.VCPUs = true, 4; r.Set(ready, 20) }), ready, Fine, 5},
		{"by vCPU above", row(Group, func(r *Row) { r.VM, r.VCPUs = true, 4; r.Set(ready, 24) }), ready, Warning, 6},
		{"by vCPU far above", row(Group, func(r *Row) { r.VM, r.VCPUs = true, 4; r.Set(ready, 44) }), ready, Critical, 11},
		{"vCPUs not known", row(Group, func(r *Row) { r.VM = true; r.Set(ready, 44) }), ready, Fine, 44},
		{"kernel's groups wait by trade", row(Group, func(r *Row) { r.VCPUs = 1; r.Set(ready, 2400) }), ready, Fine, 2400},
		{"absent", row(Group, func(r *Row) { r.VM, r.VCPUs = true, 4 }), ready, Fine, 0},
		{"a VM's world", row(World, func(r *Row) { r.Parent = 0; r.Set(ready, 6) }), ready, Warning, 6},
		{"a kernel's world", row(World, func(r *Row) { r.Parent = 1; r.Set(ready, 99) }), ready, Fine, 99},
		{"nobody's world", row(World, func(r *Row) { r.Set(ready, 99) }), ready, Fine, 99},
		{"below", row(Group, func(r *Row) { r.VM = true; r.Set(local, 79) }), local, Warning, 79},
		{"below without critical", row(Group, func(r *Row) { r.VM = true; r.Set(local, 0) }), local, Warning, 0},
		{"not below", row(Group, func(r *Row) { r.VM = true; r.Set(local, 80) }), local, Fine, 80},
		{"latency of few", row(Device, func(r *Row) { r.Set(latency, 31.98); r.Set(Lookup("disk.commands"), .38) }), latency, Fine, 31.98},
		{"latency of many", row(Device, func(r *Row) { r.Set(latency, 31.98); r.Set(Lookup("disk.commands"), 10) }), latency, Warning, 31.98},
		{"an idle CPU's clock", row(PCPU, func(r *Row) { r.Set(clock, 40); r.Set(Lookup("pcpu.util"), 5) }), clock, Fine, 40},
		{"a busy CPU's clock", row(PCPU, func(r *Row) { r.Set(clock, 40); r.Set(Lookup("pcpu.util"), 95) }), clock, Critical, 40},
	} {
		t.Run(tc.name, func(t *testing.T) {
			level, v := f.Level(&tc.row, tc.m)
			require.Equal(t, tc.want, level)
			require.InDelta(t, tc.value, v, 1e-9)
		})
	}
	require.Equal(t, "critical", Critical.String())
}

func TestCores(t *testing.T) {
	threads := func(cores ...float64) *Frame {
		var rows []Row
		for _, v := range cores {
			r := NewRow(PCPU, "0", "0")
			r.Set(Lookup("pcpu.coreUtil"), v)
			rows = append(rows, r)
		}
		f := &Frame{}
		f.Put(PCPU, rows)
		return f
	}
	require.Equal(t, []int{0, 2}, threads(5, 5, 7, 7).Cores())
	require.Nil(t, threads(5, 6, 7, 8).Cores(), "one thread a core")
	require.Nil(t, threads(5, 5, 7).Cores())
	require.Nil(t, threads(5).Cores())
	require.Nil(t, threads().Cores())
}

func TestCluster(t *testing.T) {
	quiet, busy := &Frame{Host: "esx01"}, &Frame{Host: "esx02"}
	require.Equal(t, Cluster{}, NewCluster(nil))
	for i, f := range []*Frame{quiet, busy} {
		h := NewRow(Host, "0", f.Host)
		h.Set(Lookup("host.vms"), 1)
		h.Set(Lookup("pcpu.utilAvg"), float64(10+20*i))
		h.Set(Lookup("mem.state"), float64(2*i))
		f.Put(Host, []Row{h})
		vm, system := NewRow(Group, "2", "web01"), NewRow(Group, "1", "system")
		vm.VM, vm.VCPUs = true, 2
		vm.Set(Lookup("cpu.readyPerVCPU"), float64(3*i))
		system.Set(Lookup("cpu.readyPerVCPU"), 99)
		f.Put(Group, []Row{system, vm})
		cpu := NewRow(PCPU, "7", "7")
		cpu.Set(Lookup("pcpu.util"), float64(50+i))
		f.Put(PCPU, []Row{cpu})
	}
	c := NewCluster([]*Frame{quiet, busy})
	require.Equal(t, Cluster{
		Hosts: 2, VMs: 2, VCPUs: 4, VMsKnown: true, Util: 20, HasUtil: true,
		WorstUtil:   Extreme{true, 51, "esx02", "7"},
		WorstReady:  Extreme{true, 3, "esx02", "web01"},
		WorstMemory: Extreme{true, 2, "esx02", "soft"},
	}, c)
}

func TestMemoryState(t *testing.T) {
	f := &Frame{}
	_, _, ok := f.MemoryState()
	require.False(t, ok)
	h := NewRow(Host, "0", "a")
	f.Put(Host, []Row{h})
	_, _, ok = f.MemoryState()
	require.False(t, ok)
	h.Set(Lookup("mem.state"), 9)
	_, _, ok = f.MemoryState()
	require.False(t, ok, "a number nobody knows")
	h.Set(Lookup("mem.state"), 3)
	word, state, ok := f.MemoryState()
	require.Equal(t, []any{"hard", 3, true}, []any{word, state, ok})
	f.Rows(Host)[0].SetText(Lookup("mem.stateWord"), "clear")
	word, _, _ = f.MemoryState()
	require.Equal(t, "clear", word)
}

func TestExplain(t *testing.T) {
	m := lend(t, "cpu.ready", &Threshold{Warn: 5, Critical: 10, PerVCPU: true, Word: "contention", Action: "look", Source: "a book"})
	about := m.About
	m.About = "Ready to run."
	t.Cleanup(func() { m.About = about })
	require.Equal(t, []string{
		"metric     cpu.ready",
		"meaning    Ready to run.",
		"unit       %",
		"batch CSV  % Ready",
		"formula    Δ VCPU.ReadyTimeInUsec / Δt × 100",
		"vSphere    cpu.ready.summation",
		"threshold  above 5 % by vCPU: contention; critical above 10 %",
		"look at    look",
		"source     a book",
	}, m.Explain())
	require.Contains(t, Lookup("disk.failedReads").Explain(), "formula    the Esxtop service has no field for it")
	for _, m := range Catalogue() {
		require.NotEmpty(t, m.Explain())
	}
}
