package source

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/vsphere/measure"
	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// replayed is a source of these rounds alone.
type replayed struct {
	esxtop.Source

	left []*esxtop.Round
}

func (r *replayed) Next(context.Context) (*esxtop.Round, error) {
	if len(r.left) == 0 {
		return nil, io.EOF
	}
	first := r.left[0]
	r.left = r.left[1:]
	return first, nil
}

// TestQuietHosts has a host that measures, one that gives a first sample alone, one that is in trouble, and one of which nothing comes.
func TestQuietHosts(t *testing.T) {
	s := quietHosts{hosts: []measure.RosterHost{
		{MoID: "1", Name: "well"}, {MoID: "2", Name: "first"}, {MoID: "3", Name: "hung"}, {MoID: "4", Name: "mute"},
		{MoID: "5", Name: "off", Down: "it is disconnected"},
	}}
	source := s.listen(&replayed{left: []*esxtop.Round{
		{Frames: []*esxtop.Frame{{MoID: "1", Interval: time.Second}, {MoID: "2"}}, Troubles: []esxtop.Trouble{{MoID: "3"}}},
		{Frames: []*esxtop.Frame{{MoID: "1"}}, Troubles: []esxtop.Trouble{{MoID: "3", Err: errors.New("no route")}, {MoID: "1"}}},
	}})
	for range 2 {
		_, err := source.Next(t.Context())
		require.NoError(t, err)
	}
	_, err := source.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, []string{
		"no counters of first: it did not answer", "no counters of hung: no route", "no counters of mute: it did not answer",
	}, s.messages())
}

// TestNote: advice names the origin of counters, and an audit warns of hosts without counters.
func TestNote(t *testing.T) {
	w := new(Watched)
	for range 2 { // two servers may say the same
		Watch{Note: w.AddNote}.note(nil, esxtop.About{Origin: esxtop.Performance, Note: "too many hosts"}, []string{"no counters of a"})
	}
	require.Equal(t, []string{
		"counters come from the PerformanceManager, which has fewer than esxtop: too many hosts", "no counters of a",
	}, w.Notes)
	w = new(Watched)
	Watch{Note: w.AddNote}.note(nil, esxtop.About{Origin: esxtop.Service}, nil)
	require.Empty(t, w.Notes)
}

func TestMeasuredSpan(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	from, to := MeasuredSpan(&inventory.Snapshot{VCenters: []*inventory.VCenter{
		{}, {LiveFrom: at, LiveTo: at.Add(time.Minute)}, {LiveFrom: at.Add(-time.Second), LiveTo: at},
	}})
	require.Equal(t, at.Add(-time.Second), from)
	require.Equal(t, at.Add(time.Minute), to)
	from, _ = MeasuredSpan(&inventory.Snapshot{VCenters: []*inventory.VCenter{{}}})
	require.Zero(t, from)
}
