package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/golden"
	"github.com/vperf/vperf/pkg/esxtop"
)

// names are those of the rows on the screen.
func (p *program) names() (list []string) {
	for _, l := range p.table.rows {
		list = append(list, rowName(l))
	}
	return list
}

func (p *program) labels() (list []string) {
	for _, c := range p.table.columns {
		list = append(list, c.Label)
	}
	return list
}

func replayed() seekable {
	s := &source{about: esxtop.About{Origin: esxtop.Capture, Hosts: []string{"esx01"}, Interval: 5 * time.Second}}
	for i := range 30 {
		s.rounds = append(s.rounds, round(host("esx01", 4, 6, i)))
	}
	return seekable{s}
}

func TestPanelKeys(t *testing.T) {
	p := driven(t, oneHost())
	for _, panel := range esxtop.Panels() {
		p.keys(string(panel.Key))
		require.Equal(t, panel, p.table.panel)
	}
	asked := p.opts.Source.(*source).asked
	require.Len(t, asked, 9, "once at the start, once for each other panel")
	for i, r := range asked {
		require.Equal(t, esxtop.Panels()[i].Key == 'i', r.Objects.Has(esxtop.Vector))
	}
}

func TestSortKeys(t *testing.T) {
	p := driven(t, oneHost())
	byID := []string{"system", "web01", "web02", "web03", "web04", "web05", "web06"}
	require.Equal(t, byID, p.names())
	require.Equal(t, []string{"system", "web06", "web05", "web04", "web03", "web02", "web01"}, p.keys("R").names())
	require.Equal(t, []string{"web02", "web01", "web06", "web05", "web04", "web03", "system"}, p.keys("U").names())
	require.Equal(t, byID, p.keys("N").names())
	p.keys("m")
	require.Equal(t, []string{"web06", "web05", "web04", "web03", "web02", "web01"}, p.keys("B").names())
	require.Empty(t, p.set.Sorts['c'].Metric, "each panel has its own order")
	require.Equal(t, "mem.balloon", p.set.Sorts['m'].Metric)
	p.keys("v")
	require.Equal(t, "web06", p.keys("T").names()[0])
}

func TestSortByColumnUnderCursor(t *testing.T) {
	p := driven(t, oneHost())
	require.Equal(t, "%USED", p.label)
	p.keys("<right><right><right><right><right>=")
	require.Equal(t, Sort{Metric: "cpu.run"}, p.set.Sorts['c'])
	require.Equal(t, "system", p.names()[0])
	p.keys("=")
	require.Equal(t, Sort{Metric: "cpu.run", Reversed: true}, p.set.Sorts['c'])
	require.Equal(t, "web01", p.names()[0])
	p.keys("<left><left><left><left><left><left>=")
	require.Equal(t, Sort{Attribute: esxtop.RowName}, p.set.Sorts['c'])
	require.Equal(t, "system", p.names()[0])
	p.keys("=")
	require.Equal(t, "web06", p.names()[0], "from behind, and before system")
	p.keys("p<right><right>=")
	require.Equal(t, Sort{Metric: "power.cstate", Child: "0"}, p.set.Sorts['p'])
}

func TestAbsentSortsLast(t *testing.T) {
	p := driven(t, oneHost())
	p.keys("R")
	p.set.Sorts['c'] = Sort{Metric: "cpu.costop", Reversed: true}
	p.rebuild()
	require.Equal(t, "system", p.names()[6], "it has no such figure")
	p.set.Sorts['c'] = Sort{Metric: "cpu.costop"}
	p.rebuild()
	require.Equal(t, "system", p.names()[6])
}

