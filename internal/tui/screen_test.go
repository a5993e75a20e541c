package tui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"fmt"
	"testing"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/esxtop"
)

func oneHost() *source {
	return &source{live: true, rounds: []*esxtop.Round{round(host("esx01", 12, 6, 0)), round(host("esx01", 12, 6, 1)), round(host("esx01", 12, 6, 2))},
		about: esxtop.About{Origin: esxtop.Service, Hosts: []string{"esx01"}, Interval: 5e9}}
}

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}}

func TestPanels(t *testing.T) {
	withThresholds(t, someThresholds)
	for _, size := range sizes {
		for _, panel := range esxtop.Panels() {
			name := fmt.Sprintf("testdata/%c-%dx%d.txt", panel.Key, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				p := driven(t, oneHost())
				golden.Equal(t, name, []byte(p.keys(string(panel.Key)).shows(size[0], size[1])))
			})
		}
	}
}

// several is a fleet in which one host hangs, one never answered and names are hostile.
func several() *source {
	late := host("esx03.example.com", 8, 2, 0)
	short := host("esx02.example.com", 8, 3, 2)
	set(&short.Rows(esxtop.Host)[0], map[string]float64{"mem.state": 2, "pcpu.utilAvg": 40})
	short.Rows(esxtop.Group)[1].Name = "evil\x1b[2J\n\u202eeman"
	short.Rows(esxtop.Group)[2].Name = "データベース一号"
	return &source{live: true, about: esxtop.About{Origin: esxtop.Performance, Hosts: []string{"esx01", "esx02", "esx03", "esx04"}, Interval: 20e9, Note: "the Esxtop service takes the privilege Global.ServiceManagers"},
		rounds: []*esxtop.Round{
			round(host("esx01.example.com", 8, 2, 0), short, late),
			{Time: start.Add(40e9), Frames: []*esxtop.Frame{host("esx01.example.com", 8, 2, 8), short}, Troubles: []esxtop.Trouble{
				{Host: "esx03.example.com", Since: start.Add(-70e9), Err: context.DeadlineExceeded},
				{Host: "esx04.example.com"},
			}},
		}}
}

func TestSeveralHosts(t *testing.T) {
	withThresholds(t, someThresholds)
	for _, size := range sizes {
		for _, panel := range "cmd" {
			name := fmt.Sprintf("testdata/fleet-%c-%dx%d.txt", panel, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden.Equal(t, name, []byte(driven(t, several()).keys(string(panel)).shows(size[0], size[1])))
			})
		}
	}
	p := driven(t, several())
	require.Len(t, p.keys("/esx02<enter>").names(), 4, "a filter finds hosts, too")
}

func TestSilentHost(t *testing.T) {
	withThresholds(t, someThresholds)
	require.Contains(t, driven(t, oneHost()).shows(200, 60), "24.00X")
	src := oneHost()
	src.rounds = append(src.rounds, &esxtop.Round{Time: start, Troubles: []esxtop.Trouble{{Host: "esx01", Since: start, Err: errBroken}}})
	p := driven(t, src)
	require.Contains(t, p.shows(80, 24), "LATE        : esx01 silent for 1m00s (the source broke)")
	require.True(t, p.table.rows[0].late)
	require.NotContains(t, p.shows(200, 60), "24.00X", "what it did then is no trouble now")
	p.opts.Now = func() time.Time { return start.Add(2 * time.Minute) }
	require.Contains(t, p.shows(80, 24), "silent for 2m00s", "its age grows while nothing comes")
	p.take(roundMsg{round: round(host("esx01", 12, 6, 9))})
	require.NotContains(t, p.shows(80, 24), "LATE")
}

func TestColourIsNeverAlone(t *testing.T) {
	withThresholds(t, someThresholds)
	screen := func(colour bool) string {
		p := driven(t, oneHost(), func(o *Options) { o.Color = colour })
		p.keys("<down><down><down>").shows(200, 60)
		return p.View().Content
	}
	coloured, bare := screen(true), screen(false)
	require.Contains(t, coloured, "\x1b[31m")
	require.Contains(t, coloured, "\x1b[33m")
	require.NotRegexp(t, "\x1b\\[[349][0-9]m", bare, "no colour, but weight")
	require.Equal(t, onTerminal(coloured, 200, 60), onTerminal(bare, 200, 60), "the text is the same")
	wide := driven(t, oneHost()).keys("<down><down><down>").shows(200, 60)
	require.Contains(t, wide, "12.00!", "marked")
	require.Contains(t, wide, "24.00X")
	require.Contains(t, wide, "! web03 %RDY per vCPU 9 > 5 warning: contention (and 4 more)", "named")
	require.NotRegexp(t, "\x1b\\[[0-9;]*(38|48);", coloured, "16 colours are enough")
}

