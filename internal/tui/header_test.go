package tui

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// Many hosts that do not answer for the same reason are one text, so that the reason is visible on a narrow screen.
func TestLateLineOnANarrowScreen(t *testing.T) {
	now := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	slow := errors.New("reading counters from vc.example.com: no answer within 15s; check that the server is well")
	fl := &fleet{hosts: []string{"esx01.example.com", "esx02.example.com", "esx03.example.com", "esx04.example.com"}, late: map[string]esxtop.Trouble{
		"esx01.example.com": {Host: "esx01.example.com", Since: now.Add(-34 * time.Second), Err: slow},
		"esx03.example.com": {Host: "esx03.example.com", Since: now.Add(-34 * time.Second), Err: slow},
		"esx04.example.com": {Host: "esx04.example.com"},
	}}
	require.Equal(t, []string{"LATE        : 2 hosts silent for 34s (no answer within 15s): esx01, esx03; esx04 no answer yet"}, lateLines(fl, now, 60))
	full := "LATE        : 3 hosts: esx01.example.com silent for 34s (" + slow.Error() + "); esx03.example.com silent for 34s (" + slow.Error() +
		"); esx04.example.com no answer yet"
	require.Equal(t, []string{full}, lateLines(fl, now, 0))
	require.Equal(t, []string{full}, lateLines(fl, now, len(full)))
	delete(fl.late, "esx03.example.com")
	delete(fl.late, "esx04.example.com")
	require.Equal(t, []string{"LATE        : esx01 silent for 34s (no answer within 15s)"}, lateLines(fl, now, 60))
}

// A narrow screen has short names of hosts and a whole load average: a figure that is cut off is wrong.
func TestClusterLinesOnANarrowScreen(t *testing.T) {
	worst := func(name func(string) string) string {
		return extreme(esxtop.Extreme{Known: true, Value: 42.37, Name: "desk-04", Host: "esx01.example.com"}, "", name)
	}
	at := time.Date(2026, 6, 10, 20, 18, 19, 0, time.UTC)
	fl := &fleet{hosts: []string{"esx01.example.com", "esx02.example.com"}, time: at}
	require.Equal(t, "42.37, desk-04 on esx01.example.com", hostNamed(fl, 40, worst))
	require.Equal(t, "42.37, desk-04 on esx01", hostNamed(fl, 34, worst))
	require.Equal(t, "42.37, desk-04 on esx01.example.com", hostNamed(fl, 0, worst))
	require.Contains(t, clusterLines(fl, at, 80)[0], "; CPU load average: -")
	require.Contains(t, clusterLines(fl, at, 60)[0], "; load: -")
}
