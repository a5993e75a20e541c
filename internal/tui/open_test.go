package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/esxtop"
)

func byLoad(o *Options) { o.Settings = o.Settings.ByLoad() }

// TestOpensOnVMsByLoad is the first screen: VMs, the busiest first, at all sizes.
func TestOpensOnVMsByLoad(t *testing.T) {
	withThresholds(t, someThresholds)
	p := driven(t, oneHost(), byLoad)
	require.Equal(t, []string{"web02", "web01", "web06", "web05", "web04", "web03"}, p.names(), "no system worlds")
	require.Equal(t, "%USED", p.label)
	for _, size := range sizes {
		for name, src := range map[string]*source{"one": oneHost(), "fleet": several()} {
			name := fmt.Sprintf("testdata/open-%s-%dx%d.txt", name, size[0], size[1])
			golden.Equal(t, name, []byte(driven(t, src, byLoad).shows(size[0], size[1])))
		}
	}
	require.Equal(t, []string{"web06", "web05", "web04", "web03", "web02", "web01"}, p.keys("R").names())
	require.Equal(t, "web01", p.keys("N").names()[0], "by id is a choice, too")
	require.Contains(t, p.shows(80, 24), " CPU of VMs by ID ▲ | 6 rows |")
	for key, want := range map[string]string{"m": "Memory of VMs by CNSM ▼", "d": "Disk Adapter by CMDS/s ▼", "v": "Virtual Disk of VMs by CMDS/s ▼", "n": "Network of VMs by MbTX/s ▼", "p": "Power by %UTIL ▼"} {
		require.Contains(t, p.keys(key).shows(80, 24), want)
	}
}

// TestSixMetricsFit: at 80 columns the name and the six most useful metrics are on the screen.
func TestSixMetricsFit(t *testing.T) {
	for key, want := range leads {
		if len(want) < 7 {
			continue
		}
		for _, src := range []*source{oneHost(), several()} {
			p := driven(t, src, byLoad).keys(string(key))
			p.shows(80, 24)
			var labels []string
			for _, c := range p.layout.view.columns {
				if c.Attribute != esxtop.RowHost {
					labels = append(labels, c.Label)
				}
			}
			require.GreaterOrEqual(t, len(labels), 7, "%c: %v", key, labels)
			if key != 'm' { // MCTLSZ is no field of esxtop's own selection
				require.Equal(t, want[:7], labels[:7])
			}
		}
	}
}

// TestMoreColumnsAreHinted: the edges say how many are where.
func TestMoreColumnsAreHinted(t *testing.T) {
	head := func(p *program) string {
		return strings.Split(p.shows(80, 24), "\n")[p.layout.head]
	}
	p := driven(t, oneHost(), byLoad)
	require.Regexp(t, `^ NAME .*›$`, head(p))
	require.Regexp(t, `^ NAME .* \+\d+›$`, head(driven(t, oneHost(), byLoad).keys("m")))
	for range 30 {
		p.keys("<right>")
	}
	require.Regexp(t, `^‹NAME .* GID$`, head(p))
}

