package exposition

import (
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// The page of a large vCenter: 250,000 series, a third of them with fractional values.
const (
	vms      = 10_000
	families = 25
)

func name(i int) string { return fmt.Sprintf("esxi_vm_measurement_number%d_seconds_total", i) }

func value(vm, i int) float64 {
	if i%3 == 0 {
		return float64(vm*i) * 1.0371
	}
	return float64(vm) * float64(i) * 65536
}

// count counts bytes.
type count struct {
	to io.Writer
	n  int64
}

func (c *count) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.to.Write(p)
}

func BenchmarkPage(b *testing.B) {
	labels := make([]Labels, vms)
	for vm := range labels {
		labels[vm] = NewLabels("vm", fmt.Sprintf("prod-database-%05d", vm), "moid", fmt.Sprint("vm-", vm))
	}
	write := func(to io.Writer, f Format) error {
		w := NewWriter(to, f)
		for i := range families {
			w.Family(Family{Name: name(i), Help: "Time that it could have run but no CPU was free for it (esxtop %RDY; cpu.ready.summation)", Kind: Counter})
			for vm, l := range labels {
				w.Sample(l, value(vm, i))
			}
		}
		return w.Close()
	}
	for _, f := range []Format{Text, OpenMetrics} {
		b.Run([]string{"text", "openmetrics"}[f], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				to := &count{to: io.Discard}
				if err := write(to, f); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(to.n)
			}
		})
	}
	b.Run("gzip", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			packed := &count{to: io.Discard}
			z, _ := gzip.NewWriterLevel(packed, gzip.BestSpeed)
			plain := &count{to: z}
			if err := write(plain, Text); err != nil {
				b.Fatal(err)
			}
			if err := z.Close(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(plain.n)
			b.ReportMetric(float64(packed.n), "packed-bytes")
		}
	})
}

// BenchmarkPageByLibrary writes the same page with Prometheus's library.
func BenchmarkPageByLibrary(b *testing.B) {
	b.ReportAllocs()
	descs := make([]*prometheus.Desc, families)
	for i := range descs {
		descs[i] = prometheus.NewDesc(name(i), "Time that it could have run but no CPU was free for it (esxtop %RDY; cpu.ready.summation)", []string{"vm", "moid"}, nil)
	}
	names, ids := make([]string, vms), make([]string, vms)
	for vm := range names {
		names[vm], ids[vm] = fmt.Sprintf("prod-database-%05d", vm), fmt.Sprint("vm-", vm)
	}
	for b.Loop() {
		registry := prometheus.NewRegistry()
		registry.MustRegister(collector(func(ch chan<- prometheus.Metric) {
			for i, d := range descs {
				for vm := range names {
					ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value(vm, i), names[vm], ids[vm])
				}
			}
		}))
		gathered, err := registry.Gather()
		if err != nil {
			b.Fatal(err)
		}
		to := &count{to: io.Discard}
		encoder := expfmt.NewEncoder(to, expfmt.FmtText)
		for _, f := range gathered {
			if err := encoder.Encode(f); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(to.n)
	}
}

type collector func(chan<- prometheus.Metric)

func (collector) Describe(chan<- *prometheus.Desc)      {}
func (c collector) Collect(ch chan<- prometheus.Metric) { c(ch) }
