package page

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/efficiency"
	"github.com/vperf/vperf/internal/report/view"
	"github.com/vperf/vperf/pkg/advice"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestUseKeepsThreeStates: zero, absent and not read look different, and each has its words.
func TestUseKeepsThreeStates(t *testing.T) {
	for _, c := range []struct {
		name               string
		value              inventory.Fact[float64]
		text, class, words string
	}{
		{"zero", inventory.Known(0.0), "0\u00a0%", "h1", "0\u00a0%"},
		{"calm", inventory.Known(75.0), "75\u00a0%", "h2", "75\u00a0%"},
		{"busy", inventory.Known(84.0), "84\u00a0%", "h3", "84\u00a0%"},
		{"over", inventory.Known(104.0), "104\u00a0%", "h4", "104\u00a0%"},
		{"absent", inventory.Absent[float64](), "–", "h0", "no samples"},
		{"unread", inventory.Unread[float64]("no permission"), "?", "h0", "not read (no permission)"},
		{"unread without a reason", inventory.Unread[float64](""), "?", "h0", "not read (no reason given)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := useOf(c.value, [levels - 1]float64{37.5, 75, 84})
			require.Equal(t, []string{c.text, c.class, c.words}, []string{u.Text, u.Class, u.words()})
		})
	}
}

func TestUseOfHosts(t *testing.T) {
	live := func(name string, s inventory.Series) *inventory.Host {
		return &inventory.Host{MemoryMB: count(1000), Live: inventory.NewLive(map[string]inventory.Series{name: s})}
	}
	for _, c := range []struct {
		name string
		host *inventory.Host
		of   func(*inventory.Host) inventory.Fact[float64]
		want inventory.Fact[float64]
	}{
		{"idle", live("cpu.coreUtilization", inventory.Series{Samples: 3}), cpuUse, inventory.Known(0.0)},
		{"by threads", live("cpu.utilization", inventory.Series{Samples: 3, P95: 7}), cpuUse, inventory.Known(7.0)},
		{"no sample", live("cpu.coreUtilization", inventory.Series{}), cpuUse, inventory.Absent[float64]()},
		{"no number", live("cpu.coreUtilization", inventory.Series{Samples: 3, P95: math.NaN()}), cpuUse, inventory.Absent[float64]()},
		{"not measured", &inventory.Host{}, cpuUse, inventory.Unread[float64](inventory.NoLiveCounters)},
		{"no such counter", live("net.rx", inventory.Series{Samples: 3}), cpuUse, inventory.Unread[float64]("the source does not report cpu.coreUtilization")},
		{"memory", live("mem.free", inventory.Series{Samples: 3, P95: 250}), memoryUse, inventory.Known(75.0)},
		{"full", live("mem.free", inventory.Series{Samples: 3}), memoryUse, inventory.Known(100.0)},
		{"free memory not sampled", live("mem.free", inventory.Series{}), memoryUse, inventory.Absent[float64]()},
		{"size not read", &inventory.Host{MemoryMB: inventory.Unread[int64]("no permission")}, memoryUse, inventory.Unread[float64]("no permission")},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.of(c.host)) })
	}
}

func TestShortNames(t *testing.T) {
	for name, want := range map[string]string{"esx01.example.com": "esx01", "esx01": "esx01", "192.0.2.7": "192.0.2.7", "2001:db8::1": "2001:db8::1", ".": ".", "": ""} {
		require.Equal(t, want, shortName(name), name)
	}
	a := sampleReport(2, 0)
	hosts := a.Snapshot.VCenters[0].Hosts
	hosts[1].Name = "esx01.other.example.com"
	names := newShow(view.New(a)).shortNames()
	require.Equal(t, "esx01.example.com", names[hosts[0]], "two hosts would be called esx01")
	hosts[1].Name = "esx02.other.example.com"
	require.Equal(t, "esx01", newShow(view.New(a)).shortNames()[hosts[0]])
}

func TestHostMap(t *testing.T) {
	s := newShow(view.New(sampleReport(3, 14)))
	m := s.hostMap()
	require.False(t, m.Dense)
	require.Len(t, m.Clusters, 1)
	require.Equal(t, "cluster general", m.Clusters[0].Name)
	require.Empty(t, m.Clusters[0].Room, "no figure, no headroom")
	hosts := m.Clusters[0].Hosts
	require.Len(t, hosts, 3)
	require.Equal(t, s.linkTo(s.Snapshot.VCenters[0].Hosts[1]), hosts[1].Link)
	require.Equal(t, "high", hosts[1].Worst.Word, "findings of its VMs count")
	require.Contains(t, hosts[1].Title, "esx02.example.com: "+hosts[1].Worst.N+" high of ")
	require.Contains(t, hosts[1].Title, ", memory 76\u00a0%")

	s.Snapshot.VCenters[0].Hosts[0].Unread = "the host does not respond"
	require.Contains(t, s.hostMap().Clusters[0].Hosts[0].Title, "not read: the host does not respond")
}