// TestMissingColumnsAreSaidOnce: columns without any value are hidden, and the reason is given once.
func TestMissingColumnsAreSaidOnce(t *testing.T) {
	poor := func(tick int) *esxtop.Round {
		f := host("esx01", 4, 3, tick)
		f.Origin = esxtop.Performance
		for i := range f.Rows(esxtop.Group) {
			r := &f.Rows(esxtop.Group)[i]
			for _, id := range []string{"cpu.vmWait", "cpu.members"} {
				r.Set(esxtop.Lookup(id), math.NaN())
			}
		}
		return round(f)
	}
	src := &source{live: true, about: esxtop.About{Origin: esxtop.Performance, Hosts: []string{"esx01"}, Interval: 20 * time.Second}, rounds: []*esxtop.Round{poor(0), poor(1)}}
	p := driven(t, src, byLoad)
	screen := p.shows(120, 24)
	require.NotContains(t, p.labels(), "NWLD")
	require.Contains(t, screen, "Hidden: NWLD, %VMWAIT; the PerformanceManager does not have them, --source esxtop does\n")
	require.Contains(t, screen, "2 columns without values (h)")
	gone := driven(t, &source{live: true, about: src.about, rounds: []*esxtop.Round{poor(0), poor(1), poor(2), poor(3)}}, byLoad)
	require.NotContains(t, gone.shows(120, 24), "Hidden", "it does not hide for ever what else there is to say")
	require.NotContains(t, p.keys("<down>").shows(120, 24), "Hidden")
	p.take(roundMsg{round: poor(2), place: p.place()})
	require.NotContains(t, p.shows(120, 24), "Hidden", "once")
	require.Contains(t, p.keys("h").shows(120, 40), "Hidden: NWLD, %VMWAIT; the PerformanceManager")
	rich := round(host("esx01", 4, 3, 3))
	p.take(roundMsg{round: rich, place: p.place()})
	require.Contains(t, p.keys("q").shows(200, 24), "NWLD")
	p.take(roundMsg{round: poor(4), place: p.place()})
	require.Contains(t, p.shows(200, 24), "NWLD", "a column that had a value stays")
}

// TestFirstLookKeepsHistory: the first look of the Esxtop service has no rates, so the last samples stay.
func TestFirstLookKeepsHistory(t *testing.T) {
	kept := host("esx01", 4, 3, 0)
	kept.Origin = esxtop.Performance
	look := esxtop.NewRow(esxtop.Group, "7", "web01")
	look.VM = true
	first := &esxtop.Frame{Host: "esx01", Time: start.Add(time.Second)}
	first.Put(esxtop.Group, []esxtop.Row{look})
	past := round(kept)
	past.Past = true
	src := &source{live: true, about: esxtop.About{Origin: esxtop.Service, Hosts: []string{"esx01"}}, rounds: []*esxtop.Round{past, round(first)}}
	p := driven(t, src, byLoad)
	require.Contains(t, p.shows(80, 24), "web02              80.00")
	require.Contains(t, p.shows(80, 24), "| HISTORY of 10:49:17pm |", "and are said to be older")
	require.Equal(t, 1, p.histories[0].count, "and are no new samples")
	p.take(roundMsg{round: round(host("esx01", 4, 3, 2)), place: p.place()})
	require.Contains(t, p.shows(80, 24), "web02              82.00")
}

// TestVMsAreTheSameInAllSources: the Esxtop service calls a VM otherwise than the PerformanceManager, but its history goes on.
func TestVMsAreTheSameInAllSources(t *testing.T) {
	named := func(tick int, rename bool) *esxtop.Round {
		f := host("esx01", 4, 1, tick)
		r := &f.Rows(esxtop.Group)[1]
		r.MoID = "vm-7"
		if rename {
			r.ID = "vm-7"
		}
		return round(f)
	}
	p := driven(t, &source{live: true, rounds: []*esxtop.Round{named(0, true), named(1, false), named(2, false)}}, byLoad)
	require.Len(t, p.histories[0].timeline(p.key, &p.table.columns[p.column], 20), 3)
}

// TestKeysOfTheMoment: the last line has the keys that make sense now.
func TestKeysOfTheMoment(t *testing.T) {
	last := func(p *program, width int) string {
		lines := strings.Split(strings.TrimRight(p.shows(width, 24), "\n"), "\n")
		return lines[len(lines)-1]
	}
	p := driven(t, several(), byLoad)
	require.Equal(t, " enter explain  e vCPUs  H hosts  / filter  cmduvnipx panel  h help  q quit", last(p, 80))
	require.Contains(t, last(p, 200), " V all rows  P hold  s delay  f fields  h help  q quit")
	require.Contains(t, last(p.keys("e"), 80), "e collapse")
	require.Contains(t, last(p.keys("/"), 80), " enter apply  esc cancel  ctrl+u clear")
	require.Contains(t, last(p.keys("web<enter>"), 80), "esc drop filter")
	require.Contains(t, last(p.keys("P"), 200), "P continue")
	require.Contains(t, last(p.keys("H"), 80), " e VMs of the host")
	require.Contains(t, last(driven(t, replayed(), byLoad), 80), "space pause  . , step  : go to")
	require.Equal(t, " h help  q quit", last(p.keys("<esc>"), 16))
}