func TestFieldKeys(t *testing.T) {
	p := driven(t, oneHost())
	p.keys("f")
	require.Contains(t, p.shows(80, 24), "* F: %STATE TIMES")
	p.keys("fk")
	require.Equal(t, "ABcDEfghijK", p.set.Fields['c'])
	require.NotNil(t, p.page, "letters do not leave the page")
	p.keys("q")
	require.Nil(t, p.page)
	require.Equal(t, []string{"NAME", "NWLD", "%USED/V", "%RDY/V", "%RDY-ML/V", "%CSTP/V", "%MLMTD/V", "%SWPWT/V", "%VMWAIT/V", "%LAT_C/V", "ID", "GID"}, p.labels())
	p.keys("oDDDa<esc>")
	require.Equal(t, "DBAcEfghijK", p.set.Fields['c'])
	require.Equal(t, []string{"NAME", "GID", "ID"}, p.labels()[:3])
	p.keys("i")
	asked := p.opts.Source.(*source).asked
	require.True(t, asked[len(asked)-1].Objects.Has(esxtop.VectorCPU))
	p.keys("Fd<esc>")
	asked = p.opts.Source.(*source).asked
	require.False(t, asked[len(asked)-1].Objects.Has(esxtop.VectorCPU), "nobody looks at it any more")
}

func TestExpand(t *testing.T) {
	p := driven(t, oneHost())
	p.keys("<down>e")
	require.Equal(t, []string{"system", "web01", "web01 vmx", "web01 vmx-vcpu-0:web01", "web01 vmx-vcpu-1:web01", "web02"}, p.names()[:6])
	asked := p.opts.Source.(*source).asked
	require.True(t, asked[len(asked)-1].Objects.Has(esxtop.World))
	require.Regexp(t, `\n  vmx-vcpu-0 .* 1302701  1302698\n`, p.shows(200, 60))
	require.Contains(t, p.shows(80, 24), "\n  vmx-vcpu-0        ", "the number of a vCPU is what matters")
	p.keys("<down><down>e")
	require.Equal(t, "web02", p.names()[2], "from a row below it closes, too")
	require.Equal(t, "web01", p.table.rows[p.at].row.Name)
	asked = p.opts.Source.(*source).asked
	require.False(t, asked[len(asked)-1].Objects.Has(esxtop.World))

	for panel, want := range map[string]string{"d": "vmhba1:C0:T0:L0", "u": "2097152", "v": "scsi0:0"} {
		at := ""
		if panel == "d" {
			at = "<down>"
		}
		require.Contains(t, p.keys(panel+at+"e").shows(200, 60), want, panel)
	}
	require.Contains(t, p.keys("ne").shows(80, 24), "cannot be expanded")
}

func TestFilter(t *testing.T) {
	p := driven(t, oneHost())
	p.keys("/")
	require.Contains(t, p.shows(80, 24), "Filter by name or host: _")
	p.keys("WEB04q")
	require.Contains(t, p.shows(80, 24), "WEB04q_")
	p.keys("<backspace><enter>")
	require.Equal(t, []string{"web04"}, p.names())
	golden.Equal(t, "testdata/filter-80x24.txt", []byte(p.shows(80, 24)))
	p.keys("/<ctrl+u>nobody<enter>")
	require.Contains(t, p.shows(80, 24), "no row matches the filter")
	p.keys("/x<esc>")
	require.Equal(t, "nobody", p.filter)
	p.keys("<esc>")
	require.Len(t, p.names(), 7)
	require.Equal(t, []string{"1302706:web02.eth0"}, p.keys("n/web02<enter>").names(), "ports by who uses them")
}

func TestVMsOnlyRowsAndNameWidth(t *testing.T) {
	p := driven(t, oneHost())
	require.Equal(t, []string{"web01", "web02", "web03", "web04", "web05", "web06"}, p.keys("V").names())
	require.Contains(t, p.shows(80, 24), " CPU of VMs by ID ▲ | 6 rows |")
	require.Equal(t, []string{"web01", "web02"}, p.keys("#2<enter>").names())
	require.Len(t, p.keys("#0<enter>").names(), 6)
	require.Contains(t, p.keys("L4<enter>").shows(80, 24), " web0 ")
	require.Contains(t, p.keys("L-1<enter>").shows(80, 24), `"-1" is not a number from 0 to 128`)
	require.Len(t, p.keys("d").names(), 3, "adapters are nobody's")
}

