package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/simfleet"
	"github.com/vperf/vperf/internal/simfleet/load"
	"github.com/vperf/vperf/pkg/esxtop"
)

// TestFramesOfTheLab: the rounds that a lab of the demo fleet makes without a server are those that the PerformanceManager returns:
// rows, names and every figure.
func TestFramesOfTheLab(t *testing.T) {
	t.Parallel()
	clock, noise := newPerfClock(), load.RealNoise(4, .8)
	f, roster, hosts := countingFleet(t, simfleet.Config{Now: clock.now, Noise: noise}, 0)
	lab := f.Lab(noise, clock.now())
	chosen := hosts("host01", "host02", "host05", "host06")
	ids := make([]string, len(chosen))
	for i, h := range chosen {
		ids[i] = h.MoID
	}
	objects := esxtop.ObjectsOf(
		esxtop.Host, esxtop.PCPU, esxtop.Group, esxtop.World, esxtop.Adapter, esxtop.Path, esxtop.Device, esxtop.DiskVM, esxtop.VDisk, esxtop.Port,
	)
	source := newPerformance(roster, chosen, PerformanceOptions{
		Request: esxtop.Request{Interval: 20 * time.Second, Objects: objects}, Clock: Clock{clock.now, clock.after},
	})
	require.NoError(t, source.start(t.Context(), 0))
	defer func() { require.NoError(t, source.Close(t.Context())) }()
	compared := 0
	for range 3 {
		read := nextRound(t, source)
		lab.Forward(clock.now().Sub(lab.Now()))
		made := lab.Round(ids, objects)
		require.Equal(t, read.Time, made.Time)
		require.Len(t, made.Frames, len(read.Frames))
		for i, want := range read.Frames {
			got := made.Frames[i]
			require.Equal(t, want.Host, got.Host)
			for o := range esxtop.Object(32) {
				if objects.Has(o) {
					compared += sameRows(t, want, got, o)
				}
			}
		}
	}
	require.Greater(t, compared, 10_000)
}

// sameRows compares the rows of an object and returns the number of figures.
func sameRows(t *testing.T, want, got *esxtop.Frame, o esxtop.Object) (figures int) {
	t.Helper()
	a, b := want.Rows(o), got.Rows(o)
	byID := map[string]*esxtop.Row{}
	key := func(f *esxtop.Frame, r *esxtop.Row) string {
		if owner := f.Owner(r); owner != nil {
			return owner.ID + "/" + r.ID
		}
		return r.MoID + "/" + r.ID
	}
	for i := range b {
		byID[key(got, &b[i])] = &b[i]
	}
	require.Len(t, b, len(a), "%s of %s", o, want.Host)
	for i := range a {
		other := byID[key(want, &a[i])]
		require.NotNil(t, other, "%s %s of %s", o, key(want, &a[i]), want.Host)
		require.Equal(t, a[i].Name, other.Name)
		for _, m := range esxtop.MetricsOf(o) {
			v, there := a[i].Value(m)
			w, made := other.Value(m)
			require.Equal(t, there, made, "%s of %s %s on %s", m.ID, o, a[i].ID, want.Host)
			require.InDelta(t, v, w, 1e-9, "%s of %s %s on %s", m.ID, o, a[i].ID, want.Host)
			figures++
		}
	}
	return figures
}