// TestDrillDown goes from the hosts to the VMs of one to the vCPUs of one, and back.
func TestDrillDown(t *testing.T) {
	withThresholds(t, someThresholds)
	p := driven(t, several(), byLoad)
	p.keys("H")
	for _, size := range sizes {
		golden.Equal(t, fmt.Sprintf("testdata/hosts-%dx%d.txt", size[0], size[1]), []byte(p.shows(size[0], size[1])))
	}
	p.keys("<home>e")
	require.Equal(t, "esx02.example.com", p.only, "the busiest is first")
	require.Len(t, p.names(), 3)
	screen := p.shows(80, 24)
	require.Contains(t, screen, " CPU of VMs on esx02.example.com by %USED ▼ | 3 rows")
	require.Contains(t, screen, "PCPU USED(%)", "the head is the host's own")
	require.NotContains(t, screen, " HOST ")
	name := p.names()[0]
	p.keys("e")
	require.Equal(t, name+" vmx-vcpu-1:web02", p.names()[1])
	p.keys("e<esc>")
	require.IsType(t, hostPage{}, p.page)
	p.keys("<down><enter>")
	require.Equal(t, "esx01.example.com", p.only)
	p.keys("m")
	require.Equal(t, "esx01.example.com", p.only, "other panels are of the host, too")
	p.keys("<esc><end>e")
	require.Equal(t, "esx04.example.com", p.only, "one that never answered")
	p.shows(80, 24)
	p.keys("Ha")
	require.Empty(t, p.only)
	require.Len(t, p.histories[0].timeline(p.key, p.table.sortColumn(), 20), 2, "nothing was forgotten")
	p.keys("H<pgup><pgdown><up>?")
	require.Contains(t, p.shows(80, 24), "Keys. Panel CPU")
}

// TestCellPage: enter explains a figure and draws its history.
func TestCellPage(t *testing.T) {
	withThresholds(t, someThresholds)
	p := driven(t, replayed(), byLoad)
	p.keys(" ...............<right><end><enter>")
	for _, size := range sizes {
		golden.Equal(t, fmt.Sprintf("testdata/cell-%dx%d.txt", size[0], size[1]), []byte(p.shows(size[0], size[1])))
	}
	require.Contains(t, p.shows(80, 24), "metric     cpu.ready")
	p.keys("<down>")
	require.NotNil(t, p.page, "it scrolls")
	p.keys("q")
	require.Nil(t, p.page)
	require.False(t, p.ended)
	require.Contains(t, driven(t, oneHost(), byLoad, func(o *Options) { o.Source.(*source).rounds = o.Source.(*source).rounds[:1] }).keys("<enter>").shows(80, 24), "history    none yet")
}

