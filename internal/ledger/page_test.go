package ledger

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/vperf/vperf/internal/exposition"
	"github.com/vperf/vperf/internal/exposition/expositiontest"
	"github.com/vperf/vperf/pkg/esxtop"
)

// everything returns a ledger with every metric of every object, and names that are hard to sort.
func everything(t *testing.T) *Ledger {
	t.Helper()
	l := newLedger(Options{Objects: esxtop.AllObjects})
	var vms []VM
	for i, name := range []string{"b", "a", `a"`, "a\nb", "a", "ä", "A", "a!", "\xff"} {
		vms = append(vms, VM{MoID: fmt.Sprintf("vm-%d", 12-i), Name: name, On: true})
	}
	l.Expect([]Host{{MoID: "host-2", Name: "esx", Up: true}, {MoID: "host-10", Name: "esx", Up: true}, {MoID: "host-3", Name: "vm-5", Up: true}}, vms)
	for i, host := range []string{"host-2", "host-10", "host-3"} {
		var rows []esxtop.Row
		for o := range esxtop.Object(32) {
			if !esxtop.AllObjects.Has(o) {
				break
			}
			for _, id := range []string{"10", "9", "vmx-vcpu-1:a", "vmnic0"} {
				r := full(o, id)
				if ofVMs.Has(o) {
					r.VM, r.MoID = true, vms[3*i].MoID
				} else if o.Parent() != o {
					r.Parent = 0
				}
				rows = append(rows, r)
			}
		}
		for k := range vms[3*i : 3*i+3] {
			r := full(esxtop.Port, "eth0")
			r.VM, r.MoID = true, vms[3*i+k].MoID
			link := full(esxtop.Port, fmt.Sprint("vmk", k))
			link.Set(isUplink, 0)
			rows = append(rows, r, link)
		}
		take(l, round(frame(host, after(1), rows...), service(frame(host, after(1), rows...), 5*time.Second)))
	}
	return l
}

// full returns a row with all figures.
func full(o esxtop.Object, id string) esxtop.Row {
	r := row(o, id, nil)
	for i, m := range esxtop.MetricsOf(o) {
		r.Set(m, 1+float64(i%3))
	}
	return r
}

func pageOf(t testing.TB, l *Ledger, objects esxtop.Objects) []byte {
	t.Helper()
	var b bytes.Buffer
	w := exposition.NewWriter(&b, exposition.Text)
	l.Write(w, objects)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestLint: pages with all series follow the rules of Prometheus and vperf.
func TestLint(t *testing.T) {
	expositiontest.Lint(t, pageOf(t, everything(t), esxtop.AllObjects))
}

// shuffled returns the metrics of a page to Prometheus's library in another order.
type shuffled map[string]*dto.MetricFamily

func (shuffled) Describe(chan<- *prometheus.Desc) {}

func (s shuffled) Collect(to chan<- prometheus.Metric) {
	for name, f := range s {
		rand.Shuffle(len(f.Metric), func(i, j int) { f.Metric[i], f.Metric[j] = f.Metric[j], f.Metric[i] })
		for _, m := range f.Metric {
			var names, values []string
			for _, l := range m.Label {
				names, values = append(names, l.GetName()), append(values, l.GetValue())
			}
			kind, v := prometheus.GaugeValue, m.GetGauge().GetValue()
			if m.Counter != nil {
				kind, v = prometheus.CounterValue, m.GetCounter().GetValue()
			}
			to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, f.GetHelp(), names, nil), kind, v, values...)
		}
	}
}

// TestOrder: a page is byte for byte equal to that of Prometheus's library, which also detects duplicate series.
func TestOrder(t *testing.T) {
	ours := pageOf(t, everything(t), esxtop.AllObjects)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	parsed, err := parser.TextToMetricFamilies(bytes.NewReader(ours))
	require.NoError(t, err)
	require.Greater(t, len(parsed), 300)

	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(shuffled(parsed)))
	gathered, err := registry.Gather()
	require.NoError(t, err)
	var theirs bytes.Buffer
	for _, f := range gathered {
		_, err := expfmt.MetricFamilyToText(&theirs, f)
		require.NoError(t, err)
	}
	require.Equal(t, theirs.String(), string(ours))
}