func TestManyThreadsLeaveRoomForTheTable(t *testing.T) {
	p := driven(t, &source{live: true, rounds: []*esxtop.Round{round(host("esx01", 144, 6, 0))}})
	screen := p.shows(80, 24)
	require.Contains(t, screen, "PCPU USED(%): 144 of them, highest 95 on 2, AVG:  18")
	require.Contains(t, screen, "web06")
	require.Contains(t, p.shows(200, 60), "PCPU USED(%): 8.0  55  95")
}

func TestMemoryLinesAreEsxtops(t *testing.T) {
	require.Equal(t, `PMEM  /MB: 65500   total: 2100     vmk,61000 other, 2400 free
VMKMEM/MB: 65100 managed:  1300 minfree,  7600 rsvd,  57500 ursvd,  high state
NUMA  /MB: 32757 (  1120), 32641 (  1357)
PSHARE/MB:    1500  shared,     200  common:    1300 saving
SWAP  /MB:       0    curr,       0 rclmtgt:                 0.00 r/s,   0.00 w/s
ZIP   /MB:       0  zipped,       0   saved
MEMCTL/MB:       0    curr,       0  target,   42410 max`, strings.Join(memoryLines(host("esx01", 2, 1, 0)), "\n"))
	empty := &esxtop.Frame{}
	require.Contains(t, strings.Join(memoryLines(empty), "\n"), "PMEM  /MB:     -   total: -        vmk,    - other,    - free")
}

func TestCPULinesAreEsxtops(t *testing.T) {
	f := host("esx01", 12, 1, 0)
	require.Equal(t, `PCPU USED(%): 8.0  55  95 0.3 2.0 0.1 3.5 0.4  40 0.1  17 0.1 AVG:  18
PCPU UTIL(%):  10  50  88 0.5 2.4 0.2 4.0 0.6  35 0.1  15 0.1 AVG:  17
CORE UTIL(%):  55      88     2.5     4.5      35      15     AVG:  33`, strings.Join(cpuLines(f, 0, 0), "\n"))
	require.Equal(t, []string{
		"PCPU USED(%): 8.0  55  95 0.3",
		"              2.0 0.1 3.5 0.4",
		"               40 0.1  17 0.1",
		"              AVG:  18",
	}, cpuLines(f, 32, 0)[:4])
}

func TestAnySizeFits(t *testing.T) {
	withThresholds(t, someThresholds)
	p := driven(t, several())
	for _, panel := range esxtop.Panels() {
		p.keys(string(panel.Key))
		for width := 1; width < 130; width += 9 {
			for _, height := range []int{1, 2, 5, 9, 24} {
				p.shows(width, height)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	withThresholds(t, someThresholds)
	for name, src := range map[string]*source{"one": oneHost(), "fleet": several()} {
		var out bytes.Buffer
		src.live = false
		require.NoError(t, Plain(t.Context(), Options{Source: src, Out: &out, Now: func() time.Time { return start }}, 2))
		require.NotContains(t, out.String(), "\x1b")
		golden.Equal(t, "testdata/plain-"+name+".txt", out.Bytes())
	}
}

func TestPlainEnds(t *testing.T) {
	src := oneHost()
	src.live = false
	var out bytes.Buffer
	require.NoError(t, Plain(t.Context(), Options{Source: src, Out: &out, Settings: Settings{Panel: 'd'}}, 0))
	require.Equal(t, 3, strings.Count(out.String(), "ADAPTR"), "all samples")
	require.True(t, src.asked[0].Objects.Has(esxtop.Adapter))

	src = oneHost()
	src.live, src.err = false, errBroken
	require.ErrorIs(t, Plain(t.Context(), Options{Source: src, Out: io.Discard}, 0), errBroken)
	require.ErrorIs(t, Plain(t.Context(), Options{Source: oneHost(), Out: full{}}, 0), errBroken, "a reader that went away")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errBroken }

func TestHostsOwnTrouble(t *testing.T) {
	withThresholds(t, map[string]*esxtop.Threshold{
		"host.load1": {Warn: 0.05, Critical: 1, Word: "overloaded"}, "host.load5": {Warn: 0.05, Critical: 0.09, Word: "overloaded"},
		"host.load15": {Warn: 0.05, Critical: 0.09, Word: "overloaded"}, "mem.state": {Warn: 0, Word: "memory short"},
	})
	require.Contains(t, driven(t, oneHost()).shows(80, 24), "X esx01 CPU load average 0.1 > 0.09 critical: overloaded\n", "said once")
	fleet := driven(t, several())
	require.Contains(t, fleet.shows(80, 24), "X esx01.example.com CPU load average 0.1 > 0.09 critical (and 2 more)")
	var out bytes.Buffer
	require.NoError(t, Plain(t.Context(), Options{Source: several(), Out: &out}, 1))
	require.Contains(t, out.String(), "STATE: esx02.example.com VMKMEM state 2 > 0 warning: memory short\n")
}