func TestDelay(t *testing.T) {
	p := driven(t, oneHost())
	p.keys("s7.5<enter>")
	require.Equal(t, 7500*time.Millisecond, p.set.Delay)
	asked := p.opts.Source.(*source).asked
	require.Equal(t, 7500*time.Millisecond, asked[len(asked)-1].Interval)
	for _, wrong := range []string{"0", "-3", "x", "NaN", "1e9"} {
		require.Contains(t, p.keys("s"+wrong+"<enter>").shows(80, 24), "is not a delay", wrong)
	}
	require.Equal(t, 7500*time.Millisecond, p.set.Delay)
}

func TestSave(t *testing.T) {
	var saved Settings
	var failure error
	p := driven(t, oneHost(), func(o *Options) {
		o.Save = func(s Settings) (string, error) { saved = s; return "/home/a/.esxtop60rc", failure }
	})
	require.Contains(t, p.keys("mVW").shows(80, 24), "settings saved in /home/a/.esxtop60rc")
	require.Equal(t, byte('m'), saved.Panel)
	require.True(t, saved.VMsOnly)
	failure = errors.New("the disk is full")
	require.Contains(t, p.keys("W").shows(80, 24), "saving settings failed: the disk is full")
	require.Contains(t, driven(t, oneHost()).keys("W").shows(80, 24), "settings cannot be saved here")
}

func TestCursorStaysOnItsRow(t *testing.T) {
	src := oneHost()
	p := driven(t, src)
	p.keys("<down><down>")
	require.Equal(t, "web02", rowName(p.table.rows[p.at]))
	p.keys("R")
	require.Equal(t, "web02", rowName(p.table.rows[p.at]))
	p.keys("<end>")
	require.Equal(t, "web01", rowName(p.table.rows[p.at]))
	p.keys("<down><down><pgdown>")
	require.Equal(t, 6, p.at)
	p.keys("<home><up>8")
	require.Zero(t, p.at)
	for range 40 {
		p.keys("<right>")
	}
	require.Equal(t, "GID", p.label)
	require.Contains(t, p.shows(80, 24), "GID", "the window follows the cursor")
	require.Contains(t, p.shows(80, 24), "NAME", "and names stay")
	for range 40 {
		p.keys("<left>")
	}
	require.Contains(t, p.shows(80, 24), "%USED")
}

// TestCursorWaitsOnTop checks the cursor while hosts answer in any order, before the user chooses a row.
func TestCursorWaitsOnTop(t *testing.T) {
	late, early := host("esx01", 4, 3, 0), host("esx02", 4, 3, 0)
	p := driven(t, &source{live: true, rounds: []*esxtop.Round{round(early)}})
	p.take(roundMsg{round: round(late, early), place: p.place()})
	require.Equal(t, "esx01", p.table.rows[p.at].frame.Host)
	p.keys("<down>")
	row := p.names()[p.at]
	p.take(roundMsg{round: round(host("esx00", 4, 3, 0), late, early), place: p.place()})
	require.Equal(t, "esx01", p.table.rows[p.at].frame.Host)
	require.Equal(t, row, p.names()[p.at], "this one is chosen")
}

// TestNearPanelsAreAskedFor checks that objects that the Esxtop service sends anyway are present when their panel opens.
func TestNearPanelsAreAskedFor(t *testing.T) {
	for origin, near := range map[esxtop.Origin]bool{esxtop.Service: true, esxtop.Performance: false} {
		src := &source{live: true, about: esxtop.About{Origin: origin}, rounds: []*esxtop.Round{round(host("esx01", 4, 3, 0))}}
		driven(t, src)
		for o, want := range map[esxtop.Object]bool{esxtop.Group: true, esxtop.Adapter: near, esxtop.Port: near, esxtop.Vector: false, esxtop.World: false} {
			require.Equal(t, want, src.asked[0].Objects.Has(o), "%s of the %s", o, origin)
		}
	}
}

