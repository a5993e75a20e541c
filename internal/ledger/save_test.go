package ledger

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
)

// TestSavedLedgerGoesOn: a ledger that was saved and restored has the page, the samples and the missed samples of one that was never
// interrupted: sums that vperf makes, counts of the host that begin anew, and pauses.
func TestSavedLedgerGoesOn(t *testing.T) {
	samples := func(i int, v float64) func(*Ledger) {
		return func(l *Ledger) {
			take(l, round(frame("host-1", after(i), ready("vm-1", v), ready("vm-2", 2*v))))
			counts := vmRow(esxtop.Group, "vm-1", "17", figures{"numa.migrations": v})
			take(l, round(service(frame("host-1", after(i).Add(3*time.Second), counts), 20*time.Second)))
		}
	}
	on := func(on bool) func(*Ledger) {
		return func(l *Ledger) {
			l.Expect([]Host{{MoID: "host-1", Name: "name-host-1", Up: true}, {MoID: "host-2", Name: "name-host-2", Up: true}}, []VM{
				{MoID: "vm-1", Name: "name-vm-1", Host: "host-1", On: true}, {MoID: "vm-2", Name: "name-vm-2", Host: "host-1", On: on},
			})
		}
	}
	steps := []func(*Ledger){
		on(true), samples(1, 10), samples(2, 20), on(false), samples(3, 0), on(true), samples(6, 10), samples(7, 30),
	}
	want := newLedger(Options{Objects: esxtop.AllObjects})
	for _, do := range steps {
		do(want)
	}
	for cut := range steps {
		clock = start
		l := New(want.options)
		for _, do := range steps[:cut] {
			do(l)
		}
		var file bytes.Buffer
		require.NoError(t, l.Save(&file))
		whole := file.Bytes()
		again := New(want.options)
		require.NoError(t, again.Restore(bytes.NewReader(whole)))
		for i, do := range steps[cut:] {
			if i == 0 && cut > 0 {
				steps[cut-1](again) // samples come twice after a restart
			}
			do(again)
		}
		require.Equal(t, page(t, want, after(7)), page(t, again, after(7)), cut)
		require.Equal(t, want.Stats(after(7)).Samples, again.Stats(after(7)).Samples, cut)
		require.Equal(t, reasons(want, after(7)), reasons(again, after(7)), cut)
		for _, end := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
			torn := New(want.options)
			require.ErrorIs(t, torn.Restore(bytes.NewReader(whole[:end])), errSaved)
			require.Zero(t, torn.Stats(after(7)).Samples)
		}
	}
	require.Equal(t, map[string]time.Time{"host-1": after(7)}, utc(want.Newest()))
}

func utc(all map[string]time.Time) map[string]time.Time {
	for k := range all {
		all[k] = all[k].UTC()
	}
	return all
}