// TestMouse: the wheel scrolls, a click on a name sorts, one on a cell selects it, and another explains it.
func TestMouse(t *testing.T) {
	p := driven(t, oneHost(), byLoad)
	p.shows(80, 24)
	require.Equal(t, tea.MouseModeCellMotion, p.View().MouseMode)
	head := p.layout.head
	before, _, _ := strings.Cut(strings.Split(p.shows(80, 24), "\n")[head], "%RDY")
	x := cells(before) + 1
	click := func(x, y int) { p.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(x, head)
	require.Equal(t, Sort{Metric: "cpu.ready"}, p.set.Sorts['c'])
	require.Contains(t, p.shows(80, 24), "▼%RDY")
	click(x, head)
	require.True(t, p.set.Sorts['c'].Reversed)
	require.Contains(t, p.shows(80, 24), "▲%RDY")
	click(x, head)
	require.False(t, p.set.Sorts['c'].Reversed, "and back")
	click(x+8, head+3)
	require.Equal(t, []any{2, "%CSTP"}, []any{p.at, p.label})
	require.Nil(t, p.page)
	click(x+8, head+3)
	require.IsType(t, cellPage{}, p.page)
	p.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	require.NotNil(t, p.page, "a wheel scrolls pages, too")
	p.keys("q")
	p.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	require.Zero(t, p.at)
	p.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	require.Equal(t, 3, p.at)
	p.Update(tea.MouseWheelMsg{Button: tea.MouseWheelRight})
	require.Equal(t, "%MLMTD", p.label)
	for _, at := range [][2]int{{0, 0}, {79, 23}, {-1, -1}, {3, head + 15}, {500, head}} {
		before := p.set.Sorts['c']
		click(at[0], at[1])
		require.Equal(t, before, p.set.Sorts['c'])
		require.Nil(t, p.page)
	}
	p.Update(tea.MouseClickMsg{X: x, Y: head, Button: tea.MouseRight})
	require.False(t, p.set.Sorts['c'].Reversed)

	p = driven(t, several(), byLoad).keys("H")
	p.shows(80, 24)
	click(5, 2)
	require.IsType(t, hostPage{}, p.page)
	click(5, 2)
	require.Equal(t, "esx02.example.com", p.only)
}

// TestResizeLeavesNothing: after any change of size the whole screen is drawn anew.
func TestResizeLeavesNothing(t *testing.T) {
	p := driven(t, several(), byLoad)
	var after time.Duration
	p.after = func(d time.Duration, msg tea.Msg) tea.Cmd { after = d; return func() tea.Msg { return msg } }
	_, cmd := p.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	require.Greater(t, after, time.Second/framesPerSecond, "one frame later: TestProgram has the whole story")
	_, cmd = p.Update(cmd())
	require.Equal(t, tea.ClearScreen(), cmd())
}

// TestHostsAreShort checks that host names lose their domains if they stay unique.
func TestHostsAreShort(t *testing.T) {
	require.Equal(t, map[string]string{"a.example.com": "a", "b.example.com": "b"}, shortHosts([]string{"a.example.com", "b.example.com"}))
	require.Nil(t, shortHosts([]string{"a.example.com", "a.example.org"}))
	require.Equal(t, map[string]string{"10.0.0.1": "10.0.0.1", "10.0.0.2": "10.0.0.2"}, shortHosts([]string{"10.0.0.1", "10.0.0.2"}))
}

func TestElide(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  string
	}{
		{"web01", 10, "web01"}, {"naa.600508b1001c4d41121c5f0a7c0d1a2b", 16, "naa.600508…d1a2b"}, {"abcdefgh", 5, "abcdefgh"}, {"データベース一号", 12, "データベ…号"},
	} {
		require.Equal(t, tc.want, elide(tc.text, tc.width))
		require.LessOrEqual(t, cells(pad(elide(tc.text, tc.width), tc.width, true)), tc.width)
	}
}

// TestSparklinesAreAligned: a mark behind the last column does not move the sparkline of its row.
func TestSparklinesAreAligned(t *testing.T) {
	withThresholds(t, map[string]*esxtop.Threshold{"cpu.vmWait": {Warn: 8}})
	marked, starts := 0, map[int]int{}
	for line := range strings.Lines(driven(t, oneHost(), byLoad).shows(120, 40)) {
		if before, _, found := strings.Cut(line, "▄▅"); found && strings.ContainsAny(line[:1], " >") {
			starts[cells(before)]++
			if strings.HasSuffix(strings.TrimSpace(before), "!") {
				marked++
			}
		}
	}
	require.Positive(t, marked)
	require.Len(t, starts, 1, "%v", starts)
}

func TestFitting(t *testing.T) {
	parts := []string{"CPU of VMs", "6 rows", "every 5s"}
	for width, want := range map[int]string{4: "CPU of VMs", 18: "CPU of VMs", 19: "CPU of VMs | 6 rows", 29: "CPU of VMs | 6 rows", 30: "CPU of VMs | 6 rows | every 5s"} {
		require.Equal(t, want, fitting(parts, " | ", width), width)
	}
}
