package live

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/pkg/esxtop"
	"github.com/vperf/vperf/pkg/inventory"
)

// TestFiguresAreEnough: measures read the same from rows that have only a window's figures.
func TestFiguresAreEnough(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, names := range [][]string{nil, {"cpu.ready"}, {"net.rx", "disk.readLatency"}, {"numa.local"}} {
		w := For(names)
		w.begin()
		figures, objects, read := w.Figures(), w.Needs(), 0
		for range 50 {
			all, some := &esxtop.Frame{MoID: "host-1"}, &esxtop.Frame{MoID: "host-1"}
			for o := range esxtop.NumObjects {
				if objects.Has(o) {
					whole, part := rowsOf(random, o, figures)
					all.Put(o, whole)
					some.Put(o, part)
				}
			}
			want := valuesIn(w, all)
			require.Equal(t, want, valuesIn(w, some))
			read += len(want)
		}
		require.Greater(t, read, 300)
	}
	require.Less(t, counted(For([]string{"cpu.ready"}).Figures()), counted(For(nil).Figures()))
	require.Less(t, 2*counted(For(nil).Figures()), len(esxtop.Catalogue())*3)
}

func counted(s *esxtop.MetricSet) (n int) {
	for o := range esxtop.NumObjects {
		for _, m := range esxtop.MetricsOf(o) {
			if s.Has(o, m) {
				n++
			}
		}
	}
	return n
}

// rowsOf returns rows with random figures, and the same rows with the given figures only.
func rowsOf(random *rand.Rand, o esxtop.Object, figures *esxtop.MetricSet) (all, some []esxtop.Row) {
	for i := range 3 {
		whole, part := esxtop.NewRow(o, strconv.Itoa(i), "row "+strconv.Itoa(i)), esxtop.NewRow(o, strconv.Itoa(i), "row "+strconv.Itoa(i))
		for _, r := range []*esxtop.Row{&whole, &part} {
			r.VM, r.MoID, r.VCPUs = o == esxtop.Group || o == esxtop.VDisk || o == esxtop.Port && i > 0, "vm-"+strconv.Itoa(i), 2
		}
		for _, m := range esxtop.MetricsOf(o) {
			if m.Kind == esxtop.Text || random.IntN(5) == 0 {
				continue
			}
			v := float64(random.IntN(200))
			whole.Set(m, v)
			if figures.Has(o, m) {
				part.Set(m, v)
			}
		}
		all, some = append(all, whole), append(some, part)
	}
	return all, some
}

type valueRead struct {
	of    key
	name  string
	value float64
	is    presence
}

// valuesIn returns what the window's measures read from a frame.
func valuesIn(w *Window, f *esxtop.Frame) map[string]valueRead {
	f.Interval = 20 * time.Second
	all := map[string]valueRead{}
	eachSubject(f, func(k key, s *subject) {
		for _, m := range w.of[k.scope] {
			if v, is := m.read(s); is != notReported {
				all[string(k.scope)+k.owner+k.id+m.name] = valueRead{k, m.name, v, is}
			}
		}
	})
	if home, is := homeOf(&f.Rows(esxtop.Group)[0]); is {
		all["home"] = valueRead{key{scope: inventory.ScopeVM}, "home", float64(home), figure}
	}
	return all
}