// TestWhatIsNotThereYet: a panel whose figures were never asked for waits for them before it says that there are none.
func TestWhatIsNotThereYet(t *testing.T) {
	f := host("esx01", 4, 3, 0)
	poor := &esxtop.Frame{Host: f.Host, Time: f.Time, Interval: f.Interval, Origin: f.Origin}
	src := &source{live: true, about: esxtop.About{Origin: esxtop.Performance}, rounds: []*esxtop.Round{round(poor)}}
	p := driven(t, src).keys("d")
	require.Contains(t, p.shows(80, 24), "requested")
	for range 2 {
		require.Contains(t, p.shows(80, 24), "requested", "the round under way knows nothing of it")
		p.take(roundMsg{round: round(poor), place: p.place()})
	}
	require.Contains(t, p.shows(80, 24), "the source has no data for this panel")
}

func TestRowsScroll(t *testing.T) {
	src := &source{live: true, rounds: []*esxtop.Round{round(host("esx01", 4, 60, 0))}}
	p := driven(t, src)
	require.NotContains(t, p.shows(80, 24), "web60")
	p.keys("<end>")
	require.Contains(t, p.shows(80, 24), "web60")
	p.keys("<home>")
	require.Contains(t, p.shows(80, 24), "system")
}

func TestHoldLive(t *testing.T) {
	src := oneHost()
	p := driven(t, src)
	p.keys("P")
	require.Contains(t, p.shows(120, 24), "HELD since 10:49:27pm")
	p.take(roundMsg{round: round(host("esx01", 12, 6, 9)), place: p.place()})
	require.Contains(t, p.shows(120, 24), "10:49:27pm up", "what is held does not move")
	require.Contains(t, p.keys("P").shows(120, 24), "10:50:02pm up", "and nothing is lost")
	list, _ := p.histories[0].of(p.key, &p.table.columns[p.column])
	require.Len(t, list, 4)
}

func TestWhatASourceHasKeptIsNotNow(t *testing.T) {
	p := driven(t, oneHost())
	kept := round(host("esx01", 12, 6, 9))
	kept.Past = true
	p.take(roundMsg{round: kept, place: p.place()})
	require.Contains(t, p.shows(120, 24), "| HISTORY of 10:50:02pm |")
	require.Contains(t, p.keys("P").shows(120, 24), "HISTORY", "also while it is held")
	p.keys("P")
	p.take(roundMsg{round: round(host("esx01", 12, 6, 9)), place: p.place()})
	require.NotContains(t, p.shows(120, 24), "HISTORY")
}

func TestQuit(t *testing.T) {
	for _, key := range []string{"q", "<ctrl+c>"} {
		p := driven(t, oneHost())
		p.keys(key)
		require.True(t, p.ended, key)
	}
	p := driven(t, oneHost())
	require.True(t, p.keys("/<ctrl+c>").ended, "in a question, too")
}

func TestBrokenSource(t *testing.T) {
	src := oneHost()
	src.live, src.err = false, errBroken
	p := driven(t, src)
	require.ErrorIs(t, p.err, errBroken)
	require.True(t, p.ended)
}