func TestHostMapWithoutHostsOrCounters(t *testing.T) {
	require.Empty(t, newShow(view.New(view.Advice{})).hostMap().Clusters)
	require.False(t, has(written(t, view.Advice{}), "Hosts at a glance"))
	a := view.Advice{Snapshot: sampleFleet(2, 1)}
	for _, h := range a.Snapshot.VCenters[0].Hosts {
		h.Live = nil
	}
	h := newShow(view.New(a)).hostMap().Clusters[0].Hosts[0]
	require.Equal(t, "esx01.example.com: no findings, CPU not read (no live counters), memory not read (no live counters)", h.Title)
	require.Empty(t, h.Worst.Word)
	wellFormed(t, written(t, a))
}

// TestHostMapOfManyHosts: a map of a large fleet has cells, a way past them, and is a small part of the page.
func TestHostMapOfManyHosts(t *testing.T) {
	for hosts, most := range map[int]int{64: 64e3, 65: 20e3, 992: 300e3} {
		a := sampleReport(hosts, 8)
		m := newShow(view.New(a)).hostMap()
		require.Equal(t, hosts > tileHosts, m.Dense)
		require.True(t, m.Skip)
		var b bytes.Buffer
		require.NoError(t, pageTemplate.ExecuteTemplate(&b, "map", m))
		require.Less(t, b.Len(), most, "%d hosts", hosts)
		require.Equal(t, hosts, strings.Count(b.String(), `href="#host-`))
		if m.Dense {
			require.Contains(t, b.String(), `aria-label="esx01.example.com: `)
		}
	}
	wellFormed(t, written(t, sampleReport(tileHosts+100, 1)))
}

func TestHeadroom(t *testing.T) {
	a := sampleReport(2, 1)
	c := a.Snapshot.VCenters[0].Clusters[0]
	of := func(id, unit string, f inventory.Fact[float64]) efficiency.Figure {
		return efficiency.Figure{ID: id, Object: c.Ref(), Title: "room", Unit: unit, Value: f, From: []string{"one host"}}
	}
	room := func(all, cores inventory.Fact[float64]) headroom {
		a.Efficiency = []efficiency.Figure{of("headroom", "%", all), of("headroom-cores", "cores", cores)}
		return newShow(view.New(a)).hostMap().Clusters[0].Room
	}
	const title = "Headroom after one host fails"
	require.Equal(t, headroom{Title: title, Text: "-7\u00a0%", Class: "bad", Parts: []headroomPart{{"-3.87\u00a0cores", "bad"}}}, room(inventory.Known(-6.91), inventory.Known(-3.87)))
	require.Equal(t, headroom{Title: title, Text: "0\u00a0%", Parts: []headroomPart{{"0\u00a0cores", ""}}}, room(inventory.Known(0.0), inventory.Known(0.0)))
	none, unread := inventory.Absent[float64](), inventory.Unread[float64]("no permission")
	require.Equal(t, headroom{Title: title, Text: "–", Why: "one host"}, room(none, none))
	require.Equal(t, headroom{Title: title, Text: "?", Why: "not read (no permission)"}, room(unread, unread))

	room(inventory.Known(-6.91), inventory.Known(-3.87))
	page := written(t, a)
	require.True(t, has(page, "<b class=\"bad\">-7\u00a0%</b>"), "negative headroom is red on the first screen")
	require.True(t, has(page, `<td class="num bad" data-v="-3.87">-3.87</td>`), "and among the figures")
}

func TestHeadroomOfAHostInNoCluster(t *testing.T) {
	a := sampleReport(1, 1)
	v := a.Snapshot.VCenters[0]
	v.Clusters, v.Hosts[0].ClusterID = nil, inventory.Absent[string]()
	a.Snapshot.Link()
	a.Efficiency = []efficiency.Figure{{ID: "headroom", Object: v.Hosts[0].Ref(), Title: "room", Unit: "%", Value: inventory.Known(12.4)}}
	require.Equal(t, headroom{Title: "Headroom", Text: "12\u00a0%"}, newShow(view.New(a)).hostMap().Clusters[0].Room)
}

func TestSeverityBar(t *testing.T) {
	require.Empty(t, severityBarOf(tally{}))
	b := severityBarOf(tally{advice.High: 1, advice.Info: 9999})
	require.Equal(t, "10,000 findings: 1 high, 9,999 info", b.Label)
	require.Len(t, b.Parts, 2)
	require.Equal(t, barPart{"high", "0", "6.1", "1 high"}, b.Parts[0], "a single finding stays visible")
	require.Equal(t, "8.1", b.Parts[1].X)
	require.Equal(t, "989.9", b.Parts[1].Width)
}

func TestNamesInTheMapAreText(t *testing.T) {
	a := sampleReport(70, 1)
	poison(&a)
	var b bytes.Buffer
	require.NoError(t, pageTemplate.ExecuteTemplate(&b, "map", newShow(view.New(a)).hostMap()))
	require.NotContains(t, b.String(), "<script", "a name is markup")
	require.Equal(t, 70, strings.Count(b.String(), `href="#host-`))
	require.Greater(t, strings.Count(b.String(), "&lt;script&gt;"), 140, "the test would see nothing")
}