// TestWriteSome: writing some objects gives their part of the whole page, in the same order.
func TestWriteSome(t *testing.T) {
	l := everything(t)
	all, some := string(pageOf(t, l, esxtop.AllObjects)), string(pageOf(t, l, esxtop.ObjectsOf(esxtop.Group, esxtop.VDisk)))
	names := map[string]bool{}
	for _, o := range []esxtop.Object{esxtop.Group, esxtop.VDisk} {
		for _, m := range esxtop.MetricsOf(o) {
			names[m.PrometheusName(o)] = true
		}
	}
	var want strings.Builder
	keep := false
	for line := range strings.Lines(all) {
		if name, is := strings.CutPrefix(line, "# HELP "); is {
			name, _, _ = strings.Cut(name, " ")
			keep = names[name]
		}
		if keep {
			want.WriteString(line)
		}
	}
	require.Equal(t, want.String(), some)
	require.Empty(t, pageOf(t, l, 0))
}

// TestWalk: the times are those of the samples, by their origin.
func TestWalk(t *testing.T) {
	l := fleet(t, Options{})
	take(l, round(frame("host-1", after(1), ready("vm-1", 10)), service(frame("host-1", after(2), vmRow(esxtop.Group, "vm-1", "1", figures{"cpu.demand": 50})), time.Second)))
	times := map[string]time.Time{}
	l.Walk(esxtop.AllObjects, func(f exposition.Family, _ exposition.Labels, _ float64, at time.Time) { times[f.Name] = at })
	require.Equal(t, map[string]time.Time{"esxi_vm_cpu_ready_seconds_total": after(1), "esxi_vm_cpu_demand_ratio": after(2)}, times)
}

// TestNames: a family has one name, and is of one object.
func TestNames(t *testing.T) {
	l := newLedger(Options{Objects: esxtop.AllObjects})
	var names []string
	for _, f := range l.families {
		names = append(names, strings.TrimSuffix(f.of().family.Name, "_total"))
		require.NotEmpty(t, f.of().family.Help)
		require.NotZero(t, f.of().scale, f.of().family.Name)
	}
	slices.Sort(names)
	require.Equal(t, slices.Compact(slices.Clone(names)), names)
	for o := range esxtop.Object(32) {
		if esxtop.AllObjects.Has(o) && o != esxtop.Port {
			require.NotNil(t, labellings[o], o)
		}
	}
}

// TestTogether: several goroutines store, query and write concurrently.
func TestTogether(t *testing.T) {
	l := newLedger(Options{Objects: esxtop.AllObjects, MaxSeries: 40, Reason: reasonOf})
	ids := make([]string, 20)
	for i := range ids {
		ids[i] = fmt.Sprint("vm-", i)
	}
	l.Expect(hostsUp("host-1"), vmsOn(ids...))
	rows := []esxtop.Row{hostRow("x", figures{"host.uptime": 1})}
	for _, id := range ids {
		rows = append(rows, ready(id, 10), vmRow(esxtop.VDisk, id, "a", figures{"vdisk.reads": 1}))
	}
	var wait sync.WaitGroup
	const rounds = 50
	for range 3 {
		wait.Go(func() {
			for n := range rounds {
				l.Take(again(round(frame("host-1", after(n), rows...))))
			}
		})
		wait.Go(func() {
			for n := range rounds {
				l.Expect(hostsUp("host-1"), vmsOn(ids[:20-n%2]...))
				l.Changes(after(n))
			}
		})
		wait.Go(func() {
			for n := range rounds {
				require.LessOrEqual(t, l.Stats(after(n)).Series, 40)
				pageOf(t, l, esxtop.AllObjects)
			}
		})
	}
	wait.Wait()
	require.InDelta(t, rounds*2, page(t, l, start)[`esxi_vm_cpu_ready_seconds_total{moid="vm-0",vm="name-vm-0"}`], 1e-9)
}