func TestReplayKeys(t *testing.T) {
	p := driven(t, replayed())
	at := func() int { n, _ := p.replay.Position(); return n }
	require.Equal(t, 1, at())
	require.True(t, p.playing)
	require.Contains(t, p.shows(120, 24), "sample 1 of 30, playing | 7 rows | esx01: capture, every 5s")
	p.keys(" ")
	require.False(t, p.playing)
	p.take(playMsg{p.turn})
	require.Equal(t, 1, at(), "a pause ends what was to come")
	for _, step := range []struct {
		keys string
		want int
	}{
		{".", 2}, {".", 3}, {",", 2}, {",", 1}, {",", 1}, {"]", 11}, {"]", 21}, {"]", 30}, {"[", 20}, {"g", 1}, {"G", 30}, {".", 30}, {",", 29},
		{":7<enter>", 7}, {":0<enter>", 7}, {":22:50:17<enter>", 13}, {":10:50:42PM<enter>", 18}, {":2026-03-01T22:49:22Z<enter>", 2}, {":23:59<enter>", 30}, {":soon<enter>", 30},
	} {
		p.keys(step.keys)
		require.Equal(t, step.want, at(), step.keys)
		require.Equal(t, p.replay.(seekable).rounds[step.want-1].Time, p.now.time, step.keys)
	}
	require.Contains(t, p.shows(120, 24), `"soon" is neither a number nor a time`)
	p.keys("g ")
	require.True(t, p.playing)
	require.Equal(t, 2, at())
	turn := p.turn
	p.take(playMsg{turn - 1})
	require.Equal(t, 2, at(), "a tick of before the jump")
	p.take(playMsg{turn})
	require.Equal(t, 3, at())
	p.keys("s30<enter>")
	require.Equal(t, 30*time.Second, p.pace())
}

// picky is a capture that reads only requested objects.
type picky struct {
	seekable
	seeks int
}

func (p *picky) Seek(n int) error { p.seeks++; return p.seekable.Seek(n) }

func (p *picky) Next(ctx context.Context) (*esxtop.Round, error) {
	r, err := p.seekable.Next(ctx)
	if err != nil {
		return r, err
	}
	asked := p.asked[len(p.asked)-1].Objects
	some := &esxtop.Frame{Host: r.Frames[0].Host, Time: r.Time}
	for o := esxtop.Host; o <= esxtop.Dom; o++ {
		if asked.Has(o) {
			some.Put(o, r.Frames[0].Rows(o))
		}
	}
	return round(some), nil
}

func TestReplayReadsWhatItLacks(t *testing.T) {
	src := &picky{seekable: replayed()}
	p := driven(t, src)
	require.Contains(t, p.keys("d").shows(120, 24), "vmhba64", "the next one may be long in coming")
	require.True(t, p.playing, "it comes nevertheless")
	p.keys("c")
	p.keys(" ..")
	for panel, want := range map[string]string{"d": "vmhba64", "n": "web03.eth0", "i": "COUNT_3", "v": "web03"} {
		require.Contains(t, p.keys(panel).shows(120, 24), want)
		require.Equal(t, 3, p.known.next, "it is still the same sample")
	}
	require.Contains(t, p.keys("c<down>e").shows(120, 24), "vmx-vcpu-0")
}

func TestReplayEnds(t *testing.T) {
	p := driven(t, replayed())
	p.keys("G")
	p.keys(" ")
	require.False(t, p.playing)
	require.Contains(t, p.shows(120, 24), "this was the last sample")
	require.NoError(t, p.err)
	p.keys(",")
	require.Contains(t, p.shows(120, 24), "sample 29 of 30")
}

func TestHistoryOfReplayTurnsBack(t *testing.T) {
	p := driven(t, replayed())
	p.keys(" ....,,")
	list, span := p.histories[0].of(p.key, &p.table.columns[p.column])
	require.Len(t, list, 3)
	require.Equal(t, 10*time.Second, span)
}

