package exposition

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCollectorGetsWhatAPageHas(t *testing.T) {
	type got struct {
		Family

		labels Labels
		value  float64
		at     time.Time
	}
	var all []got
	w := NewCollector(func(f Family, l Labels, v float64, at time.Time) { all = append(all, got{f, l, v, at}) })
	up, total := Family{Name: "up"}, Family{Name: "a_total", Kind: Counter}
	noon := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	w.Family(up)
	w.Sample("", 1)
	w.Family(Family{Name: "empty"})
	w.Family(total)
	w.SampleAt(`{vm="a"}`, 2, noon)
	w.SampleAt(`{vm="b"}`, 3, time.Time{})
	require.NoError(t, w.Close())
	require.Equal(t, []got{{up, "", 1, time.Time{}}, {total, `{vm="a"}`, 2, noon}, {total, `{vm="b"}`, 3, time.Time{}}}, all)
	w.Family(up)
	require.ErrorContains(t, w.Close(), "up was begun twice")
}

// TestLabelsAreReadAsTheyWereWritten: hostile names too.
func TestLabelsAreReadAsTheyWereWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string { return awkward[r.IntN(len(awkward))] + awkward[r.IntN(len(awkward))] }
	for range 2000 {
		want := map[string]string{"a": text(), "b_1": text(), "moid": text()}
		var pairs []string
		for name, value := range want {
			pairs = append(pairs, name, value)
			if want[name] = strings.ToValidUTF8(value, "\uFFFD"); value == "" {
				delete(want, name)
			}
		}
		require.Equal(t, want, maps.Collect(NewLabels(pairs...).All()))
	}
	for range Labels(`{a="1",b="2"}`).All() {
		break // it can be left early
	}
}
