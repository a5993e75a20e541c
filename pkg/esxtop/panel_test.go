package esxtop

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPanelsAreEsxtops compares the panels with a configuration file of esxtop 6.0 with its defaults.
func TestPanelsAreEsxtops(t *testing.T) {
	want := []struct{ key, fields string }{
		{"c", "ABcDEFghijk"}, // vperf adds k
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
			if strings.Contains(p.shown, string(f.Letter)) {
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

func TestJudged(t *testing.T) {
	ready := lend(t, "cpu.ready", &Threshold{Warn: 5, PerVCPU: true})
	r := NewRow(Group, "2", "web01")
	r.VCPUs = 4
	_, ok := ready.Judged(&r)
	require.False(t, ok)
	r.Set(ready, 24)
	v, ok := ready.Judged(&r)
	require.True(t, ok)
	require.InDelta(t, 6, v, 0)
	r.VCPUs = 0
	v, _ = ready.Judged(&r)
	require.InDelta(t, 24, v, 0, "vCPUs are not known")
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
	require.False(t, ok, "an unknown number")
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
		"threshold  above 5 % per vCPU: contention; critical above 10 %",
		"look at    look",
		"source     a book",
	}, m.Explain())
	require.Contains(t, Lookup("disk.failedReads").Explain(), "formula    the Esxtop service has no field for it")
	for _, m := range Catalogue() {
		require.NotEmpty(t, m.Explain())
	}
}