func TestHelpAndExplain(t *testing.T) {
	withThresholds(t, someThresholds)
	ready := esxtop.Lookup("cpu.ready")
	ready.About = "It could have run, but no CPU was free. A sentence that goes on for long enough is broken."
	t.Cleanup(func() { ready.About = "" })
	p := driven(t, oneHost(), func(o *Options) {
		o.Rules = func(id string) []string { return []string{"rule about " + id} }
	})
	p.keys("h")
	golden.Equal(t, "testdata/help-80x24.txt", []byte(p.shows(80, 24)))
	p.shows(80, 20)
	p.keys("<down>")
	require.NotContains(t, p.shows(80, 20), "Keys. Panel")
	p.keys("x")
	require.Equal(t, byte('c'), p.set.Panel, "the key that closes a page does nothing else")
	p.keys("<right><enter>")
	golden.Equal(t, "testdata/explain-80x24.txt", []byte(p.shows(80, 24)))
	require.Contains(t, p.keys("q<home><left><left><left><enter>").shows(80, 24), "it is not a metric")
	require.Contains(t, driven(t, replayed()).keys("?<pgdown>").shows(80, 24), "g first, G last")
}

func TestUnknownKeySaysSo(t *testing.T) {
	require.Contains(t, driven(t, oneHost()).keys("z").shows(80, 24), "no key z here; h lists the keys")
}

func TestClock(t *testing.T) {
	p := driven(t, several())
	var asked []time.Duration
	p.after = func(d time.Duration, _ tea.Msg) tea.Cmd { asked = append(asked, d); return nil }
	p.take(ageMsg{})
	p.take(ageMsg{})
	require.Equal(t, []time.Duration{time.Second, time.Second}, asked, "while a host is late its age grows")
	p = driven(t, oneHost())
	p.after = func(time.Duration, tea.Msg) tea.Cmd { t.Error("nobody is late"); return nil }
	p.take(ageMsg{})
	require.Equal(t, playMsg{7}, after(0, playMsg{7})())
}

func TestWaiting(t *testing.T) {
	p := driven(t, &source{live: true, about: esxtop.About{Hosts: []string{"esx01"}}})
	require.True(t, strings.HasPrefix(p.shows(80, 24), "waiting for the first sample\n CPU by ID ▲ | 0 rows | Esxtop service\n"))
	p.keys("R=<enter>")
	p.keys("qe<down><right>fa<esc>/x<enter>")
	p.shows(80, 24)
}

func TestSettingsOfOthers(t *testing.T) {
	s := Settings{Panel: '?', Delay: -1, Rows: -5, NameWidth: -2, Fields: map[byte]string{'c': "DaZ!D", 'y': "AB", 'm': ""}}.normal()
	require.Equal(t, byte('c'), s.Panel)
	require.Equal(t, "Dabcefghijk", s.Fields['c'], "what is not told is hidden")
	require.Equal(t, esxtop.PanelOf('m').DefaultFields(), s.Fields['m'])
	require.Zero(t, s.Rows)
	require.NotContains(t, s.Fields, byte('y'))
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0s", 59 * time.Second: "59s", 130 * time.Second: "2m10s", 3*time.Hour + 5*time.Minute: "3h05m"} {
		require.Equal(t, want, age(d))
	}
}

func TestUptime(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		13 * time.Minute: "13 min", 2*day + 53*time.Minute: "2 days 53 min", 68*day + 20*time.Hour + 13*time.Minute: "68 days 20:13",
		day: "1 day 0 min", 4*time.Hour + 5*time.Minute: "4:05",
	} {
		require.Equal(t, want, uptime(d))
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{2575.96, 2, "2575.96"}, {31203.6, 2, "31203.6"}, {123456.7, 2, "123457"}, {1234567.8, 2, "1234568"}, {123456789, 2, "1.2e+08"}, {-1, 0, "-1"}, {-.001, 2, "0.00"}, {0, 2, "0.00"},
	} {
		require.Equal(t, tc.want, number(tc.v, tc.decimals, 7), fmt.Sprint(tc.v))
	}
	for v, want := range map[float64]string{0: "0.0", .3: "0.3", 9.94: "9.9", 9.95: "10", 9.96: "10", 55: "55", 100: "100", 130.4: "130"} {
		require.Equal(t, want, pcpu(v, true))
	}
	require.Equal(t, "-", pcpu(0, false))
	require.Equal(t, "0,1", nodes(3))
	require.Equal(t, "-", nodes(0))
}
