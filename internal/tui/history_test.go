package tui

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

func TestSpark(t *testing.T) {
	nan := float32(math.NaN())
	for _, tc := range []struct {
		list []float32
		want string
	}{
		{nil, ""}, {[]float32{0, 0}, "▁▁"}, {[]float32{0, 4, 8}, "▁▅█"}, {[]float32{1, nan, 8}, "▂·█"}, {[]float32{nan}, "·"},
	} {
		require.Equal(t, tc.want, sparkTo(tc.list, peak(tc.list)), fmt.Sprint(tc.list))
	}
}

// TestTrend: the course of a series is seen, but noise is not made large.
func TestTrend(t *testing.T) {
	nan := float32(math.NaN())
	for _, tc := range []struct {
		list  []float32
		floor float32
		want  string
	}{
		{nil, 10, ""}, {[]float32{0, 0}, 10, "▁▁"}, {[]float32{100, 150, 200}, 10, "▁▅█"}, {[]float32{100, 100, 101}, 10, "▄▄▅"},
		{[]float32{0.1, 0, 0.4}, 10, "▁▁▁"}, {[]float32{0, nan, 40}, 0, "▁·█"}, {[]float32{nan}, 10, "·"},
	} {
		require.Equal(t, tc.want, trend(tc.list, tc.floor), fmt.Sprint(tc.list))
	}
}

func TestHistoryForgets(t *testing.T) {
	fl := newFleet()
	fl.add(round(host("esx01", 2, 2, 0)))
	s := Settings{}.normal()
	all := collect(fl, s)
	h := newHistory(all, time.Minute)
	require.Len(t, h.times, 16)
	gone := all.rows[2].key()
	h.add(all, nil, start)
	for i := 1; i < 40; i++ {
		fl.add(round(host("esx01", 2, 1, i)))
		h.add(collect(fl, s), nil, start.Add(time.Duration(i)*time.Minute))
	}
	require.NotContains(t, h.rows, gone, "a VM that left is forgotten")
	ready := column{Column: esxtop.Column{Metric: esxtop.Lookup("cpu.ready")}}
	list, span := h.of(all.rows[1].key(), &ready)
	require.Len(t, list, 16)
	require.Equal(t, 15*time.Minute, span)
	require.Equal(t, []float32{28, 43}, []float32{list[0], list[15]})
	list, _ = h.of(gone, &ready)
	require.Nil(t, list)
}

func TestHistoryIsBounded(t *testing.T) {
	fl := newFleet()
	frames := make([]*esxtop.Frame, 100)
	for i := range frames {
		frames[i] = host(fmt.Sprintf("esx%03d", i), 2, 20, 0)
	}
	fl.add(round(frames...))
	all := collect(fl, Settings{}.normal())
	h := newHistory(all, 2*time.Second)
	h.add(all, nil, start)
	figures := 0
	for _, s := range h.rows {
		figures += len(s.figures)
	}
	require.LessOrEqual(t, figures, mostFigures)
	require.Greater(t, len(h.rows), 2000)
	require.GreaterOrEqual(t, len(h.times), fewSamples)
}

func TestLateHostsHaveGaps(t *testing.T) {
	src := several()
	p := driven(t, src)
	for _, l := range p.table.rows {
		if l.frame.Host == "esx03.example.com" && l.row.Name == "web01" {
			list, _ := p.histories[0].of(l.key(), &p.table.columns[p.column])
			require.Len(t, list, 2)
			require.False(t, math.IsNaN(float64(list[0])))
			require.True(t, math.IsNaN(float64(list[1])), "an old figure is not told twice")
			return
		}
	}
	t.Fatal("the late host's rows are gone")
}

func TestPanelsLookedAtBefore(t *testing.T) {
	src := oneHost()
	p := driven(t, src)
	require.Equal(t, 3, p.histories[0].count)
	p.keys("m")
	p.take(roundMsg{round: round(host("esx01", 12, 6, 3)), place: p.place()})
	p.keys("c")
	p.take(roundMsg{round: round(host("esx01", 12, 6, 4)), place: p.place()})
	require.Equal(t, 4, p.histories[0].count, "a look elsewhere forgets nothing")
	for _, panel := range "duvn" {
		p.keys(string(panel))
		p.take(roundMsg{round: round(host("esx01", 12, 6, int(panel))), place: p.place()})
	}
	require.Len(t, p.histories, keptHistories)
}

// TestTimeline checks that places are of equal time for any sample interval, and that only missing samples are gaps.
func TestTimeline(t *testing.T) {
	fl := newFleet()
	s := Settings{}.normal()
	add := func(h *history, tick int, after time.Duration) *history {
		fl.add(round(host("esx01", 2, 2, tick)))
		all := collect(fl, s)
		if h == nil {
			h = newHistory(all, 5*time.Second)
		}
		h.add(all, nil, start.Add(after))
		return h
	}
	h := add(nil, 0, 0)
	h = add(h, 10, 20*time.Second)
	h = add(h, 20, 40*time.Second)
	h = add(h, 30, 45*time.Second)
	h = add(h, 40, 50*time.Second)
	ready := column{Column: esxtop.Column{Metric: esxtop.Lookup("cpu.ready")}}
	key := collect(fl, s).rows[1].key()
	require.Equal(t, []float32{4, 4, 4, 4, 14, 14, 14, 14, 24, 34, 44}, h.timeline(key, &ready, 60))
	require.Equal(t, []float32{14, 34, 44}, h.timeline(key, &ready, 3), "the highest of each place")
	require.Nil(t, h.timeline(lineKey{}, &ready, 60))
	h = add(h, 50, 150*time.Second)
	gap := h.timeline(key, &ready, 31)
	require.True(t, math.IsNaN(float64(gap[20])), "a minute and a half without a sample")
	require.InDelta(t, 54, gap[30], 0)
}

// TestHistoryKeepsLiveSamplesWhenAClockIsSetBack: no sample is removed, and none is there twice.
func TestHistoryKeepsLiveSamplesWhenAClockIsSetBack(t *testing.T) {
	fl := newFleet()
	s := Settings{}.normal()
	fl.add(round(host("esx01", 2, 2, 0)))
	all := collect(fl, s)
	h := newHistory(all, time.Minute)
	ready := column{Column: esxtop.Column{Metric: esxtop.Lookup("cpu.ready")}}
	for i := range 10 {
		fl.add(round(host("esx01", 2, 2, i)))
		at := start.Add(time.Duration(i) * time.Minute)
		if i >= 5 {
			at = at.Add(-time.Hour)
		}
		h.add(collect(fl, s), nil, h.onward(at))
	}
	list, _ := h.of(all.rows[1].key(), &ready)
	require.Len(t, list, 10)
	require.IsIncreasing(t, list)
}
