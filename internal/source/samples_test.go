package source

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

func TestSamplingGoesOnFromWhatWasRead(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	host := func(id, power, down string) Host { return Host{MoID: id, Power: power, Down: down} }
	up := []Host{host("host-1", "poweredOn", ""), host("host-2", "", "")}
	frame := func(id string, age time.Duration) *esxtop.Frame { return &esxtop.Frame{MoID: id, Time: now.Add(-age)} }

	older := frame("host-1", 2*time.Minute)
	older.Age = time.Minute

	var p Progress
	require.Equal(t, 10*time.Minute, p.missing(up, now, 10*time.Minute), "nothing was read")
	require.Equal(t, Kept, p.missing(up, now, 2*Kept))
	p.add(&esxtop.Round{Frames: []*esxtop.Frame{frame("host-1", time.Minute), older, frame("host-2", 5*time.Minute)}})
	require.Equal(t, 5*time.Minute+Interval, p.missing(up, now, 10*time.Minute), "the host that is furthest behind")
	require.Equal(t, time.Minute+Interval, p.missing(up[:1], now, 10*time.Minute), "an older frame is no step back")
	back := Progress{}
	back.add(&esxtop.Round{Frames: []*esxtop.Frame{frame("host-1", -time.Hour), frame("host-1", time.Minute)}})
	require.Equal(t, time.Minute+Interval, back.missing(up[:1], now, 10*time.Minute), "its clock was set back")
	require.Equal(t, Kept, p.missing(up, now.Add(2*Kept), 0))
	up[1].Power = "poweredOff"
	require.Equal(t, time.Minute+Interval, p.missing(up, now, 0), "a host that is off has no samples")
	up[1] = host("host-2", "poweredOn", "host not responding")
	require.Equal(t, time.Minute+Interval, p.missing(up, now, 0))
	require.Equal(t, 10*time.Minute, p.missing([]Host{host("host-3", "poweredOn", "")}, now, 10*time.Minute), "a host of which nothing was read")
}

// TestPaceLeavesWaitingOut: a round begins when its first wait is over.
func TestPaceLeavesWaitingOut(t *testing.T) {
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	p := pace{clock: Clock{Now: func() time.Time { return now }, After: func(d time.Duration) <-chan time.Time {
		now = now.Add(d)
		return nil
	}}}
	for range 2 {
		p.begin()
		p.after(20 * time.Second)
		now = now.Add(time.Second)
		p.after(2 * time.Second)
		require.Equal(t, 3*time.Second, p.took(), "a wait for late samples counts")
	}
	p.begin()
	require.Zero(t, p.took(), "nobody waited")
}
